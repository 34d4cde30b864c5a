"""Does a judge lean to the original where an edit of it changes nothing in the meaning?"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...core.item import BadRow
from ...core.kinds.pair import PairItem
from ...core.sign import Pair
from ..bias import BiasFinding, Leanings, PairBiasTest, Ruling, sound
from ..registry import bias_test
from .items import MinimalPairs

if TYPE_CHECKING:
    from ..material import Material


@bias_test("minimal-pairs")
class HarmlessEdits(PairBiasTest):
    """Broken edits are asked about too, and reported beside: what a judge can see is no accusation."""

    planted = "An original picture, and an edit of it that leaves its meaning as it was."
    fair = "Half of the choices for the original."

    def items(self, material: "Material") -> Iterator[PairItem | BadRow]:
        """The bundled pairs, whatever the material: harmless edits first, and every other pair of either sort
        with its pictures in changed places."""
        for edit in ("same", "broken"):
            number = 0
            for row in MinimalPairs().candidates():
                item = row if isinstance(row, BadRow) else row.make()
                if isinstance(item, BadRow):
                    yield item
                elif isinstance(item, PairItem) and item.labels["edit"] == edit:
                    yield _placed(item, edit, original_first=number % 2 == 0)
                    number += 1

    def judged(self, rulings: Sequence[Ruling]) -> BiasFinding:
        settled = sound(rulings)
        harmless, broken = (
            [each.towards(each.labels.get("original")) for each in settled if each.labels.get("edit") == edit]
            for edit in ("same", "broken")
        )
        preferred = sum(sign > 0 for sign in broken)
        seen = f"Of {len(broken):,} edits that break the meaning, it preferred the original to {preferred:,}."
        return Leanings(harmless).share(
            "choices for the original, of harmless edits", *([seen] if broken else [])
        )


def _placed(item: PairItem, edit: str, *, original_first: bool) -> PairItem:
    pair = item.pair
    side = "a" if original_first else "b"
    return PairItem(
        id=item.id,
        pair=pair if original_first else Pair(pair.prompt, pair.b, pair.a),
        labels={"edit": edit, "original": side, **({"winner": side} if edit == "broken" else {})},
        labels_by=item.labels_by,
    )
