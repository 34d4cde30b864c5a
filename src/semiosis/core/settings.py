"""Settings are checked when they are given, by their annotations, whoever gives them.

    @dataclass(frozen=True)
    class Goal(Checked):
        confidence: Annotated[float, CONFIDENCE] = 0.95

    Goal(confidence=2)      BadSetting: The setting confidence of Goal should be less than 1, not 2.

What a class declares as its default is not questioned, nor is what an annotation cannot tell: a name that
only a type checker imports, a protocol that cannot be asked. No setting is infinite or NaN.
"""

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, wraps
from inspect import Parameter, Signature, get_annotations, signature
from numbers import Number
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, cast, get_type_hints

from annotated_types import Interval

from .errors import BadSetting

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

# Ranges, for Python and for the command line alike.
REPEATS = Interval(ge=1, le=99)
TEMPERATURE = Interval(ge=0)
TIMEOUT = Interval(gt=0, le=86_400)
SECONDS = Interval(ge=0)
AT_ONCE = Interval(ge=1, le=4096)
PER_MINUTE = Interval(gt=0)
BUDGET_USD = Interval(ge=0)
COUNT = Interval(ge=1)
ROWS = Interval(ge=0)
SIDE = Interval(ge=8, le=4096)
CONFIDENCE = Interval(gt=0.5, lt=1)

P = ParamSpec("P")
R = TypeVar("R")


class Checked:
    """A class whose constructor takes only what its annotations allow."""

    def __new__(cls, *args: Any, **settings: Any) -> Self:
        _check(cls, args, settings)
        return super().__new__(cls)


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """A function that takes only what its annotations allow."""

    @wraps(function)
    def call(*args: P.args, **settings: P.kwargs) -> R:
        _check(function, args, settings)
        return function(*args, **settings)

    return call


def _check(owner: Callable[..., Any], args: tuple[Any, ...], settings: Mapping[str, Any]) -> None:
    interface, adapters = _accepted(owner)
    try:
        arguments = interface.bind(*args, **settings).arguments
    except TypeError:
        # Python itself says what is missing or too much; a pickle makes the object and gives nothing.
        return
    for name, value in arguments.items():
        if name in adapters:
            _check_one(owner.__name__, name, value, adapters[name])


def _check_one(owner: str, name: str, value: Any, adapter: "TypeAdapter[Any]") -> None:
    from pydantic import ValidationError

    if isinstance(value, Number) and not isinstance(value, int | float):
        raise BadSetting(f"The setting {name} of {owner} should be a plain int or float, not {value!r:.60}.")
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        raise _refused(owner, name, value, error) from None


def parsed(owner: Callable[..., Any], name: str, text: str) -> Any:
    """A setting of `owner` that was typed, "none" for None; the text where its annotation tells nothing."""
    from pydantic import ValidationError

    adapter = _accepted(owner)[1].get(name)
    if adapter is None:
        return text
    if text == "none":
        with suppress(ValidationError):
            return adapter.validate_python(None)
    try:
        return adapter.validate_python(text, strict=False)
    except ValidationError as error:
        # A choice among numbers, or a list, is read as JSON.
        with suppress(ValueError, RecursionError):
            return adapter.validate_python(json.loads(text), strict=False)
        raise _refused(owner.__name__, name, text, error) from None


def _refused(owner: str, name: str, value: Any, error: "ValidationError") -> BadSetting:
    faults = [fault["msg"].removeprefix("Input should be ") for fault in error.errors(include_url=False)]
    allowed = " or ".join(dict.fromkeys(faults))
    named = isinstance(value, str) and "instance of Backbone" in allowed
    hint = ": semiosis.backbone(name) makes one" if named else ""
    return BadSetting(f"The setting {name} of {owner} should be {allowed}, not {value!r:.60}{hint}.")


@cache
def _accepted(owner: Callable[..., Any]) -> "tuple[Signature, dict[str, TypeAdapter[Any]]]":
    """How it is called, and what each of its parameters takes, as far as that can be told."""
    from pydantic import ConfigDict, InstanceOf, PydanticUserError, TypeAdapter
    from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation
    from pydantic_core import SchemaError

    config = ConfigDict(strict=True, allow_inf_nan=False, arbitrary_types_allowed=True)
    interface, hints = _called(owner), _hints(owner)
    adapters: dict[str, TypeAdapter[Any]] = {}
    for name, parameter in interface.parameters.items():
        if name not in hints or parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            continue
        try:
            adapters[name] = TypeAdapter(hints[name], config=config)
        except (PydanticSchemaGenerationError, PydanticUndefinedAnnotation, SchemaError):
            continue
        except PydanticUserError:
            # A dataclass or a model has a configuration of its own, and would be made from a dictionary.
            adapters[name] = TypeAdapter(cast(Any, InstanceOf)[hints[name]])
    return interface, adapters


def _called(owner: Callable[..., Any]) -> Signature:
    if not isinstance(owner, type):
        return signature(owner)
    # Not that of the class itself, which may be `Checked.__new__`'s.
    constructor = signature(owner.__init__)
    return constructor.replace(parameters=list(constructor.parameters.values())[1:])


def _hints(owner: Callable[..., Any]) -> dict[str, Any]:
    """What the parameters are annotated with: a dataclass's fields, __init__'s own, or a function's."""
    homes: list[Any] = [*reversed(owner.__mro__), owner.__init__] if isinstance(owner, type) else [owner]
    hints: dict[str, Any] = {}
    for home in homes:
        module = sys.modules.get(getattr(home, "__module__", ""))
        for name, annotation in get_annotations(home).items():
            try:
                hints[name] = _resolved(annotation, vars(module) if module else {})
            except (NameError, AttributeError):
                hints.pop(name, None)
    return hints


def _resolved(annotation: Any, names: dict[str, Any]) -> Any:
    def holder() -> None: ...

    holder.__annotations__ = {"held": annotation}
    return get_type_hints(holder, names, include_extras=True)["held"]
