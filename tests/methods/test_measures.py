"""VIEScore, the strict rubric and random guesses: the number follows from the parts, and no part from nothing."""

import itertools
from collections.abc import Callable
from math import sqrt
from typing import Any

import pytest

from panel import Panel, refusal, shown_in, words_of
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.question import Answer
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Pair, Prompt, Question
from semiosis.methods.random_guess import RandomGuess
from semiosis.methods.rubric import Rubric
from semiosis.methods.viescore import VIEScore
from stored import picture

PERCEPTION = {"reasoning": "soft edges", "naturalness": 9, "freedom_from_artefacts": 4}


async def vie(prompt: Prompt, artifact: Artifact, **replies: Any) -> tuple[Score | Failure, Panel]:
    usual: dict[str, Any] = {
        "viescore_prompt": {"reasoning": "no skull", "following": 6.5},
        "viescore_stylization": {"reasoning": "dots, but no house", "style": 8, "content": 3},
        "viescore_perception": PERCEPTION,
    }
    panel = Panel(**usual | replies)
    with panel.serving() as backbone:
        score = await VIEScore(backbone).score(prompt, artifact)
        await backbone.aclose()
    return score, panel


async def test_the_weaker_sub_score_of_each_half_counts(png: Callable[..., bytes]) -> None:
    score, panel = await vie(Prompt(text="nothing lasts"), Artifact.of(png("teal")))
    assert isinstance(score, Score)
    assert score.value == pytest.approx(sqrt(6.5 * 4))
    assert [(part.id, part.value) for part in score.parts] == [
        ("following", 6.5),
        ("naturalness", 9.0),
        ("artefacts", 4.0),
    ]
    assert score.rationales == ("no skull", "soft edges")
    perception = panel.bodies("viescore_perception")[0]
    assert "nothing lasts" not in words_of(perception)


@pytest.mark.parametrize("task", ["rubric", "viescore_prompt", "viescore_perception"])
async def test_references_go_along_with_the_picture_where_the_prompt_does(
    task: str, png: Callable[..., bytes]
) -> None:
    prompt = Prompt(text="nothing lasts", references=(png("olive", (80, 40)), png("gold", (40, 80))))
    artifact = Artifact.of(png("teal", (60, 60)))
    _, panel = await vie(prompt, artifact, rubric={"score": 3})
    with panel.serving() as backbone:
        await Rubric(backbone).score(prompt, artifact)
        await backbone.aclose()
    references = [
        ("Reference image 1, part of the prompt:", (80, 40)),
        ("Reference image 2, part of the prompt:", (40, 80)),
    ]
    [body] = panel.bodies(task)
    assert shown_in(body) == [
        *(references if task != "viescore_perception" else []),
        ("The picture:", (60, 60)),
    ]


async def test_a_stylization_is_rated_for_style_and_for_content(png: Callable[..., bytes]) -> None:
    prompt = Prompt.stylization("pointillism", png("olive", (80, 40)))
    score, panel = await vie(prompt, Artifact.of(png("teal", (60, 60))))
    assert isinstance(score, Score)
    assert score.value == pytest.approx(sqrt(3 * 4))
    assert sorted(panel.tasks()) == ["viescore_perception", "viescore_stylization"]
    [stylization], [perception] = map(panel.bodies, ("viescore_stylization", "viescore_perception"))
    assert shown_in(stylization) == [("The source:", (80, 40)), ("The result:", (60, 60))]
    assert shown_in(perception) == [("The picture:", (60, 60))]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"reasoning": "x", "following": 11}, "invalid"),
        ({"reasoning": "x", "following": None}, "invalid"),
        ({"reasoning": "x", "following": True}, "invalid"),
        (refusal, "refused"),
        ("7", "unparsable"),
    ],
)
async def test_what_is_out_of_range_or_refused_is_no_score(
    reply: Any, reason: str, png: Callable[..., bytes]
) -> None:
    score, _ = await vie(Prompt(text="x"), Artifact.of(png("teal")), viescore_prompt=reply)
    assert isinstance(score, Failure)
    assert score.reason == reason


async def test_a_server_that_takes_bounds_is_told_those_of_the_points(png: Callable[..., bytes]) -> None:
    _, panel = await vie(Prompt(text="x"), Artifact.of(png("teal")))
    [body] = panel.bodies("viescore_prompt")
    points = body["response_format"]["json_schema"]["schema"]["properties"]["following"]
    assert points == {"type": "number", "minimum": 0, "maximum": 10}


async def test_a_picture_is_asked_about_once_for_all_its_pairs() -> None:
    panel = Panel(viescore_prompt={"reasoning": "x", "following": 5}, viescore_perception=PERCEPTION)
    one, two, three = (picture(n) for n in (1, 2, 3))
    with panel.serving() as backbone:
        method = VIEScore(backbone)
        for a, b in ((one, two), (two, three), (one, three)):
            judgment = await method.judge(Pair("nothing lasts", a, b))
            assert isinstance(judgment, Judgment)
            assert (judgment.winner, judgment.score_a) == (None, judgment.score_b)
            assert judgment.score_a is not None
            assert judgment.score_a.value == pytest.approx(sqrt(5 * 4))
        await backbone.aclose()
    assert len(panel.asked) == 6


@pytest.mark.parametrize(
    ("reply", "value"), [({"score": 3}, 3.0), ({"score": "4"}, 4.0), ({"score": 2.0}, 2.0)]
)
async def test_the_rubric_gives_one_of_four_whole_numbers(
    reply: Any, value: float, png: Callable[..., bytes]
) -> None:
    panel = Panel(rubric=reply)
    with panel.serving() as backbone:
        score = await Rubric(backbone).score(Prompt(text="a red cube"), Artifact.of(png("red")))
        await backbone.aclose()
    assert isinstance(score, Score)
    assert score.value == value
    assert "a red cube" in words_of(panel.asked[0])


@pytest.mark.parametrize(
    "reply", [{"score": 0}, {"score": 5}, {"score": 2.5}, {"score": True}, {"score": "high"}]
)
async def test_anything_else_is_no_rating(reply: Any, png: Callable[..., bytes]) -> None:
    with Panel(rubric=reply).serving() as backbone:
        score = await Rubric(backbone).score(Prompt(text="a red cube"), Artifact.of(png("red")))
        await backbone.aclose()
    assert isinstance(score, Failure)
    assert score.reason == "invalid"


async def test_random_guesses_are_even_repeatable_and_by_seed() -> None:
    pictures = [picture(n) for n in range(60)]
    pairs = [Pair("x", a, b) for a, b in itertools.pairwise(pictures)]

    async def winners(seed: int) -> list[str | None]:
        judgments = [await RandomGuess(seed).judge(pair) for pair in pairs]
        return [each.winner for each in judgments if isinstance(each, Judgment)]

    first = await winners(1)
    assert first == await winners(1)
    assert first != await winners(2)
    every = [winner for seed in range(20) for winner in await winners(seed)]
    assert 0.45 < every.count("a") / len(every) < 0.55
    question = Question(question="?", choices={"A": "1", "B": "2", "C": "3", "D": "4"})
    answers = [await RandomGuess(seed).answer(question, pictures[0]) for seed in range(400)]
    counts = [
        sum(isinstance(each, Answer) and each.choice == letter for each in answers) for letter in "ABCD"
    ]
    assert all(70 < count < 130 for count in counts)
    scores = [await RandomGuess().score(Prompt(text="x"), each) for each in pictures]
    values = [each.value for each in scores if isinstance(each, Score)]
    assert len(set(values)) == 60
    assert all(0 <= value < 1 for value in values)
