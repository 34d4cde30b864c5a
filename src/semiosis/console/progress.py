"""How a run stands, while it runs: a live line on a terminal, a plain line every few seconds elsewhere."""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
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


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
