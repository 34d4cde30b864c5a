"""The verdict's one prompt: with graphs and without it says the same; what is odd is asked for once more."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from chat import Judge, verdict
from loopback import Loopback
from semiosis.backbones.openai import OpenAI
from semiosis.core.kinds.pair import Judgment
from semiosis.core.outcome import Failure
from semiosis.core.sign import Pair
from semiosis.methods.contract import find
from semiosis.methods.direct import Direct
from semiosis.methods.semjudge.judge import SemJudge


@pytest.fixture
async def judge() -> AsyncIterator[tuple[Judge, OpenAI]]:
    server = Judge()
    with Loopback(server.app) as loopback:
        backbone = OpenAI("m", base_url=f"{loopback.url}/v1")
        yield server, backbone
        await backbone.aclose()


@pytest.fixture
def pair(png: Any) -> Pair:
    return Pair(prompt="A vanitas still life.", a=png("teal"), b=png("maroon"))


def system(body: dict[str, Any]) -> list[str]:
    return body["messages"][0]["content"].split("\n\n")


async def test_a_judge_without_graphs_differs_in_nothing_but_the_graphs(
    judge: tuple[Judge, OpenAI], pair: Pair
) -> None:
    server, backbone = judge
    for wording in ("neutral", "meaning"):
        server.asked.clear()
        await Direct(backbone, wording=wording, orders="ab").judge(pair)
        await SemJudge(backbone, wording=wording, orders="ab").judge(pair)
        plain, with_graphs = system(server.asked[0]), system(server.asked[-1])
        assert len(with_graphs) == len(plain) + 1
        # What is said of the readings, the fence (made from what it holds), and which ids may be cited.
        assert "graphs of nodes" in with_graphs.pop(1)
        assert plain[0] == with_graphs[0]
        assert plain[1].split(" Everything")[1] == with_graphs[1].split(" Everything")[1]
        differing = [n for n, (one, two) in enumerate(zip(plain, with_graphs, strict=True)) if one != two]
        assert differing == [1, 2, 3]
        assert plain[2].replace('"prompt" | "A" | "B"', "one id", 1) == with_graphs[2]
        assert plain[3].split('"supports"')[1:] == with_graphs[3].split('"supports"')[1:]


@pytest.mark.parametrize("name", ["direct", "semjudge"])
async def test_every_outcome_says_which_wording_it_was_asked_in(
    judge: tuple[Judge, OpenAI], pair: Pair, name: str
) -> None:
    server, backbone = judge
    for variant, label in (("", name), ("/meaning", f"{name}/meaning")):
        outcome = await find(f"{name}{variant}").make(backbone).judge(pair)  # type: ignore[attr-defined]
        assert outcome.provenance.method == label
        wording = "meaning" if variant else "neutral"
        assert outcome.provenance.configuration["wording"] == wording
        assert f"wording-{wording}" in outcome.provenance.exchanges[-1].prompts
        assert ("Judge meaning, not polish" in json.dumps(server.asked[-1])) == bool(variant)


async def asked_twice(reply: dict[str, Any], again: dict[str, Any], pair: Pair) -> tuple[Any, Judge]:
    server = Judge()
    replies = [reply, again]
    server.reply = lambda stage, body: replies[min(len(server.asked), 2) - 1]  # type: ignore[method-assign]
    with Loopback(server.app) as loopback:
        backbone = OpenAI("m", base_url=f"{loopback.url}/v1")
        outcome = await Direct(backbone, orders="ab").judge(pair)
        await backbone.aclose()
    return outcome, server


async def test_evidence_wholly_for_the_loser_is_asked_for_once_more(pair: Pair) -> None:
    odd = verdict("A", "B") | {"evidence": [{"node": "B", "rationale": "it glows", "supports": "B"}]}
    outcome, server = await asked_twice(odd, verdict("B", "B"), pair)
    assert isinstance(outcome, Judgment)
    assert (outcome.winner, outcome.unsupported, len(server.asked)) == ("b", 0, 2)
    assert "all evidence supports B, and the winner is A" in server.asked[1]["messages"][-1]["content"]


@pytest.mark.parametrize("evidence", [[], [{"node": "B", "rationale": "it glows", "supports": "B"}]])
async def test_what_stays_odd_is_kept_and_counted(pair: Pair, evidence: list[Any]) -> None:
    odd = verdict("A", "B") | {"evidence": evidence}
    outcome, server = await asked_twice(odd, odd, pair)
    assert isinstance(outcome, Judgment)
    assert (outcome.winner, outcome.unsupported, len(server.asked)) == ("a", 1, 2)
    assert len(outcome.provenance.exchanges) == 2


async def test_a_verdict_survives_when_thinking_again_gives_nothing(pair: Pair) -> None:
    odd = verdict("A", "B") | {"evidence": []}
    outcome, server = await asked_twice(odd, {"words": "none"}, pair)
    assert isinstance(outcome, Judgment)
    assert (outcome.winner, outcome.unsupported, len(server.asked)) == ("a", 1, 2)


async def test_a_missing_certainty_is_asked_for_and_a_verdict_without_it_is_still_one(pair: Pair) -> None:
    silent = {key: value for key, value in verdict("A", "A").items() if key != "certainty"}
    outcome, server = await asked_twice(silent, verdict("A", "A", certainty=2), pair)
    assert (outcome.certainty, outcome.votes[0].certainty, len(server.asked)) == (2.0, 2, 2)
    outcome, server = await asked_twice(silent, silent, pair)
    assert isinstance(outcome, Judgment)
    assert (outcome.winner, outcome.certainty, outcome.coin_flip, len(server.asked)) == ("a", None, None, 2)


@pytest.mark.parametrize("certainty", [0, 6, 4.5, "high", True, [4]])
async def test_a_certainty_off_the_scale_is_no_verdict(pair: Pair, certainty: Any) -> None:
    off = verdict("A", "A") | {"certainty": certainty}
    outcome, server = await asked_twice(off, off, pair)
    assert isinstance(outcome, Failure)
    assert (outcome.reason, len(server.asked)) == ("invalid", 2)


@pytest.mark.parametrize(("written", "level"), [(4, 4), ("4", 4), (4.0, 4), (" 1 ", 1)])
async def test_a_certainty_may_be_written_as_text(pair: Pair, written: Any, level: int) -> None:
    said = verdict("A", "A") | {"certainty": written}
    outcome, _ = await asked_twice(said, said, pair)
    assert outcome.votes[0].certainty == level


@pytest.mark.parametrize(
    ("written", "supports"),
    [
        ("A", "a"),
        ("Picture B", "b"),
        ("both ways", "both-ways"),
        ("Both lack", "both-lack"),
        ("nothing", None),
        ("neither", None),
    ],
)
async def test_what_both_lack_and_what_cuts_both_ways_are_told_apart(
    pair: Pair, written: str, supports: str | None
) -> None:
    said = verdict("A", "A")
    said["evidence"].append({"node": "B", "rationale": "r", "supports": written})
    outcome, _ = await asked_twice(said, said, pair)
    assert outcome.votes[0].evidence[1].supports == supports


async def test_a_reason_for_every_node_may_be_asked_for(judge: tuple[Judge, OpenAI], pair: Pair) -> None:
    server, _ = judge
    with Loopback(server.app) as loopback:
        backbone = OpenAI("m", provider="custom", base_url=f"{loopback.url}/v1")
        await SemJudge(backbone, rationales="every-node", orders="ab").judge(pair)
        await backbone.aclose()
    asked_again = server.asked[-1]
    assert "evidence has nothing on" in asked_again["messages"][-1]["content"]
    assert "B.3" in asked_again["messages"][-1]["content"]
    body = server.asked[-2]
    assert "one item for each id" in json.dumps(body)
    schema = body["response_format"]["json_schema"]["schema"]
    # Root and three parts of the prompt, root and two of A, root and three of B.
    assert schema["properties"]["evidence"]["maxItems"] == 4 + 3 + 4
