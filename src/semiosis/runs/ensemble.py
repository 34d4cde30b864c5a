"""Several methods on the same items, each as a run of its own, side by side under one budget and one pace.

    summaries = run_together(open_items("pairs.jsonl"), recipes, "first", conditions=Conditions(budget_usd=5))

    with open_runs(benchmark, recipes, "first", FOLDER, resume=False) as stores:    the same, step by step
        ensemble = start_ensemble(stores, benchmark, recipes, Conditions(budget_usd=5))
        ensemble.end(await ensemble.run())

An item goes to all methods at once, so that its pictures are read and encoded once, and that whatever
ends it leaves all of them with the same items. A call that one of the runs has had answered is not made again
by another: its reply is copied, so that each store is whole by itself.
"""

import asyncio
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from ..backbones.adaptive_limit import Paces
from ..backbones.backbone import Reply
from ..backbones.purse import Purse
from ..backbones.single_flight import SingleFlight
from ..core import loop
from ..core.errors import BadSetting
from ..core.item import Benchmark, Candidate
from ..core.settings import checked
from ..methods.recipe import Recipe
from ..sources import open_items
from .asking import Ended
from .conditions import Conditions
from .crew import Crew, Job
from .execution import Equipment, Execution, check_usable, numbered
from .journal import StoreJournal
from .run import FOLDER, ITEMS_PER_CALL, Begun, begin, default_name, open_run
from .store import SUFFIX, Store
from .summary import Summary, summary


class Ensemble:
    """Sessions over the same items. Each ends for its own reasons; `stop` ends all of them."""

    def __init__(
        self,
        sessions: Sequence[Execution],
        stores: Sequence[Store],
        benchmark: Benchmark,
        conditions: Conditions,
    ) -> None:
        self.sessions = sessions
        self._stores = stores
        self._benchmark = benchmark
        self._rows = numbered(benchmark, conditions.limit)
        self._crew = Crew(sessions, ITEMS_PER_CALL * conditions.at_once * len(sessions))

    async def run(self) -> tuple[Ended, ...]:
        """How each of them ended."""
        try:
            await self._crew.work(self._jobs)
            for session in self.sessions:
                await session.landed()
        finally:
            for session in self.sessions:
                await session.aclose()
        return tuple(session.ended or Ended("done") for session in self.sessions)

    def stop(self) -> None:
        """Finish what is in flight, begin nothing more."""
        for session in self.sessions:
            session.stop()

    def end(self, endings: Sequence[Ended]) -> None:
        """Note how each ended. Raises where not one row became an item."""
        for store, session, ended in zip(self._stores, self.sessions, endings, strict=True):
            store.end(ended.how, session.tally.items)
        for session in self.sessions:
            check_usable(self._benchmark, session.tally.items, session.refused)

    async def _jobs(self) -> list[Job] | None:
        return await asyncio.to_thread(self._next)

    def _next(self) -> list[Job] | None:
        """The next items for every session that has not settled them, item by item."""
        going_on = [each for each in self.sessions if each.expects_more and not each.ended]
        some = next(self._rows, None) if going_on else None
        if some is None:
            return None
        # However many sessions want an item, it is made once.
        rows = [
            (position, replace(row, make=cache(row.make)) if isinstance(row, Candidate) else row)
            for position, row in some
        ]
        jobs = [Job(session, *each) for session in going_on for each in session.to_do(rows)]
        return sorted(jobs, key=lambda job: job.position)


