"""The method that was named, with the models and settings that were typed."""

from collections.abc import Sequence
from typing import Any

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
from .options import CallOptions, MethodOptions
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
    settings = settings_of(context, method.method, calls, **options)
    needed = "backbone" in find(method.method).settings
    return Recipe(
        method.method,
        settings,
        model=method.model or (choose(calls.base_url) if needed else None),
        judge_model=method.judge_model,
        base_url=calls.base_url,
        timeout_s=calls.timeout,
    )


def settings_of(context: typer.Context, method: str, calls: CallOptions, **options: Any) -> dict[str, Any]:
    """What was typed, by options and by --set; the method has its own defaults for the rest."""
    options |= {"temperature": calls.temperature, "seed": calls.seed}
    method_settings = find(method).settings
    defaults = {param.name: param.default for param in context.command.params}
    settings: dict[str, Any] = {}
    for name, value in options.items():
        option = _OPTIONS.get(name, name)
        if name in method_settings and _typed(context, option):
            settings[name] = value
        elif name not in method_settings and value != defaults[option]:
            raise BadSetting(f"The method {method} has no option {_dashed(option)}.")
    for name, value in _assigned(method, calls.set_ or ()).items():
        if settings.setdefault(name, value) != value:
            option = _dashed(_OPTIONS.get(name, name))
            raise BadSetting(f"{option} says {settings[name]} and --set {name} says {value}: leave out one.")
    return settings


def _assigned(method: str, assignments: Sequence[str]) -> dict[str, Any]:
    """Of --set name=value, each value as the setting's annotation reads it."""
    settings: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not (name and equals):
            raise BadSetting(f"--set is a setting and its value, as in seed=7, not {assignment!r}.")
        if name in ("backbone", "judge_with"):
            raise BadSetting(f"The setting {name} is a model: name it with {_dashed(_OPTIONS[name])}.")
        value = parsed(find(method).cls, name, text)
        if settings.setdefault(name, value) != value:
            raise BadSetting(f"--set says {name} twice, {settings[name]} and {value}: leave out one.")
    return settings


def _typed(context: typer.Context, option: str) -> bool:
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def _dashed(option: str) -> str:
    return f"--{option.replace('_', '-')}"
