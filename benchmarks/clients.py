"""One client, measured alone in a process of its own; what it took is printed as JSON.

    python benchmarks/clients.py '{"role": "bare", "url": "http://127.0.0.1:1/v1", "folder": "...", ...}'

Every client is warmed up before the clock starts, and what the benchmark itself holds is kept out of the
garbage collector's sight, so that only the client's own work is counted.
"""

import asyncio
import gc
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import material

if TYPE_CHECKING:
    from semiosis.core.item import Candidate
    from semiosis.core.sign import Pair

T = TypeVar("T")
CALLS_A_PAIR = 4
PROFILE_LINES = 45


@dataclass(frozen=True)
class Job:
    role: str
    folder: str
    url: str = ""
    calls: int = 0
    at_once: int = 64
    warm: int = 64
    side: int = material.SIDE
    profile: bool = False
    per_minute: float | None = None


@dataclass
class Took:
    """CPU seconds are user and system time of all threads of the process."""

    calls: int = 0
    failures: int = 0
    import_s: float = 0.0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    picture_s: float = 0.0
    peak_mb: float = 0.0
    imported_mb: float = 0.0


@contextmanager
def importing(took: Took) -> Iterator[None]:
    start = time.process_time()
    yield
    took.import_s = time.process_time() - start
    took.imported_mb = _peak_mb()


@contextmanager
def measuring(took: Took, profile: bool = False) -> Iterator[None]:
    gc.collect()
    gc.freeze()
    profiler = _profiler() if profile else None
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    took.cpu_s, took.wall_s = time.process_time() - cpu, time.perf_counter() - wall
    if profiler:
        _print_profile(profiler)


def _profiler() -> Any:
    import cProfile

    profiler = cProfile.Profile()
    profiler.enable()
    return profiler


def _print_profile(profiler: Any) -> None:
    import pstats

    profiler.disable()
    statistics = pstats.Stats(profiler, stream=sys.stderr)
    statistics.sort_stats("tottime").print_stats(PROFILE_LINES)
    statistics.sort_stats("cumtime").print_stats("semiosis", PROFILE_LINES)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def drive(items: Iterable[T], one: Callable[[T], Awaitable[None]], at_once: int) -> None:
    """So many at once, each taken when another is done."""
    waiting = iter(items)

    async def worker() -> None:
        for item in waiting:
            await one(item)

    await asyncio.gather(*(worker() for _ in range(at_once)))


async def bare(job: Job) -> Took:
    """As its documentation has it: every part of the body an argument, which the client checks and copies."""
    return await _bodies_sent(job, lambda client, body: client.chat.completions.create(**body))


async def lean(job: Job) -> Took:
    """The same bodies past the client's checks: as little as this client can do."""
    return await _bodies_sent(
        job,
        lambda client, body: client.chat.completions.create(model="canned", messages=[], extra_body=body),
    )


async def _bodies_sent(job: Job, send: Callable[[Any, dict[str, Any]], Awaitable[Any]]) -> Took:
    took = Took(calls=job.calls)
    with importing(took):
        from openai import AsyncOpenAI, DefaultAioHttpClient

    bodies = material.bodies(Path(job.folder), job.calls)
    async with AsyncOpenAI(
        base_url=job.url, api_key="none", max_retries=0, http_client=DefaultAioHttpClient()
    ) as client:

        async def one(body: dict[str, Any]) -> None:
            completion = await send(client, body)
            took.failures += not completion.choices[0].message.content

        await drive(bodies[: job.warm], one, job.at_once)
        with measuring(took, job.profile):
            await drive(bodies, one, job.at_once)
    return took


class Judging:
    """SemJudge over one connection pool; outcomes are counted and dropped."""

    def __init__(self, job: Job, took: Took) -> None:
        with importing(took):
            import openai  # noqa: F401 - imported with the first call otherwise
            import PIL.Image  # noqa: F401

            from semiosis.backbones.openai import OpenAI
            from semiosis.backbones.wrapper import Limited
            from semiosis.methods.semjudge.judge import SemJudge

        self._took, self._at_once = took, job.at_once
        self.backbone = Limited(OpenAI("canned", provider="custom", base_url=job.url), at_once=job.at_once)
        self._judge = SemJudge(self.backbone)

    async def all(self, pairs: "Iterable[Pair]") -> None:
        await drive(pairs, self._one, self._at_once)

    async def _one(self, pair: "Pair") -> None:
        outcome = await self._judge.judge(pair)
        self._took.failures += outcome.kind == "failure"
        self._took.calls += len(outcome.provenance.exchanges) if outcome.provenance else 0


