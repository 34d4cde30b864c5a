"""The method that was named, with the settings that were typed."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..methods.base import Method
    from .setting import Backbones


def chosen_method(name: str, reach: "Callable[[], Backbones]", **wanted: Any) -> "Method":
    """The method with those of the settings that it has; one it lacks must be left at its default.

    A model is looked for only if the method needs one.
    """
    from ..core.errors import BadSetting
    from ..methods.base import find
    from ..methods.semjudge import SemJudge

    found = find(name)
    defaults = {field.name: field.default for field in fields(SemJudge)}
    for option, value in wanted.items():
        if option not in found.settings and value != defaults[option]:
            raise BadSetting(f"The method {name} has no option --{option.replace('_', '-')}.")
    settings = {option: value for option, value in wanted.items() if option in found.settings}
    if "backbone" in found.settings:
        models = reach()
        settings["backbone"] = models.builder
        if "judge_with" in found.settings:
            settings["judge_with"] = models.judge
        elif models.judge is not None:
            raise BadSetting(f"The method {name} has no option --judge-model.")
    return found.make(**settings)
