"""A run as it was ordered, or several side by side: opened, carried out under one display, and summed up.

result = carried_out(order, recipe)
results = carried_out_together(order, recipes)
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..console.estimate import show_estimates
from ..console.interrupts import carry_out
from ..console.progress import runs_status, surveying
from ..console.screen import console
from ..console.sessions import carry_out_session, show_planned
from ..core.item import BadRow, Benchmark
from ..core.text import plain
from ..methods.contract import Method
from ..methods.recipe import Recipe
from ..runs.asking import STOPPED_AT_ONCE, Ended
from ..runs.conditions import Conditions
from ..runs.ensemble import check_together, going_on, open_runs, run_names, start_ensemble
from ..runs.plan import Plan, PlannedStage
from ..runs.run import check_openable, default_name, estimate, open_run
from ..runs.store import SUFFIX, Store
from ..runs.summary import FailedItem, cause
from .runs import BenchmarkedSummary, summarised


@dataclass(frozen=True)
class RunOrder:
    """Over which items, under which conditions, and where a run is kept.

    benchmark       what supplies the items
    conditions      how fast it asks, and for how much
    folder          where runs are kept
    name            the run's; made from its parts where it is None
    resume          go on with the run of that name
    retry_failed    ask again what ended in a failure
    quiet           say nothing while it goes on
    """

    benchmark: Benchmark
    conditions: Conditions
    folder: Path
    name: str | None = None
    resume: bool = False
    retry_failed: bool = False
    quiet: bool = False

    @property
    def tell(self) -> Callable[[str], None]:
        """Says what happens on the way."""
        err = console(stderr=True)
        return lambda line: None if self.quiet else err.print(plain(line))

    def place_of(self, method: Method) -> tuple[str, Path, bool]:
        """Its name, its folder, and whether it is there to go on with."""
        return self.name or default_name(self.benchmark, method), self.folder, self.resume


class RunResult(NamedTuple):
    """What came out, how the session ended, and what stands behind most of the failures."""

    summary: BenchmarkedSummary
    ended: Ended
    cause: FailedItem | None


def carried_out(order: RunOrder, recipe: Recipe) -> RunResult:
    """One method over the items, to its end or to an interrupt."""
    planned = recipe.make()
    with open_run(order.benchmark, planned, *order.place_of(planned)) as store:
        ended = carry_out_session(
            store,
            order.benchmark,
            recipe,
            order.conditions,
            retry_failed=order.retry_failed,
            quiet=order.quiet,
        )
        return RunResult(summarised(store), ended, cause(store))


def carried_out_together(order: RunOrder, recipes: Sequence[Recipe]) -> list[RunResult]:
    """Several methods over the same items, each in a run of its own."""
    check_together(order.conditions)
    place = (order.name, order.folder, order.resume)
    with open_runs(order.benchmark, recipes, *place) as stores:
        with surveying(order.quiet) as on_item:
            ensemble = start_ensemble(
                stores,
                order.benchmark,
                recipes,
                order.conditions,
                retry_failed=order.retry_failed,
                tell=order.tell,
                on_item=on_item,
            )
        tallies = {
            recipe.label: session.tally for recipe, session in zip(recipes, ensemble.sessions, strict=True)
        }
        ends = carry_out(
            ensemble.run(),
            stop=ensemble.stop,
            status=lambda: runs_status({name: tally.progress for name, tally in tallies.items()}),
            quiet=order.quiet,
        )
        endings = ends or [STOPPED_AT_ONCE for _ in stores]
        ensemble.end(endings)
        return [
            RunResult(summarised(store), ended, cause(store))
            for store, ended in zip(stores, endings, strict=True)
        ]


def estimated(order: RunOrder, recipe: Recipe, *, as_json: bool) -> None:
    """What one method would ask for; nothing is asked, and nothing is written."""
    planned = recipe.make()
    show_planned(
        order.benchmark,
        planned,
        order.conditions,
        order.place_of(planned),
        retry_failed=order.retry_failed,
        as_json=as_json,
    )


def estimated_together(order: RunOrder, recipes: Sequence[Recipe], *, as_json: bool) -> None:
    """The same of several methods: a call that several make is counted once."""
    check_together(order.conditions)
    names = run_names(order.benchmark, recipes, order.name)
    plans: list[Plan[Method]] = []
    stages: dict[str, tuple[PlannedStage, ...]] = {}
    bad: list[BadRow] = []
    goes_on = going_on(names, order.folder, order.resume)
    for recipe, name, resume in zip(recipes, names, goes_on, strict=True):
        planned = recipe.make()
        check_openable(order.benchmark, planned, name, order.folder, resume)
        plan, bad = _plan(order, planned, name, resume=resume)
        stages[recipe.label] = plan.stages(plans)
        plans.append(plan)
    most = max(plans, key=lambda plan: plan.items)
    title = f"{len(plans)} methods on {order.benchmark.name}: {_items(most, order.resume)}"
    show_estimates(title, stages, as_json=as_json)
    _say(most, bad)


def _plan(order: RunOrder, planned: Method, name: str, *, resume: bool) -> tuple[Plan[Method], list[BadRow]]:
    path = order.folder / f"{name}{SUFFIX}"
    with Store.look(path, as_it_is=True) if resume else nullcontext() as store:
        return estimate(order.benchmark, planned, order.conditions, store, retry_failed=order.retry_failed)


def _items(plan: Plan[Method], goes_on: bool) -> str:
    return f"{plan.items:,} items{' to go on with' if goes_on else ''}"


def _say(plan: Plan[Method], bad: Sequence[BadRow]) -> None:
    if plan.first_prompt:
        print(f"The first prompt: {plain(plan.first_prompt)[:100]}", file=sys.stderr)
    if bad:
        print(f"{len(bad):,} bad rows left out; the first: {bad[0].where}: {bad[0].reason}", file=sys.stderr)
