"""Tuned models behind a live server: asked in the words they know, read by one rule each, never guessed at."""

import json
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from chat import completion
from panel import Panel, pictures_of, words_of
from semiosis.backbones.backbone import Backbone
from semiosis.backbones.recording import Record, Replay
from semiosis.backbones.transformers import Transformers
from semiosis.core.errors import BadSetting, SetupError
from semiosis.core.kinds.interpretation import Interpretation
from semiosis.core.kinds.question import Answer
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Prompt, Question
from semiosis.methods.tuned.artimuse import ASPECTS, ArtiMuse, number_of
from semiosis.methods.tuned.deqa import DeQA
from semiosis.methods.tuned.gallerygpt import GalleryGPT
from semiosis.methods.tuned.lmm4lmm import LMM4LMM, LMM4LMMPerception
from semiosis.methods.tuned.served import mean_level, named_level
from tiny_llava import save_tiny_llava

PROMPT = Prompt(text="a kitchen without a refrigerator")
QUESTION = Question(question="What is missing?", choices={"A": "a chair", "B": "a refrigerator"}, answer="B")


@pytest.fixture
def artifact(png: Callable[..., bytes]) -> Artifact:
    return Artifact.of(png("teal"))


async def scored(cls: Any, reply: str, artifact: Artifact, **settings: Any) -> tuple[Score | Failure, Panel]:
    panel = Panel(prose=reply)
    with panel.serving() as backbone:
        score = await cls(backbone, **settings).score(PROMPT, artifact)
        await backbone.aclose()
    return score, panel


@pytest.mark.parametrize(
    ("letters", "number"),
    [("aa", 0), ("az", 25), ("ca", 26), ("cy", 50), ("da", 51), ("dy", 75), ("ea", 76), (" EY. ", 100)],
)
def test_pairs_of_letters_stand_for_0_to_100(letters: str, number: int) -> None:
    assert number_of(letters) == number


@pytest.mark.parametrize("text", ["ba", "cz", "dz", "ez", "e", "eaa", "76", "the score is ea", ""])
def test_other_texts_stand_for_no_number(text: str) -> None:
    assert number_of(text) is None


def test_every_number_has_one_pair() -> None:
    pairs = [f"{a}{chr(b)}" for a in "abcde" for b in range(ord("a"), ord("z") + 1)]
    numbers = [number for pair in pairs if (number := number_of(pair)) is not None]
    assert sorted(numbers) == list(range(101))


async def test_artimuse_scores_by_letters_and_criticises_in_eight_aspects(artifact: Artifact) -> None:
    score, panel = await scored(ArtiMuse, "ec", artifact)
    assert isinstance(score, Score)
    assert score.value == 78
    assert PROMPT.text not in words_of(panel.asked[0])
    panel = Panel(prose=lambda body: f"On {words_of(body).rpartition('of ')[2]}")
    with panel.serving() as backbone:
        interpretation = await ArtiMuse(backbone).interpret(artifact)
        with pytest.raises(BadSetting, match="reads pictures"):
            await ArtiMuse(backbone).interpret(PROMPT)
        await backbone.aclose()
    assert isinstance(interpretation, Interpretation)
    assert tuple(passage.title for passage in interpretation.passages) == ASPECTS
    assert interpretation.passages[0].text == "On Composition & Design."


@pytest.mark.parametrize(
    ("reply", "value"), [("Good.", 4.0), ("The correspondence is poor", 2.0), ("excellent", 5.0)]
)
async def test_a_level_is_read_in_words(reply: str, value: float, artifact: Artifact) -> None:
    score, panel = await scored(LMM4LMM, reply, artifact)
    assert isinstance(score, Score)
    assert score.value == value
    assert PROMPT.text in words_of(panel.asked[0])
    assert pictures_of(panel.asked[0]) == 1
    perceived, panel = await scored(LMM4LMMPerception, reply, artifact)
    assert isinstance(perceived, Score)
    assert perceived.provenance.method == "lmm4lmm/perception"
    assert PROMPT.text not in words_of(panel.asked[0])


@pytest.mark.parametrize("reply", ["between good and fair", "It shows a kitchen.", "4", "goodness"])
async def test_no_level_or_several_are_no_score(reply: str, artifact: Artifact) -> None:
    for cls in (LMM4LMM, GalleryGPT):
        score, _ = await scored(cls, reply, artifact)
        assert isinstance(score, Failure)
        assert score.reason == "unparsable"
        assert score.reply == reply


async def test_a_server_that_opens_no_replies_gives_deqa_no_score(artifact: Artifact) -> None:
    score, panel = await scored(DeQA, "good", artifact)
    assert isinstance(score, Failure)
    assert "cannot go on from the beginning of a reply" in score.message
    assert panel.asked == []


async def test_such_a_server_is_refused_before_anything_is_asked() -> None:
    with Panel().serving() as backbone:
        for method in (DeQA(backbone), LMM4LMM(backbone, levels_by="probabilities")):
            with pytest.raises(SetupError, match="cannot go on from the beginning of a reply"):
                method.require()
        LMM4LMM(backbone).require()
        await backbone.aclose()


