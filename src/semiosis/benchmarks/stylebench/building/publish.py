"""The files of the benchmark in its authors' layout, from what the steps made.

    base/content_40.json, style_100.json, images/<n>.png
    painting/content_style_combination.json, <stylizer>/content_<c>_style_<place>.jpg
    2AFC/2AFC_instance_N_120.json, 2AFC_global_N_120.json

A row says `reviewed`, which the authors' do not. What failed, or is yet to be made, is not there: an entry
has no attributes then, or no `content_prompt`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .artefacts import leave_only, write_json
from .attributes import Annotation, Annotations, ContentAttributes, StyleAttributes, length_of
from .contents import Contents
from .styles import Styles

if TYPE_CHECKING:
    from ..annotations import Comparison


def contents(base: Path, contents: Contents, known: Annotations, captions: Mapping[str, str | None]) -> None:
    rows: list[dict[str, Any]] = []
    for content in contents.contents:
        annotation = known.contents.get(content.sha256, Annotation())
        attributes, caption = annotation.attributes, captions[content.sha256]
        rows.append(
            {
                "image_path": f"./{content.path}",
                "image_source": content.source,
                "aspect_ratio": round(content.width / content.height, 4),
                **({} if caption is None else {"content_prompt": caption}),
                "style_prompts": [],
                **(attributes.published() if isinstance(attributes, ContentAttributes) else {}),
                "reviewed": annotation.reviewed,
            }
        )
    _write(base, "content", len(rows), rows)


def styles(base: Path, styles: Styles, known: Annotations) -> None:
    rows: dict[str, dict[str, Any]] = {}
    for style in styles.styles:
        annotation = known.styles.get(style.prompt, Annotation())
        attributes = annotation.attributes
        taxonomy = {"taxonomy": list(attributes.taxonomy)} if isinstance(attributes, StyleAttributes) else {}
        rows[str(style.index)] = {
            "style": {**taxonomy, "prompt_length": [length_of(style.prompt)]},
            "prompt": style.prompt,
            "prompt_source": style.source,
            "reviewed": annotation.reviewed,
        }
    _write(base, "style", len(rows), rows)


def tasks(folder: Path, kind: str, tasks: "Sequence[Comparison]") -> None:
    name = f"2AFC_{kind}_N_{len(tasks)}.json"
    write_json(folder / name, [task.as_row() for task in tasks])
    leave_only(folder, f"2AFC_{kind}_N_*.json", name)


def _write(base: Path, kind: str, count: int, rows: Any) -> None:
    """Named by number, as the authors' content_1k.json is."""
    name = f"{kind}_{f'{count // 1000}k' if count and count % 1000 == 0 else count}.json"
    write_json(base / name, rows)
    leave_only(base, f"{kind}_*.json", name)
