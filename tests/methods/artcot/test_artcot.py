"""ArtCoT and what it is compared with, asked of a live server: what each step sees, what is left out, what fails."""

import base64
import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from panel import Panel, pictures_of, refusal, words_of
from semiosis.core.errors import BadSetting
from semiosis.core.kinds.interpretation import Interpretation
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.question import Answer
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Pair, Prompt, Question
from semiosis.methods.artcot.artcot import ArtCoT
from semiosis.methods.artcot.baselines import OPENING, BasePrompt, ZeroShotCoT

ANALYSIS = {
    "style_reason": "its dots are pure colour",
    "content_reason": "its square is still there",
    "style_winner": "A",
    "content_winner": "B",
}
CRITIQUE = {"reflection": "The analysis overlooks the torn edge of A."}
SEURAT = "painting by Georges Seurat"


def panel(**replies: Any) -> Panel:
    usual: dict[str, Any] = {
        "art_base": {"winner": "A"},
        "art_cot": {"thinking": "A holds together.", "winner": "A"},
        "art_analysis": ANALYSIS,
        "art_critique": CRITIQUE,
        "art_summary": {"winner": "B"},
    }
    return Panel(**usual | replies)


@pytest.fixture
def stylization(png: Callable[..., bytes]) -> Pair:
    return Pair(
        Prompt.stylization(SEURAT, png("olive", (80, 40))), png("teal", (100, 50)), png("maroon", (100, 50))
    )


def size_of_picture(body: dict[str, Any]) -> tuple[int, int]:
    url = next(
        part["image_url"]["url"]
        for message in body["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    )
    with Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) as image:
        return image.size


async def test_each_step_sees_what_came_before(stylization: Pair) -> None:
    server = panel()
    with server.serving() as backbone:
        judgment = await ArtCoT(backbone, orders="ab").judge(stylization)
        await backbone.aclose()
    assert isinstance(judgment, Judgment)
    assert server.tasks() == ["art_analysis", "art_critique", "art_summary"]
    analysis, critique, summary = server.asked
    assert "its dots are pure colour" not in words_of(analysis)
    assert "its dots are pure colour" in words_of(critique)
    assert "do you agree with it" in words_of(critique)
    assert "its dots are pure colour" in words_of(summary)
    assert "the torn edge of A" in words_of(summary)
    assert [pictures_of(body) for body in server.asked] == [1, 1, 1]
    assert judgment.winner == "b"
    assert judgment.discussion == CRITIQUE["reflection"]
    assert [(each.node, each.supports, each.reason[:6]) for each in judgment.evidence] == [
        ("a", "a", "Style:"),
        ("b", "b", "Conten"),
    ]


async def test_sides_are_the_pair_s_own_in_either_order(stylization: Pair) -> None:
    with panel().serving() as backbone:
        judgment = await ArtCoT(backbone).judge(stylization)
        await backbone.aclose()
    assert isinstance(judgment, Judgment)
    winners = {vote.order: vote.winner for vote in judgment.votes}
    assert winners == {"ab": "b", "ba": "a"}
    assert judgment.flipped is True
    backwards = next(vote for vote in judgment.votes if vote.order == "ba")
    assert [item.supports for item in backwards.evidence] == ["b", "a"]


async def test_the_authors_script_is_kept_by_name_and_forgets(stylization: Pair) -> None:
    server = panel()
    with server.serving() as backbone:
        judgment = await ArtCoT(backbone, orders="ab", forgetful=True).judge(stylization)
        await backbone.aclose()
    assert isinstance(judgment, Judgment)
    assert judgment.provenance.method == "artcot/forgetful"
    for body in server.asked:
        assert "its dots are pure colour" not in words_of(body).replace("art_analysis", "")
        assert pictures_of(body) == 1
        assert SEURAT in words_of(body)


@pytest.mark.parametrize(
    ("settings", "tasks"),
    [
        ({"analysis": False}, ["art_critique", "art_summary"]),
        ({"critique": False}, ["art_analysis", "art_summary"]),
    ],
)
async def test_either_stage_can_be_left_out(
    stylization: Pair, settings: dict[str, Any], tasks: list[str]
) -> None:
    server = panel()
    with server.serving() as backbone:
        await ArtCoT(backbone, orders="ab", **settings).judge(stylization)
        await backbone.aclose()
    assert server.tasks() == tasks
    if tasks[0] == "art_critique":
        assert "do you agree with it" not in words_of(server.asked[0])


async def test_without_both_stages_it_is_another_method(stylization: Pair) -> None:
    with panel().serving() as backbone:
        with pytest.raises(BadSetting, match="direct/base"):
            ArtCoT(backbone, analysis=False, critique=False)
        await backbone.aclose()


@pytest.mark.parametrize(
    ("without", "told", "pictures", "phrase"),
    [
        ("nothing", True, 3, "keep the content of the source"),
        ("content", True, 2, "which is not shown"),
        ("style", False, 3, "which is not told"),
        ("both", False, 2, "which is not shown"),
    ],
)
async def test_what_is_not_to_be_told_is_not_told(
    stylization: Pair, without: Any, told: bool, pictures: int, phrase: str
) -> None:
    server = panel()
    with server.serving() as backbone:
        await BasePrompt(backbone, orders="ab", layout="separate", without=without).judge(stylization)
        await backbone.aclose()
    words = words_of(server.asked[0])
    assert (SEURAT in words) is told
    assert phrase in words
    assert pictures_of(server.asked[0]) == pictures


@pytest.mark.parametrize(
    ("resolution", "size"),
    [
        ("full", (202, 101)),
        (None, (101, 50)),
        ("half", (101, 50)),
        ("quarter", (50, 25)),
        ("eighth", (25, 13)),
    ],
)
async def test_the_composed_picture_is_as_large_as_told(
    stylization: Pair, resolution: Any, size: tuple[int, int]
) -> None:
    server = panel()
    with server.serving() as backbone:
        await BasePrompt(backbone, orders="ab", resolution=resolution).judge(stylization)
        await backbone.aclose()
    width, height = size_of_picture(server.asked[0])
    assert abs(width - size[0]) <= 1
    assert abs(height - size[1]) <= 1
    assert "the source on top, A at the bottom left" in words_of(server.asked[0])


async def test_any_prompt_stands_for_content_and_style(pair: Pair) -> None:
    server = panel()
    with server.serving() as backbone:
        judgment = await ArtCoT(backbone, orders="ab").judge(pair)
        await backbone.aclose()
    assert isinstance(judgment, Judgment)
    words = words_of(server.asked[0])
    assert "The prompt stands for both" in words
    assert pair.prompt.text in words
    assert pictures_of(server.asked[0]) == 2


async def test_the_base_prompt_asks_for_the_winner_and_nothing_else(pair: Pair) -> None:
    server = panel()
    with server.serving() as backbone:
        judgment = await BasePrompt(backbone).judge(pair)
        await backbone.aclose()
    assert isinstance(judgment, Judgment)
    assert server.asked[0]["response_format"]["json_schema"]["schema"]["required"] == ["winner"]
    assert (judgment.winner, judgment.flipped, judgment.certainty) == (None, True, None)


async def test_a_reply_is_begun_where_the_server_goes_on_from_it(pair: Pair) -> None:
    server = panel(prose='A is torn.", "winner": "B"}')
    with server.serving("vllm") as backbone:
        judgment = await ZeroShotCoT(backbone, orders="ab").judge(pair)
        await backbone.aclose()
    assert isinstance(judgment, Judgment)
    body = server.asked[0]
    assert body["messages"][-1] == {"role": "assistant", "content": OPENING}
    assert (body["continue_final_message"], body["add_generation_prompt"]) == (True, False)
    assert judgment.winner == "b"
    assert judgment.discussion == "Let us think step by step. A is torn."


async def test_elsewhere_the_prompt_ends_with_the_beginning(pair: Pair) -> None:
    server = panel()
    with server.serving() as backbone:
        judgment = await ZeroShotCoT(backbone, orders="ab").judge(pair)
        await backbone.aclose()
    assert isinstance(judgment, Judgment)
    assert server.asked[0]["messages"][-1]["role"] == "user"
    assert words_of(server.asked[0]).rstrip().endswith("Let us think step by step.")
    assert judgment.discussion == "A holds together."


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"art_critique": refusal}, "refused"),
        ({"art_summary": {"winner": "both"}}, "invalid"),
        ({"art_analysis": "no idea"}, "unparsable"),
    ],
)
async def test_a_step_that_fails_gives_no_verdict(
    stylization: Pair, broken: dict[str, Any], reason: str
) -> None:
    with panel(**broken).serving() as backbone:
        judgment = await ArtCoT(backbone).judge(stylization)
        await backbone.aclose()
    assert isinstance(judgment, Failure)
    assert judgment.reason == reason
    assert judgment.provenance is not None


