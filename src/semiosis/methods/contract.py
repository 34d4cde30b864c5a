"""What a method is, and how it is found by name.

    @method("mine")
    @dataclass(frozen=True)
    class Mine(Judges):
        backbone: Backbone
        async def judge(self, pair: Pair) -> Judgment | Failure: ...

A method judges pairs, scores pictures, answers questions, or several of these. It is one file in this folder,
or a class that another package names in the entry-point group `semiosis.methods`.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from importlib.metadata import version
from typing import Any, ClassVar, Self, TypeVar, cast

from ..backbones.adaptive_limit import Stopped
from ..backbones.backbone import Backbone, require
from ..core.errors import BackboneError, BadSetting, SemiosisError, whereabouts
from ..core.item import Item
from ..core.kinds import item_kind
from ..core.kinds.interpretation import Interpretation
from ..core.kinds.pair import Judgment
from ..core.kinds.question import Answer
from ..core.kinds.rating import Score
from ..core.loop import run
from ..core.outcome import Exchange, Failure, Outcome, Provenance
from ..core.registry import Registry
from ..core.settings import Checked
from ..core.sign import Artifact, Pair, Prompt, Question
from ..core.text import brief
from .card import Card

_UNRECORDED: Any = object()


def _recorded(value: Any) -> Any:
    """A setting as a configuration tells it: a scalar as it is, a collection as JSON, else nothing."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, default=str, sort_keys=True)
    return _UNRECORDED


class Method(Checked, ABC):
    """Its fields are its configuration, checked by their annotations. `version` changes when results do,
    `card` is what it says of itself."""

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    card: ClassVar[Card] = Card()

    @property
    def label(self) -> str:
        """The name, with the variant."""
        return self.name

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        """What results depend on: the fields, and the names of the models."""
        named = {name: backbone.name for name, backbone in self.backbones.items()}
        settings = {name: _recorded(value) for name, value in self._fields().items() if name not in named}
        return named | {name: value for name, value in settings.items() if value is not _UNRECORDED}

    @property
    def backbones(self) -> dict[str, Backbone]:
        """The models it asks, by field."""
        return {name: value for name, value in self._fields().items() if hasattr(value, "complete")}

    def require(self) -> None:
        """Raise one sentence where the machine is not ready for it, before anything is asked."""
        for backbone in self.backbones.values():
            require(backbone)

    def with_models(self, stand_in: Callable[[Backbone], Backbone]) -> Self:
        """The same, with a stand-in for each model, to find what it would ask; what it holds is copied.

        A method with other costly parts, such as an embedding, gives these a stand-in of its own.
        """
        if not is_dataclass(self):
            raise BadSetting(f"What {self.label} asks cannot be estimated: a method is a dataclass.")
        return replace(self, **{name: _stood_in(value, stand_in) for name, value in self._fields().items()})

    def _fields(self) -> dict[str, Any]:
        if not is_dataclass(self):
            return {}
        return {field.name: getattr(self, field.name) for field in fields(self) if field.init}

    def provenance(self, exchanges: list[Exchange]) -> Provenance:
        """Where an outcome came from: this method, its configuration, and its `exchanges`."""
        return Provenance(
            method=self.label,
            method_version=self.version,
            package_version=package_version(),
            configuration=self.configuration(),
            exchanges=tuple(exchanges),
        )

    def failed(self, failure: Failure, exchanges: list[Exchange]) -> Failure:
        """The failure, with where it came from."""
        return failure.model_copy(update={"provenance": self.provenance(exchanges)})


def _stood_in(value: Any, stand_in: Callable[[Backbone], Backbone]) -> Any:
    if hasattr(value, "complete"):
        return stand_in(value)
    if isinstance(value, dict):
        named = cast("dict[Any, Any]", value)
        return {name: _stood_in(each, stand_in) for name, each in named.items()}
    if isinstance(value, list | tuple | set | frozenset):
        several = cast("list[Any]", value)
        return type(several)(_stood_in(each, stand_in) for each in several)
    return value


def asks_a_model(method: Method) -> bool:
    """Whether it has one to ask, in a field or in a collection of them."""
    models: list[Backbone] = []
    method.with_models(lambda backbone: models.append(backbone) or backbone)
    return bool(models)


class Judges(Method):
    """A method that judges pairs."""

    @abstractmethod
    async def judge(self, pair: Pair) -> Judgment | Failure:
        """Which picture of `pair` carries what its prompt means: a Judgment, or a Failure that says why."""

    def judge_sync(self, pair: Pair) -> Judgment | Failure:
        """As `judge`, outside async code."""
        return run(self.judge(pair))


class Scores(Method):
    """A method that gives one picture a number."""

    @abstractmethod
    async def score(self, prompt: Prompt, artifact: Artifact) -> Score | Failure:
        """A number for `artifact` as a picture of `prompt`: a Score, or a Failure that says why not."""

    def score_sync(self, prompt: Prompt, artifact: Artifact) -> Score | Failure:
        """As `score`, outside async code."""
        return run(self.score(prompt, artifact))


