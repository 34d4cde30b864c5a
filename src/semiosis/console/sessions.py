"""One session of a run, carried out in a terminal: estimated instead, or seen to its end.

with open_run(benchmark, planned, name, folder, resume) as store:
    ended = carry_out_session(store, benchmark, recipe, conditions, retry_failed=False, quiet=False)
"""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from ..core.item import Benchmark
from ..core.text import plain
from ..methods.contract import Method
from ..methods.recipe import Recipe
from ..runs.asking import STOPPED_AT_ONCE, Ended
from ..runs.conditions import Conditions
from ..runs.execution import check_usable
from ..runs.run import check_openable, estimate, start_session
from ..runs.store import SUFFIX, Store
from .estimate import show_estimate
from .interrupts import carry_out
from .progress import run_status, surveying
from .screen import console

Place = tuple[str, Path, bool]


def carry_out_session(
    store: Store,
    benchmark: Benchmark,
    recipe: Recipe,
    conditions: Conditions,
    *,
    retry_failed: bool,
    quiet: bool,
) -> Ended:
    """Survey the items, ask about those that are to do, and note how it ended."""
    with surveying(quiet) as on_item:
        session = start_session(
            store,
            benchmark,
            recipe,
            conditions,
            retry_failed=retry_failed,
            tell=_tell(quiet),
            on_item=on_item,
        )
    work, tally = session.run(), session.tally
    end = carry_out(work, stop=session.stop, status=lambda: run_status(tally.progress), quiet=quiet)
    ended = end or STOPPED_AT_ONCE
    store.end(ended.how, session.tally.items)
    check_usable(benchmark, session.tally.items, session.refused)
    return ended


def show_planned(
    benchmark: Benchmark,
    planned: Method,
    conditions: Conditions,
    place: Place,
    *,
    retry_failed: bool,
    as_json: bool,
) -> None:
    """What the session would ask for, of a run at `place`: its name, its folder, and whether it goes on."""
    check_openable(benchmark, planned, *place)
    name, folder, goes_on = place
    with Store.look(folder / f"{name}{SUFFIX}", as_it_is=True) if goes_on else nullcontext() as store:
        plan, bad = estimate(benchmark, planned, conditions, store, retry_failed=retry_failed)
    items = f"{plan.items:,} items{' to go on with' if goes_on else ''}"
    show_estimate(f"{planned.label} on {benchmark.name}: {items}", plan.stages(), as_json=as_json)
    if plan.first_prompt:
        print(f"The first prompt: {plain(plan.first_prompt)[:100]}", file=sys.stderr)
    if bad:
        print(f"{len(bad):,} bad rows left out; the first: {bad[0].where}: {bad[0].reason}", file=sys.stderr)


def _tell(quiet: bool) -> Callable[[str], None]:
    err = console(stderr=True)
    return lambda line: None if quiet else err.print(plain(line))