ALONE = {
    "alone_analysis": {"style": "ink wash", "content": "a boat", "visual_features": ["a dry brush", "mist"]},
    "alone_critique": {
        "essential_features": "empty space",
        "content_and_style": "they serve each other",
        "artefacts": "none",
        "harmony": "calm",
    },
    "alone_answer": {"reasoning": "the boat is alone", "answer": "B", "certainty": 4},
}


async def test_one_picture_is_read_alone_in_two_steps(png: Callable[..., bytes]) -> None:
    server = Panel(**ALONE)
    with server.serving() as backbone:
        interpretation = await ArtCoT(backbone).interpret(Artifact.of(png("teal")))
        await backbone.aclose()
    assert isinstance(interpretation, Interpretation)
    passages = {passage.title: passage.text for passage in interpretation.passages}
    assert list(passages) == [
        *("Analysis: style", "Analysis: content", "Analysis: visual features"),
        *("Critique: essential features", "Critique: content and style", "Critique: artefacts"),
        "Critique: harmony",
    ]
    assert passages["Analysis: visual features"] == "a dry brush\nmist"
    assert "a dry brush" in words_of(server.asked[1])
    with server.serving() as backbone:
        with pytest.raises(BadSetting, match="reads pictures"):
            await ArtCoT(backbone).interpret(Prompt(text="x"))
        await backbone.aclose()


async def test_a_question_is_answered_after_analysis_and_critique(png: Callable[..., bytes]) -> None:
    server = Panel(**ALONE)
    question = Question(question="Who is in the boat?", choices={"A": "two", "B": "one"}, answer="B")
    with server.serving() as backbone:
        answer = await ArtCoT(backbone).answer(question, Artifact.of(png("teal")), Artifact.of(png("red")))
        await backbone.aclose()
    assert isinstance(answer, Answer)
    assert (answer.choice, answer.correct, answer.certainty) == ("B", True, 4)
    assert server.tasks() == ["alone_analysis", "alone_critique", "alone_answer"]
    last = words_of(server.asked[2])
    assert "empty space" in last
    assert "Who is in the boat?" in last
    assert [pictures_of(body) for body in server.asked] == [2, 2, 2]
