"""A pair as the ArtCoT paper shows it: the source on top of the two results, with the style in words.

exhibit = await Showing(layout="composed", resolution="half").exhibit(backbone, pair)
template.messages(fenced=exhibit.fenced, **exhibit.fillings)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...backbones.backbone import Backbone
from ...backbones.composition import Hanging
from ...backbones.pictures import Prepared
from ...core.sign import Artifact, Pair, Prompt
from ..signs import references, sent, sent_as_one
from ..template import Filling, Template, fence_for, prompt_file
from .settings import SCALES, Layout, Resolution, Without


@dataclass(frozen=True)
class Exhibit:
    """What a model is shown of a pair, and told of its task.

    fenced      the texts that others wrote
    fillings    what fills the slots that every prompt of the paper has
    files       the prompt files that went into these
    """

    fenced: Sequence[str]
    fillings: Mapping[str, Filling]
    files: Mapping[str, str]


@dataclass(frozen=True)
class Showing:
    """How a pair is shown, and what of its task is left out.

    layout      of a stylization: "composed" in one picture, or "separate"; any other pair is separate
    resolution  of every picture; left out, half for a stylization and full for any other pair
    without     what is not told of a stylization: "content", "style" or "both"
    """

    layout: Layout = "composed"
    resolution: Resolution | None = None
    without: Without = "nothing"

    def scale(self, prompt: Prompt) -> float:
        """Of each picture, as a share of its own size."""
        if self.resolution is not None:
            return SCALES[self.resolution]
        return SCALES["full" if prompt.style is None else "half"]

    async def exhibit(self, backbone: Backbone, pair: Pair) -> Exhibit:
        """The pair in the order it is to be seen in."""
        prompt = pair.prompt
        told = self.told(prompt)
        composed = prompt.style is not None and self.layout == "composed"
        arrangement = prompt_file(self._arrangement(prompt) if composed else "apart", __file__)
        task = prompt_file(f"task-{self.task(prompt)}", __file__)
        strangers = prompt_file(f"strangers-{'fenced' if told else 'lettering'}", __file__)
        if composed:
            hanging = Hanging(left=pair.a, right=pair.b, top=self._content(prompt))
            pictures: list[str | Prepared] = [await sent_as_one(backbone, hanging, self.scale(prompt))]
        else:
            pictures = await self._apart(backbone, pair)
        return Exhibit(
            fenced=[told] if told else [],
            fillings={
                "task": task.text,
                "arrangement": arrangement.text,
                "strangers": strangers.text.replace("$fence", fence_for([told])),
                "told": _fenced(self._heading(prompt), told),
                "pictures": pictures,
            },
            files=hashes(task, arrangement, strangers),
        )

    def told(self, prompt: Prompt) -> str:
        """What is said of the task in the words of whoever set it; nothing where a style is left out."""
        if prompt.style is None:
            return prompt.text
        return "" if self.without in ("style", "both") else prompt.style

    def task(self, prompt: Prompt) -> str:
        """Which of the prompt files says what the pair is."""
        if prompt.style is None:
            return "prompt"
        content, style = self._content(prompt) is not None, bool(self.told(prompt))
        return {
            (True, True): "stylization",
            (False, True): "style-only",
            (True, False): "content-only",
            (False, False): "neither",
        }[content, style]

    def _arrangement(self, prompt: Prompt) -> str:
        return "composed" if self._content(prompt) else "composed-results"

    def _content(self, prompt: Prompt) -> Artifact | None:
        return None if self.without in ("content", "both") else prompt.content

    @staticmethod
    def _heading(prompt: Prompt) -> str:
        return "The prompt" if prompt.style is None else "The style"

    async def _apart(self, backbone: Backbone, pair: Pair) -> list[str | Prepared]:
        prompt, scale = pair.prompt, self.scale(pair.prompt)
        content = self._content(prompt)
        shown: list[str | Prepared] = []
        if content is not None:
            shown += ["\nThe source:\n", await sent(backbone, content, scale)]
        if prompt.style is None:
            shown += await references(backbone, prompt)
        for name, artifact in (("A", pair.a), ("B", pair.b)):
            shown += [f"\nPicture {name}:\n", await sent(backbone, artifact, scale)]
        return shown


def hashes(*files: Template) -> dict[str, str]:
    """Prompt files by name, as an exchange records them."""
    return {file.name: file.sha256 for file in files}


def _fenced(heading: str, text: str) -> str:
    fence = fence_for([text])
    return f"{heading}:\n<{fence}>\n{text}\n</{fence}>\n" if text else ""
