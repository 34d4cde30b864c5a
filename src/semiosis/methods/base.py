"""What a method is, and how it is found by name.

    @method("mine")
    @dataclass(frozen=True)
    class Mine(Judges):
        backbone: Backbone
        async def judge(self, pair: Pair) -> Judgment | Failure: ...

A method is one file in this folder, or a class that another package names in the entry-point group
`semiosis.methods`.
"""

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib.metadata import entry_points, version
from typing import Any, ClassVar, TypeVar

from ..backbones.loop import run
from ..backbones.prices import cost_of
from ..backbones.wrappers import CHARACTERS_PER_TOKEN, PICTURE_TOKENS
from ..core.errors import BadSetting, UnknownName
from ..core.outcome import Exchange, Failure, Judgment, Provenance
from ..core.sign import Pair
from .templates import load

ENTRY_POINTS = "semiosis.methods"


@dataclass(frozen=True)
class PlannedCall:
    """A call that will be made: how often, and about how many tokens each."""

    stage: str
    backbone: str
    calls: int
    input_tokens: int
    output_tokens: int

    @property
    def cost_usd(self) -> float | None:
        return cost_of(self.backbone, self.calls * self.input_tokens, self.calls * self.output_tokens)


def check_backbone(backbone: object) -> None:
    if not hasattr(backbone, "complete"):
        raise BadSetting(f"A method takes a backbone, not {backbone!r:.60}: use semiosis.backbone(name).")


def estimated(
    template: str, backbone: str, pair: Pair, calls: int, pictures: int, read: int, write: int
) -> PlannedCall:
    """Tokens from the length of prompt file and prompt, the pictures, and what is read and written."""
    characters = len(load(template).text) + len(pair.prompt.text)
    pictures += len(pair.prompt.references)
    asked = int(characters / CHARACTERS_PER_TOKEN) + pictures * PICTURE_TOKENS + read
    return PlannedCall(template, backbone, calls, asked, write)


class Judges(ABC):
    """A method that judges pairs. Its fields are its configuration; `version` changes when results would."""

    name: ClassVar[str]
    version: ClassVar[str] = "1"

    @abstractmethod
    async def judge(self, pair: Pair) -> Judgment | Failure: ...

    @abstractmethod
    def plan(self, pair: Pair) -> tuple[PlannedCall, ...]:
        """The calls one pair needs, before any is made."""

    def judge_sync(self, pair: Pair) -> Judgment | Failure:
        return run(self.judge(pair))

    @property
    def label(self) -> str:
        """The name, with the variant."""
        return self.name

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        return {}

    def provenance(self, exchanges: list[Exchange]) -> Provenance:
        return Provenance(
            method=self.label,
            method_version=self.version,
            package_version=package_version(),
            configuration=self.configuration(),
            exchanges=tuple(exchanges),
        )

    def failed(self, failure: Failure, exchanges: list[Exchange]) -> Failure:
        return failure.model_copy(update={"provenance": self.provenance(exchanges)})


M = TypeVar("M", bound=type[Judges])

_REGISTRY: dict[str, "Found"] = {}


def method(name: str, **variants: dict[str, Any]) -> Callable[[M], M]:
    """Register a class under a name; a variant is the same class with fields fixed, named `name/variant`."""

    def register(cls: M) -> M:
        cls.name = name
        _REGISTRY[name] = Found(cls, {})
        for variant, fixed in variants.items():
            _REGISTRY[f"{name}/{variant.replace('_', '-')}"] = Found(cls, fixed)
        return cls

    return register


@dataclass(frozen=True)
class Found:
    """A method by name: its settings, less those a variant fixes, and how to make one."""

    cls: type[Judges]
    fixed: Mapping[str, Any]

    @property
    def settings(self) -> frozenset[str]:
        given = (
            {field.name for field in fields(self.cls) if field.init} if is_dataclass(self.cls) else set[str]()
        )
        return frozenset(given - self.fixed.keys())

    def make(self, *args: Any, **settings: Any) -> Judges:
        return self.cls(*args, **{**self.fixed, **settings})


def find(name: str) -> Found:
    """The method registered under this name, or named as `module:Class`."""
    if ":" in name:
        module, _, attribute = name.partition(":")
        try:
            loaded: Any = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise UnknownName(f"The method {name} cannot be loaded: {error}.") from None
        if not (isinstance(loaded, type) and issubclass(loaded, Judges)):
            raise UnknownName(f"{name} is not a method: it must be a class that judges (methods/base.py).")
        return Found(loaded, {})
    _discover()
    if name not in _REGISTRY:
        raise UnknownName(f"There is no method {name!r}; there are {', '.join(sorted(_REGISTRY))}.")
    return _REGISTRY[name]


def names() -> tuple[str, ...]:
    _discover()
    return tuple(sorted(_REGISTRY))


@cache
def _discover() -> None:
    package = importlib.import_module(__package__ or "semiosis.methods")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    for entry in entry_points(group=ENTRY_POINTS):
        entry.load()


@cache
def package_version() -> str:
    return version("semiosis")
