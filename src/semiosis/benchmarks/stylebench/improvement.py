"""The arithmetic of the paper's tables (Jiang & Chen 2025, tables II, IV and V) and of figure 3."""

from collections.abc import Mapping, Sequence

from ...building.alignment import Instance, MeanRho, PerInstance, Rho, mean_rho
from ...core.errors import BadData
from ...core.value import Value
from .catalogue import Catalogue


class Breakdown(Value):
    """The instances that have a value of an attribute. An instance with two values counts for both."""

    attribute: str
    value: str
    instances: int
    elo: MeanRho | None
    bradley_terry: MeanRho | None


class Change(Value):
    """A row of an ablation: its rho, and what was lost of what the full method left to gain."""

    name: str
    rho: float
    change: float


def improvement(rho: float, base: float) -> float:
    """The share of the way from `base` to a perfect rho: (rho - base) / (1 - base).

    Table II and table V print it as a percentage. Of table II's 24 it gives 22; the others are Gemini's
    zero-shot Bradley-Terry (0.236 from 0.552: -71%, printed -62%) and GPT-4o's ArtCoT Elo (0.576 from 0.248:
    44%, printed 43%).
    """
    if not -1 <= base < 1 or not -1 <= rho <= 1:
        raise BadData(
            f"An improvement from {base:g} to {rho:g} is not defined: both lie in [-1, 1], the base below 1."
        )
    return (rho - base) / (1 - base)


def average(elo: float, bradley_terry: float) -> float:
    """What tables IV and V print for a setting."""
    return (elo + bradley_terry) / 2


def ablation(rhos: Mapping[str, float], full: str) -> tuple[Change, ...]:
    """Each setting against the full one, as table V has it: the improvement, which is negative, over it."""
    if full not in rhos:
        raise BadData(f"There is no row {full!r} to compare with; there are {', '.join(rhos)}.")
    return tuple(
        Change(name=name, rho=rho, change=improvement(rho, rhos[full])) for name, rho in rhos.items()
    )


def by_attribute(scored: PerInstance, catalogue: Catalogue) -> tuple[Breakdown, ...]:
    """Per-instance rho by each value of each attribute of content and style, in the order of their names."""
    parts: dict[tuple[str, str], list[Instance]] = {}
    for each in scored.instances:
        for attribute, values in catalogue.attributes(each.group).items():
            for value in values:
                parts.setdefault((attribute, value), []).append(each)
    if not parts:
        raise BadData("The catalogue has no attribute for any of the instances: it is of another benchmark.")
    return tuple(
        Breakdown(
            attribute=attribute,
            value=value,
            instances=len(instances),
            elo=_mean([each.elo for each in instances]),
            bradley_terry=_mean([each.bradley_terry for each in instances]),
        )
        for (attribute, value), instances in sorted(parts.items())
    )


def _mean(rhos: Sequence[Rho | None]) -> MeanRho | None:
    return mean_rho(rhos) if any(rho is not None for rho in rhos) else None