async def semjudge(job: Job) -> Took:
    took = Took()
    judging = Judging(job, took)
    warm = job.warm // CALLS_A_PAIR
    pairs = material.pairs(warm + job.calls // CALLS_A_PAIR, job.side)
    took.picture_s = _prepare(pairs, judging.backbone.traits.max_side)
    await judging.all(pairs[:warm])
    took.calls = 0
    with measuring(took, job.profile):
        await judging.all(pairs[warm:])
    await judging.backbone.aclose()
    return took


class Fixed:
    """A benchmark of given pairs."""

    name = "fixed"

    def __init__(self, pairs: "list[Pair]") -> None:
        self._pairs = pairs

    def candidates(self) -> "Iterator[Candidate]":
        from semiosis.core.item import candidate
        from semiosis.core.kinds.pair import PairItem

        for number, pair in enumerate(self._pairs):
            yield candidate(PairItem(id=str(number), pair=pair))


async def running(job: Job) -> Took:
    """SemJudge as `semiosis run` has it: store, journal, pace; a client of its own, not warmed up."""
    took = Took()
    with importing(took):
        import openai  # noqa: F401 - imported with the first call otherwise
        import PIL.Image  # noqa: F401

        from semiosis.methods.recipe import Recipe
        from semiosis.runs.conditions import Conditions
        from semiosis.runs.run import about_of, start_session
        from semiosis.runs.store import Store

    pairs = material.pairs(job.calls // CALLS_A_PAIR, job.side)
    took.picture_s = _prepare(pairs, material.SIDE)
    recipe = Recipe("semjudge", model="canned", base_url=job.url)
    benchmark = Fixed(pairs)
    path = Path(job.folder) / f"{time.time_ns()}.sqlite"
    with Store.create(path, about_of("run", benchmark, recipe.make())) as store:
        conditions = Conditions(at_once=job.at_once, requests_per_minute=job.per_minute)
        session = start_session(store, benchmark, recipe, conditions)
        with measuring(took, job.profile):
            await session.run()
        took.calls, took.failures = store.spent.calls, sum(session.tally.failed.values())
    return took


def _prepare(pairs: "list[Pair]", max_side: int) -> float:
    """Fill the encoder's cache; CPU seconds a picture."""
    from semiosis.backbones.pictures import prepare

    pictures = {picture for pair in pairs for picture in (pair.a, pair.b)}
    start = time.process_time()
    for picture in pictures:
        prepare(picture, max_side)
    return (time.process_time() - start) / len(pictures)


async def memory(job: Job) -> Took:
    """Every pair is read from disk when its turn comes, judged and dropped."""
    took = Took()
    judging = Judging(job, took)
    with measuring(took, job.profile):
        await judging.all(material.painted_pairs(Path(job.folder)))
    await judging.backbone.aclose()
    took.peak_mb = _peak_mb()
    return took


async def generate(job: Job) -> Took:
    took = Took(calls=job.calls)
    with importing(took):
        from inspect_ai.model import get_model

        import inspected

    bodies = material.bodies(Path(job.folder), job.calls)
    calls = [(inspected.messages(body), inspected.configuration(body)) for body in bodies]
    model = get_model(inspected.MODEL, base_url=job.url, api_key="none", config=inspected.limit(job.at_once))

    async def one(call: tuple[Any, Any]) -> None:
        output = await model.generate(call[0], config=call[1])
        took.failures += not output.completion

    await drive(calls[: job.warm], one, job.at_once)
    with measuring(took, job.profile):
        await drive(calls, one, job.at_once)
    return took


def evaluation(job: Job) -> Took:
    took = Took(calls=job.calls)
    with importing(took):
        import inspected

    bodies = material.bodies(Path(job.folder), job.calls)
    logs = Path(job.folder) / "logs"
    inspected.evaluate(inspected.task(bodies[: job.warm]), job.url, job.at_once, logs)
    task = inspected.task(bodies)
    with measuring(took, job.profile):
        took.failures = inspected.evaluate(task, job.url, job.at_once, logs)
    return took


def paint(job: Job) -> Took:
    took = Took()
    with measuring(took):
        material.paint(Path(job.folder), job.calls)
    return took


ROLES: dict[str, Callable[[Job], Took | Coroutine[Any, Any, Took]]] = {
    "bare": bare,
    "lean": lean,
    "semjudge": semjudge,
    "run": running,
    "generate": generate,
    "eval": evaluation,
    "memory": memory,
    "paint": paint,
}


def main() -> None:
    job = Job(**json.loads(sys.argv[1]))
    took = ROLES[job.role](job)
    if not isinstance(took, Took):
        took = asyncio.run(took)
    print(json.dumps(asdict(took)))


if __name__ == "__main__":
    main()
