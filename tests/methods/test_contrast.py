"""The contrast, in one call and between reading and verdict: differences, sides, citations, certainty."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from chat import BOX, Judge, difference, verdict
from loopback import Loopback
from semiosis.backbones.openai import OpenAI
from semiosis.core.grounding import Box
from semiosis.core.kinds.pair import Judgment
from semiosis.core.outcome import Failure
from semiosis.core.records import dump, load
from semiosis.core.sign import Pair
from semiosis.methods.contract import find
from semiosis.methods.semjudge.judge import SemJudge

HALF = {"x0": 0, "y0": 0, "x1": 500, "y1": 1000}
AT = Box(x0=0.1, y0=0.2, x1=0.5, y1=0.9)
LEFT = Box(x0=0, y0=0, x1=0.5, y1=1)


class Eye(Judge):
    """Sees a skull in whichever picture is shown first, and a frame that does not matter."""

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        skull = difference("the skull", "A", a=[HALF], b=[BOX])
        frame = difference("a frame", "indifferent", a=[], b=[])
        if stage == "contrast":
            reply = verdict("A", "contrast.1", "contrast.2", "contrast.3", "prompt", certainty=5)
            return {"intended": "mortality", "differences": [skull, frame], **reply}
        if stage.startswith("contrast"):
            return {"differences": [skull, frame]}
        if stage.startswith("verdict"):
            return verdict("A", "contrast.1", "contrast.3", "A.1", certainty=2)
        return super().reply(stage, body)


@pytest.fixture
async def eye() -> AsyncIterator[tuple[Eye, OpenAI]]:
    server = Eye()
    with Loopback(server.app) as loopback:
        backbone = OpenAI("m", base_url=f"{loopback.url}/v1")
        yield server, backbone
        await backbone.aclose()


@pytest.fixture
def pair(png: Any) -> Pair:
    return Pair(prompt="A vanitas still life.", a=png("teal"), b=png("maroon"))


async def test_one_call_an_order_lists_differences_in_the_pairs_own_sides(
    eye: tuple[Eye, OpenAI], pair: Pair
) -> None:
    server, backbone = eye
    judgment = await find("contrast").make(backbone).judge(pair)  # type: ignore[attr-defined]
    assert isinstance(judgment, Judgment)
    assert server.stages() == ["contrast", "contrast"]
    by_order = {vote.order: vote for vote in judgment.votes}
    for order, (first, second) in (("ab", ("a", "b")), ("ba", ("b", "a"))):
        vote = by_order[order]  # type: ignore[index]
        assert vote.contrast is not None
        skull, frame = vote.contrast.differences
        assert getattr(skull, first).meaning == "keeps"
        assert getattr(skull, first).boxes == (LEFT,)
        assert getattr(skull, second).meaning == "breaks"
        assert getattr(skull, second).boxes == (AT,)
        assert (frame.matters, frame.a.boxes) == (False, ())
        nodes = {item.node: (item.supports, item.verified) for item in vote.evidence}
        assert nodes == {
            "contrast.1": (first, True),
            "contrast.2": (first, True),
            "contrast.3": (first, False),
            "prompt": (first, True),
        }
        assert judgment.places("contrast.1", vote) == {first: (LEFT,), second: (AT,)}
    # A judge of places is as sure both ways, which is no coin flip: it is a flip.
    assert (judgment.winner, judgment.graded, judgment.flipped) == (None, 0.5, True)
    assert (judgment.certainty, judgment.coin_flip) == (5.0, False)
    assert load(dump(judgment)) == judgment


async def test_between_reading_and_verdict_it_is_asked_once_and_relabelled(
    eye: tuple[Eye, OpenAI], pair: Pair
) -> None:
    server, backbone = eye
    method = find("semjudge/contrast").make(backbone)
    judgment = await method.judge(pair)  # type: ignore[attr-defined]
    assert isinstance(judgment, Judgment)
    assert sorted(server.stages()) == [
        "contrast_standard",
        "picture_graphs_standard",
        "prompt_graph_standard",
        "verdict_contrast_standard",
        "verdict_contrast_standard",
    ]
    assert method.label == judgment.provenance.method == "semjudge/contrast"
    assert judgment.contrast is not None
    assert judgment.contrast.differences[0].a.meaning == "keeps"
    verdicts = [body for body in server.asked if "verdict" in body["response_format"]["json_schema"]["name"]]
    shown = [str(body["messages"]) for body in verdicts]
    for text in shown:
        assert "[contrast.1] the skull" in text
    assert sum("A: the skull in A (keeps what the prompt means)" in text for text in shown) == 1
    assert sum("A: the skull in B (breaks what the prompt means)" in text for text in shown) == 1
    cited = {(item.node, item.verified) for vote in judgment.votes for item in vote.evidence}
    assert cited == {("contrast.1", True), ("contrast.3", False), ("a.1", True), ("b.1", True)}
    assert load(dump(judgment)) == judgment


@pytest.mark.parametrize("graphs", ["joint", "solo"])
async def test_each_vote_may_have_graphs_and_a_contrast_of_its_own(
    eye: tuple[Eye, OpenAI], pair: Pair, graphs: Any
) -> None:
    server, backbone = eye
    judgment = await SemJudge(backbone, graphs=graphs, contrast=True, rebuild="per-order").judge(pair)
    assert isinstance(judgment, Judgment)
    pictures = {"picture_graphs_standard": 2} if graphs == "joint" else {"picture_graph_standard": 4}
    assert {name: server.stages().count(name) for name in server.stages()} == {
        "prompt_graph_standard": 2,
        "contrast_standard": 2,
        "verdict_contrast_standard": 2,
        **pictures,
    }
    ab, ba = sorted(judgment.votes, key=lambda vote: vote.order or "")
    assert ab.contrast is not None
    assert ba.contrast == ab.contrast.exchanged()
    assert judgment.rebuilt == "graphs"


@pytest.mark.parametrize("keeps", ["C", "", None, 3])
async def test_a_difference_that_keeps_no_side_is_sent_back(pair: Pair, keeps: Any) -> None:
    server = Eye()
    well = server.reply

    def reply(stage: str, body: dict[str, Any]) -> Any:
        return {**well(stage, body), "differences": [difference("x", "A") | {"keeps": keeps}]}

    server.reply = reply  # type: ignore[method-assign]
    with Loopback(server.app) as loopback:
        backbone = OpenAI("m", base_url=f"{loopback.url}/v1")
        judgment = await find("contrast").make(backbone, orders="ab").judge(pair)  # type: ignore[attr-defined]
        await backbone.aclose()
    assert isinstance(judgment, Failure)
    assert (judgment.reason, len(server.asked)) == ("invalid", 2)
