"""What each test reads from rulings: which way a unit leans, what is a tie, what is in no number."""

from collections.abc import Iterator

import pytest

from audited import Asked, Drawings, material
from semiosis.benchmarks.audit.bias.blurred import Blurred
from semiosis.benchmarks.audit.bias.prompt_length import PromptLength, at_length
from semiosis.benchmarks.audit.bias.side import NO_SIDE, ShownFirst
from semiosis.benchmarks.audit.items import Audit
from semiosis.benchmarks.audit.report import accused, audited
from semiosis.benchmarks.bias import NOTHING_SETTLED, BiasFinding, Ruling
from semiosis.benchmarks.material import Material
from semiosis.core.item import BadRow, Candidate, Labels, candidate
from semiosis.core.kinds.pair import PairItem
from semiosis.core.settled import Settled
from semiosis.core.sign import Pair, Prompt, Side
from semiosis.core.table import Interval
from semiosis.core.vote import Order
from stored import judged, pair_item, refusal, unanswered

Votes = tuple[tuple[Order | None, Side | None], ...]


def ruling(verdict: Side | None, **labels: str) -> Ruling:
    return Ruling(dict(labels), verdict, (("ab", verdict),))


FAILED = Ruling({"planted": "a", "unit": "x", "given": "ab"}, reason="refused")


def test_a_copy_is_chosen_or_not_and_a_tie_is_half() -> None:
    rulings = [
        ruling("a", planted="a"),
        ruling("b", planted="b"),
        ruling("b", planted="a"),
        ruling(None, planted="b"),
        FAILED,
    ]
    finding = Blurred().judged(rulings)
    assert (finding.n, finding.towards, finding.against, finding.ties) == (4, 2, 1, 1)
    assert finding.effect is not None
    assert (finding.effect.value, finding.fair, finding.scale) == (0.625, 0.5, (0.0, 1.0))
    assert finding.p == 1.0
    assert finding.levels == (0.25, 1.0)


def test_what_failed_throughout_has_no_number() -> None:
    finding = Blurred().judged([FAILED, FAILED])
    assert (finding.effect, finding.p, finding.n) == (None, None, 0)
    assert finding.obstacle == NOTHING_SETTLED


def shown(unit: str, ab: Votes, ba: Votes) -> list[Ruling]:
    labels: list[Labels] = [{"unit": unit, "given": given} for given in ("ab", "ba")]
    return [Ruling(labels[0], None, ab), Ruling(labels[1], None, ba)]


FIRST: tuple[Votes, Votes] = ((("ab", "a"), ("ba", "b")), (("ab", "a"), ("ba", "b")))
SAME: tuple[Votes, Votes] = ((("ab", "a"), ("ba", "a")), (("ab", "b"), ("ba", "b")))


@pytest.mark.parametrize(
    ("ab", "ba", "counts"),
    [
        # Both orders, twice over: what is shown first wins each time, or the same picture does.
        (*FIRST, (1, 0, 0)),
        (*SAME, (0, 0, 1)),
        # One look at each: A first, then B first.
        ((("ab", "a"),), (("ab", "a"),), (1, 0, 0)),
        ((("ab", "a"),), (("ab", "b"),), (0, 0, 1)),
        ((("ab", "b"),), (("ab", "b"),), (0, 1, 0)),
        # Shown in the other order only: A of the pair is second.
        ((("ba", "a"),), (("ba", "a"),), (0, 1, 0)),
        # A failed order leaves the other; what is left still has both pictures first once.
        ((("ab", "a"),), (("ab", "a"), ("ba", "b")), (1, 0, 0)),
        ((("ab", "a"), ("ab", None)), (("ab", "b"),), (0, 1, 0)),
    ],
)
def test_what_is_shown_first_is_read_from_the_votes(
    ab: Votes, ba: Votes, counts: tuple[int, int, int]
) -> None:
    finding = ShownFirst().judged(shown("1", ab, ba))
    assert (finding.towards, finding.against, finding.ties) == counts
    assert (finding.obstacle, finding.p) == ("", 1.0)


def test_a_pair_that_was_asked_in_one_place_only_takes_no_part() -> None:
    rulings = [shown("1", (("ab", "a"),), ())[0], *shown("2", *FIRST), FAILED]
    finding = ShownFirst().judged(rulings)
    assert (finding.n, finding.towards) == (1, 1)


def test_what_measures_each_picture_by_itself_has_no_side_unless_it_shows_one() -> None:
    by_itself = shown("1", ((None, "a"),), ((None, "b"),))
    finding = ShownFirst().judged(by_itself)
    assert (finding.obstacle, finding.p, finding.effect, finding.ties) == (NO_SIDE, None, None, 1)
    left = ShownFirst().judged([*by_itself, *shown("2", ((None, "a"),), ((None, "a"),))])
    assert (left.obstacle, left.n, left.towards) == ("", 2, 1)


def lengths(unit: str, own: Side | None, long: Side | None, winner: str = "a") -> list[Ruling]:
    return [
        ruling(own, unit=unit, prompt="own", winner=winner),
        ruling(long, unit=unit, prompt="long", winner=winner),
    ]


def test_agreement_at_length_is_beside_that_under_the_prompt_itself() -> None:
    rulings = [
        *lengths("1", "a", "b"),
        *lengths("2", "a", None),
        *lengths("3", "a", "a"),
        *lengths("4", "a", "b", winner="b"),
        *lengths("5", "a", "a")[:1],
        FAILED,
    ]
    finding = PromptLength().judged(rulings)
    assert (finding.n, finding.towards, finding.against, finding.ties) == (4, 1, 2, 1)
    assert finding.effect is not None
    assert (finding.effect.value, finding.fair, finding.scale) == (-0.25, 0.0, (-1.0, 1.0))
    assert finding.remarks == ("3 of 4 verdicts changed, in whatever direction.",)


