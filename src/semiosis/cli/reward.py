"""`semiosis reward`: a method served as a reward, for a trainer on this machine or another."""

import asyncio
import signal
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Literal

import typer

from ..console.options import Budget, CallOptions, MethodOptions, NoCache, Orders, Repeat, Size, bounds
from ..console.recipes import Wrapping, recipe_of
from ..core.settings import AT_ONCE, COUNT
from ..methods.contract import find
from ..methods.recipe import close
from ..methods.semjudge.settings import Graphs
from ..runs.reward.reward import Reward
from ..runs.reward.reward import reward as rewarding
from ..runs.reward.server import serve

COMMANDS = {"reward": "reward"}


def reward(
    context: typer.Context,
    *,
    method: MethodOptions,
    by: Annotated[
        Literal["tournament", "score"] | None,
        typer.Option(
            help="tournament (pictures of one prompt against each other) or score (each by itself); "
            "score where the method has one.",
            show_default=False,
        ),
    ] = None,
    most_pairs: Annotated[
        int | None, typer.Option(**bounds(COUNT), help="Judge at most so many pairs of one prompt.")
    ] = None,
    at_once: Annotated[
        int, typer.Option(**bounds(AT_ONCE), help="Pairs or pictures judged at the same time.")
    ] = 16,
    graphs: Annotated[
        Graphs | None,
        typer.Option(
            help="solo (a graph serves every pair of its picture) or joint; solo where the method has both.",
            show_default=False,
        ),
    ] = None,
    size: Size = "standard",
    orders: Orders = "both",
    repeat: Repeat = 1,
    host: Annotated[
        str, typer.Option(help="The address to listen at; whoever reaches it can have pictures judged.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0 takes a free one.")] = 8765,
    calls: CallOptions,
    no_cache: NoCache = False,
    budget_usd: Budget = None,
) -> None:
    """Serve a method as a reward for training a generator.

    Example:

      semiosis reward --method gap --by tournament --model openai/gpt-5 --port 8765

    POST /reward takes {"prompts": [...], "images": [data URL or base64, ...]} and gives {"rewards": [...],
    "failures": [...]}; a picture that could not be judged has null, never a number. GET /health says what is
    served. Ctrl-C or SIGTERM ends it. Exit codes: 0 ended; 2 bad input or setup.
    """
    recipe = recipe_of(context, method, calls, graphs=graphs, size=size, orders=orders, repeats=repeat)
    if "graphs" in find(method.method).settings:
        recipe = replace(recipe, settings={"graphs": "solo", **recipe.settings})
    judge = recipe.make(Wrapping(budget_usd, cached=not no_cache).wrap)
    judge.require()
    asyncio.run(_serve(rewarding(judge, by=by, at_once=at_once, most_pairs=most_pairs), host, port))


async def _serve(reward: Reward, host: str, port: int) -> None:

    def ready(address: str) -> None:
        print(f"{reward.method.label}, by {reward.by}: {address}/reward", flush=True)

    serving = asyncio.create_task(serve(reward, host, port, ready=ready))
    with suppress(NotImplementedError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await serving
    finally:
        await close(reward.method)
