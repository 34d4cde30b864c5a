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
    settings = settings_of(context, method.method, calls, **options, **_untold(context, method.without))
    needed = "backbone" in find(method.method).settings
    return Recipe(
        method.method,
        settings,
        model=method.model or (choose(calls.base_url) if needed else None),
        judge_model=method.judge_model,
        base_url=calls.base_url,
        timeout_s=calls.timeout,
    )


def recipes_of(
    context: typer.Context, methods: MethodsOptions, calls: CallOptions, **options: Any
) -> list[Recipe]:
    """Each of the methods, with those of the settings that it has; what none of them has is refused."""
    names = methods.method or ["semjudge"]
    if len(names) == 1:
        only = MethodOptions(methods.model, methods.judge_model, names[0], methods.without)
        return [recipe_of(context, only, calls, **options)]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice:
        raise BadSetting(f"The method {twice} is named twice: name it once.")
    settings = _settings(context, names, calls, options | _untold(context, methods.without))
    having = {name: find(name).settings for name in names}
    if methods.judge_model and not any("judge_with" in each for each in having.values()):
        raise _none_has(names, "option --judge-model")
    needed = any("backbone" in each for each in having.values())
    model = methods.model or (choose(calls.base_url) if needed else None)
    return [
        Recipe(
            name,
            settings[name],
            model=model,
            judge_model=methods.judge_model if "judge_with" in having[name] else None,
            base_url=calls.base_url,
            timeout_s=calls.timeout,
        )
        for name in names
    ]


def _untold(context: typer.Context, without: str) -> dict[str, str]:
    """Where the command has that option."""
    return {"without": without} if "without" in context.params else {}


def settings_of(context: typer.Context, method: str, calls: CallOptions, **options: Any) -> dict[str, Any]:
    """What was typed, by options and by --set; the method has its own defaults for the rest."""
    return _settings(context, [method], calls, options)[method]


def _settings(
    context: typer.Context, methods: Sequence[str], calls: CallOptions, options: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """Of each method: what was typed for all of them, as far as it has it, and then what was for it alone."""
    options |= {"temperature": calls.temperature, "seed": calls.seed}
    defaults = {param.name: param.default for param in context.command.params}
    settings: dict[str, dict[str, Any]] = {method: {} for method in methods}
    for name, value in options.items():
        option = _OPTIONS.get(name, name)
        having = [method for method in methods if name in find(method).settings]
        if not having and value != defaults[option]:
            raise _none_has(methods, f"option {_dashed(option)}")
        for method in having if _typed(context, option) else ():
            settings[method][name] = value
    assignments = [_Assignment.of(typed, methods) for typed in calls.set_ or ()]
    for method in methods:
        # One method alone says itself what it lacks.
        has = find(method).settings if len(methods) > 1 else {each.name for each in assignments}
        shared = [each for each in assignments if not each.method and each.name in has]
        for name, value in _values(method, shared).items():
            if settings[method].setdefault(name, value) != value:
                option = _dashed(_OPTIONS.get(name, name))
                raise BadSetting(
                    f"{option} says {settings[method][name]} and --set {name} says {value}: leave out one."
                )
        settings[method] |= _values(method, [each for each in assignments if each.method == method])
        if "cache" in find(method).settings and context.params.get("no_cache"):
            settings[method]["cache"] = False
    return settings


class _Assignment(NamedTuple):
    """What --set says: of one method, or without its name of every one that has the setting."""

    method: str
    name: str
    text: str

    @classmethod
    def of(cls, typed: str, methods: Sequence[str]) -> Self:
        left, equals, text = typed.partition("=")
        method, dot, name = left.rpartition(".")
        if not (name and equals):
            raise BadSetting(f"--set is a setting and its value, as in seed=7, not {typed!r}.")
        if dot and method not in methods:
            raise BadSetting(
                f"--set {typed} is for the method {method!r}, and asked for is {', '.join(methods)}."
            )
        if name in ("backbone", "judge_with"):
            raise BadSetting(f"The setting {name} is a model: name it with {_dashed(_OPTIONS[name])}.")
        if not method and len(methods) > 1 and not any(name in find(each).settings for each in methods):
            raise _none_has(methods, f"setting {name!r}")
        return cls(method, name, text)


def _values(method: str, assignments: Sequence[_Assignment]) -> dict[str, Any]:
    """Each value as the setting's annotation reads it."""
    settings: dict[str, Any] = {}
    for each in assignments:
        value = parsed(find(method).cls, each.name, each.text)
        if settings.setdefault(each.name, value) != value:
            raise BadSetting(
                f"--set says {each.name} twice, {settings[each.name]} and {value}: leave out one."
            )
    return settings


def _none_has(methods: Sequence[str], what: str) -> BadSetting:
    if len(methods) == 1:
        return BadSetting(f"The method {methods[0]} has no {what}.")
    return BadSetting(f"None of the methods {', '.join(methods)} has the {what}.")


def _typed(context: typer.Context, option: str) -> bool:
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def _dashed(option: str) -> str:
    return f"--{option.replace('_', '-')}"
