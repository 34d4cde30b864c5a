"""Votes, preference, flips; records that come back as they went."""

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from semiosis.core.cascade import Reading, SemiosisGap
from semiosis.core.certainty import Certainty
from semiosis.core.errors import BadPrompt, BadRecord
from semiosis.core.graph import HSG, Semiosis
from semiosis.core.kinds import KINDS, kind
from semiosis.core.kinds.interpretation import Interpretation, Passage
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.question import Answer
from semiosis.core.kinds.rating import Measurement, Score, ScorePart
from semiosis.core.outcome import Exchange, Failure, Finding, Outcome, Provenance
from semiosis.core.records import dump, load, load_any, schema
from semiosis.core.sign import MAX_PROMPT_CHARACTERS, Artifact, Pair, Prompt, Question, Side
from semiosis.core.vote import Evidence, Order, Vote

FROM = Provenance(method="m", method_version="1", package_version="0")
PROSE = Interpretation(
    artifact=Artifact(sha256="a" * 64),
    passages=(Passage(title="Critique", text="A cold light."),),
    provenance=FROM,
)
PAIR = Pair(prompt="nothing lasts", a=Artifact(sha256="a" * 64, name="a.png"), b=Artifact(sha256="b" * 64))


def judgment(*votes: tuple[Order | None, int, Side | None], certainty: Certainty | None = 4) -> Judgment:
    return Judgment(
        pair=PAIR,
        votes=tuple(
            Vote(
                order=order,
                repeat=repeat,
                winner=winner,
                certainty=certainty if order and winner else None,
                discussion=f"{order}{repeat}",
                evidence=(Evidence(node="a", rationale=f"{winner}", supports=winner),),
            )
            for order, repeat, winner in votes
        ),
        provenance=FROM,
    )


def test_both_orders_agree() -> None:
    settled = judgment(("ab", 0, "b"), ("ba", 0, "b"))
    assert (settled.winner, settled.preference, settled.flipped, settled.flips) == ("b", 0.0, False, 0)


def test_an_even_split_stays_undecided_and_is_a_flip() -> None:
    split = judgment(("ab", 0, "a"), ("ba", 0, "b"))
    assert (split.winner, split.preference, split.flipped) == (None, 0.5, True)
    assert len(split.evidence) == 2


def test_flips_are_counted_by_repeat_and_the_majority_wins() -> None:
    mixed = judgment(
        ("ab", 0, "a"), ("ba", 0, "a"), ("ab", 1, "a"), ("ba", 1, "b"), ("ab", 2, "a"), ("ba", 2, "a")
    )
    assert (mixed.winner, mixed.flips) == ("a", 1)
    assert mixed.preference == pytest.approx(5 / 6)
    assert mixed.discussion == "ab0"
    assert [item.rationale for item in mixed.evidence] == ["a"]


def test_one_order_cannot_flip() -> None:
    assert judgment(("ab", 0, "a")).flipped is None


def test_votes_that_failed_do_not_let_the_place_of_a_picture_win() -> None:
    place = judgment(("ab", 0, "a"), ("ab", 1, "a"), ("ab", 2, "a"), ("ba", 0, "b"))
    assert (place.preference, place.winner) == (0.5, None)


def test_verdicts_of_different_repeats_are_not_compared() -> None:
    apart = judgment(("ab", 0, "a"), ("ba", 1, "b"))
    assert (apart.flips, apart.flipped) == (0, None)


def test_both_orders_are_one_comparison_and_repeats_are_others() -> None:
    twice = judgment(("ab", 0, "a"), ("ba", 0, "a"), ("ab", 1, "a"), ("ba", 1, "b"))
    assert twice.comparisons == (0.875, 0.5)
    assert judgment(("ab", 0, "a"), ("ab", 1, "b"), ("ba", 2, "a")).comparisons == ()
    assert judgment((None, 0, "a"), (None, 1, None)).comparisons == (1.0, 0.5)


def test_a_judgment_needs_a_vote_and_a_score_a_number() -> None:
    with pytest.raises(ValidationError):
        judgment()
    with pytest.raises(ValidationError):
        Score(prompt=PAIR.prompt, artifact=PAIR.a, value=float("nan"), provenance=FROM)


def test_a_vote_for_neither_counts_half() -> None:
    assert judgment(("ab", 0, None)).winner is None


def test_the_leading_vote_is_for_the_winner() -> None:
    late = judgment(("ab", 0, "a"), ("ba", 0, "b"), ("ab", 1, "b"), ("ba", 1, "b"))
    assert late.discussion == "ab1"


sides = st.sampled_from(["a", "b"])


