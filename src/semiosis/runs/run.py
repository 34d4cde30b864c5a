"""A run from beginning to end, in one call.

recipe = Recipe("semjudge", model="openai/gpt-5")
found = run(open_items("pairs.jsonl"), recipe, "first", conditions=Conditions(at_once=64, budget_usd=5))
found.counts.winners
"""

import re
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..backbones.budget import Budgeted
from ..backbones.pictures import size_of
from ..core import loop
from ..core.errors import BadRecord, BadSetting, InputError
from ..core.item import BadRow, Benchmark, Candidate, Item
from ..core.settings import checked
from ..methods.contract import Method, check_takes
from ..methods.recipe import Recipe
from ..sources import open_items
from ..sources.pictures import REMEMBERED
from .batched import provider_batches
from .conditions import Conditions, about_of, begin
from .database import check_unlocked
from .execution import candidates, check_usable
from .plan import Plan
from .store import SUFFIX, Store
from .summary import Summary, summary

FOLDER = Path("semiosis-runs")
LOOK_AHEAD = 200


@contextmanager
def opened(benchmark: Benchmark, method: Method, name: str, folder: Path, resume: bool) -> Generator[Store]:
    """The run's store, new or to go on with; refused if it was begun otherwise, or nothing can be asked.

    A new run that is refused before anything came leaves nothing behind.
    """
    method.require()
    about = about_of(checked_name(name), benchmark, method)
    path, is_new_folder = folder / f"{name}{SUFFIX}", not folder.exists()
    with Store.resume(path) if resume else Store.create(path, about) as store:
        try:
            store.about.check_same(about)
            yield store
        except BaseException:
            if not resume and store.is_unbegun:
                store.discard()
                if is_new_folder:
                    with suppress(OSError):
                        folder.rmdir()
            raise


def check_openable(benchmark: Benchmark, method: Method, name: str, folder: Path, resume: bool) -> None:
    """Raise what `opened` would, key and server excepted, and open nothing for writing."""
    about = about_of(checked_name(name), benchmark, method)
    path = folder / f"{name}{SUFFIX}"
    if not resume and not (path.exists() and path.stat().st_size):
        return
    check_unlocked(path)
    with Store.look(path) as store:
        if resume:
            store.about.check_same(about)
        else:
            store.check_unbegun()


@checked
def run(
    items: Benchmark | str | Path,
    recipe: Recipe,
    name: str,
    *,
    folder: str | Path = FOLDER,
    conditions: Conditions | None = None,
    retry_failed: bool = False,
) -> Summary:
    """Begin the run of that name, or go on with it, see it to its end, and sum it up.

    items           a benchmark, or a path that `open_items` takes
    recipe          the method and its models
    name            the run's, and its file's
    folder          where runs are kept
    conditions      how fast it asks, and for how much
    retry_failed    ask again what ended in a failure
    """
    benchmark = open_items(items) if isinstance(items, str | Path) else items
    resume = (Path(folder) / f"{name}{SUFFIX}").exists()
    with opened(benchmark, recipe.make(), name, Path(folder), resume) as store:
        session = begin(store, benchmark, recipe, conditions or Conditions(), retry_failed=retry_failed)
        store.end(loop.run(session.run()).how, session.tally.items)
        check_usable(benchmark, session.tally.items, session.refused)
        return summary(store)


def estimate(benchmark: Benchmark, method: Method, conditions: Conditions) -> tuple[Plan, list[BadRow]]:
    """What all items will ask for, before anything is asked; and the rows that are none."""
    if conditions.batch:
        for backbone in method.backbones.values():
            provider_batches(backbone)
    if conditions.budget_usd is not None:
        for backbone in method.backbones.values():
            Budgeted(backbone, conditions.budget_usd)
    plan, bad = Plan(method, batch=conditions.batch), list[BadRow]()
    looked_at = set[str]()
    for row in candidates(benchmark, conditions.limit):
        if isinstance(row, BadRow):
            bad.append(row)
        else:
            try:
                check_takes(type(method), method.label, row.kind, row.where)
                item = row.make()
                _check_pictures(item, looked_at)
                plan.add(item)
            except BadSetting:
                raise
            except InputError as error:
                bad.append(BadRow(row.where, str(error)))
        if bad and conditions.strict:
            raise BadRecord(f"{bad[0].where}: {bad[0].reason}")
    check_usable(benchmark, plan.items, bad)
    return plan, bad


def _check_pictures(item: Item, looked_at: set[str]) -> None:
    """A file that is no picture makes no item; which ones were looked at is remembered, within bounds."""
    for artifact in item.pictures:
        if artifact.sha256 not in looked_at:
            size_of(artifact)
            if len(looked_at) >= REMEMBERED:
                looked_at.clear()
            looked_at.add(artifact.sha256)


def check_labelled(benchmark: Benchmark, limit: int | None) -> None:
    """Raise where not one of the first pairs says which picture is the right one."""
    rows = (row for row in candidates(benchmark, min(limit or LOOK_AHEAD, LOOK_AHEAD)))
    for row in rows:
        if isinstance(row, Candidate):
            with suppress(InputError):
                if row.make().label in ("a", "b"):
                    return
    raise BadSetting(
        f"Agreement needs labels, and of the first {LOOK_AHEAD:,} items of {benchmark.name} none is a pair "
        "with one."
    )


def checked_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise BadSetting(f"A run's name is letters, digits, dots, dashes and underscores, not {name!r}.")
    return name


def made_name(benchmark: Benchmark, method: Method) -> str:
    """A name from what the run is made of."""
    models = [backbone.name.rpartition("/")[2] for backbone in method.backbones.values()]
    parts = (Path(benchmark.name).stem, method.label, *models[-1:])
    return re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts)).strip("-.")[:100]
