"""What lies before the judge of stage 3: the readings, and where it was made the contrast."""

from functools import cache
from typing import Annotated

from pydantic import Field, create_model

from ...core.vote import Order
from ..differences import describe_contrast
from ..template import prompt_file
from ..verdict import EvidenceShape, VerdictShape
from ..voter import Case, Talk
from ..voting import node_ids
from .graphs import describe
from .readings import Readings
from .settings import Rationales, Size


def case_of(
    readings: Readings, order: Order, size: Size, rationales: Rationales, talk: Talk | None = None
) -> Case:
    """`readings` are in the pair's own sides, the texts in the order of showing."""
    shown = readings.ordered(order)
    contrast = shown.contrast
    return Case(
        task=f"verdict-{size}" if contrast is None else f"verdict-contrast-{size}",
        citable=readings.citable,
        readings=prompt_file("verdict-readings" if contrast is None else "verdict-contrast", __file__),
        evidence=prompt_file(f"evidence-{rationales}", __file__),
        nodes="one id",
        texts={
            "prompt_graph": describe(shown.prompt.graph, "prompt"),
            "graph_a": describe(shown.a.graph, "A"),
            "graph_b": describe(shown.b.graph, "B"),
            **({"contrast": describe_contrast(contrast)} if contrast is not None else {}),
        },
        talk=talk,
        shape=VerdictShape if rationales == "decisive" else _of_every_node(len(node_ids(readings.citable))),
        every_node=rationales == "every-node",
    )


@cache
def _of_every_node(nodes: int) -> type[VerdictShape]:
    evidence = Annotated[list[EvidenceShape], Field(json_schema_extra={"maxItems": nodes})]
    return create_model("VerdictOfEveryNode", __base__=VerdictShape, evidence=(evidence, ...))
