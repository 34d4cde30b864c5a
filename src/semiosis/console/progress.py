"""How a run stands, while it runs: a live line on a terminal, a plain line every few seconds elsewhere."""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass

from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ..core.text import counted, dollars, percent
from ..runs.tally import RunProgress
from .screen import console

PLAIN_EVERY_S = 5.0
LIVE_EVERY_S = 0.25


@dataclass(frozen=True)
class StatusLine:
    """How far something is, and that in words."""

    done: int
    of: int
    line: str


@contextmanager
def surveying(quiet: bool) -> Generator[Callable[[int], None]]:
    """Says how many items were seen, when that takes a while."""
    err = console(stderr=True)
    last = time.monotonic()

    def on_item(items: int) -> None:
        nonlocal last
        if not quiet and time.monotonic() - last > PLAIN_EVERY_S:
            last = time.monotonic()
            err.print(f"looking through the items: {items:,} so far")

    yield on_item


@asynccontextmanager
async def showing(status: Callable[[], StatusLine], quiet: bool) -> AsyncGenerator[None]:
    if quiet:
        yield
        return
    show = asyncio.create_task(_live(status) if console(stderr=True).is_terminal else _plain(status))
    try:
        yield
    finally:
        show.cancel()
        with suppress(asyncio.CancelledError):
            await show


async def _plain(status: Callable[[], StatusLine]) -> None:
    while True:
        await asyncio.sleep(PLAIN_EVERY_S)
        print(status().line, file=sys.stderr, flush=True)


async def _live(status: Callable[[], StatusLine]) -> None:

    def drawn() -> Table:
        now = status()
        grid = Table.grid()
        grid.add_row(ProgressBar(total=max(1, now.of), completed=now.done, width=60))
        # As text: a string would be read as markup, and names come from outside.
        grid.add_row(Text(now.line))
        return grid

    with Live(drawn(), console=console(stderr=True), auto_refresh=False, transient=True) as live:
        while True:
            await asyncio.sleep(LIVE_EVERY_S)
            live.update(drawn(), refresh=True)


def run_status(progress: RunProgress) -> StatusLine:
    """Done, failed by kind, flips, tokens, dollars, time left."""
    spent = progress.spent
    share = f" ({percent(progress.settled / progress.items, 0)})" if progress.items else ""
    parts = [f"{progress.settled:,} of {progress.items:,} done{share}"]
    if progress.failed:
        parts.append(f"failed: {counted(dict(sorted(progress.failed.items())))}")
    if progress.compared:
        parts.append(f"flipped {progress.flips:,} of {progress.compared:,}")
    parts.append(f"{spent.calls:,} calls, {spent.input_tokens:,} + {spent.output_tokens:,} tokens")
    parts.append(dollars(spent.cost_usd, spent.unpriced))
    parts.append("" if progress.eta_s is None else f"about {_time(progress.eta_s)} left")
    return StatusLine(progress.settled, progress.items, " · ".join(part for part in parts if part))


def runs_status(runs: Mapping[str, RunProgress]) -> StatusLine:
    """The same of several runs side by side: how far each is, and what they took together."""
    every = runs.values()
    done, items = sum(each.settled for each in every), sum(each.items for each in every)
    parts = [f"{done:,} of {items:,} done{f' ({percent(done / items, 0)})' if items else ''}"]
    parts.append(", ".join(f"{name} {each.settled:,}" for name, each in runs.items()))
    if failed := {name: sum(each.failed.values()) for name, each in runs.items() if each.failed}:
        parts.append(f"failed: {', '.join(f'{name} {count:,}' for name, count in failed.items())}")
    calls, tokens_in, tokens_out = (
        sum(getattr(each.spent, figure) for each in every)
        for figure in ("calls", "input_tokens", "output_tokens")
    )
    parts.append(f"{calls:,} calls, {tokens_in:,} + {tokens_out:,} tokens")
    parts.append(
        dollars(sum(each.spent.cost_usd for each in every), sum(each.spent.unpriced for each in every))
    )
    # Items go to all of them together, so that the last to end is as far off as the slowest says.
    left = [each.eta_s for each in every if each.eta_s is not None]
    parts.append(f"about {_time(max(left))} left" if left else "")
    return StatusLine(done, items, " · ".join(part for part in parts if part))


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
