"""Figure 3 of the paper: per-instance rho by content and style attribute, a mark a judge.

As the paper's, it shows how complex the content is and what the style's words are; of a catalogue without
these attributes, all that it has.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ...building.alignment import PerInstance
from ...reports.breakdown_plot import PlottedPart, save_breakdown
from ...reports.chart import Drawn
from .improvement import Breakdown
from .scorecard import Scorecards

SHOWN: dict[str, tuple[str, ...]] = {
    "style.prompt_length": ("short", "medium", "long"),
    "style.taxonomy": (),
    "content.element_density": ("Low", "High"),
    "content.element_diversity": ("Low", "High"),
    "content.color_diversity": ("Limited", "Diverse"),
}
"""The values of an attribute in their own order; those without one stand by how many instances have them."""

PANELS = ("rho by Elo", "rho by Bradley-Terry")

_TITLE = "Per-instance rho by attribute"
_NOTE = "means over n instances, 95% intervals (Student); one with two values is in both"

Parts = Mapping[str, Sequence[Breakdown]]


def save_figure(cards: Scorecards, parts: Parts, to: str | Path, *, of: str) -> Drawn:
    """`parts` are by judge, as `scorecard.breakdowns` gives them; a judge that has none is not drawn."""
    judges = list(parts)
    rows = [_overall(cards, judges), *_by_value(parts)]
    return save_breakdown(rows, judges, to, panels=PANELS, title=_TITLE, note=f"{of}  ·  {_NOTE}")


def _overall(cards: Scorecards, judges: Sequence[str]) -> PlottedPart:
    scored = {card.name: card.per_instance for card in (cards.always_a, *cards.judges)}
    scores = [score for name in judges if isinstance(score := scored[name], PerInstance)]
    return PlottedPart(
        group="",
        label="all instances",
        count=max(len(score.instances) for score in scores),
        estimates=(
            tuple(score.elo for score in scores),
            tuple(score.bradley_terry for score in scores),
        ),
    )


def _by_value(parts: Parts) -> list[PlottedPart]:
    by_judge = [{(each.attribute, each.value): each for each in some} for some in parts.values()]
    places = list(dict.fromkeys(place for some in by_judge for place in some))
    attributes = dict.fromkeys(attribute for attribute, _ in places)
    shown = [attribute for attribute in SHOWN if attribute in attributes] or list(attributes)
    counts = {place: max(some[place].instances for some in by_judge if place in some) for place in places}

    def order(place: tuple[str, str]) -> tuple[int, int, int]:
        attribute, value = place
        own = SHOWN.get(attribute, ())
        return shown.index(attribute), own.index(value) if value in own else len(own), -counts[place]

    return [
        PlottedPart(
            group=place[0].replace(".", ": ").replace("_", " "),
            label=place[1],
            count=counts[place],
            estimates=(
                tuple(some[place].elo if place in some else None for some in by_judge),
                tuple(some[place].bradley_terry if place in some else None for some in by_judge),
            ),
        )
        for place in sorted((place for place in places if place[0] in shown), key=order)
    ]
