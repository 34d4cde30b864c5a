"""A picture with its boxes, ready to be drawn: data URL, drawing units, and where each number tag goes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ...backbones.pictures import Prepared, prepare
from ...core.errors import BadPicture
from ...core.graph import HSG
from ...core.grounding import Box
from ...core.outcome import Provenance
from ...core.sign import Artifact
from ..words import extent, faults, place
from .marks import Mark

_TAG = 0.07
_UNIT = 1000
_SMALL = 360


@dataclass(frozen=True)
class DrawnBox:
    """One box in drawing units; `left` and `top` place its tag, in percent of the picture."""

    mark: Mark
    x: float
    y: float
    width: float
    height: float
    left: float
    top: float
    fault: str
    where: str
    again: bool
    missing: bool = False


@dataclass(frozen=True)
class Plate:
    """One picture as the page hangs it. `src` is None when the bytes are not at hand; `undrawn` says which
    boxes there is nothing to draw of."""

    sign: str
    name: str
    file: str
    sha256: str
    src: str | None
    missing: str
    width: int
    height: int
    alt: str
    boxes: tuple[DrawnBox, ...]
    undrawn: str

    @property
    def ratio(self) -> float:
        return self.width / self.height

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Each boxed part once, larger boxes first so that smaller ones stay on top."""
        area = {
            box.mark: max(b.width * b.height for b in self.boxes if b.mark is box.mark) for box in self.boxes
        }
        return tuple(sorted(area, key=lambda mark: -area[mark]))


def plate(  # the page has one call for each picture
    artifact: Artifact,
    name: str,
    marks: tuple[Mark, ...],
    graph: HSG | None,
    provenance: Provenance | None,
    beside: Sequence[tuple[Mark, Box]] = (),
    side: int = 1024,
) -> Plate:
    """With the boxes of its graph, and those of other marks `beside` them."""
    src, missing, size = None, "", _sent_size(artifact, provenance)
    if not artifact.loadable:
        missing = "The picture's file is not at hand; its record is."
    else:
        try:
            prepared = prepare(artifact, max_side=side)
            src, size = prepared.data_url, (prepared.width, prepared.height)
        except BadPicture as error:
            missing = str(error)
    pointed = [
        (mark, box)
        for child, mark in zip(graph.children if graph else (), marks[1:], strict=True)
        for box in child.boxes
    ] + list(beside)
    missing_parts = {
        mark for child, mark in zip(graph.children if graph else (), marks[1:], strict=True) if child.absent
    }
    return Plate(
        sign=marks[0].sign,
        name=marks[0].name,
        file=name if artifact.name else "",
        sha256=artifact.sha256,
        src=src,
        missing=missing,
        width=size[0],
        height=size[1],
        alt=graph.root.sign if graph else f"Picture {marks[0].name}{f' ({name})' if artifact.name else ''}",
        boxes=tuple(
            replace(each, missing=each.mark in missing_parts)
            for each in _drawn((mark, box) for mark, box in pointed if _inside(box))
        ),
        undrawn=faults(box for _, box in pointed if not _inside(box)),
    )


def thumbnail(artifact: Artifact) -> Prepared | None:
    """A small copy, where the bytes are at hand and can be decoded."""
    try:
        return prepare(artifact, max_side=_SMALL) if artifact.loadable else None
    except BadPicture:
        return None


def _sent_size(artifact: Artifact, provenance: Provenance | None) -> tuple[int, int]:
    for exchange in provenance.exchanges if provenance else ():
        for sent in exchange.pictures:
            if sent.sha256 == artifact.sha256 and sent.width > 0 and sent.height > 0:
                return sent.width, sent.height
    return 4, 3


def _inside(box: Box) -> bool:
    """Whether any of the box falls on the picture; NaN compares false."""
    return min(1, box.x1) - max(0, box.x0) > 0 and min(1, box.y1) - max(0, box.y0) > 0


def _drawn(pointed: Iterable[tuple[Mark, Box]]) -> list[DrawnBox]:
    boxes: list[DrawnBox] = []
    tags: list[tuple[float, float]] = []
    marks: set[Mark] = set()
    for mark, box in pointed:
        x0, y0, x1, y1 = max(0, box.x0), max(0, box.y0), min(1, box.x1), min(1, box.y1)
        left, top = _tag_place((x0, y0, x1, y1), tags)
        tags.append((left, top))
        where = f"{place((x0 + x1) / 2, (y0 + y1) / 2)}, {extent((x1 - x0) * (y1 - y0))}"
        boxes.append(
            DrawnBox(
                mark=mark,
                x=round(x0 * _UNIT, 1),
                y=round(y0 * _UNIT, 1),
                width=round((x1 - x0) * _UNIT, 1),
                height=round((y1 - y0) * _UNIT, 1),
                left=round(left * 100, 2),
                top=round(top * 100, 2),
                fault=box.fault or "",
                where=where,
                again=mark in marks,
            )
        )
        marks.add(mark)
    return boxes


def _tag_place(
    box: tuple[float, float, float, float], tags: list[tuple[float, float]]
) -> tuple[float, float]:
    """A corner of the box where no other tag sits, else the least crowded one."""
    x0, y0, x1, y1 = box
    right, bottom = max(x0, x1 - _TAG), max(y0, y1 - _TAG)
    middle = (x0 + right) / 2
    places = [(x0, y0), (right, y0), (x0, bottom), (right, bottom), (middle, y0), (middle, bottom)]
    places = [(min(x, 1 - _TAG), min(y, 1 - _TAG)) for x, y in places]
    return max(places, key=lambda at: min(_TAG, _room(at, tags)))


def _room(at: tuple[float, float], tags: list[tuple[float, float]]) -> float:
    """How far the nearest tag is, along the axis that keeps them apart."""
    return min((max(abs(at[0] - x), abs(at[1] - y)) for x, y in tags), default=1.0)
