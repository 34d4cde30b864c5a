"""The gap over real HTTP: what its reader is shown, what it measures, and where there is no number."""

import json
import math
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from chat import BOX, Judge, picture_graph, prompt_graph
from loopback import Loopback
from semiosis.backbones.openai import OpenAI
from semiosis.core.cascade import SemiosisGap
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Failure
from semiosis.core.records import dump, load
from semiosis.core.sign import Pair
from semiosis.methods.contract import find, names
from semiosis.methods.semjudge.gap import Gap, value_of

VECTORS = {
    "prompt object": [1.0, 0.0, 0.0],
    "part 1 object": [0.0, 1.0, 0.0],
    "part 2 object": [0.0, 0.0, 1.0],
    "solo object": [1.0, 1.0, 0.0],
    "solo part 1 object": [0.0, 0.0, -1.0],
}


def embed(texts: Sequence[str]) -> list[list[float]]:
    return [VECTORS[text] for text in texts]


class Server(Judge):
    """Reads prompts into these parts."""

    parts: tuple[str, ...] = ("everything glows", "nothing lasts")

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        return prompt_graph(*self.parts) if stage.startswith("prompt") else picture_graph("solo", [BOX])

    def sent(self, stage: str) -> str:
        """All that was sent at that stage, once."""
        bodies = [body for name, body in zip(self.stages(), self.asked, strict=True) if name == stage]
        assert len({json.dumps(body) for body in bodies}) == 1
        return json.dumps(bodies[0]["messages"])


@pytest.fixture
async def server() -> AsyncIterator[tuple[Server, OpenAI]]:
    judge = Server()
    with Loopback(judge.app) as loopback:
        backbone = OpenAI("m", base_url=f"{loopback.url}/v1")
        yield judge, backbone
        await backbone.aclose()


async def test_the_picture_is_read_without_the_prompt_and_the_angle_is_the_score(
    server: tuple[Server, OpenAI], pair: Pair
) -> None:
    judge, backbone = server
    score = await Gap(backbone, embed=embed).score(pair.prompt, pair.a)
    assert isinstance(score, Score)
    assert judge.stages() == ["prompt_graph_standard", "picture_alone_standard"]
    assert pair.prompt.text not in judge.sent("picture_alone_standard")
    assert "prompt object" not in judge.sent("picture_alone_standard")
    assert score.value == pytest.approx(-math.acos(1 / math.sqrt(2)) / math.pi) == pytest.approx(-0.25)
    assert score.gap is not None
    assert score.gap.metric == "angular"
    assert score.provenance.method == "gap"
    assert score.provenance.method_version == "3"
    assert load(dump(score)) == score


async def test_the_prompted_reading_is_shown_the_prompt_and_its_graph(
    server: tuple[Server, OpenAI], pair: Pair
) -> None:
    judge, backbone = server
    score = await find("gap/prompted").make(backbone, embed=embed).score(pair.prompt, pair.a)  # type: ignore[attr-defined]
    assert isinstance(score, Score)
    assert judge.stages() == ["prompt_graph_standard", "picture_graph_standard"]
    assert "prompt object" in judge.sent("picture_graph_standard")
    assert (score.provenance.method, score.provenance.configuration["reading"]) == (
        "gap/prompted",
        "prompted",
    )


async def test_coverage_is_a_score_of_its_own(server: tuple[Server, OpenAI], pair: Pair) -> None:
    _, backbone = server
    method = find("gap/coverage").make(backbone, embed=embed)
    score = await method.score(pair.prompt, pair.a)  # type: ignore[attr-defined]
    assert isinstance(score, Score)
    assert score.value == pytest.approx((1 / math.sqrt(2) + 0) / 2)
    assert score.provenance.method == "gap/coverage"


def test_a_prompt_without_parts_has_a_distance_and_no_coverage() -> None:
    gap = SemiosisGap(distance=0.25, metric="angular")
    assert value_of(gap, "distance") == -0.25
    failure = value_of(gap, "coverage")
    assert isinstance(failure, Failure)
    assert (failure.reason, failure.stage) == ("invalid", "coverage")
    assert "without parts" in failure.message


async def test_a_reading_that_comes_to_nothing_is_a_failure(
    server: tuple[Server, OpenAI], pair: Pair
) -> None:
    judge, backbone = server
    judge.parts = ()
    verdict = await Gap(backbone, embed=embed, measure="coverage").judge(pair)
    assert isinstance(verdict, Failure)
    assert verdict.stage == "prompt graph"


async def test_equal_distances_are_a_tie_whatever_is_covered(
    server: tuple[Server, OpenAI], pair: Pair
) -> None:
    _, backbone = server
    judgment = await Gap(backbone, embed=embed).judge(pair)
    assert isinstance(judgment, Judgment)
    assert judgment.winner is None


def test_every_label_is_a_name_that_makes_the_same_variant() -> None:
    variants = [name for name in names() if name.split("/")[0] == "gap"]
    assert variants == ["gap", "gap/coverage", "gap/prompted", "gap/prompted/coverage"]
    assert [find(name).make(OpenAI("m")).label for name in variants] == variants
