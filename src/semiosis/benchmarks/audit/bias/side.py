"""Does a picture win because it is shown first?"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ....core.item import BadRow, Labels
from ....core.kinds.pair import PairItem
from ....core.sign import Pair
from ...bias import BiasFinding, Leanings, PairBiasTest, Ruling, by_unit, sound
from ...registry import bias_test

if TYPE_CHECKING:
    from ...material import Material

MEASURE = "choices for what was shown first"
NO_SIDE = (
    "No vote says which picture was shown first, and no verdict changed when they changed places: it "
    "measures each picture by itself, so there is no side."
)


@bias_test("side")
class ShownFirst(PairBiasTest):
    """A method that asks in both orders is read by its votes: its verdicts show no side, and its votes do."""

    planted = "The same two pictures, given once as A and B and once as B and A."
    fair = "Half of the choices for the picture that was shown first."

    def items(self, material: "Material") -> Iterator[PairItem | BadRow]:
        for item in material.pairs():
            if isinstance(item, BadRow):
                yield item
                continue
            pair = item.pair
            swapped = Pair(pair.prompt, pair.b, pair.a)
            for name, shown in (("ab", pair), ("ba", swapped)):
                labels: Labels = {"unit": item.key, "given": name}
                yield PairItem(id=f"{item.id}/{name}", pair=shown, labels=labels)

    def judged(self, rulings: Sequence[Ruling]) -> BiasFinding:
        settled = sound(rulings)
        leans = [_lean(unit) for unit in by_unit(settled).values()]
        whole = [lean for lean in leans if lean is not None]
        unordered = all(order is None for ruling in settled for order, _ in ruling.votes)
        if whole and unordered and not any(whole):
            return BiasFinding(MEASURE, n=len(whole), ties=len(whole), obstacle=NO_SIDE)
        return Leanings(whole).share(MEASURE)


def _lean(unit: Sequence[Ruling]) -> float | None:
    """Above 0 where its votes are for what was shown first, each place of a picture counting alike; None
    where it was asked in one place only."""
    votes: dict[bool, list[int]] = {True: [], False: []}
    for ruling in unit:
        for order, winner in ruling.votes:
            first = "b" if order == "ba" else "a"
            lean = 0 if winner is None else 1 if winner == first else -1
            votes[(ruling.labels.get("given") == "ba") == (order == "ba")].append(lean)
    return sum(sum(each) / len(each) for each in votes.values()) if all(votes.values()) else None
