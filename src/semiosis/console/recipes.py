"""The method that was named, with the models and settings that were typed."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import typer

from ..backbones.backbone import Backbone
from ..backbones.budget import Budgeted
from ..backbones.cache import Cached
from ..backbones.lookup import choose
from ..backbones.purse import Purse
from ..backbones.wrapper import Limited, Retrying
from ..core.errors import BadSetting
from ..core.settings import parsed
from ..methods.contract import find
from ..methods.recipe import Recipe
from .options import CallOptions, MethodOptions, MethodsOptions
from .places import home

AT_ONCE = 16

# Settings whose options are called otherwise.
_OPTIONS = {"repeats": "repeat", "backbone": "model", "judge_with": "judge_model"}


class Wrapping:
    """How models are asked and paid for; all of them share one budget."""

    def __init__(self, budget_usd: float | None, *, cached: bool) -> None:
        self._purse = None if budget_usd is None else Purse(budget_usd)
        self._cached = cached

    def wrap(self, backbone: Backbone) -> Backbone:
        patient = Retrying(backbone)
        paid = patient if self._purse is None else Budgeted(patient, self._purse)
        limited = Limited(paid, at_once=AT_ONCE)
        return Cached(limited, home() / "replies.sqlite") if self._cached else limited


def recipe_of(context: typer.Context, method: MethodOptions, calls: CallOptions, **options: Any) -> Recipe:
    """The method as it was named, with its settings as they were typed."""
    return _recipe(context, _Named(method.method), method, calls, options)


def recipes_of(
    context: typer.Context, methods: MethodsOptions, calls: CallOptions, **options: Any
) -> list[Recipe]:
    """Each of the methods, with those of the settings that it has; what none of them has is refused."""
    named = [_Named.of(typed) for typed in methods.method or ["semjudge"]]
    if len(named) == 1:
        only = MethodOptions(methods.model, methods.judge_model, named[0].method, methods.without)
        return [_recipe(context, named[0], only, calls, options)]
    twice = next((each for at, each in enumerate(named) if each in named[:at]), None)
    if twice:
        raise BadSetting(f"The method {twice.label} is named twice: name it once, or with other settings.")
    settings = _settings(context, named, calls, options | _left_out(context, methods.without))
    having = [find(each.method).settings for each in named]
    if methods.judge_model and not any("judge_with" in each for each in having):
        raise _none_has(named, "option --judge-model")
    needed = any("backbone" in each for each in having)
    model = methods.model or (choose(calls.base_url) if needed else None)
    return [
        Recipe(
            each.method,
            values,
            model=model,
            judge_model=methods.judge_model if "judge_with" in has else None,
            base_url=calls.base_url,
            timeout_s=calls.timeout,
            variant=each.variant,
        )
        for each, values, has in zip(named, settings, having, strict=True)
    ]


def settings_of(context: typer.Context, method: str, calls: CallOptions, **options: Any) -> dict[str, Any]:
    """What was typed, by options and by --set; the method has its own defaults for the rest."""
    return _settings(context, [_Named(method)], calls, options)[0]


def _recipe(
    context: typer.Context,
    named: "_Named",
    method: MethodOptions,
    calls: CallOptions,
    options: dict[str, Any],
) -> Recipe:
    (settings,) = _settings(context, [named], calls, options | _left_out(context, method.without))
    needed = "backbone" in find(named.method).settings
    return Recipe(
        named.method,
        settings,
        model=method.model or (choose(calls.base_url) if needed else None),
        judge_model=method.judge_model,
        base_url=calls.base_url,
        timeout_s=calls.timeout,
        variant=named.variant,
    )


def _left_out(context: typer.Context, without: str) -> dict[str, str]:
    """Where the command has that option."""
    return {"without": without} if "without" in context.params else {}


def _settings(
    context: typer.Context, methods: Sequence["_Named"], calls: CallOptions, options: dict[str, Any]
) -> list[dict[str, Any]]:
    """Of each method: what was typed for all of them, as far as it has it, and then what was for it alone."""
    options |= {"temperature": calls.temperature, "seed": calls.seed}
    defaults = {param.name: param.default for param in context.command.params}
    having = [find(each.method).settings for each in methods]
    settings: list[dict[str, Any]] = [{} for _ in methods]
    for name, value in options.items():
        option = _OPTIONS.get(name, name)
        if not any(name in has for has in having) and value != defaults[option]:
            raise _none_has(methods, f"option {_dashed(option)}")
        if _typed(context, option):
            for own, has in zip(settings, having, strict=True):
                own.update({name: value} if name in has else {})
    assignments = [_Assignment.of(typed) for typed in calls.set_ or ()]
    for each in assignments:
        # One method alone says itself what it lacks.
        if len(methods) > 1 and not any(each.name in has for has in having):
            raise _none_has(methods, f"setting {each.name!r}")
    for own, has, named in zip(settings, having, methods, strict=True):
        shared = [each for each in assignments if each.name in has or len(methods) == 1]
        for name, value in _values(named.method, shared).items():
            if own.setdefault(name, value) != value:
                option = _dashed(_OPTIONS.get(name, name))
                raise BadSetting(f"{option} says {own[name]} and --set {name} says {value}: leave out one.")
        own.update(_values(named.method, named.assignments))
        if "cache" in has and context.params.get("no_cache"):
            own["cache"] = False
    return settings


class _Assignment(NamedTuple):
    """A setting and its value, as --set has it, and --method after a comma."""

    name: str
    text: str

    @classmethod
    def of(cls, typed: str) -> Self:
        name, equals, text = typed.partition("=")
        if not (name and equals):
            raise BadSetting(f"--set is a setting and its value, as in seed=7, not {typed!r}.")
        if name in ("backbone", "judge_with"):
            raise BadSetting(f"The setting {name} is a model: name it with {_dashed(_OPTIONS[name])}.")
        return cls(name, text)


class _Named(NamedTuple):
    """A method, and what was typed for it alone: artcot,critique=false."""

    method: str
    assignments: tuple[_Assignment, ...] = ()

    @classmethod
    def of(cls, typed: str) -> Self:
        method, *settings = typed.split(",")
        return cls(method, tuple(map(_Assignment.of, settings)))

    @property
    def variant(self) -> str:
        return ",".join(map("=".join, self.assignments))

    @property
    def label(self) -> str:
        return ",".join((self.method, *map("=".join, self.assignments)))


def _values(method: str, assignments: Sequence[_Assignment]) -> dict[str, Any]:
    """Each value as the setting's annotation reads it."""
    settings: dict[str, Any] = {}
    for each in assignments:
        value = parsed(find(method).cls, each.name, each.text)
        if settings.setdefault(each.name, value) != value:
            raise BadSetting(
                f"{each.name} is set twice, to {settings[each.name]} and {value}: leave out one."
            )
    return settings


def _none_has(methods: Sequence[_Named], what: str) -> BadSetting:
    if len(methods) == 1:
        return BadSetting(f"The method {methods[0].method} has no {what}.")
    names = dict.fromkeys(each.method for each in methods)
    return BadSetting(f"None of the methods {', '.join(names)} has the {what}.")


def _typed(context: typer.Context, option: str) -> bool:
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def _dashed(option: str) -> str:
    return f"--{option.replace('_', '-')}"
