"""A run from beginning to end, in one call.

recipe = Recipe("semjudge", model="openai/gpt-5")
found = run(open_pairs("pairs.jsonl"), recipe, "first", conditions=Conditions(at_once=64, budget_usd=5))
found.counts.winners
"""

import re
from pathlib import Path

from ..backbones import loop
from ..core.errors import BadRecord, BadSetting, InputError
from ..core.item import BadRow, Benchmark
from ..methods.base import Method
from .conditions import Conditions, about_of, begin
from .execute import candidates, check_usable
from .plan import Plan
from .recipe import Recipe
from .sources import open_pairs
from .store import SUFFIX, Store
from .summary import Summary, summary

FOLDER = Path("semiosis-runs")


def opened(benchmark: Benchmark, method: Method, name: str, folder: Path, resume: bool) -> Store:
    """The run's store, new or to go on with; refused if it was begun otherwise, or nothing can be asked."""
    method.require()
    about = about_of(checked_name(name), benchmark, method)
    path = folder / f"{name}{SUFFIX}"
    if not resume:
        return Store.create(path, about)
    store = Store.resume(path)
    try:
        store.about.check_same(about)
    except BaseException:
        store.close()
        raise
    return store


def run(
    items: Benchmark | str | Path,
    recipe: Recipe,
    name: str,
    *,
    folder: str | Path = FOLDER,
    conditions: Conditions | None = None,
    retry_failed: bool = False,
) -> Summary:
    """Begin the run of that name, or go on with it, and see it to its end. A path is opened as pairs."""
    benchmark = open_pairs(items) if isinstance(items, str | Path) else items
    resume = (Path(folder) / f"{name}{SUFFIX}").exists()
    with opened(benchmark, recipe.make(), name, Path(folder), resume) as store:
        session = begin(store, benchmark, recipe, conditions or Conditions(), retry_failed=retry_failed)
        store.end(loop.run(session.run()).how, session.tally.items)
        return summary(store)


def estimate(benchmark: Benchmark, method: Method, conditions: Conditions) -> tuple[Plan, list[BadRow]]:
    """What all items will ask for, before anything is asked; and the rows that are none."""
    plan, bad = Plan(method, batch=conditions.batch), list[BadRow]()
    for row in candidates(benchmark, conditions.limit):
        if isinstance(row, BadRow):
            bad.append(row)
        else:
            try:
                plan.add(row.make())
            except BadSetting:
                raise
            except InputError as error:
                bad.append(BadRow(row.where, str(error)))
        if bad and conditions.strict:
            raise BadRecord(f"{bad[0].where}: {bad[0].reason}")
    check_usable(benchmark, plan.items, bad)
    return plan, bad


def checked_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise BadSetting(f"A run's name is letters, digits, dots, dashes and underscores, not {name!r}.")
    return name


def made_name(benchmark: Benchmark, method: Method) -> str:
    """A name from what the run is made of."""
    models = [backbone.name.rpartition("/")[2] for backbone in method.backbones.values()]
    parts = (Path(benchmark.name).stem, method.label, *models[-1:])
    return re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts)).strip("-.")[:100]
