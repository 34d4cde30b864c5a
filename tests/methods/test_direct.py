"""Without graphs: a question is answered, a sign is read in prose."""

from collections.abc import Callable
from typing import Any

import pytest

from chat import verdict
from command_line import RunHere
from panel import Panel, pictures_of, words_of
from semiosis.core.errors import BadPicture
from semiosis.core.kinds.interpretation import Interpretation
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.question import Answer
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Pair, Prompt, Question
from semiosis.methods.direct import Direct, DirectReading

QUESTION = Question(
    question="What does the skull stand for?",
    choices={"A": "death", "B": "a feast"},
    boxes={"bbox_1": (0, 0, 500, 500)},
    answer="A",
)
CHOICE = {"reasoning": "a memento mori", "answer": "A", "certainty": 5}


async def test_a_question_is_answered_without_graphs_and_without_its_key(png: Callable[..., bytes]) -> None:
    panel = Panel(choice=CHOICE)
    with panel.serving() as backbone:
        answer = await Direct(backbone, repeats=3).answer(
            QUESTION, Artifact.of(png()), Artifact.of(png("red"))
        )
        await backbone.aclose()
    assert isinstance(answer, Answer)
    assert (answer.choice, answer.votes, answer.certainty, answer.readings) == ("A", ("A", "A", "A"), 5, ())
    words = words_of(panel.asked[0])
    assert "bbox_1: [0.0, 0.0, 500.0, 500.0]" in words
    assert "Picture A:" in words
    assert "Picture B:" in words
    assert pictures_of(panel.asked[0]) == 2


@pytest.mark.parametrize(("answers", "choice"), [("BAA", "A"), ("ABA", "A"), ("AAB", "A"), ("BAB", "B")])
async def test_most_repeats_decide_each_asked_with_a_seed_of_its_own(
    png: Callable[..., bytes], answers: str, choice: str
) -> None:
    def said(body: dict[str, Any]) -> dict[str, Any]:
        letter = answers[body["seed"] - 7]
        return {"reasoning": f"because of {letter}", "answer": letter, "certainty": 5}

    panel = Panel(choice=said)
    with panel.serving() as backbone:
        answer = await Direct(backbone, repeats=3, seed=7).answer(QUESTION, Artifact.of(png()))
        await backbone.aclose()
    assert isinstance(answer, Answer)
    assert sorted(body["seed"] for body in panel.asked) == [7, 8, 9]
    assert (answer.choice, answer.reasoning, answer.votes) == (choice, f"because of {choice}", tuple(answers))


async def test_each_repeat_of_a_verdict_sends_a_seed_of_its_own(pair: Pair) -> None:
    panel = Panel(direct=verdict("A", "A", "B", "prompt"))
    with panel.serving() as backbone:
        judgment = await Direct(backbone, repeats=3, seed=7).judge(pair)
        await backbone.aclose()
    assert isinstance(judgment, Judgment)
    assert sorted(body["seed"] for body in panel.asked) == [7, 7, 8, 8, 9, 9]


async def test_a_letter_that_is_not_on_offer_is_no_answer(png: Callable[..., bytes]) -> None:
    with Panel(choice={**CHOICE, "answer": "C"}).serving() as backbone:
        answer = await Direct(backbone).answer(QUESTION, Artifact.of(png()))
        with pytest.raises(BadPicture, match="at least one picture"):
            await Direct(backbone).answer(QUESTION)
        await backbone.aclose()
    assert isinstance(answer, Failure)
    assert answer.reason == "invalid"


async def test_a_sign_is_read_in_prose(png: Callable[..., bytes]) -> None:
    panel = Panel(read_prose={"interpretation": "Time is short."})
    with panel.serving() as backbone:
        picture = await DirectReading(backbone).interpret(Artifact.of(png()))
        prompt = await DirectReading(backbone).interpret(Prompt(text="Nothing lasts."))
        await backbone.aclose()
    for interpretation in (picture, prompt):
        assert isinstance(interpretation, Interpretation)
        assert interpretation.passages[0].text == "Time is short."
        assert interpretation.reading is None
    assert "Nothing lasts." not in words_of(panel.asked[0])
    assert "Nothing lasts." in words_of(panel.asked[1])


def test_the_command_line_reads_by_any_method(
    run_here: RunHere, png: Callable[..., bytes], tmp_path: object
) -> None:
    from pathlib import Path

    Path("a.png").write_bytes(png())
    with Panel(read_prose={"interpretation": "Time is short."}).serving() as backbone:
        url = backbone._base_url
        done = run_here(
            "interpret",
            "a.png",
            "--method",
            "direct/interpret",
            "--base-url",
            str(url),
            "--model",
            "m",
            "--html",
            "p.html",
        )
        assert done.code == 0, done.err
        assert "Time is short." in done.out
        assert "Time is short." in Path("p.html").read_text()
        refused = run_here("interpret", "a.png", "--method", "rubric", "--base-url", str(url), "--model", "m")
    assert refused.code == 2
    assert "rubric does not read" in refused.err
