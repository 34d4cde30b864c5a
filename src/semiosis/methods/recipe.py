"""How a method is made: by names and settings, so that another process can make the same one.

method = Recipe("semjudge", {"graphs": "solo"}, model="openai/gpt-5").make()
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from ..backbones.backbone import Backbone
from ..backbones.lookup import bare
from ..core.errors import BadSetting
from ..core.settings import TIMEOUT, Checked
from .contract import Method, find


def plain(backbone: Backbone) -> Backbone:
    return backbone


@dataclass(frozen=True)
class Recipe(Checked):
    """A method by names and settings.

    method      as `semiosis run --method` takes it: "semjudge", "direct", "gap" or module:Class
    settings    its fields, less the backbones
    model       provider/model; what `backbone()` finds, if left out
    judge_model another model for the verdict, where the method has `judge_with`
    base_url    an OpenAI-compatible server where `model` is asked
    timeout_s   how long one call may take
    variant     the settings that tell it from others of the same method, in the names of runs
    """

    method: str
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    model: str | None = None
    judge_model: str | None = None
    base_url: str | None = None
    timeout_s: Annotated[float, TIMEOUT] = 120.0
    variant: str = ""

    @property
    def label(self) -> str:
        """What it is called beside others."""
        return f"{self.method},{self.variant}" if self.variant else self.method

    def make(self, equip: Callable[[Backbone], Backbone] = plain) -> Method:
        """The method, its backbones wrapped by `equip`; a model is looked for only if it needs one."""
        method = find(self.method)
        settings = dict(self.settings)
        unknown = settings.keys() - method.settings
        if unknown:
            names = ", ".join(sorted(method.settings))
            raise BadSetting(f"The method {self.method} has no setting {min(unknown)!r}; it has {names}.")
        if self.judge_model and "judge_with" not in method.settings:
            raise BadSetting(f"The method {self.method} has no option --judge-model.")
        if "backbone" in method.settings:
            settings["backbone"] = equip(bare(self.model, base_url=self.base_url, timeout_s=self.timeout_s))
        if self.judge_model:
            settings["judge_with"] = equip(bare(self.judge_model, timeout_s=self.timeout_s))
        return method.make(**settings)


async def close(method: Method) -> None:
    """Close the backbones of a method."""
    for backbone in method.backbones.values():
        await backbone.aclose()
