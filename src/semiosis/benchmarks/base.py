"""Benchmarks by name: what supplies items.

    @benchmark("mine")
    class Mine:
        name = "mine"
        def candidates(self) -> Iterator[Candidate | BadRow]: ...

A benchmark is one module in this folder, or something another package names in the entry-point group
`semiosis.benchmarks`.
"""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from typing import TypeVar

from ..core.errors import UnknownName
from ..core.item import Benchmark

ENTRY_POINTS = "semiosis.benchmarks"

Make = Callable[[], Benchmark]
B = TypeVar("B", bound=Make)

_REGISTRY: dict[str, Make] = {}


def benchmark(name: str) -> Callable[[B], B]:
    """Register a class, or a function without parameters, that makes the benchmark."""

    def register(make: B) -> B:
        _REGISTRY[name] = make
        return make

    return register


def find(name: str) -> Benchmark:
    _discover()
    if name not in _REGISTRY:
        raise UnknownName.among("benchmark", name, sorted(_REGISTRY))
    return _REGISTRY[name]()


def names() -> tuple[str, ...]:
    _discover()
    return tuple(sorted(_REGISTRY))


@cache
def _discover() -> None:
    package = importlib.import_module("semiosis.benchmarks")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"semiosis.benchmarks.{module.name}")
    for entry in entry_points(group=ENTRY_POINTS):
        entry.load()
