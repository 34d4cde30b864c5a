"""A run from beginning to end: its store is opened, a session is made and run, and the run is summed up.

recipe = Recipe("semjudge", model="openai/gpt-5")
summary = run(open_items("pairs.jsonl"), recipe, "first", conditions=Conditions(at_once=64, budget_usd=5))
summary.counts.settled

with open_run(benchmark, recipe.make(), "first", FOLDER, resume=False) as store:     the same, step by step
    session = start_session(store, benchmark, recipe, Conditions())
    ended = await session.run()
"""

import hashlib
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from ..backbones.backbone import Backbone
from ..backbones.budget import Budgeted
from ..backbones.pictures import size_of
from ..backbones.purse import Purse
from ..core import loop
from ..core.errors import BadRecord, BadSetting, InputError
from ..core.item import BadRow, Benchmark, Candidate, Summarises, SummarisesOutcomes, is_hash
from ..core.settings import checked
from ..methods.contract import Method, check_takes, find, package_version
from ..methods.recipe import Recipe
from ..sources import open_items
from ..sources.pictures import REMEMBERED
from ..sources.scaling import Scaled
from .batched import Batched, provider_batches
from .conditions import Conditions
from .database import check_unlocked
from .execution import Equipment, Execution, Session, candidates, check_usable, survey
from .journal import StoreJournal
from .plan import Plan
from .store import ITEMS, SCALE, SUFFIX, About, Store
from .summary import Summary, summary
from .tally import Tally

FOLDER = Path("semiosis-runs")
LOOK_AHEAD = 200
# An item asks for one or two calls at a time: enough items for every call that may be in flight.
ITEMS_PER_CALL = 2
# Items that go through a method's stages side by side when each stage of them is a batch.
BATCHED_ITEMS = 500


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
    conditions = conditions or Conditions()
    resume = (Path(folder) / f"{name}{SUFFIX}").exists()
    with open_run(benchmark, recipe.make(), name, Path(folder), resume) as store:
        session = start_session(store, benchmark, recipe, conditions, retry_failed=retry_failed)
        store.end(loop.run(session.run()).how, session.tally.items)
        check_usable(benchmark, session.tally.items, session.refused)
        return summary(store)


@contextmanager
def open_run(benchmark: Benchmark, method: Method, name: str, folder: Path, resume: bool) -> Generator[Store]:
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


def start_session(
    store: Store,
    benchmark: Benchmark,
    recipe: Recipe,
    conditions: Conditions,
    *,
    retry_failed: bool = False,
    tell: Callable[[str], None] = lambda line: None,
    on_item: Callable[[int], None] | None = None,
) -> Session:
    """Look through the items, note that a session begins, and make it. Nothing is asked yet."""
    session = _session_of(store, benchmark, recipe, conditions, tell)
    begin([Begun(session, store, recipe.method)], benchmark, conditions, retry_failed, tell, on_item)
    return session


class Begun(NamedTuple):
    """A session with the store it writes, and the name of its method."""

    session: Session
    store: Store
    method: str


def begin(
    begun: Sequence[Begun],
    benchmark: Benchmark,
    conditions: Conditions,
    retry_failed: bool,
    tell: Callable[[str], None],
    on_item: Callable[[int], None] | None,
) -> None:
    """Look through the items once for all of these sessions, and note that they begin."""
    stores = [each.store for each in begun]
    for store in stores:
        store.forget_bad()
    overview = survey(benchmark, *stores, limit=conditions.limit, strict=conditions.strict, on_item=on_item)
    check_usable(benchmark, overview.items, overview.first_bad)
    for each in begun:
        for kind, where in overview.kinds.items():
            check_takes(find(each.method).cls, each.method, kind, where)
    within = _keys(benchmark, conditions.limit) if retry_failed else None
    for (session, store, _), to_do in zip(begun, overview.to_do, strict=True):
        gone = store.outcome_count - (overview.items - to_do)
        if gone > 0 and conditions.limit is None:
            tell(
                f"{gone:,} outcomes are of rows that {benchmark.name} does not hold now; they stay and count."
            )
        again = store.retire_failed(within) if retry_failed else 0
        if again:
            session.tally = Tally(store)
        session.expect(to_do + again)
        session.tally.items = store.outcome_count + to_do + again
        session.tally.bad_rows = overview.bad_rows
        store.begin(session.tally.items)


def _keys(benchmark: Benchmark, limit: int | None) -> set[str] | None:
    """Of the items within the limit, where there is one."""
    if limit is None:
        return None
    return {row.key for row in candidates(benchmark, limit) if isinstance(row, Candidate)}


def _session_of(
    store: Store, benchmark: Benchmark, recipe: Recipe, conditions: Conditions, tell: Callable[[str], None]
) -> Session:
    if conditions.engine == "ray":
        from .ray.execution import RayExecution

        return RayExecution(
            store,
            benchmark,
            recipe,
            conditions.fleet(),
            limit=conditions.limit,
            strict=conditions.strict,
        )

    equipment = equipment_of(store, conditions, tell)
    return Execution(
        store,
        benchmark,
        recipe.make(equipment.equip),
        equipment.paces,
        items_at_once=BATCHED_ITEMS if conditions.batch else ITEMS_PER_CALL * conditions.at_once,
        limit=conditions.limit,
        strict=conditions.strict,
    )


def equipment_of(store: Store, conditions: Conditions, tell: Callable[[str], None]) -> Equipment:
    """What makes backbones that ask under these conditions and keep every reply in the store."""

    def batched(backbone: Backbone) -> Batched:
        return Batched(backbone, store, tell)

    budget = conditions.budget_usd
    purse = None if budget is None else Purse(budget, spent_usd=store.charged_usd)
    return Equipment(StoreJournal(store), conditions.pace, purse, batched if conditions.batch else None)


