"""ArtCoT and what it is compared with, asked of a live server: what each step sees, what is left out, what fails."""

from collections.abc import Callable
from typing import Any

import pytest

from panel import Panel, pictures_of, refusal, shown_in, words_of
from semiosis.core.errors import BadSetting
from semiosis.core.kinds.interpretation import Interpretation
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.question import Answer
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Pair, Prompt, Question
from semiosis.methods.artcot.artcot import ArtCoT
from semiosis.methods.artcot.baselines import OPENING, BasePrompt, ZeroShotCoT
from semiosis.methods.contract import find

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


@pytest.mark.parametrize(("name", "remembers"), [("artcot", True), ("artcot/forgetful", False)])
async def test_the_authors_script_is_kept_by_name_and_forgets(
    stylization: Pair, name: str, remembers: bool
) -> None:
    server = panel()
    with server.serving() as backbone:
        method = find(name).make(backbone, orders="ab")
        assert isinstance(method, ArtCoT)
        judgment = await method.judge(stylization)
        await backbone.aclose()
    assert isinstance(judgment, Judgment)
    assert judgment.provenance.method == name
    analysis, *later = ("its dots are pure colour" in words_of(body) for body in server.asked)
    assert (analysis, later) == (False, [remembers, remembers])
    for body in server.asked:
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
        ("content", True, 2, "which you are not shown"),
        ("style", False, 3, "is not told to you"),
        ("both", False, 2, "which you are not shown"),
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


@pytest.mark.parametrize("method", [BasePrompt, ZeroShotCoT, ArtCoT])
async def test_what_a_prompt_does_not_have_cannot_be_left_out(pair: Pair, method: type[BasePrompt]) -> None:
    server = panel()
    with server.serving() as backbone:
        failure = await method(backbone, without="content").judge(pair)
        await backbone.aclose()
    assert isinstance(failure, Failure)
    assert (failure.reason, "no stylization" in failure.message) == ("invalid", True)
    assert server.asked == []


@pytest.mark.parametrize(("orders", "a", "b"), [("ab", (100, 50), (60, 60)), ("ba", (60, 60), (100, 50))])
async def test_a_prompt_s_pictures_are_shown_apart_each_by_its_name(
    png: Callable[..., bytes], orders: Any, a: tuple[int, int], b: tuple[int, int]
) -> None:
    prompt = Prompt(text="nothing lasts", references=(png("olive", (80, 40)), png("gold", (40, 80))))
    server = panel()
    with server.serving() as backbone:
        pair = Pair(prompt, png("teal", (100, 50)), png("maroon", (60, 60)))
        await BasePrompt(backbone, orders=orders).judge(pair)
        await backbone.aclose()
    assert shown_in(server.asked[0]) == [
        ("Reference image 1, part of the prompt:", (80, 40)),
        ("Reference image 2, part of the prompt:", (40, 80)),
        ("Picture A:", a),
        ("Picture B:", b),
    ]
    assert "given by itself, under its name" in words_of(server.asked[0])


async def test_a_stylization_is_shown_apart_at_half_its_size(stylization: Pair) -> None:
    server = panel()
    with server.serving() as backbone:
        await BasePrompt(backbone, orders="ab", layout="separate").judge(stylization)
        await backbone.aclose()
    assert shown_in(server.asked[0]) == [
        ("The source:", (40, 20)),
        ("Picture A:", (50, 25)),
        ("Picture B:", (50, 25)),
    ]


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
    [(_, (width, height))] = shown_in(server.asked[0])
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


async def test_each_repeat_sends_a_seed_of_its_own_at_each_step(stylization: Pair) -> None:
    server = panel()
    with server.serving() as backbone:
        judgment = await ArtCoT(backbone, orders="ab", repeats=3, seed=7).judge(stylization)
        await backbone.aclose()
    assert isinstance(judgment, Judgment)
    for task in ("art_analysis", "art_critique", "art_summary"):
        assert sorted(body["seed"] for body in server.bodies(task)) == [7, 8, 9]


async def test_each_repeat_is_a_call_of_its_own_without_a_seed_too(stylization: Pair) -> None:
    with panel().serving() as backbone:
        judgment = await BasePrompt(backbone, repeats=3).judge(stylization)
        await backbone.aclose()
    assert isinstance(judgment, Judgment)
    assert len({exchange.call for exchange in judgment.provenance.exchanges}) == 6


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


@pytest.mark.parametrize(
    ("settings", "tasks", "size"),
    [
        ({}, ["alone_analysis", "alone_critique"], (80, 40)),
        ({"resolution": "quarter"}, ["alone_analysis", "alone_critique"], (20, 10)),
        ({"analysis": False}, ["alone_critique"], (80, 40)),
        ({"critique": False}, ["alone_analysis"], (80, 40)),
    ],
)
async def test_one_picture_is_read_alone_by_the_steps_and_at_the_size_told(
    png: Callable[..., bytes], settings: dict[str, Any], tasks: list[str], size: tuple[int, int]
) -> None:
    server = Panel(**ALONE)
    with server.serving() as backbone:
        method = ArtCoT(backbone, temperature=0.5, seed=3, **settings)
        await method.interpret(Artifact.of(png("teal", (80, 40))))
        await backbone.aclose()
    assert server.tasks() == tasks
    for body in server.asked:
        assert shown_in(body) == [("Picture A:", size)]
        assert (body["temperature"], body["seed"]) == (0.5, 3)


async def test_a_forgetful_reader_looks_anew_at_each_step(png: Callable[..., bytes]) -> None:
    server = Panel(**ALONE)
    with server.serving() as backbone:
        await ArtCoT(backbone, forgetful=True).interpret(Artifact.of(png("teal")))
        await backbone.aclose()
    assert ["a dry brush" in words_of(body) for body in server.asked] == [False, False]
    assert [pictures_of(body) for body in server.asked] == [1, 1]


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


async def test_each_answer_sends_a_seed_of_its_own_at_each_step(png: Callable[..., bytes]) -> None:
    server = Panel(**ALONE)
    question = Question(question="Who is in the boat?", choices={"A": "two", "B": "one"})
    with server.serving() as backbone:
        answer = await ArtCoT(backbone, repeats=3, seed=7).answer(question, Artifact.of(png("teal")))
        await backbone.aclose()
    assert isinstance(answer, Answer)
    for task in ALONE:
        assert sorted(body["seed"] for body in server.bodies(task)) == [7, 8, 9]
