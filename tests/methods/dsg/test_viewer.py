"""Validity: what rests on a failed proposition is never asked and counts as failed."""

import asyncio
from math import fsum

from hypothesis import given
from hypothesis import strategies as st

from scenes import graphs
from semiosis.core.kinds.rating import ScorePart
from semiosis.core.outcome import Exchange, Failure
from semiosis.methods.dsg.propositions import Proposition, Propositions
from semiosis.methods.dsg.shapes import AnswerShape
from semiosis.methods.dsg.viewer import parts_of

Answers = dict[str, bool]


def answered(propositions: Propositions, holding: Answers) -> tuple[tuple[ScorePart, ...], list[str]]:
    """The parts, and the questions in the order they were asked."""
    asked: list[str] = []

    async def answer(question: str, log: list[Exchange]) -> AnswerShape:
        asked.append(question)
        await asyncio.sleep(0)
        return AnswerShape(reason="So it is.", answer="yes" if holding[question] else "no")

    parts = asyncio.run(parts_of(propositions, answer, []))
    assert not isinstance(parts, Failure)
    return parts, asked


def answers(propositions: Propositions) -> st.SearchStrategy[Answers]:
    return st.fixed_dictionaries({each.question: st.booleans() for each in propositions})


def value(parts: tuple[ScorePart, ...]) -> float:
    return fsum(part.value or 0 for part in parts) / len(parts)


@given(graphs().flatmap(lambda graph: st.tuples(st.just(graph), answers(graph))))
def test_a_child_of_a_failed_parent_is_never_asked_and_a_child_of_none_is(
    case: tuple[Propositions, Answers],
) -> None:
    propositions, holding = case
    parts, asked = answered(propositions, holding)
    by_id = {part.id: part for part in parts}
    assert [part.id for part in parts] == [each.id for each in propositions]
    for each in propositions:
        part = by_id[each.id]
        valid = all(by_id[need].value for need in each.needs)
        assert part.asked == valid == (each.question in asked)
        assert part.value == float(valid and holding[each.question])
        assert all(
            asked.index(by_id[need].about) < asked.index(each.question) for need in each.needs if valid
        )
    assert len(asked) == len(set(asked))


@given(graphs().flatmap(lambda graph: st.tuples(st.just(graph), answers(graph), st.sampled_from(graph))))
def test_a_no_that_becomes_a_yes_never_lowers_the_score(
    case: tuple[Propositions, Answers, Proposition],
) -> None:
    propositions, holding, changed = case
    before, _ = answered(propositions, holding | {changed.question: False})
    after, _ = answered(propositions, holding | {changed.question: True})
    assert value(before) <= value(after)
    assert all(
        one.value is not None and one.value <= (other.value or 0)
        for one, other in zip(before, after, strict=True)
    )


@given(graphs().flatmap(lambda graph: st.tuples(st.just(graph), st.permutations(graph), answers(graph))))
def test_the_order_of_the_propositions_does_not_matter(
    case: tuple[Propositions, list[Proposition], Answers],
) -> None:
    propositions, shuffled, holding = case
    one, _ = answered(propositions, holding)
    other, _ = answered(tuple(shuffled), holding)
    assert sorted(one, key=lambda part: part.id) == sorted(other, key=lambda part: part.id)
    assert value(one) == value(other)


async def test_one_question_that_came_to_nothing_leaves_no_parts() -> None:
    propositions = (
        Proposition("1", "entity (a)", (), "Is a?"),
        Proposition("2", "entity (b)", (), "Is b?"),
        Proposition("3", "attribute (b, c)", ("2",), "Is c?"),
    )
    asked: list[str] = []

    async def answer(question: str, log: list[Exchange]) -> AnswerShape | Failure:
        asked.append(question)
        log.append(Exchange(stage=question, asked="m"))
        if question == "Is a?":
            return Failure(reason="refused", message="no")
        return AnswerShape(reason="So.", answer="yes")

    log: list[Exchange] = []
    failure = await parts_of(propositions, answer, log)
    assert isinstance(failure, Failure)
    assert asked == ["Is a?", "Is b?"]
    assert [call.stage for call in log] == asked