def about_of(name: str, benchmark: Benchmark, method: Method) -> About:
    """What a run of that name is, as its store records it."""
    origins = {
        f"{field}_at": _address(backbone.traits.identity)
        for field, backbone in method.backbones.items()
        if backbone.traits.identity
    }
    configuration = method.configuration()
    supplier = benchmark.benchmark if isinstance(benchmark, Scaled) else benchmark
    labels_by: str | None = getattr(supplier, "labels_by", None)
    if labels_by:
        origins["labels_by"] = labels_by
    version: str | None = getattr(supplier, "version", None)
    if version:
        origins[ITEMS] = version
    if isinstance(benchmark, Scaled):
        origins[SCALE] = str(benchmark.side)
    return About(
        name=name,
        source=source_of(benchmark),
        benchmark=benchmark.name if isinstance(supplier, Summarises | SummarisesOutcomes) else "",
        method=method.label,
        method_version=method.version,
        package_version=package_version(),
        configuration=configuration | origins,
        models=_models(method, configuration),
    )


def source_of(benchmark: Benchmark) -> str:
    """Where its items are read from: by its name, or by its `source`, where one benchmark has several."""
    return getattr(benchmark, "source", benchmark.name)


def _models(method: Method, configuration: Mapping[str, object]) -> dict[str, str]:
    """By the words of its configuration where it names them there, else by field."""
    by_field = {field: backbone.name for field, backbone in method.backbones.items()}
    named = {word: str(name) for word, name in configuration.items() if name in by_field.values()}
    return named if set(named.values()) == set(by_field.values()) else by_field


def _address(identity: str) -> str:
    """A server's address without what may be secret in it, and a hash of the whole."""
    parts = urlsplit(identity)
    place = f"{parts.hostname or ''}:{parts.port}{parts.path}" if parts.hostname else ""
    return f"{place} #{hashlib.sha256(identity.encode()).hexdigest()[:12]}".strip()


def check_openable(benchmark: Benchmark, method: Method, name: str, folder: Path, resume: bool) -> None:
    """Raise what `open_run` would, key and server excepted, and open nothing for writing."""
    about = about_of(checked_name(name), benchmark, method)
    path = folder / f"{name}{SUFFIX}"
    if not resume and not (path.exists() and path.stat().st_size):
        return
    check_unlocked(path)
    with Store.look(path, as_it_is=True) as store:
        if resume:
            store.about.check_same(about)
        else:
            store.check_unbegun()


def estimate(
    benchmark: Benchmark,
    method: Method,
    conditions: Conditions,
    store: Store | None = None,
    *,
    retry_failed: bool = False,
) -> tuple[Plan[Method], list[BadRow]]:
    """What all items will ask for, before anything is asked; and the rows that are none.

    Of a run to go on with, `store` has those that are settled, which ask for nothing unless they failed and
    are to be tried again.
    """
    if conditions.batch:
        for backbone in method.backbones.values():
            provider_batches(backbone)
    if conditions.budget_usd is not None:
        for backbone in method.backbones.values():
            Budgeted(backbone, conditions.budget_usd)
    plan, bad = Plan(method, batch=conditions.batch), list[BadRow]()
    looked_at, settled = set[str](), 0
    for row in candidates(benchmark, conditions.limit):
        if isinstance(row, BadRow):
            bad.append(row)
        elif store and store.settled([row.key], without_failures=retry_failed):
            settled += 1
        else:
            try:
                check_takes(type(method), method.label, row.kind, row.where)
                _check_pictures(row, looked_at)
                plan.add(row)
            except BadSetting:
                raise
            except InputError as error:
                bad.append(BadRow(row.where, str(error)))
        if bad and conditions.strict:
            raise BadRecord(f"{bad[0].where}: {bad[0].reason}")
    check_usable(benchmark, plan.items + settled, bad)
    return plan, bad


def _check_pictures(row: Candidate, looked_at: set[str]) -> None:
    """A file that is no picture makes no item; what was looked at is remembered, within bounds."""
    if not looked_at.issuperset(filter(is_hash, row.identity)):
        if len(looked_at) >= REMEMBERED:
            looked_at.clear()
        for artifact in row.make().pictures:
            if artifact.sha256 not in looked_at:
                size_of(artifact)
                looked_at.add(artifact.sha256)


def check_labelled(benchmark: Benchmark, limit: int | None) -> None:
    """Raise where not one of the first items says what is right."""
    rows = (row for row in candidates(benchmark, min(limit or LOOK_AHEAD, LOOK_AHEAD)))
    for row in rows:
        if isinstance(row, Candidate):
            with suppress(InputError):
                if row.make().label is not None:
                    return
    raise BadSetting(
        f"Agreement needs labels, and of the first {LOOK_AHEAD:,} items of {benchmark.name} none has one."
    )


def checked_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise BadSetting(f"A run's name is letters, digits, dots, dashes and underscores, not {name!r}.")
    return name


def default_name(benchmark: Benchmark, method: Method) -> str:
    """A name from what the run is made of."""
    models = [backbone.name.rpartition("/")[2] for backbone in method.backbones.values()]
    scale = [f"{benchmark.side}px"] if isinstance(benchmark, Scaled) else []
    parts = (Path(source_of(benchmark)).stem, *scale, method.label, *models[-1:])
    return re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts)).strip("-.")[:100]
