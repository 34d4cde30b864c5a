"""A run by the providers' batch APIs: the stages as successive batches, collected after a restart."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from batching import AnthropicServer, BatchServer, GeminiServer, OpenAIServer
from chat import BOX, picture_graph, prompt_graph, verdict
from counting import write_pairs, write_tournament
from loopback import Loopback
from semiosis.backbones.adaptive_limit import Pace
from semiosis.backbones.anthropic import Anthropic
from semiosis.backbones.backbone import Backbone
from semiosis.backbones.gemini import Gemini
from semiosis.backbones.openai import OpenAI
from semiosis.core.errors import BadSetting, StoreError
from semiosis.methods.semjudge.judge import SemJudge
from semiosis.runs.asking import Ended
from semiosis.runs.batch_records import BatchRecords
from semiosis.runs.batched import Batched
from semiosis.runs.execution import Equipment, Execution
from semiosis.runs.journal import StoreJournal
from semiosis.runs.store import About, Store
from semiosis.sources import open_items


def stage(body: dict[str, Any]) -> str:
    """Which stage a request is of, by the shape it asks for, whatever the provider calls it."""
    text = json.dumps(body)
    if '"winner"' in text:
        return "verdict"
    return "pictures" if '"boxes"' in text else "prompt"


def answer(body: dict[str, Any]) -> str:
    replies = {
        "prompt": prompt_graph("everything glows"),
        "pictures": {"a": picture_graph("a", [BOX]), "b": picture_graph("b", [BOX])},
        "verdict": verdict("A", "A.1"),
    }
    return json.dumps(replies[stage(body)])


PROVIDERS: dict[str, tuple[type[BatchServer], Callable[[str], Backbone]]] = {
    "openai": (OpenAIServer, lambda url: OpenAI("gpt-5", base_url=url, api_key="k")),
    "anthropic": (AnthropicServer, lambda url: Anthropic("claude-haiku-5-5", base_url=url, api_key="k")),
    "gemini": (GeminiServer, lambda url: Gemini("gemini-3.1-flash-lite", base_url=url, api_key="k")),
}


async def run(
    folder: Path, pairs: Path, backbone: Backbone, during: Callable[[Execution], Any] | None = None
) -> tuple[Ended, list[str]]:
    path = folder / "first.sqlite"
    messages: list[str] = []
    about = About("first", "pairs", "semjudge", "1", "0", {})
    with Store.resume(path) if path.exists() else Store.create(path, about) as store:
        equipment = Equipment(
            StoreJournal(store), Pace(), None, lambda bare: Batched(bare, store, messages.append, quiet_s=0.3)
        )
        method = SemJudge(equipment.equip(backbone))
        execution = Execution(store, open_items(pairs), method, equipment.paces, items_at_once=100)
        watching = asyncio.create_task(during(execution)) if during else None
        ended = await execution.run()
        await method.backbone.aclose()
        if watching:
            await watching
    return ended, messages


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with Store.look(folder / "first.sqlite") as store:
        return list(store.rows(query))


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_the_stages_of_a_tournament_are_three_batches(tmp_path: Path, provider: str) -> None:
    make, backbone = PROVIDERS[provider]
    server = make(answer)
    with Loopback(server.app) as loopback:
        ended, _ = await run(tmp_path, write_tournament(tmp_path), backbone(f"{loopback.url}{server.path}"))
    assert ended == Ended("done")
    sizes = [Counter(stage(body) for _, body in batch.entries) for batch in server.batches]
    assert sizes == [{"prompt": 1}, {"pictures": 10}, {"verdict": 20}]
    assert rows(tmp_path, "select kind, count(*) from outcomes group by 1") == [("judgment", 10)]
    assert rows(tmp_path, "select count(*) from batches where collected_at is null") == [(0,)]


async def test_a_stopped_run_collects_its_batch_when_it_is_resumed(tmp_path: Path) -> None:
    server = OpenAIServer(answer)
    pairs = write_tournament(tmp_path)
    with Loopback(server.app) as loopback:
        url = f"{loopback.url}{server.path}"

        async def stop_when_held(execution: Execution) -> None:
            server.held = False
            while len(server.batches) < 2:
                await asyncio.sleep(0.01)
            server.held = True
            while not rows(
                tmp_path, "select 1 from batches where batch is not null and collected_at is null"
            ):
                await asyncio.sleep(0.01)
            execution.stop()

        ended, _ = await run(tmp_path, pairs, PROVIDERS["openai"][1](url), stop_when_held)
        assert ended == Ended("stopped")
        before = len(server.submitted)
        server.held = False
        ended, messages = await run(tmp_path, pairs, PROVIDERS["openai"][1](url))
    assert ended == Ended("done")
    assert any("taken up again" in line for line in messages)
    assert rows(tmp_path, "select count(*) from outcomes") == [(10,)]
    assert len(server.submitted) == 31 > before
    assert rows(tmp_path, "select count(*) from batches where collected_at is null") == [(0,)]


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_batch_whose_name_was_lost_is_found_by_its_label(tmp_path: Path, arrived: bool) -> None:
    """As after a kill between submitting and hearing back."""
    server = OpenAIServer(answer)
    pairs = write_tournament(tmp_path)
    with Loopback(server.app) as loopback:
        url = f"{loopback.url}{server.path}"
        server.held = True

        async def stop_when_submitted(execution: Execution) -> None:
            while not rows(tmp_path, "select 1 from batches where batch is not null"):
                await asyncio.sleep(0.01)
            execution.stop()

        await run(tmp_path, pairs, PROVIDERS["openai"][1](url), stop_when_submitted)
        with Store.resume(tmp_path / "first.sqlite") as store:
            store.execute("update batches set batch = null")
        if not arrived:
            server.batches.clear()
        server.held = False
        ended, _ = await run(tmp_path, pairs, PROVIDERS["openai"][1](url))
    assert ended == Ended("done")
    assert rows(tmp_path, "select count(*) from outcomes") == [(10,)]
    assert Counter(stage(body) for body in server.submitted)["prompt"] == 1


async def test_a_request_that_expired_is_submitted_again(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()

    def once_late(body: dict[str, Any]) -> Any:
        counts[stage(body)] += 1
        return None if stage(body) == "prompt" and counts["prompt"] == 1 else answer(body)

    server = OpenAIServer(once_late)
    with Loopback(server.app) as loopback:
        backbone = PROVIDERS["openai"][1](f"{loopback.url}{server.path}")
        ended, _ = await run(tmp_path, write_tournament(tmp_path), backbone)
    assert ended == Ended("done")
    assert counts["prompt"] == 2
    assert rows(tmp_path, "select kind, count(*) from outcomes group by 1") == [("judgment", 10)]


async def test_a_request_the_provider_refuses_is_a_failure_of_its_items_alone(tmp_path: Path) -> None:
    def picky(body: dict[str, Any]) -> Any:
        return (
            server.fails(400, "this picture is not allowed")
            if "Prompt 1:" in json.dumps(body)
            else answer(body)
        )

    server = OpenAIServer(picky)
    with Loopback(server.app) as loopback:
        backbone = PROVIDERS["openai"][1](f"{loopback.url}{server.path}")
        ended, _ = await run(tmp_path, write_pairs(tmp_path, 6, prompts=3, pictures=4), backbone)
    assert ended == Ended("done")
    counts = rows(tmp_path, "select kind, reason, count(*) from outcomes group by 1, 2 order by 1")
    assert counts == [("failure", "rejected", 2), ("judgment", None, 4)]


async def test_a_provider_without_batches_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with (
        Store.create(tmp_path / "x.sqlite", About("x", "x", "x", "1", "0", {})) as store,
        pytest.raises(
            BadSetting, match=r"takes no batches: OpenAI's own server does \(unset OPENAI_BASE_URL"
        ),
    ):
        Batched(OpenAI("m", provider="ollama", base_url="http://127.0.0.1:1/v1"), store, print)


@pytest.mark.parametrize("method", ["begin", "name"])
async def test_a_store_that_fails_behind_the_scenes_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def full(*_: Any) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(BatchRecords, method, full)
    server = OpenAIServer(answer)
    with Loopback(server.app) as loopback:
        backbone = PROVIDERS["openai"][1](f"{loopback.url}{server.path}")
        with pytest.raises(StoreError, match="the disk is full"):
            async with asyncio.timeout(10):
                await run(tmp_path, write_tournament(tmp_path), backbone)
