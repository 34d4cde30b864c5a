"""Ray: which workers there are to be, and how it is started or joined."""

import logging
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from math import ceil
from typing import Any

from ...backbones.adaptive_limit import Pace
from ...core.errors import BadSetting, MissingExtra, SetupError

CALLS_PER_WORKER = 16
CONNECT_S = 10.0
OBJECT_STORE_BYTES = 256 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Fleet:
    """The workers: what all of them together may do, on which cluster, and how many they are.

    Without an address they are processes of this machine. There is one worker a CPU at most, and if no number
    is given, one for every 16 calls at once.
    """

    pace: Pace = Pace()  # noqa: RUF009 - it is frozen
    budget_usd: float | None = None
    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        if find_spec("ray") is None:
            raise MissingExtra("The Ray engine", extra="ray")
        if self.address and self.address.startswith("ray://"):
            raise BadSetting(
                f"Ray Client ({self.address}) does not reach the run's store, a file of this machine: "
                "run on a node of the cluster, with --address auto."
            )
        if self.workers is not None and not 1 <= self.workers <= self.pace.at_once:
            raise BadSetting(
                f"{self.pace.at_once} calls at once are work for 1 to {self.pace.at_once} workers, "
                f"not {self.workers}."
            )

    def size(self, cpus: float) -> int:
        return max(1, min(self.workers or ceil(self.pace.at_once / CALLS_PER_WORKER), int(cpus)))

    def share(self, workers: int) -> Pace:
        """A worker's part of the pace, rounded down."""
        pace = self.pace
        requests, tokens = pace.requests_per_minute, pace.tokens_per_minute
        return Pace(
            at_once=max(1, pace.at_once // workers),
            requests_per_minute=requests and requests / workers,
            tokens_per_minute=tokens and tokens / workers,
        )


# Few words, none to its makers, no start unless it is asked for.
_SETTINGS = {
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_AUTO_CONNECT": "0",
}


def ray_module(**settings: str) -> Any:
    """Ray, which reads its settings as it is loaded."""
    for name, value in {**_SETTINGS, **settings}.items():
        os.environ.setdefault(name, value)
    import_module("ray.data")
    return import_module("ray")


@contextmanager
def connected(fleet: Fleet) -> Generator[Any]:
    """Ray, started or joined. What was running before goes on after."""
    # This has a Ray of one machine listen on loopback only, as it does by itself on Mac and Windows.
    ray = ray_module() if fleet.address else ray_module(RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0")
    for handler in logging.getLogger("ray.data").handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setLevel(logging.CRITICAL)
    if ray.is_initialized():
        yield ray
        return
    init = partial(ray.init, log_to_driver=False, logging_level=logging.CRITICAL)
    try:
        if fleet.address:
            _check_listening(fleet.address)
            init(address=fleet.address)
        else:
            cpus = fleet.size(os.cpu_count() or 1)
            init("local", num_cpus=cpus, object_store_memory=OBJECT_STORE_BYTES, include_dashboard=False)
    except (OSError, RuntimeError, ValueError) as error:
        which = f"The Ray cluster {fleet.address} cannot be joined" if fleet.address else "Ray does not start"
        raise SetupError(f"{which}: {last_line(error)}.") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_listening(address: str) -> None:
    """Ray itself takes minutes to say that nobody is there."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=CONNECT_S).close()


def data_context() -> Any:
    context = ray_module().data.DataContext()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    # What a block may grow to is set aside for each under way: with Ray's 128 MB, few would be.
    context.target_max_block_size = BLOCK_BYTES
    return context


def last_line(error: Exception) -> str:
    """What happened, from the end of a traceback that came as text."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__
