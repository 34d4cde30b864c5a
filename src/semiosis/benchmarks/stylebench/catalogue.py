"""Contents and styles with their attributes, for breakdowns and for sampling.

    catalogue = load("FineArtBench")
    catalogue.attributes(("75", "548"))       {"content.element_density": ("High",), "style.taxonomy": ...}

The published attributes are nested; here each has one name and a tuple of values.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from ...building.votes import Group
from ...core.errors import BadRecord
from ...core.value import Value
from ...sources.fineartbench import COMBINATIONS
from . import layout

Attributes = dict[str, tuple[str, ...]]

# What describes an entry without sorting it.
_FREE = {"image_path", "content_prompt", "style_prompts", "prompt", "reference_image"}


class CatalogueEntry(Value):
    """A content or a style: its text, its picture's path as published, its attributes."""

    id: str
    prompt: str
    picture: str = ""
    attributes: Attributes = {}


class Catalogue(Value):
    """By id. `combinations` has the styles each content was painted in, in the order of their files."""

    contents: dict[str, CatalogueEntry]
    styles: dict[str, CatalogueEntry]
    combinations: dict[str, tuple[str, ...]] = {}

    @property
    def groups(self) -> tuple[Group, ...]:
        return tuple((content, style) for content, styles in self.combinations.items() for style in styles)

    def attributes(self, group: Group) -> Attributes:
        """Of a content and its style, named content.* and style.*; what is not listed has none."""
        return {
            f"{part}.{name}": values
            for part, entries, id in (("content", self.contents, group[0]), ("style", self.styles, group[1]))
            if id in entries
            for name, values in entries[id].attributes.items()
        }


def load(folder: str | Path) -> Catalogue:
    """From FineArtBench's folder."""
    folder = Path(folder)
    contents, styles = layout.need(folder, layout.CONTENTS), layout.need(folder, layout.STYLES)
    combined = layout.find(folder, COMBINATIONS)
    return Catalogue(
        contents=_entries(contents, "content_prompt", "image_path"),
        styles=_entries(styles, "prompt", "reference_image"),
        combinations=_combinations(layout.read_json(combined)) if combined else {},
    )


def _entries(path: Path, prompt: str, picture: str) -> dict[str, CatalogueEntry]:
    """From a list, whose places count from 1 as the annotations do, or from an object by id."""
    file, read = path.name, layout.read_json(path)
    match read:
        case list():
            listed = enumerate(cast("list[object]", read), 1)
        case dict():
            listed = cast("dict[str, object]", read).items()
        case _:
            raise BadRecord(f"{file} is neither a list of entries nor an object of entries by id.")
    entries: dict[str, CatalogueEntry] = {}
    for id, each in listed:
        if not isinstance(each, dict):
            raise BadRecord(f"Entry {id} of {file} is not an object.")
        entry = cast("dict[str, object]", each)
        entries[str(id)] = CatalogueEntry(
            id=str(id),
            prompt=str(entry.get(prompt, "")),
            picture=str(entry.get(picture, "")),
            attributes=dict(_flattened(entry)),
        )
    return entries


def _flattened(nested: dict[str, object]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, value in nested.items():
        if name in _FREE:
            continue
        match value:
            case dict():
                yield from _flattened(cast("dict[str, object]", value))
            case str():
                yield name, (value,)
            case list():
                values = tuple(dict.fromkeys(map(str, cast("list[object]", value))))
                if values:
                    yield name, values
            case _:
                # Numbers, such as an aspect ratio, sort nothing.
                pass


def _combinations(read: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(read, dict):
        raise BadRecord(f"{COMBINATIONS} is not an object of styles by content.")
    combinations: dict[str, tuple[str, ...]] = {}
    for content, styles in cast("dict[str, object]", read).items():
        if not isinstance(styles, list):
            raise BadRecord(f"{COMBINATIONS} has no list of styles for content {content}.")
        combinations[content] = tuple(map(str, cast("list[object]", styles)))
    return combinations