@given(st.lists(sides, min_size=2, max_size=8).filter(lambda winners: len(winners) % 2 == 0))
def test_swapping_the_sides_swaps_the_result(winners: list[Side]) -> None:
    def votes(flip: bool) -> list[tuple[Order, int, Side | None]]:
        swap: dict[Side, Side] = {"a": "b", "b": "a"}
        orders: tuple[Order, Order] = ("ab", "ba")
        return [(orders[n % 2], n // 2, swap[w] if flip else w) for n, w in enumerate(winners)]

    one, other = judgment(*votes(False)), judgment(*votes(True))
    assert one.preference == pytest.approx(1 - other.preference)
    assert one.flips == other.flips
    assert {one.winner, other.winner} in ({"a", "b"}, {None})


def test_records_round_trip() -> None:
    exchange = Exchange(
        stage="s", asked="m", parameters={"seed": 1, "temperature": None}, sent=(("user", "x"),)
    )
    one = judgment(("ab", 0, "a")).model_copy(
        update={"provenance": FROM.model_copy(update={"exchanges": (exchange,)})}
    )
    for outcome in (one, Failure(reason="refused", message="no", votes=one.votes, provenance=FROM)):
        assert load(dump(outcome)) == outcome


def test_readings_scores_and_answers_round_trip_too() -> None:
    graph = HSG(label="x", root=Semiosis(sign="s", object="o", interpretant="i"))
    reading = Reading(of="artifact", graph=graph, interpreter="m", made="built")
    question = Question(question="?", choices={"A": "x", "B": "y"}, boxes={"bbox_1": (1, 2, 3, 4)})
    for outcome in (
        Interpretation(artifact=PAIR.a, reading=reading, provenance=FROM),
        Interpretation(prompt=PAIR.prompt, reading=reading, provenance=FROM),
        Score(
            prompt=PAIR.prompt, artifact=PAIR.a, value=-0.25, gap=SemiosisGap(distance=0.25), provenance=FROM
        ),
        Answer(
            question=question,
            artifacts=(PAIR.a,),
            choice="A",
            reasoning="r",
            readings=(reading,),
            provenance=FROM,
        ),
    ):
        assert load(dump(outcome)) == outcome


def one_of_each() -> tuple[Outcome, ...]:
    graph = HSG(label="x", root=Semiosis(sign="s", object="o", interpretant="i"))
    reading = Reading(of="artifact", graph=graph, interpreter="m", made="built")
    question = Question(
        question="?", choices={"A": "x", "B": "y"}, boxes={"bbox_1": (1, 2, 3, 4)}, answer="B"
    )
    return (
        judgment(("ab", 0, "a"), ("ba", 0, "a")),
        Interpretation(artifact=PAIR.a, reading=reading, provenance=FROM),
        Score(
            prompt=PAIR.prompt, artifact=PAIR.a, value=-0.25, gap=SemiosisGap(distance=0.25), provenance=FROM
        ),
        Answer(
            question=question,
            artifacts=(PAIR.a,),
            choice="A",
            reasoning="r",
            readings=(reading,),
            provenance=FROM,
        ),
        Failure(reason="refused", message="no", stage="verdict"),
    )


TOPS = {
    "judgment": {
        "winner": "a",
        "preference": 1.0,
        "flipped": False,
        "certainty": 4.0,
        "coin_flip": False,
        "graded": 0.875,
        "flips": 0,
        "unverified": 0,
        "unsupported": 0,
    },
    "interpretation": {"object": "o", "interpretant": "i", "unverified": 0, "words": 0},
    "score": {"value": -0.25},
    "answer": {"choice": "A", "correct": False},
    "failure": {"reason": "refused", "message": "no", "stage": "verdict"},
}


@pytest.mark.parametrize("outcome", one_of_each(), ids=lambda outcome: outcome.kind)
def test_a_record_begins_with_what_a_script_wants(outcome: Outcome) -> None:
    top = {"schema": 1, "kind": outcome.kind} | TOPS[outcome.kind]
    record = json.loads(dump(outcome))
    assert list(record.items())[: len(top)] == list(top.items())
    assert load(dump(outcome)) == outcome


@pytest.mark.parametrize("outcome", one_of_each(), ids=lambda outcome: outcome.kind)
def test_a_record_is_as_its_schema_says_and_nothing_else_is(outcome: Outcome) -> None:
    published = Draft202012Validator(schema(outcome.kind))
    record = json.loads(dump(outcome))
    published.validate(record)
    assert published.is_valid(record | {"extra": 1}) is False
    for name in TOPS[outcome.kind]:
        assert published.is_valid({key: each for key, each in record.items() if key != name}) is False


def test_what_cannot_be_told_is_null_and_nothing_else_is() -> None:
    question = Question(question="?", choices={"A": "x", "B": "y"})
    untold = {
        "winner": judgment(("ab", 0, "a"), ("ba", 0, "b")),
        "flipped": judgment(("ab", 0, "a")),
        "certainty": judgment(("ab", 0, "a"), certainty=None),
        "coin_flip": judgment(("ab", 0, "a"), certainty=None),
        "correct": Answer(question=question, artifacts=(PAIR.a,), choice="A", reasoning="r", provenance=FROM),
        "object": PROSE,
        "interpretant": PROSE,
    }
    for name, outcome in untold.items():
        published = Draft202012Validator(schema(outcome.kind))
        record = json.loads(dump(outcome))
        assert record[name] is None
        published.validate(record)
    for outcome in one_of_each():
        published = Draft202012Validator(schema(outcome.kind))
        record = json.loads(dump(outcome))
        nullable = {each for each in TOPS[outcome.kind] if published.is_valid(record | {each: None})}
        assert nullable == TOPS[outcome.kind].keys() & untold


def test_a_record_that_was_stored_with_a_summary_still_reads() -> None:
    one = judgment(("ab", 0, "a"), ("ba", 0, "b"))
    summary = {"winner": None, "preference": 0.5, "flipped": True, "flips": 1, "unverified": 0}
    stored = {"schema": 1, "kind": "judgment", "summary": summary, **one.model_dump(mode="json")}
    assert load(json.dumps(stored)) == one


def test_what_is_computed_is_not_read_back() -> None:
    one = judgment(("ab", 0, "a"), ("ba", 0, "a"))
    tampered = json.loads(dump(one)) | {"winner": "b", "preference": 0.0}
    assert load(json.dumps(tampered)).winner == "a"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a semiosis record"),
        ("[]", "not a semiosis record"),
        ('{"kind": "judgment"}', "not a semiosis record"),
        ('{"schema": 99, "kind": "failure"}', "schema version 99"),
        ('{"schema": 1, "kind": "failure"}', "reason"),
        ('{"schema": 1, "kind": "opinion"}', "does not read"),
    ],
)
def test_a_record_that_does_not_read_says_why(text: str, words: str) -> None:
    with pytest.raises(BadRecord, match=words):
        load(text)


