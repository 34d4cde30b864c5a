"""The audit: every registered bias test's items, run as any other benchmark's.

    Audit()                                              all tests, on the bundled pictures
    Audit(Material(open_items("pairs.jsonl")), tests)    some tests, on one's own

An item's id begins with its test's name, which is its label `test` too.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...core.errors import SemiosisError, SetupError
from ...core.item import BadRow, Candidate, Item, candidate
from ..bias import BiasTest
from ..registry import BIAS_TESTS, benchmark

if TYPE_CHECKING:
    from ...core.outcome import Outcome
    from ...core.settled import Settled
    from ...core.table import Table
    from ..material import Material

NAME = "audit"


@benchmark(NAME)
class Audit:
    """The items of bias tests.

    material    what they plant in, where they bring no pictures of their own; None for the bundled one
    tests       which of them; None for all
    """

    name = NAME

    def __init__(self, material: "Material | None" = None, tests: Sequence[BiasTest] | None = None) -> None:
        self._material = material
        self._tests = tests

    @property
    def source(self) -> str:
        """What a run records as the place its items are from: one's own pictures are another run."""
        if self._material is None or self._material.is_bundled:
            return self.name
        return f"{self.name} of {self._material.benchmark.name}"

    def candidates(self) -> Iterator[Candidate | BadRow]:
        from ..material import Material

        material = self._material or Material.bundled()
        told: set[str] = set()
        for test in every_test() if self._tests is None else self._tests:
            for row in _items(test, material):
                if not isinstance(row, BadRow):
                    yield candidate(_named(test, row))
                elif row.where not in told:
                    told.add(row.where)
                    yield row

    def summarise_outcomes(self, rows: "Iterable[tuple[Settled, Outcome]]") -> "tuple[Table, ...]":
        from .report import audited
        from .tables import audit_tables

        return audit_tables(audited(rows))


def every_test() -> tuple[BiasTest, ...]:
    """Those that there are, by name."""
    return tuple(BIAS_TESTS.find(name) for name in BIAS_TESTS.names())


def _items(test: BiasTest, material: "Material") -> Iterator[Item | BadRow]:
    try:
        yield from test.items(material)
    except SemiosisError:
        raise
    except Exception as error:
        raise SetupError(
            f"The bias test {test.name} cannot supply its items: {type(error).__name__}: {error}; name the "
            "others with --test."
        ) from error


def _named(test: BiasTest, item: Item) -> Item:
    return item.model_copy(
        update={"id": f"{test.name}/{item.id}", "labels": {"test": test.name, **item.labels}}
    )
