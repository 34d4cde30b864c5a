"""Benchmarks by name: what supplies items.

    @benchmark("mine")
    class Mine:
        name = "mine"
        def candidates(self) -> Iterator[Candidate | BadRow]: ...

A benchmark is one folder here, registered in its items.py, or something another package names in the group
`semiosis.benchmarks`.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from ..core.errors import UnknownName
from ..core.item import Benchmark
from ..core.registry import Registry

Make = Callable[[], Benchmark]
B = TypeVar("B", bound=Make)

BENCHMARKS: Registry[Make] = Registry("benchmark", "semiosis.benchmarks", inside="items")


def benchmark(name: str) -> Callable[[B], B]:
    """Register a class, or a function without parameters, that makes the benchmark."""

    def register(make: B) -> B:
        BENCHMARKS.add(name, make)
        return make

    return register


def find(name: str) -> Benchmark:
    """The benchmark registered under this name, or made by `module:name`."""
    if ":" not in name:
        return _checked(name, BENCHMARKS.find(name)())
    make: Any = BENCHMARKS.load(name)
    if not callable(make):
        raise UnknownName(f"{name} makes no benchmark: it must be a class, or a function without parameters.")
    return cast("Make", make)()


def _checked(name: str, benchmark: Benchmark) -> Benchmark:
    """A run records its benchmark's name, by which it is found again."""
    if benchmark.name != name:
        raise UnknownName(
            f"The benchmark registered as {name} calls itself {benchmark.name}: the names must agree."
        )
    return benchmark


def names() -> tuple[str, ...]:
    return BENCHMARKS.names()