def test_unknown_fields_are_refused_not_dropped() -> None:
    record = json.loads(dump(Failure(reason="refused", message="no")))
    with pytest.raises(BadRecord, match="extra"):
        load(json.dumps(record | {"extra": 1}))


@pytest.mark.parametrize("text", ["", " \n", "x" * (MAX_PROMPT_CHARACTERS + 1), "a\x00b", "\ud800"])
def test_prompts_that_cannot_be_judged_are_refused(text: str) -> None:
    with pytest.raises(BadPrompt):
        Prompt(text=text)


def test_costs_add_up_only_when_every_price_is_known() -> None:
    def paid(*costs: float | None, cached: bool = False) -> Provenance:
        exchanges = [Exchange(stage="s", asked="m", cost_usd=cost, cached=cached) for cost in costs]
        return FROM.model_copy(update={"exchanges": tuple(exchanges)})

    assert paid(0.25, 0.5).cost_usd == 0.75
    assert paid(0.25, None).cost_usd is None
    assert paid(0.25, None, cached=True).cost_usd == 0


def test_a_question_needs_choices_that_hold_its_answer() -> None:
    assert Question(question="?", choices={"A": "x", "B": "y"}, answer="B").answer == "B"
    for fields in ({"choices": {"A": "x"}}, {"choices": {"A": "x", "B": "y"}, "answer": "C"}):
        with pytest.raises(BadPrompt):
            Question(question="?", **fields)  # type: ignore[arg-type]


def test_a_kind_may_have_a_field_of_any_name_and_comes_back_whole() -> None:
    @kind
    class Remark(Outcome):
        headline = ("length",)
        kind: Literal["remark"] = "remark"
        summary: str
        provenance: Provenance | None = None

        @property
        def length(self) -> int:
            return len(self.summary)

    try:
        remark = Remark(summary="It glows.")
        text = dump(remark)
        assert load(text) == remark
    finally:
        KINDS.remove("remark")
    with pytest.raises(BadRecord, match="There is no kind 'remark'"):
        load(text)
    foreign = load_any(text)
    assert foreign.cells == {"length": 9, "summary": "It glows."}
    assert json.loads(dump(foreign)) == json.loads(text)


def test_rationales_are_a_judge_s_own_words_from_every_vote() -> None:
    split = judgment(("ab", 0, "a"), ("ba", 0, "b"))
    assert split.rationales == ("ab0", "a", "ba0", "b")
    answer = Answer(
        question=Question(question="?", choices={"A": "x", "B": "y"}),
        artifacts=(),
        choice="A",
        reasoning="It glows.",
        evidence=(Evidence(node="a.1", rationale="a flame"), Evidence(node="a.2", rationale="")),
        provenance=FROM,
    )
    assert answer.rationales == ("It glows.", "a flame")