async def test_levels_come_from_the_tokens_that_may_follow_the_opening(artifact: Artifact) -> None:
    likely = {
        " good": 0.5,
        " Good": 0.1,
        " fair": 0.2,
        " excellent": 0.1,
        " poor": 0.04,
        " bad": 0.01,
        " ex": 0.03,
    }
    for lacking in (None, " bad"):
        entries = [
            {"token": token, "logprob": math.log(each), "bytes": None}
            for token, each in likely.items()
            if token != lacking
        ]
        reply = completion(" good")
        reply["choices"][0]["logprobs"] = {"content": [{**entries[0], "top_logprobs": entries}]}
        panel = Panel(prose=lambda _, reply=reply: web.json_response(reply))
        with panel.serving("vllm") as backbone:
            score = await DeQA(backbone).score(PROMPT, artifact)
            await backbone.aclose()
        [body] = panel.asked
        assert body["messages"][-1] == {"role": "assistant", "content": "The quality of the image is"}
        assert (body["continue_final_message"], body["top_logprobs"]) == (True, 20)
        if lacking:
            assert isinstance(score, Failure)
            assert "says nothing of 'bad'" in score.message
        else:
            assert isinstance(score, Score)
            assert score.value == pytest.approx((5 * 0.1 + 4 * 0.6 + 3 * 0.2 + 2 * 0.04 + 0.01) / 0.95)


async def test_levels_come_from_a_model_in_this_process_too(artifact: Artifact, tmp_path: Path) -> None:
    save_tiny_llava(tmp_path / "tiny-llava")
    backbone = Transformers(tmp_path / "tiny-llava", device="cpu")
    quality = await DeQA(backbone).score(PROMPT, artifact)
    fit = await LMM4LMM(backbone, levels_by="probabilities").score(PROMPT, artifact)
    await backbone.aclose()
    for score in (quality, fit):
        assert isinstance(score, Score)
        assert 1 < score.value < 5
        likely = json.loads(score.provenance.exchanges[0].reply)
        assert score.value == pytest.approx(mean_level(likely))


def test_levels_are_weighed_by_their_probabilities() -> None:
    even = dict.fromkeys(("excellent", "good", "fair", "poor", "bad"), math.log(0.01))
    assert mean_level(even) == pytest.approx(3)
    sure = {**even, "good": math.log(0.9)}
    expected = (0.01 * (5 + 3 + 2 + 1) + 0.9 * 4) / 0.94
    assert mean_level(sure) == pytest.approx(expected)


def test_a_named_level_is_the_only_one() -> None:
    levels = {
        "Bad!": 1,
        "I think it is 'fair'.": 3,
        "**Good**": 4,
        "The quality of the image is excellent.": 5,
        "good, not bad": None,
        "not bad": None,
        "It is not good.": None,
        "This is neither good nor anything.": None,
        "A good question, but I do not rate pictures.": None,
        "fair or good": None,
        "The image doesn't look good.": None,
        "I wouldn’t call it excellent.": None,
        "Far from excellent": None,
        "It might be excellent": None,
        "excellent? bad": None,
        "": None,
    }
    assert {text: named_level(text) for text in levels} == levels


@pytest.mark.parametrize("cls", [LMM4LMM, ArtiMuse, GalleryGPT])
async def test_a_question_is_answered_by_a_letter_or_not_at_all(cls: Any, artifact: Artifact) -> None:
    for reply, choice in (("B", "B"), ("B. a refrigerator", "B"), ("(a)", "A"), ("Either A or B", None)):
        with Panel(prose=reply).serving() as backbone:
            answer = await cls(backbone).answer(QUESTION, artifact)
            await backbone.aclose()
        if choice is None:
            assert isinstance(answer, Failure)
            assert answer.reason == "unparsable"
        else:
            assert isinstance(answer, Answer)
            assert (answer.choice, answer.correct) == (choice, choice == "B")


async def test_gallerygpt_writes_a_paragraph(artifact: Artifact) -> None:
    with Panel(prose="A lone figure stands.").serving() as backbone:
        interpretation = await GalleryGPT(backbone).interpret(artifact)
        await backbone.aclose()
    assert isinstance(interpretation, Interpretation)
    assert interpretation.passages[0].text == "A lone figure stands."


async def recorded_elsewhere(
    tape: Path, panel: Panel, asking: Callable[[Backbone], Awaitable[object]]
) -> Replay:
    """The panel's replies, found by what each was about."""
    with panel.serving() as backbone:
        await asking(Record(backbone, tape))
        await backbone.aclose()
    lines = [json.loads(line) | {"key": None} for line in tape.read_text().splitlines()]
    tape.write_text("\n".join(map(json.dumps, lines)))
    return Replay(tape)


async def test_a_reply_recorded_elsewhere_is_of_its_prompt(artifact: Artifact, tmp_path: Path) -> None:
    replay = await recorded_elsewhere(
        tmp_path / "tape.jsonl", Panel(prose="good"), lambda model: LMM4LMM(model).score(PROMPT, artifact)
    )
    score = await LMM4LMM(replay).score(PROMPT, artifact)
    assert isinstance(score, Score)
    assert score.value == 4.0
    other = await LMM4LMM(replay).score(Prompt(text="a kitchen"), artifact)
    assert isinstance(other, Failure)
    assert "holds no reply to this lmm4lmm-correspondence request" in other.message


async def test_a_reply_recorded_elsewhere_is_of_its_aspect(artifact: Artifact, tmp_path: Path) -> None:
    panel = Panel(prose=lambda body: f"On {words_of(body).rpartition('of ')[2]}")
    replay = await recorded_elsewhere(
        tmp_path / "tape.jsonl", panel, lambda model: ArtiMuse(model).interpret(artifact)
    )
    interpretation = await ArtiMuse(replay).interpret(artifact)
    assert isinstance(interpretation, Interpretation)
    assert [each.text for each in interpretation.passages] == [f"On {aspect}." for aspect in ASPECTS]
