"""Does a judge hold to its verdict when the same prompt goes on at length?"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ....core.errors import BadPrompt
from ....core.item import BadRow
from ....core.kinds.pair import PairItem
from ....core.sign import Pair, Prompt
from ...bias import BiasFinding, Leanings, PairBiasTest, Ruling, by_unit, sound
from ...registry import bias_test

if TYPE_CHECKING:
    from ...material import Material


@bias_test("prompt-length")
class PromptLength(PairBiasTest):
    """Agreement is with the pair's label: a verdict that only changed may be the judge's own wavering."""

    planted = "The same pair under its prompt, and under one that says the same at length."
    fair = "The same agreement under both."
    needs = "It needs pairs whose label says which picture is right."

    def items(self, material: "Material") -> Iterator[PairItem | BadRow]:
        number = 0
        for item in material.pairs():
            if isinstance(item, BadRow):
                yield item
            elif item.label in ("a", "b"):
                yield from _both(item, swapped=number % 2 == 1)
                number += 1

    def judged(self, rulings: Sequence[Ruling]) -> BiasFinding:
        whole = [unit for unit in by_unit(sound(rulings)).values() if len(unit) == 2]
        changed = sum(one.winner != other.winner for one, other in whole)
        leanings = Leanings([_gain(unit) for unit in whole])
        remark = f"{changed:,} of {len(whole):,} verdicts changed, in whatever direction."
        return leanings.difference("agreement at length, less agreement under the prompt itself", remark)


def at_length(prompt: str) -> str:
    """The prompt, with words around it that add nothing to what it means."""
    return padding().replace("{prompt}", prompt)


@cache
def padding() -> str:
    return Path(__file__).with_name("at-length.txt").read_text("utf-8").strip()


def _both(item: PairItem, *, swapped: bool) -> Iterator[PairItem | BadRow]:
    """The pair twice; in every other one the pictures change places, lest labels are all for one side."""
    pair, winner = item.pair, item.label
    if pair.prompt.style is not None:
        yield BadRow(f"{item.id}/long", "A stylization is told by its style, which has no words around it.")
        return
    if swapped:
        pair, winner = Pair(pair.prompt, pair.b, pair.a), "a" if winner == "b" else "b"
    try:
        long = Prompt(text=at_length(pair.prompt.text), references=pair.prompt.references)
    except BadPrompt as error:
        yield BadRow(f"{item.id}/long", str(error))
        return
    for name, prompt in (("own", pair.prompt), ("long", long)):
        yield PairItem(
            id=f"{item.id}/{name}",
            pair=Pair(prompt, pair.a, pair.b),
            labels={"unit": item.key, "prompt": name, "winner": winner},
            labels_by=item.labels_by,
        )


def _gain(unit: Sequence[Ruling]) -> int:
    """How much more it agrees under the long prompt."""
    agreement = {ruling.labels.get("prompt"): ruling.towards(ruling.labels.get("winner")) for ruling in unit}
    return agreement["long"] - agreement["own"]