@checked
def run_together(
    items: Benchmark | str | Path,
    recipes: Sequence[Recipe],
    name: str,
    *,
    folder: str | Path = FOLDER,
    conditions: Conditions | None = None,
    retry_failed: bool = False,
) -> tuple[Summary, ...]:
    """As `run`, of several methods on the same items, each in a run of its own called after `name` and it.

    items           a benchmark, or a path that `open_items` takes
    recipes         the methods and their models
    name            what the runs are called, before the name of each method
    folder          where runs are kept
    conditions      how fast they ask together, and for how much
    retry_failed    ask again what ended in a failure

    They are begun, or gone on with where they are there; the summaries come in the order of the recipes.
    """
    benchmark = open_items(items) if isinstance(items, str | Path) else items
    conditions = conditions or Conditions()
    resume = any(_there(run_names(benchmark, recipes, name), Path(folder)))
    with open_runs(benchmark, recipes, name, Path(folder), resume) as stores:
        ensemble = start_ensemble(stores, benchmark, recipes, conditions, retry_failed=retry_failed)
        ensemble.end(loop.run(ensemble.run()))
        return tuple(summary(store) for store in stores)


@contextmanager
def open_runs(
    benchmark: Benchmark, recipes: Sequence[Recipe], name: str | None, folder: Path, resume: bool
) -> Generator[tuple[Store, ...]]:
    """A store for each method, as `open_run` opens one. To go on, at least one of them must be there."""
    names = run_names(benchmark, recipes, name)
    with ExitStack() as opened:
        yield tuple(
            opened.enter_context(open_run(benchmark, recipe.make(), each, folder, goes_on))
            for recipe, each, goes_on in zip(recipes, names, going_on(names, folder, resume), strict=True)
        )


def run_names(benchmark: Benchmark, recipes: Sequence[Recipe], name: str | None) -> tuple[str, ...]:
    """Of each method's run: the name that was given and the method's, or what it would be called alone."""
    names = tuple(
        default_name(benchmark, recipe.make())
        if name is None
        else f"{name}-{re.sub(r'[^A-Za-z0-9._-]+', '-', recipe.label)}"
        for recipe in recipes
    )
    for at, each in enumerate(names):
        if each in names[:at]:
            both = recipes[names.index(each)].label, recipes[at].label
            raise BadSetting(
                f"The methods {both[0]} and {both[1]} would both write the run {each}: give a --name, "
                "and each adds its own."
            )
    return names


def going_on(names: Sequence[str], folder: Path, resume: bool) -> tuple[bool, ...]:
    """Which of the runs are gone on with: those there are, or all where there is none, which is refused."""
    there = _there(names, folder)
    return tuple(resume and (each or not any(there)) for each in there)


def _there(names: Sequence[str], folder: Path) -> tuple[bool, ...]:
    return tuple((folder / f"{name}{SUFFIX}").exists() for name in names)


def start_ensemble(
    stores: Sequence[Store],
    benchmark: Benchmark,
    recipes: Sequence[Recipe],
    conditions: Conditions,
    *,
    retry_failed: bool = False,
    tell: Callable[[str], None] = lambda line: None,
    on_item: Callable[[int], None] | None = None,
) -> Ensemble:
    """As `start_session`, of several methods. What earlier sessions of any of them spent counts."""
    check_together(conditions)
    budget = conditions.budget_usd
    spent_usd = sum(store.charged_usd for store in stores)
    purse = None if budget is None else Purse(budget, spent_usd=spent_usd)
    paces, flight = Paces(conditions.pace), SingleFlight[Reply]()
    sessions: list[Execution] = []
    for store, recipe in zip(stores, recipes, strict=True):
        equipment = Equipment(StoreJournal(store, stores), paces, purse, flight=flight)
        method = recipe.make(equipment.equip)
        sessions.append(Execution(store, benchmark, method, equipment.paces, strict=conditions.strict))
    begun = [
        Begun(session, store, recipe.method)
        for session, store, recipe in zip(sessions, stores, recipes, strict=True)
    ]
    begin(begun, benchmark, conditions, retry_failed, tell, on_item)
    return Ensemble(sessions, stores, benchmark, conditions)


def check_together(conditions: Conditions) -> None:
    """Raise where several methods cannot be asked for under these conditions."""
    if conditions.batch:
        raise BadSetting(
            "--batch is for one method: a batch of one run is not seen by another. Name one --method."
        )
    if conditions.engine == "ray":
        raise BadSetting("--engine ray is for one method: name one --method, or leave out --engine.")
