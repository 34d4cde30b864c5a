"""How a run stands, while it runs: a live line on a terminal, a plain line every few seconds elsewhere."""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.text import dollars
from .inputs import console

if TYPE_CHECKING:
    from ..runs.tally import RunProgress

PLAIN_EVERY_S = 5.0
LIVE_EVERY_S = 0.25


@dataclass(frozen=True)
class Shown:
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
async def showing(shown: Callable[[], Shown], quiet: bool) -> AsyncGenerator[None]:
    if quiet:
        yield
        return
    show = asyncio.create_task(_live(shown) if console(stderr=True).is_terminal else _plain(shown))
    try:
        yield
    finally:
        show.cancel()
        with suppress(asyncio.CancelledError):
            await show


async def _plain(shown: Callable[[], Shown]) -> None:
    while True:
        await asyncio.sleep(PLAIN_EVERY_S)
        print(shown().line, file=sys.stderr, flush=True)


async def _live(shown: Callable[[], Shown]) -> None:
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    def drawn() -> Table:
        now = shown()
        grid = Table.grid()
        grid.add_row(ProgressBar(total=max(1, now.of), completed=now.done, width=60))
        # As text: a string would be read as markup, and names come from outside.
        grid.add_row(Text(now.line))
        return grid

    with Live(drawn(), console=console(stderr=True), auto_refresh=False, transient=True) as live:
        while True:
            await asyncio.sleep(LIVE_EVERY_S)
            live.update(drawn(), refresh=True)


def told(standing: "RunProgress") -> Shown:
    """Done, failed by kind, flips, tokens, dollars, time left."""
    spent = standing.spent
    share = f" ({standing.settled / standing.items:.0%})" if standing.items else ""
    parts = [f"{standing.settled:,} of {standing.items:,} done{share}"]
    if standing.failed:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(standing.failed.items()))
        parts.append(f"failed: {kinds}")
    if standing.compared:
        parts.append(f"flipped {standing.flips:,} of {standing.compared:,}")
    parts.append(f"{spent.calls:,} calls, {spent.input_tokens:,} + {spent.output_tokens:,} tokens")
    parts.append(dollars(spent.cost_usd, spent.unpriced))
    parts.append("" if standing.eta_s is None else f"about {_time(standing.eta_s)} left")
    return Shown(standing.settled, standing.items, " · ".join(part for part in parts if part))


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