class Answers(Method):
    """A method that answers multiple-choice questions about pictures."""

    @abstractmethod
    async def answer(self, question: Question, *artifacts: Artifact) -> Answer | Failure:
        """The choice that answers `question` of `artifacts`: an Answer, or a Failure that says why not."""

    def answer_sync(self, question: Question, *artifacts: Artifact) -> Answer | Failure:
        """As `answer`, outside async code."""
        return run(self.answer(question, *artifacts))


class Interprets(Method):
    """A method that reads one sign alone."""

    @abstractmethod
    async def interpret(self, sign: Prompt | Artifact) -> Interpretation | Failure:
        """How `sign`, a prompt or a picture without its prompt, was read; or a Failure that says why not."""

    def interpret_sync(self, sign: Prompt | Artifact) -> Interpretation | Failure:
        """As `interpret`, outside async code."""
        return run(self.interpret(sign))


def dispatch(method: Method, item: Item) -> Coroutine[Any, Any, Any]:
    """The method's coroutine for this kind of item; raises BadSetting where it has none."""
    check_takes(type(method), method.label, item.kind, item.id)
    return getattr(method, item.capability)(*item.arguments)


async def perform(method: Method, item: Item, *fatal: type[Exception]) -> Outcome:
    """What the method says of the item. What it raises is a Failure of the item, but for our own errors and
    those that are `fatal` to the run."""
    outcome: Any = None
    try:
        outcome = await dispatch(method, item)
        if not isinstance(outcome, Outcome):
            raise TypeError(f"a {type(outcome).__name__} is no outcome")
        # One that cannot say what it found could not be counted either.
        _ = outcome.finding, outcome.cells, outcome.agrees(item.label)
    except BackboneError as error:
        return method.failed(Failure.of(error), [])
    except (SemiosisError, Stopped, *fatal):
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever another package does
        message = brief(f"The method {method.label} broke: {whereabouts(error)}")
        origin: Any = getattr(outcome, "provenance", None)
        exchanges = [*origin.exchanges] if isinstance(origin, Provenance) else []
        return method.failed(Failure(reason="error", message=message), exchanges)
    return outcome


def check_takes(method: type[Method], label: str, kind: str, where: str) -> None:
    """Refuse a kind of item that the method does not take."""
    if not _takes(method, kind):
        raise _incapable(label, kind, where)


def _takes(method: type[Method], kind: str) -> bool:
    return callable(getattr(method, item_kind(kind).capability, None))


def _incapable(label: str, kind: str, where: str) -> BadSetting:
    able = ", ".join(name for name in names() if _takes(find(name).cls, kind))
    others = f"; {able} can." if able else ", and no method here does."
    return BadSetting(f"The method {label} takes no {kind} items, such as {where}{others}")


M = TypeVar("M", bound=type[Method])

METHODS: "Registry[RegisteredMethod]" = Registry("method", "semiosis.methods")


def method(name: str, **variants: dict[str, Any]) -> Callable[[M], M]:
    """Register a class under a name; a variant is the same class with fields fixed, named `name/variant`."""

    def register(cls: M) -> M:
        cls.name = name
        METHODS.add(name, RegisteredMethod(cls, {}))
        for variant, fixed in variants.items():
            METHODS.add(f"{name}/{variant.replace('_', '-')}", RegisteredMethod(cls, fixed))
        return cls

    return register


@dataclass(frozen=True)
class RegisteredMethod:
    """A method by name: its settings, less those a variant fixes, how to make one, and what it is about.

    That is a `line` of its own, or else the first of the class.
    """

    cls: type[Method]
    fixed: Mapping[str, Any]
    line: str = ""

    @property
    def about(self) -> str:
        return self.line or (self.cls.__doc__ or "").strip().partition("\n")[0]

    @property
    def settings(self) -> frozenset[str]:
        names = (
            {field.name for field in fields(self.cls) if field.init} if is_dataclass(self.cls) else set[str]()
        )
        return frozenset(names - self.fixed.keys())

    def make(self, *args: Any, **settings: Any) -> Method:
        return self.cls(*args, **{**self.fixed, **settings})


def find(name: str) -> RegisteredMethod:
    """The method registered under this name, or a class or a scorer named as `module:name`."""
    if ":" not in name:
        return METHODS.find(name)
    loaded: Any = METHODS.load(name)
    if not (isinstance(loaded, type) and issubclass(loaded, Method)):
        from .callables import registered

        return registered(name)
    if not hasattr(loaded, "name"):
        loaded.name = name
    return RegisteredMethod(loaded, {})


def names() -> tuple[str, ...]:
    return METHODS.names()


@cache
def package_version() -> str:
    return version("semiosis")
