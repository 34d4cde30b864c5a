"""Items: what a run asks a method about, whatever supplied them.

    item = PairItem(id="vanitas/1", pair=Pair(prompt="...", a="a.png", b="b.png"), labels={"winner": "a"})

A benchmark yields candidates: an item's key is known before the item is built, so that a run which has its
outcome already passes over it for the price of a hash.
"""

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, cast, runtime_checkable

from pydantic import ConfigDict, ValidationError

from .errors import BadRecord, UnknownName
from .kinds import item_kind
from .sign import Artifact
from .value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .outcome import Outcome
    from .settled import Settled
    from .table import Table

Label = str | int | float | bool | None
Labels = dict[str, Label]
LabelsBy = Literal["people", "makers", "unknown"]


class Item(Value):
    """What a kind of item must say of itself.

    A subclass fixes `kind` to its own name, names in `capability` the coroutine of a method that takes it,
    and gives `identity` and `arguments`.

    id          what its benchmark calls it
    labels      what its benchmark says of it
    labels_by   who gave these: people, makers, or unknown
    """

    capability: ClassVar[str]

    kind: Any
    id: str
    labels: Labels = {}
    labels_by: LabelsBy = "unknown"

    @property
    @abstractmethod
    def identity(self) -> tuple[str, ...]:
        """All that makes it what it is, besides its id: texts as they are, pictures by content hash."""

    @property
    @abstractmethod
    def arguments(self) -> tuple[Any, ...]:
        """What the method's coroutine is given."""

    @property
    def key(self) -> str:
        """A hash of id and content: items of one key are the same item."""
        return key_of(self.kind, self.id, *self.identity)

    @property
    def pictures(self) -> tuple[Artifact, ...]:
        """Those it shows, which a run keeps."""
        return ()

    @property
    def words(self) -> str:
        """What is asked about, in words: a prompt, a question."""
        return ""

    @property
    def subject(self) -> tuple[str, ...]:
        """What items of one prompt have in common: its words, and the hashes of its reference images.

        An item without words is about nothing but itself.
        """
        return (self.words,) if self.words else self.identity

    @property
    def label(self) -> Label:
        """The right verdict or value, by `labels_by`."""
        return None

    @property
    def generators(self) -> dict[str, str]:
        """Who made the pictures, by the verdict that is for them."""
        return {}

    @classmethod
    def of_row(cls, cells: Mapping[str, object], row: "RowParts") -> Self | None:
        """The item of a row of a file; None where its columns are not those of this kind."""
        return None


class ForeignItem(Item):
    """An item of a kind that is not installed here: as it was stored, to be shown and handed on."""

    model_config = ConfigDict(extra="allow")
    capability = ""

    @property
    def identity(self) -> tuple[str, ...]:
        raise BadRecord(f"The kind of item {self.kind!r} is not installed here.")

    @property
    def subject(self) -> tuple[str, ...]:
        return (str(self.kind), self.id)

    @property
    def arguments(self) -> tuple[Any, ...]:
        return self.identity


def key_of(kind: str, id: str, *identity: str) -> str:
    """The key of an item from its parts."""
    return hashlib.sha256(json.dumps((kind, id, *identity)).encode()).hexdigest()


def is_hash(entry: str) -> bool:
    """Whether an entry of an identity stands for a picture."""
    return len(entry) == 64 and entry.isalnum()


def read_item(text: str | bytes) -> Item:
    """The item that `model_dump_json` wrote; of a kind that is not installed, a ForeignItem."""
    try:
        cells = cast("dict[str, Any]", json.loads(text))
        try:
            cls = item_kind(str(cells.get("kind")))
        except UnknownName:
            cls = ForeignItem
        return cls.model_validate(cells)
    except (ValidationError, ValueError, AttributeError, RecursionError) as error:
        raise BadRecord(f"This is no stored item: {str(error).splitlines()[0]}.") from None


@dataclass(frozen=True)
class RowParts:
    """What a row has besides its cells: what its item is called, and how its pictures are found."""

    id: str
    labels: Labels
    labels_by: LabelsBy
    picture: Callable[[object], Artifact]


@dataclass(frozen=True)
class Candidate:
    """An item to be: what it is known by, and how to build it. `make` may raise InputError."""

    kind: str
    id: str
    identity: tuple[str, ...]
    where: str
    make: Callable[[], Item]

    @cached_property
    def key(self) -> str:
        """That of the item."""
        return key_of(self.kind, self.id, *self.identity)


@dataclass(frozen=True)
class BadRow:
    """A row that is no item, and why."""

    where: str
    reason: str


class Benchmark(Protocol):
    """Whatever supplies items: a registered benchmark, a file of rows, a folder of pictures."""

    @property
    def name(self) -> str: ...

    def candidates(self) -> Iterator[Candidate | BadRow]:
        """Every item, in the same order each time; nothing is held that was passed on."""
        ...


@runtime_checkable
class Summarises(Protocol):
    """A benchmark with measures of its own."""

    def summarise(self, rows: "Iterable[Settled]") -> "tuple[Table, ...]":
        """What a stored run says by them."""
        ...


@runtime_checkable
class SummarisesOutcomes(Protocol):
    """A benchmark whose measures need whole outcomes: votes, citations, graphs."""

    def summarise_outcomes(self, rows: "Iterable[tuple[Settled, Outcome]]") -> "tuple[Table, ...]":
        """What a stored run says by them, after what `summarise` says. The pictures have no bytes."""
        ...


def candidate(item: Item, where: str = "") -> Candidate:
    """Of an item that is built already."""
    return Candidate(item.kind, item.id, item.identity, where or item.id, lambda: item)
