"""Which models are in reach, and what asking them would cost, as tables."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..backbones.prices import AS_OF
from ..core.table import Table, numbers, words

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
    """By stage and model; where calls are shared, beside what they would be item by item; where their number
    depends on replies, with the least and the most there may be."""
    shares = any(stage.alone.calls != stage.shared.calls for stage in stages)
    varies = not all(stage.is_exact for stage in stages)
    models = sorted({stage.model for stage in stages})
    names = [stage.stage if len(models) == 1 else f"{stage.stage}\n  {stage.model}" for stage in stages]
    columns = [
        numbers("calls"),
        numbers("tokens in"),
        numbers("tokens out"),
        numbers("USD", form="usd"),
        *(
            (numbers("calls at least"), numbers("at most"), numbers("USD at most", form="usd"))
            if varies
            else ()
        ),
        *((numbers("unshared calls"), numbers("unshared USD", form="usd")) if shares else ()),
    ]
    amounts = [_amounts(stage, varies=varies)[: len(columns)] for stage in stages]
    together = [_sum([row[at] for row in amounts]) for at in range(len(columns))]
    model = f"{models[0]}. " if len(models) == 1 else ""
    notes = [f"{model}Estimates, at prices of {AS_OF}; a reply that is kept already costs nothing."]
    if unknown := ", ".join(
        sorted({stage.model for stage in stages if stage.cost_usd(stage.shared) is None})
    ):
        notes.append(f"No price is known for {unknown}: tokens only. SEMIOSIS_PRICES names a file of prices.")
    return Table(
        title=title,
        columns=(words("stage"), *columns),
        rows=(
            *((name, *row) for name, row in zip(names, amounts, strict=True)),
            ("together", *together),
        ),
        notes=tuple(notes),
        emphasised=(len(names),),
    )


def _amounts(stage: "PlannedStage", *, varies: bool) -> tuple[float | None, ...]:
    shared, alone, most = stage.shared, stage.alone, stage.most
    return (
        shared.calls,
        shared.input_tokens,
        shared.output_tokens,
        stage.cost_usd(shared),
        *((stage.least.calls, most.calls, stage.cost_usd(most)) if varies else ()),
        alone.calls,
        stage.cost_usd(alone),
    )


def _sum(amounts: "Sequence[float | None]") -> float | None:
    """None where a part of it is not known."""
    numbers = [amount for amount in amounts if amount is not None]
    return sum(numbers) if len(numbers) == len(amounts) else None