def test_the_long_prompt_holds_the_prompt_and_asks_for_nothing() -> None:
    long = at_length("Nothing {lasts}.")
    assert long.count("Nothing {lasts}.") == 1
    assert len(long.split()) > 100
    assert "{prompt}" not in long


def test_pairs_without_a_label_are_not_asked_at_length() -> None:
    items = [item for item in PromptLength().items(material()) if isinstance(item, PairItem)]
    assert len(items) == 2 * 18
    assert [item.labels["winner"] for item in items[:4]] == ["a", "a", "b", "b"]
    own, long = items[:2]
    assert long.pair.prompt.text == at_length(own.pair.prompt.text)
    assert (own.pair.a, own.pair.b) == (long.pair.a, long.pair.b)


def test_an_items_id_begins_with_its_test_and_each_unit_is_asked_both_ways() -> None:
    rows = [row for row in Audit(material(), [ShownFirst()]).candidates() if isinstance(row, Candidate)]
    assert [row.id for row in rows[:3]] == ["side/0/1/ab", "side/0/1/ba", "side/0/2/ab"]
    one, other = rows[0].make(), rows[1].make()
    assert isinstance(one, PairItem)
    assert isinstance(other, PairItem)
    assert one.labels == {"test": "side", "unit": other.labels["unit"], "given": "ab"}
    assert (one.pair.a, one.pair.b) == (other.pair.b, other.pair.a)


def test_pairs_of_one_id_are_units_of_their_own() -> None:
    class OneName:
        name = "one name"

        def candidates(self) -> Iterator[Candidate]:
            for each in Drawings().candidates():
                yield candidate(each.make().model_copy(update={"id": "same"}))

    for test in (ShownFirst(), PromptLength()):
        items = [item for item in test.items(Material(OneName())) if isinstance(item, PairItem)]
        units = [item.labels["unit"] for item in items]
        assert len(set(units)) * 2 == len(units) > 2


def test_a_stylization_has_no_prompt_to_lengthen() -> None:
    class Stylized:
        name = "stylized"

        def candidates(self) -> Iterator[Candidate]:
            for each in Drawings().candidates():
                item = each.make()
                assert isinstance(item, PairItem)
                prompt = Prompt.stylization("ukiyo-e", item.pair.a)
                yield candidate(item.model_copy(update={"pair": Pair(prompt, item.pair.a, item.pair.b)}))

    rows = list(PromptLength().items(Material(Stylized())))
    assert rows
    assert all(isinstance(row, BadRow) and "told by its style" in row.reason for row in rows)


def test_the_same_question_in_two_tests_is_one_question() -> None:
    asked = Asked(Audit(material()))
    plain = {each.ab for each in asked.by_test["side"]} | {each.ba for each in asked.by_test["side"]}
    assert {each.ab for each in asked.by_test["prompt-length"][::2]} <= plain


def test_a_bad_row_is_told_once_for_all_tests() -> None:
    class Broken(Drawings):
        def candidates(self) -> Iterator[Candidate | BadRow]:  # type: ignore[override]
            yield BadRow("line 1", "no")

    rows = [row for row in Audit(Material(Broken())).candidates() if not isinstance(row, Candidate)]
    assert [row.where for row in rows] == ["line 1"]


def test_findings_accuse_by_holm_and_those_without_a_p_take_no_part() -> None:
    tests = [Blurred(), ShownFirst(), PromptLength()]
    effect = Interval(value=1.0, low=0.9, high=1.0)
    findings = [
        BiasFinding("x", effect, p=0.03),
        BiasFinding("x", effect, p=0.02),
        BiasFinding("x", obstacle="no"),
    ]
    assert [(each.holm, each.accused) for each in accused(tests, findings)] == [
        (0.04, True),
        (0.04, True),
        (None, False),
    ]
    findings[2] = BiasFinding("x", effect, p=0.9)
    assert [each.accused for each in accused(tests, findings)] == [False, False, False]


def test_stored_rows_are_read_by_their_test_and_those_of_others_passed_over() -> None:
    item, refused = pair_item(1, {"test": "blurred", "planted": "b"}), pair_item(2, {"test": "blurred"})
    elsewhere = pair_item(3, {"test": "of-another-package"})
    rows = [
        (settled(item), judged(item, "b", "b")),
        (settled(refused), refusal("refused", "no", unanswered())),
        (settled(elsewhere), judged(elsewhere, "a", "a")),
    ]
    tests = {each.test: each for each in audited(rows)}
    finding = tests["blurred"].finding
    assert (finding.n, finding.towards, finding.failed) == (1, 1, 1)
    assert tests["prompt-length"].finding.obstacle.startswith(
        "No item of it is in this run. It needs pairs whose"
    )
    assert not tests["side"].is_measured


def test_a_test_that_cannot_be_read_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Blurred, rulings: object) -> BiasFinding:
        raise ZeroDivisionError("nothing to divide")

    monkeypatch.setattr(Blurred, "judged", broken)
    item = pair_item(1, {"test": "blurred", "planted": "b"})
    other = pair_item(2, {"test": "framed", "planted": "a"})
    rows = [(settled(item), judged(item, "b", "b")), (settled(other), judged(other, "b", "b"))]
    tests = {each.test: each.finding for each in audited(rows)}
    assert tests["blurred"].obstacle == "It cannot be read: ZeroDivisionError: nothing to divide"
    assert tests["framed"].against == 1


def settled(item: PairItem) -> Settled:
    return Settled(item.key, 1, item.id, item.kind, item.labels, None, "unknown", "judgment")
