"""FineArtBench's paintings. Its rows name two methods, a content and a style; the picture lies at

<method>/content_<content_index>_style_<n>.jpg

where n is the place of the style among the three of its content, as content_style_combination.json has them
(songrise/MLLM4Art, custom_model_evaluate.py). What was painted lies at ../base/images/<content_index>.png.
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import BadPicture, BadRecord, BadSetting
from .pictures import LocatedPicture, Pictures

COMBINATIONS = "content_style_combination.json"
CONTENTS = "../base/images"


@dataclass(frozen=True)
class Paintings:
    styles: dict[str, list[str]]

    @classmethod
    def beside(cls, folders: Iterable[str]) -> "Paintings":
        path = next(
            (Path(each) / COMBINATIONS for each in folders if (Path(each) / COMBINATIONS).is_file()), None
        )
        if path is None:
            raise BadSetting(
                "FineArtBench's rows name methods, not pictures: "
                f"give its folder of paintings, where {COMBINATIONS} lies, with --pictures."
            )
        return cls.read(path)

    @classmethod
    def read(cls, path: Path) -> "Paintings":
        try:
            data = path.read_bytes()
            listed = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
            return cls({str(content): list(map(str, styles)) for content, styles in listed.items()})
        except (
            OSError,
            EOFError,
            zlib.error,
            ValueError,
            TypeError,
            AttributeError,
            RecursionError,
        ) as error:
            raise BadRecord(f"{path} is not FineArtBench's list of styles by content: {error}.") from None

    def file(self, cells: Mapping[str, object], method: str) -> str:
        content, style = str(cells.get("content_index")), str(cells.get("style_index"))
        styles = self.styles.get(content, [])
        if style not in styles:
            raise BadPicture(f"{COMBINATIONS} has no style {style} for content {content}.")
        return f"{cells[method]}/content_{content}_style_{styles.index(style) + 1}.jpg"

    def content(self, cells: Mapping[str, object], pictures: Pictures) -> LocatedPicture:
        """The picture that was painted in the style, among `pictures`. Raises BadPicture where it is not
        there."""
        name = f"{CONTENTS}/{cells.get('content_index')}.png"
        try:
            return pictures.find(name)
        except BadPicture:
            raise BadPicture(
                f"There is no {name} beside the paintings, and a stylization is not judged without its "
                "content: download FineArtBench's contents too."
            ) from None