def test_what_is_measured_and_what_failed_has_no_rationales() -> None:
    assert Judgment(pair=PAIR, votes=(Vote(winner="a"),), provenance=FROM).rationales == ()
    failure = Failure(
        reason="refused", message="no", reply="It glows.", votes=(Vote(winner="a", discussion="x"),)
    )
    assert failure.rationales == ()
    score = Score(prompt=PAIR.prompt, artifact=PAIR.a, value=1.0, provenance=FROM)
    assert score.rationales == ()


def test_a_finding_that_failed_names_its_failure() -> None:
    with pytest.raises(ValueError, match="names the failure"):
        Finding(reason="refused")


def vote(winner: Side, order: Order = "ab", repeat: int = 0, certainty: Certainty | None = None) -> Vote:
    return Vote(order=order, repeat=repeat, winner=winner, certainty=certainty)


@pytest.mark.parametrize(
    ("votes", "graded", "certainty", "coin_flip"),
    [
        ((("a", "ab", 5), ("a", "ba", 5)), 1.0, 5.0, False),
        ((("b", "ab", 5), ("b", "ba", 3)), 0.125, 4.0, False),
        ((("a", "ab", 1), ("a", "ba", 1)), 0.5, 1.0, True),
        ((("a", "ab", 1), ("a", "ba", 2)), 0.5625, 1.5, True),
        ((("a", "ab", 2), ("a", "ba", 2)), 0.625, 2.0, False),
        ((("a", "ab", 5), ("b", "ba", 5)), 0.5, 5.0, False),
        ((("a", "ab", 5), ("b", "ba", 1)), 0.75, 3.0, False),
        ((("a", "ab", None), ("a", "ba", None)), 1.0, None, None),
    ],
)
def test_certainty_is_what_the_votes_say_and_only_the_graded_preference_cancels(
    votes: tuple[tuple[Side, Order, Certainty | None], ...],
    graded: float,
    certainty: float | None,
    coin_flip: bool | None,
) -> None:
    cast = tuple(vote(winner, order, certainty=sure) for winner, order, sure in votes)
    settled = Judgment(pair=PAIR, votes=cast, provenance=FROM)
    assert (settled.graded, settled.certainty, settled.coin_flip) == (graded, certainty, coin_flip)
    assert settled.finding.certainty == certainty


def test_repeats_have_a_mean_and_a_spread() -> None:
    cast = (
        vote("a", repeat=0, certainty=5),
        vote("a", repeat=1, certainty=3),
        vote("b", repeat=2, certainty=1),
    )
    settled = Judgment(pair=PAIR, votes=cast, provenance=FROM)
    assert settled.graded == pytest.approx((1.0 + 0.75 + 0.5) / 3)
    assert settled.spread == pytest.approx(0.25)
    assert Judgment(pair=PAIR, votes=cast[:1], provenance=FROM).spread is None


def test_a_computed_verdict_has_no_certainty() -> None:
    with pytest.raises(BadRecord, match="nobody cast"):
        Vote(order=None, winner="a", certainty=3)
    with pytest.raises(BadRecord, match="neither side"):
        Vote(order="ab", winner=None, certainty=3)
    with pytest.raises(ValidationError):
        Vote(order="ab", winner="a", certainty=6)  # type: ignore[arg-type]


def test_votes_that_cite_only_what_speaks_against_them_are_counted() -> None:
    against = Evidence(node="b", rationale="r", supports="b")
    votes = (
        Vote(order="ab", winner="a", certainty=4, evidence=(against,)),
        Vote(order="ba", winner="a", certainty=4),
        Vote(order="ab", repeat=1, winner="a", certainty=1, evidence=(Evidence(node="a", rationale="r"),)),
        Vote(order="ba", repeat=1, winner="b", certainty=4, evidence=(against,)),
    )
    assert Judgment(pair=PAIR, votes=votes, provenance=FROM).unsupported == 2


def test_an_interpretation_in_prose_has_no_object_and_survives_the_record() -> None:
    assert load(dump(PROSE)) == PROSE
    assert (PROSE.object, PROSE.interpretant, PROSE.unverified, PROSE.words) == (None, None, 0, 3)
    with pytest.raises(BadRecord, match="a graph or prose"):
        Interpretation(artifact=PAIR.a, provenance=FROM)


def test_a_number_keeps_its_parts_and_their_reasons() -> None:
    parts = (
        ScorePart(id="1", about="Is there a candle?", value=0.0, reason="none is lit"),
        ScorePart(id="2", about="Is it red?", value=0.0, needs=("1",), asked=False),
    )
    score = Score(prompt=PAIR.prompt, artifact=PAIR.a, value=0.0, parts=parts, provenance=FROM)
    assert load(dump(score)) == score
    assert score.measurement == Measurement(value=0.0, parts=parts)
    assert score.measurement.reasons == ("none is lit",)
