"""Does a judge agree with the makers mainly where pictures resemble what they mean (SemJudge, 6.4)?"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...core.errors import BadData
from ...core.item import Labels
from ...core.kinds.pair import PairItem
from ...core.sign import Pair
from ...core.table import Interval
from ..bias import NOTHING_SETTLED, BiasFinding, PairBiasTest, Ruling, by_unit, sound
from ..registry import bias_test
from .items import Iconicity, Initiative, load

if TYPE_CHECKING:
    from ..material import Material

MEASURE = "net iconicity where it agrees with the makers, less where it does not"


@bias_test("iconicity")
class IconicityTest(PairBiasTest):
    """By the makers' own ratings: six experts rated the paper's instances, and nobody but the makers these.

    Whole initiatives take part, since two pairs of one are rated nearly alike and tend to be judged alike.
    Undecided pairs neither agree nor disagree; the paper counts them as disagreeing.
    """

    planted = "Nothing: pairs that work by resemblance stand beside pairs that work by trace or convention."
    fair = "The same agreement with the makers on both."

    def items(self, material: "Material") -> Iterator[PairItem]:
        """The bundled pairs that have a winner, whatever the material: no others are rated."""
        for number, initiative in enumerate(load()):
            for place, (better, worse) in enumerate(initiative.author_order):
                # Each kind of pair has its winner on either side in turns.
                a, b = (better, worse) if (number + place) % 2 == 0 else (worse, better)
                labels: Labels = {
                    "unit": initiative.id,
                    "against": worse,
                    "net_iconicity": _net(initiative, better, worse),
                    "winner": "a" if a == better else "b",
                }
                yield PairItem(
                    id=f"{initiative.id}/{a}/{b}",
                    pair=Pair(initiative.sign(), initiative.artifact(a), initiative.artifact(b)),
                    labels=labels,
                    labels_by="makers",
                )

    def judged(self, rulings: Sequence[Ruling]) -> BiasFinding:
        from ...stats.iconicity import iconicity_bias_by_group

        groups = _whole(by_unit(rulings).values())
        nets = [[float(str(ruling.labels["net_iconicity"])) for ruling in group] for group in groups]
        agreement = [[ruling.towards(ruling.labels.get("winner")) for ruling in group] for group in groups]
        settled = sound(ruling for group in groups for ruling in group)
        if not settled:
            return BiasFinding(MEASURE, fair=0.0, obstacle=NOTHING_SETTLED)
        reach = max(map(max, nets)) - min(map(min, nets))
        try:
            bias = iconicity_bias_by_group(nets, agreement)
        except BadData as error:
            return BiasFinding(MEASURE, fair=0.0, obstacle=str(error))
        return BiasFinding(
            measure=MEASURE,
            effect=Interval(value=bias.delta, low=bias.low),
            fair=0.0,
            scale=(-reach, reach),
            n=len(settled),
            towards=bias.n_agree,
            against=bias.n_disagree,
            ties=len(settled) - bias.n_agree - bias.n_disagree,
            p=bias.p,
            remarks=(
                f"It agrees with the makers on {bias.n_agree:,} pairs and disagrees on {bias.n_disagree:,}.",
            ),
        )


def _net(initiative: Initiative, better: str, worse: str) -> float:
    """That of the prompt and half of both pictures' (SemJudge, appendix B.2)."""
    from ...stats.iconicity import net_iconicity

    prompt, one, other = (_modes(initiative.author_iconicity[each]) for each in ("prompt", better, worse))
    return net_iconicity(prompt=prompt, a=one, b=other)


def _modes(rated: Iconicity) -> tuple[float, float, float]:
    return rated.icn, rated.idx, rated.sym


def _whole(units: Iterable[list[Ruling]]) -> list[list[Ruling]]:
    """The initiatives of which every pair has an outcome, its pairs in the same order in each."""
    groups = [sorted(unit, key=lambda ruling: str(ruling.labels.get("against"))) for unit in units]
    most = max(map(len, groups), default=0)
    return [group for group in groups if len(group) == most]
