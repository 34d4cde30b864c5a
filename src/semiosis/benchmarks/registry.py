"""Benchmarks and bias tests by name: what supplies items.

    @benchmark("mine")
    class Mine:
        name = "mine"
        def candidates(self) -> Iterator[Candidate | BadRow]: ...

    @bias_test("sepia")
    class Sepia(FinishTest): ...

A benchmark is one folder here, registered in its items.py, or something another package names in the group
`semiosis.benchmarks`. A bias test is registered in a benchmark's bias.py, or in a module of its folder bias/,
or another package names it in the group `semiosis.bias_tests`; `semiosis audit` puts methods to all of them.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..core.errors import UnknownName
from ..core.item import Benchmark
from ..core.registry import Registry

if TYPE_CHECKING:
    from .bias import BiasTest

Make = Callable[[], Benchmark]
B = TypeVar("B", bound=Make)
T = TypeVar("T", bound="BiasTest")

BENCHMARKS: Registry[Make] = Registry("benchmark", "semiosis.benchmarks", inside="items")
BIAS_TESTS: "Registry[BiasTest]" = Registry(
    "bias test", "semiosis.benchmarks", group="semiosis.bias_tests", inside="bias"
)


def benchmark(name: str) -> Callable[[B], B]:
    """Register a class, or a function without parameters, that makes the benchmark."""

    def register(make: B) -> B:
        BENCHMARKS.add(name, make)
        return make

    return register


def bias_test(name: str) -> "Callable[[type[T]], type[T]]":
    """Register a class of bias tests under a name, which becomes its own."""

    def register(cls: type[T]) -> type[T]:
        cls.name = name
        BIAS_TESTS.add(name, cls())
        return cls

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
