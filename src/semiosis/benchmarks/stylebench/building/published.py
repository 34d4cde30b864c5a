"""The files of the benchmark in its authors' layout, from what the steps made.

    base/content_40.json, style_100.json, images/<n>.png
    painting/content_style_combination.json, <stylizer>/content_<c>_style_<place>.jpg
    2AFC/2AFC_instance_N_120.json, 2AFC_global_N_120.json

A row says `reviewed`, which the authors' do not. What failed, or is yet to be made, is not there: an entry
has no attributes then, or no `content_prompt`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ....building.steps import Files, write_json
from ..annotations import as_row
from .attributes import Annotations, ContentAnnotation, StyleAnnotation, length_of
from .contents import Contents
from .styles import Styles

if TYPE_CHECKING:
    from ....building.votes import ForcedChoice
    from ..layout import Kind


def contents(
    files: Files, contents: Contents, annotations: Annotations, captions: Mapping[str, str | None]
) -> None:
    rows: list[dict[str, Any]] = []
    for content in contents.contents:
        annotation = annotations.contents.get(content.sha256, ContentAnnotation())
        attributes, caption = annotation.attributes, captions[content.sha256]
        rows.append(
            {
                "image_path": f"./{content.path}",
                "image_source": content.source,
                "aspect_ratio": round(content.width / content.height, 4),
                **({} if caption is None else {"content_prompt": caption}),
                "style_prompts": [],
                **(attributes.published() if attributes else {}),
                "reviewed": annotation.reviewed,
            }
        )
    _write(files, "content", len(rows), rows)


def styles(files: Files, styles: Styles, annotations: Annotations) -> None:
    rows: dict[str, dict[str, Any]] = {}
    for style in styles.styles:
        annotation = annotations.styles.get(style.prompt, StyleAnnotation())
        attributes = annotation.attributes
        taxonomy = {"taxonomy": list(attributes.taxonomy)} if attributes else {}
        rows[str(style.index)] = {
            "style": {**taxonomy, "prompt_length": [length_of(style.prompt)]},
            "prompt": style.prompt,
            "prompt_source": style.source,
            "reviewed": annotation.reviewed,
        }
    _write(files, "style", len(rows), rows)


def tasks(files: Files, kind: "Kind", tasks: "Sequence[ForcedChoice]") -> None:
    name = f"2AFC/2AFC_{kind}_N_{len(tasks)}.json"
    with files.only(f"{kind} tasks", name):
        write_json(files.folder / name, [as_row(task) for task in tasks])


def no_tasks(files: Files) -> None:
    """Take away those that are there."""
    for kind in ("instance", "global"):
        with files.only(f"{kind} tasks"):
            pass


def _write(files: Files, kind: str, count: int, rows: Any) -> None:
    """Named by number, as the authors' content_1k.json is."""
    name = f"base/{kind}_{f'{count // 1000}k' if count and count % 1000 == 0 else count}.json"
    with files.only(kind, name):
        write_json(files.folder / name, rows)
