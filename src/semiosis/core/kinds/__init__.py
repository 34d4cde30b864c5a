"""Kinds of items and outcomes, each in a file of its own.

    @kind
    class Critique(Outcome):
        kind: Literal["critique"] = "critique"

Another package names its module in the entry-point group `semiosis.kinds`, by the kind's name.
"""

from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..errors import UnknownName
from ..registry import Registry

if TYPE_CHECKING:
    from ..item import Item
    from ..outcome import Outcome

C = TypeVar("C", bound=type[Any])

KINDS: Registry[type[Any]] = Registry("kind", "semiosis.core.kinds", group="semiosis.kinds")


def kind(cls: C) -> C:
    """Register a class by the one value that its field `kind` can have."""
    KINDS.add(cls.model_fields["kind"].default, cls)
    return cls


def item_kind(name: str) -> "type[Item]":
    """The class of items of that kind; raises UnknownName."""
    from ..item import Item

    return cast("type[Item]", _subclass(name, Item, "item"))


def item_kinds() -> tuple[str, ...]:
    """The names of all kinds of items."""
    from ..item import Item

    return tuple(name for name in KINDS.names() if issubclass(KINDS.find(name), Item))


def outcome_kinds() -> tuple[str, ...]:
    """The names of all kinds of outcomes."""
    from ..outcome import Outcome

    return tuple(name for name in KINDS.names() if issubclass(KINDS.find(name), Outcome))


def outcome_kind(name: str) -> "type[Outcome]":
    """The class of outcomes of that kind; raises UnknownName."""
    from ..outcome import Outcome

    return cast("type[Outcome]", _subclass(name, Outcome, "outcome"))


def _subclass(name: str, base: type[Any], what: str) -> type[Any]:
    cls = KINDS.find(name)
    if not issubclass(cls, base):
        raise UnknownName(f"{name} is no kind of {what}.")
    return cls
