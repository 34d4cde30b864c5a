"""Whether citations lie on the changed place, and certainty tells edits apart, from whole judgments."""

import pytest

from semiosis.benchmarks.minimal_pairs.evidence import Spot, place_of, spot, summarise_outcomes
from semiosis.core.cascade import Cascade, Reading
from semiosis.core.certainty import Certainty
from semiosis.core.contrast import Contrast, Difference, Version
from semiosis.core.graph import HSG, Semiosis, SubSemiosis
from semiosis.core.grounding import Box
from semiosis.core.kinds.pair import Judgment
from semiosis.core.outcome import Failure, Outcome, Provenance
from semiosis.core.settled import Settled
from semiosis.core.sign import Artifact, Pair, Side
from semiosis.core.vote import Evidence, Order, Vote
from semiosis.stats.estimate import wilson_share

PLACE = Box(x0=0.4, y0=0.4, x1=0.6, y1=0.6)
LEFT_HALF = Box(x0=0.4, y0=0.4, x1=0.5, y1=0.6)
AWAY = Box(x0=0, y0=0, x1=0.2, y1=0.2)
OUTSIDE = Box(x0=0.4, y0=0.4, x1=1.6, y1=0.6)
ORIGIN = Provenance(method="m", method_version="1", package_version="0")


def cascade(*boxes: tuple[Box, ...]) -> Cascade:
    root = Semiosis(sign="s", object="o", interpretant="i")
    children = tuple(
        SubSemiosis(id=str(n), label="part", relation="r", boxes=some, sign="s", object="o", interpretant="i")
        for n, some in enumerate(boxes, 1)
    )
    return Cascade(
        rounds=(
            Reading(of="prompt", graph=HSG(label="l", root=root), interpreter="m", made="given"),
            Reading(
                of="artifact",
                graph=HSG(label="l", root=root, children=children),
                interpreter="m",
                made="given",
            ),
        )
    )


def vote(
    *cited: tuple[str, Side | None], winner: Side = "a", order: Order = "ab", sure: Certainty | None = None
) -> Vote:
    evidence = tuple(Evidence(node=node, rationale="x", supports=side) for node, side in cited)
    return Vote(order=order, winner=winner, certainty=sure, evidence=evidence)


def judgment(
    *votes: Vote,
    a: tuple[tuple[Box, ...], ...] = (),
    b: tuple[tuple[Box, ...], ...] = (),
    contrast: Contrast | None = None,
) -> Judgment:
    return Judgment(
        pair=Pair("Nothing lasts.", Artifact(sha256="1"), Artifact(sha256="2")),
        votes=votes,
        cascade_a=cascade(*a) if a else None,
        cascade_b=cascade(*b) if b else None,
        contrast=contrast,
        provenance=ORIGIN,
    )


def row(id: str, edit: str = "broken", box: str | None = "400 400 600 600", size: str = "small") -> Settled:
    labels = {"edit": edit, "size": size, "ground": "iconic", "box": box}
    return Settled(id, 1, id, "pair", labels, None, "makers", "judgment")


def test_the_first_citation_that_points_into_a_picture_counts() -> None:
    graphs = {"a": ((PLACE,), (AWAY,)), "b": ((LEFT_HALF,),)}
    on = judgment(vote(("prompt.1", None), ("a", "a"), ("a.1", "a"), ("a.2", "a")), **graphs)
    assert spot(on, PLACE) == Spot(first=True, any=True, iou=pytest.approx(1))
    off = judgment(vote(("a.2", "a"), ("a.1", None)), **graphs)
    assert spot(off, PLACE) == Spot(first=False, any=False, iou=pytest.approx(1))
    half = judgment(vote(("b.1", "a")), **graphs)
    assert spot(half, PLACE) == Spot(first=True, any=True, iou=pytest.approx(0.5))


def test_boxes_of_one_citation_cover_together_and_those_outside_the_picture_do_not_count() -> None:
    quarters = tuple(
        Box(x0=x, y0=0.4, x1=x + 0.06, y1=0.6) for x in (0.4, 0.5)
    )  # each three tenths of the place
    together = judgment(vote(("a.1", "a")), a=(quarters,))
    assert spot(together, PLACE) == Spot(first=True, any=True, iou=pytest.approx(0.3))
    assert spot(judgment(vote(("a.1", "a")), a=((OUTSIDE,),)), PLACE) is None


def test_a_difference_points_into_both_pictures() -> None:
    version = Version(says="a skull", meaning="keeps", boxes=(AWAY,))
    other = Version(says="a melon", meaning="breaks", boxes=(PLACE,))
    contrast = Contrast(differences=(Difference(id="1", label="the head", a=version, b=other),))
    cited = judgment(vote(("contrast.1", "a")), contrast=contrast)
    assert spot(cited, PLACE) == Spot(first=True, any=True, iou=pytest.approx(1))


def test_votes_against_the_winner_are_not_asked() -> None:
    graphs = {"a": ((PLACE,), (AWAY,))}
    three = (
        vote(("a.1", "b"), winner="b"),
        vote(("a.2", "a"), order="ba"),
        vote(("a.2", "a")).model_copy(update={"repeat": 1}),
    )
    split = judgment(*three, **graphs)
    assert split.winner == "a"
    assert spot(split, PLACE) == Spot(first=False, any=False, iou=0)


def test_what_cites_no_box_points_nowhere_and_is_in_no_share() -> None:
    on = judgment(vote(("a.1", "a")), a=((PLACE,),))
    off = judgment(vote(("a.1", "a")), a=((AWAY,),))
    whole = judgment(vote(("a", "a"), ("b", "b")))
    failed = Failure(reason="refused", message="no", provenance=ORIGIN)
    rows: list[tuple[Settled, Outcome]] = [
        (row("x/1", size="large"), on),
        (row("x/2"), off),
        (row("x/3"), whole),
        (row("x/4"), failed),
        (row("x/5", edit="same"), on),
        (row("x/6", box=None), on),
    ]
    _, table = summarise_outcomes(rows)
    assert [column.name for column in table.columns] == [
        *("edit", "judged", "points nowhere", "first citation on the spot", "one for the winner is"),
        "best IoU, mean",
    ]
    broken, large, _, small = table.rows[:4]
    assert broken[:5] == ("broken", 3, 1, wilson_share(1, 2), wilson_share(1, 2))
    assert broken[5].value == pytest.approx(0.5)  # type: ignore[union-attr]
    assert large[:4] == ("broken, large", 1, 0, wilson_share(1, 1))
    assert small[:4] == ("broken, small", 2, 1, wilson_share(0, 1))


def test_certainty_for_the_original_is_the_rating() -> None:
    rows: list[tuple[Settled, Outcome]] = [
        (row("x/1"), judgment(vote(sure=5))),
        (row("x/2", edit="same"), judgment(vote(sure=1, winner="b"))),
        (row("y/1"), judgment(vote(sure=4))),
        (row("y/2", edit="same"), judgment(vote(sure=4))),
        (row("z/1"), judgment(vote())),
    ]
    table, _ = summarise_outcomes(rows)
    (cells,) = table.rows
    assert cells[:2] == (2, 2)
    assert cells[2].value == pytest.approx(3.5 / 4)  # type: ignore[union-attr]
    empty, _ = summarise_outcomes([])
    assert empty.rows == ((0, 0, None, None),)


def test_a_place_is_read_from_the_label() -> None:
    assert place_of(row("x/1")) == PLACE
    assert place_of(row("x/1", edit="other")) is None
