"""A server that captions, sorts, expands and merges, and what a build is given."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from counting import Counting, paint

CONTENT = {
    "scene_categories": ["Nature", "Objects"],
    "element_density": "Low",
    "element_diversity": "High",
    "color_diversity": "Limited",
    "shooting_technique": "General",
    "composition_type": "Object-Centric",
}
KEYWORDS = ("Baroque", "Cubism", "Ukiyo-e", "watercolor", "Claude Monet")

Reply = Callable[[dict[str, Any]], Any]


def said(body: dict[str, Any]) -> str:
    """The words of a request's last message."""
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def listed(body: dict[str, Any]) -> list[str]:
    """The numbered lines between the fences."""
    return re.findall(r"^\d+\. (.*)$", said(body), re.M)


class Atelier(Counting):
    """Answers every step of a build well; `says` has other answers by the name of the step."""

    def __init__(self, delay_s: float = 0.0) -> None:
        super().__init__(delay_s)
        self.says: dict[str, Reply] = {}
        self.bodies: list[dict[str, Any]] = []

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        self.bodies.append(body)
        if stage in self.says:
            return self.says[stage](body)
        match stage:
            case "caption":
                return {"caption": "A small square with a number in its corner."}
            case "content_attributes":
                return CONTENT
            case "style_attributes":
                return {"taxonomy": ["art movement"]}
            case "expand":
                return self.expand(body)
            case "merge":
                return self.merge(body)
            case _:
                raise AssertionError(stage)

    @staticmethod
    def expand(body: dict[str, Any]) -> Any:
        """Of each keyword a style, the same in other words, and the same in capitals."""
        keywords = listed(body)
        count = int(re.findall(r"Write (\d+) style prompts", said(body))[0])
        forms = (
            "{} painting",
            "painting in the manner of {}",
            "{} PAINTING!",
            "{} on rough paper",
            "faded {}",
        )
        styles = [
            {"keywords": [number], "prompt": form.format(keyword)}
            for form in forms
            for number, keyword in enumerate(keywords, 1)
        ]
        return {"styles": styles[:count]}

    @staticmethod
    def merge(body: dict[str, Any]) -> Any:
        prompts = listed(body)
        groups: list[dict[str, Any]] = []
        for number, prompt in enumerate(prompts, 1):
            other = f"painting in the manner of {prompt.removesuffix(' painting')}"
            if prompt.endswith(" painting") and other in prompts:
                groups.append({"members": [number, prompts.index(other) + 1], "keep": number})
        return {"groups": groups}


def give_contents(folder: Path, pictures: int = 4) -> Path:
    folder.mkdir(parents=True)
    for number in range(1, pictures + 1):
        paint(folder / f"{number}.png", number)
    return folder


def give_keywords(path: Path, *keywords: str) -> Path:
    path.write_text("".join(f"{keyword}\n" for keyword in keywords or KEYWORDS), encoding="utf-8")
    return path


def give_results(folder: Path, build: Path, first: int) -> Path:
    """A picture for every combination, no two alike, named by content and style."""
    folder.mkdir(parents=True)
    combined = json.loads((build / "painting" / "content_style_combination.json").read_text())
    number = first
    for content, styles in combined.items():
        for style in styles:
            number += 1
            paint(folder / f"{content}_{style}.png", number)
    return folder
