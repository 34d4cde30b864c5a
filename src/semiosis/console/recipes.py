"""The method that was named, with the models and settings that were typed."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..methods.recipe import Recipe


# A setting whose option is called otherwise.
_TYPED = {"repeats": "repeat"}


@dataclass(frozen=True)
class Models:
    """As typed."""

    model: str | None
    judge_model: str | None
    base_url: str | None
    timeout_s: float


def recipe_of(method: str, models: Models, **wanted: Any) -> "Recipe":
    from ..backbones.lookup import choose
    from ..methods.contract import find
    from ..methods.recipe import Recipe

    needed = "backbone" in find(method).settings
    return Recipe(
        method,
        settings_of(method, wanted),
        model=models.model or (choose(models.base_url) if needed else None),
        judge_model=models.judge_model,
        base_url=models.base_url,
        timeout_s=models.timeout_s,
    )


def settings_of(name: str, wanted: dict[str, Any]) -> dict[str, Any]:
    """Those of the settings that the method has; one it lacks must be left at its default."""
    from ..core.errors import BadSetting
    from ..methods.contract import find
    from ..methods.semjudge.judge import SemJudge

    found = find(name)
    defaults = {field.name: field.default for field in fields(SemJudge)}
    for option, value in wanted.items():
        if option not in found.settings and value != defaults[option]:
            typed = _TYPED.get(option, option.replace("_", "-"))
            raise BadSetting(f"The method {name} has no option --{typed}.")
    return {option: value for option, value in wanted.items() if option in found.settings}
