"""The bundled samples play through the whole pipeline, and show no more than was recorded."""

from collections import Counter

import pytest

from semiosis.backbones.embedders import MiniLM
from semiosis.benchmarks.samples.items import ROLES, find, load
from semiosis.core.errors import UnknownName
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.question import Answer
from semiosis.core.outcome import Failure
from semiosis.core.records import dump
from semiosis.core.records import load as read
from semiosis.methods.semjudge.gap import Gap
from semiosis.methods.semjudge.judge import SemJudge
from semiosis.methods.semjudge.settings import PictureReading


def test_nine_initiatives_of_three_pictures_in_two_megabytes() -> None:
    assert len(load()) == 9
    size = sum(path.stat().st_size for item in load() for path in item.folder.iterdir())
    assert size < 2_300_000


async def test_every_recorded_pair_becomes_a_judgment_with_checked_evidence() -> None:
    counts = Counter[str]()
    for initiative in load():
        method = SemJudge(initiative.recording(), graphs="solo", size="complex")
        for a, b in initiative.pairs():
            judgment = await method.judge(initiative.pair(a, b))
            assert isinstance(judgment, Judgment)
            assert read(dump(judgment)) == judgment
            assert {reading.made for reading in judgment.cascade_a.rounds} == {"recorded"}  # type: ignore[union-attr]
            counts["pairs"] += 1
            counts["flips"] += judgment.flips
            counts["unverified"] += judgment.unverified
            wanted = initiative.preferred(a, b)
            if wanted:
                counts["wanted"] += 1
                counts["as wanted"] += {"a": a, "b": b}.get(judgment.winner or "") == wanted
    assert counts == {"pairs": 27, "flips": 1, "unverified": 0, "wanted": 18, "as wanted": 18}


async def test_the_one_flip_is_the_recorded_one() -> None:
    initiative = find("icarus-wayfinding")
    method = SemJudge(initiative.recording(), graphs="solo", size="complex")
    judgment = await method.judge(initiative.pair("literal", "drift"))
    assert isinstance(judgment, Judgment)
    assert (judgment.flipped, judgment.winner, judgment.preference) == (True, None, 0.5)
    assert judgment.certainty == 2.5


async def test_the_judge_is_surer_where_the_makers_decided_than_where_they_left_it_open() -> None:
    certainties: dict[bool, list[float]] = {True: [], False: []}
    for initiative in load():
        method = SemJudge(initiative.recording(), graphs="solo", size="complex")
        for a, b in initiative.pairs():
            judgment = await method.judge(initiative.pair(a, b))
            assert isinstance(judgment, Judgment)
            assert judgment.certainty is not None
            certainties[initiative.preferred(a, b) is not None].append(judgment.certainty)
    assert min(certainties[True]) >= 4
    assert min(certainties[False]) == 2.5


async def test_questions_are_answered_from_graphs_that_never_saw_the_prompt() -> None:
    right = 0
    for initiative in load():
        method = SemJudge(initiative.recording(), size="complex")
        for question in initiative.questions:
            answer = await method.answer(question.plain(), initiative.artifact(question.picture))
            assert isinstance(answer, Answer)
            assert answer.readings[0].how.startswith("complex, alone, the prompt unseen")
            # Recorded elsewhere: which words were sent is not known, and not made up.
            assert all(call.recorded and call.sent == () for call in answer.provenance.exchanges)
            right += bool(answer.correct)
    assert right == 18


async def test_what_was_not_recorded_is_a_failure() -> None:
    initiative = load()[0]
    standard = await SemJudge(initiative.recording()).judge(initiative.pair("meaning", "drift"))
    assert isinstance(standard, Failure)
    assert standard.reason == "rejected"


@pytest.mark.skipif(not MiniLM.available(), reason="the embedding's weights are not installed")
@pytest.mark.parametrize(
    ("reading", "misses"),
    [
        ("unprompted", [("icarus-wayfinding", "literal")]),
        ("prompted", [("kintsugi-friendship", "literal"), ("someone-left", "drift")]),
    ],
)
async def test_the_gap_alone_picks_the_intended_picture_and_misses_only_these(
    reading: PictureReading, misses: list[tuple[str, str]]
) -> None:
    missed: list[tuple[str, str]] = []
    for initiative in load():
        gap = Gap(initiative.recording(), size="complex", reading=reading)
        ranked = await gap.rank(initiative.sign(), [initiative.artifact(role) for role in ROLES])
        assert len(ranked) == 3
        for other in ("literal", "drift"):
            judgment = await gap.judge(initiative.pair("meaning", other))
            assert isinstance(judgment, Judgment)
            assert judgment.gap_a is not None
            if judgment.winner != "a":
                missed.append((initiative.id, other))
    assert missed == misses


def test_an_unknown_sample_names_the_others() -> None:
    with pytest.raises(UnknownName, match="vanitas-screen"):
        find("nothing")


async def test_a_recording_without_repeats_gives_none() -> None:
    initiative = load()[0]
    method = SemJudge(initiative.recording(), graphs="solo", size="complex", repeats=3)
    judgment = await method.judge(initiative.pair("meaning", "drift"))
    assert isinstance(judgment, Judgment)
    assert len(judgment.votes) == 2
    assert len(judgment.failures) == 4
