"""Which models are in reach, and what asking them would cost, as tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..backbones.prices import AS_OF
from ..core.table import Cells, Interval, Table, numbers, words

if TYPE_CHECKING:
    from ..backbones.lookup import Reach
    from ..runs.plan import PlannedStage

SHOWN = 12


def models_table(providers: "Iterable[Reach]") -> Table:
    """Those that are ready first."""
    ordered = sorted(providers, key=lambda each: not each.ready)
    return Table(
        columns=(words(), words(), words(flows=True), words(flows=True)),
        rows=tuple(
            ("ready" if each.ready else None, each.provider, each.about, _how(each)) for each in ordered
        ),
        heading=2,
    )


def _how(reach: "Reach") -> str:
    models = [f"--model {model}" for model in reach.models[1:SHOWN]]
    more = len(reach.models) - SHOWN
    return "\n".join((reach.how, *models, *([f"and {more:,} more: --json lists all"] if more > 0 else ())))


def estimate_table(title: str, stages: "Sequence[PlannedStage]") -> Table:
    """By stage and model.

    Where calls are shared, beside what they would be item by item; where it is open how many there will be,
    with the least and the most.
    """
    exact = all(stage.is_exact for stage in stages)
    grows = any(stage.most.calls > stage.shared.calls for stage in stages)
    shares = exact and any(stage.alone.calls != stage.shared.calls for stage in stages)
    models = sorted({stage.model for stage in stages})
    columns = [
        numbers("calls", digits=0),
        numbers("tokens in"),
        numbers("tokens out"),
        numbers("USD", form="usd"),
        *([numbers("USD at most", form="usd")] if grows else ()),
        *((numbers("unshared calls"), numbers("unshared USD", form="usd")) if shares else ()),
    ]

    def cells(name: str, some: "Sequence[PlannedStage]") -> Cells:
        calls = sum(stage.shared.calls for stage in some)
        least, most = (sum(stage.least.calls for stage in some), sum(stage.most.calls for stage in some))
        return (
            name,
            Interval(value=calls, low=least, high=most) if least != most else calls,
            sum(stage.shared.input_tokens for stage in some),
            sum(stage.shared.output_tokens for stage in some),
            _sum([stage.cost_usd(stage.shared) for stage in some]),
            *([_sum([stage.cost_usd(stage.most) for stage in some])] if grows else ()),
            *([sum(stage.alone.calls for stage in some)] if shares else ()),
            *([_sum([stage.cost_usd(stage.alone) for stage in some])] if shares else ()),
        )

    names = [stage.stage if len(models) == 1 else f"{stage.stage}\n  {stage.model}" for stage in stages]
    return Table(
        title=title,
        columns=(words("stage"), *columns),
        rows=(
            *(cells(name, [stage]) for name, stage in zip(names, stages, strict=True)),
            cells("together", stages),
        ),
        notes=_notes(stages),
        emphasised=(len(names),),
    )


def estimates_table(title: str, methods: "Mapping[str, Sequence[PlannedStage]]") -> Table:
    """Of several methods, each with its stages; a call that several make is counted where it comes first."""
    stages = [stage for some in methods.values() for stage in some]
    several = len({stage.model for stage in stages}) > 1
    grows = any(stage.most.calls > stage.shared.calls for stage in stages)
    twice = any(stage.elsewhere.calls for stage in stages)

    def cells(name: str, some: "Sequence[PlannedStage]") -> Cells:
        calls = sum(stage.shared.calls for stage in some)
        least, most = (sum(stage.least.calls for stage in some), sum(stage.most.calls for stage in some))
        return (
            name,
            Interval(value=calls, low=least, high=most) if least != most else calls,
            *([sum(stage.elsewhere.calls for stage in some)] if twice else ()),
            sum(stage.shared.input_tokens for stage in some),
            sum(stage.shared.output_tokens for stage in some),
            _sum([stage.cost_usd(stage.shared) for stage in some]),
            *([_sum([stage.cost_usd(stage.most) for stage in some])] if grows else ()),
        )

    rows: list[Cells] = []
    for method, some in methods.items():
        rows.append(cells(method, some))
        for stage in some:
            model = f"\n    {stage.model}" if several else ""
            rows.append(cells(f"  {stage.stage}{model}", [stage]))
    return Table(
        title=title,
        columns=(
            words("method"),
            numbers("calls", digits=0),
            *((numbers("made above"),) if twice else ()),
            numbers("tokens in"),
            numbers("tokens out"),
            numbers("USD", form="usd"),
            *((numbers("USD at most", form="usd"),) if grows else ()),
        ),
        rows=(*rows, cells("together", stages)),
        notes=(
            *(("Calls that a method above makes already are made once.",) if twice else ()),
            *_notes(stages),
        ),
        emphasised=(len(rows),),
    )


def _notes(stages: "Sequence[PlannedStage]") -> tuple[str, ...]:
    models = {stage.model for stage in stages}
    model = f"{min(models)}. " if len(models) == 1 else ""
    notes = [f"{model}Estimates, at prices of {AS_OF}; a reply that is kept already costs nothing."]
    unpriced = {stage.model for stage in stages if stage.cost_usd(stage.shared) is None}
    if unknown := ", ".join(sorted(unpriced)):
        notes.append(f"No price is known for {unknown}: tokens only. SEMIOSIS_PRICES names a file of prices.")
    return tuple(notes)


def _sum(amounts: "Sequence[float | None]") -> float | None:
    """None where a part of it is not known."""
    numbers = [amount for amount in amounts if amount is not None]
    return sum(numbers) if len(numbers) == len(amounts) else None
