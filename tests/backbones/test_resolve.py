"""From a name, or from nothing, to a backbone."""

from pathlib import Path

import pytest
from aiohttp import web

from loopback import Loopback
from semiosis.backbones import resolve
from semiosis.backbones.cassette import Replay
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.providers import Provider, Settings, find
from semiosis.backbones.resolve import backbone, reachable
from semiosis.backbones.wrappers import Retrying
from semiosis.core.errors import NoModel, UnknownName


def inner(model: object) -> object:
    assert isinstance(model, Retrying)
    return model.inner


@pytest.mark.parametrize(
    ("name", "key", "kind"),
    [
        ("openai/gpt-5", "OPENAI_API_KEY", "OpenAI"),
        ("openrouter/qwen/qwen3-vl", "OPENROUTER_API_KEY", "OpenAI"),
        ("anthropic/claude-haiku-5-5", "ANTHROPIC_API_KEY", "Anthropic"),
        ("gemini/gemini-3.1-flash-lite", "GEMINI_API_KEY", "Gemini"),
        ("gemini/gemini-3.1-flash-lite", "GOOGLE_API_KEY", "Gemini"),
        ("ollama/qwen3-vl:8b", "", "OpenAI"),
        ("vllm/Qwen/Qwen3-VL-8B", "", "OpenAI"),
        ("llamacpp/any", "", "OpenAI"),
        ("lmstudio/any", "", "OpenAI"),
    ],
)
def test_names_lead_to_their_backbones(
    name: str, key: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if key:
        monkeypatch.setenv(key, "sk-test-key-0001")
    found = backbone(name)
    assert type(inner(found)).__name__ == kind
    assert found.name == name


def test_a_tape_is_a_model_too(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    tape.write_text('{"model": "m", "task": "t", "subject": [], "reply": {"text": "x"}}\n')
    assert isinstance(inner(backbone(f"replay/{tape}")), Replay)


def test_semiosis_model_comes_before_keys_and_keys_before_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "sk-test-key-0001")
    assert backbone().name == f"gemini/{find('gemini').default_model}"
    monkeypatch.setenv("SEMIOSIS_MODEL", "ollama/mine")
    assert backbone().name == "ollama/mine"


async def models(_: web.Request) -> web.Response:
    return web.json_response({"object": "list", "data": [{"id": "found-here"}, {"id": "another"}]})


def served(url: str) -> Provider:
    def make(model: str, settings: Settings) -> OpenAI:
        return OpenAI(model, provider="ollama", base_url=url)

    return Provider("ollama", make, "a server", server=url)


def test_a_local_server_that_runs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    app = web.Application()
    app.router.add_get("/v1/models", models)
    with Loopback(app) as server:
        provider = served(f"{server.url}/v1")
        monkeypatch.setattr(resolve, "providers", lambda: (provider,))
        monkeypatch.setattr(resolve, "find", lambda name: provider)
        assert backbone().name == "ollama/found-here"
        (reach,) = reachable()
    assert reach.ready
    assert reach.models == ("ollama/found-here", "ollama/another")


def test_a_base_url_without_a_model_takes_the_first_it_lists() -> None:
    app = web.Application()
    app.router.add_get("/v1/models", models)
    with Loopback(app) as server:
        assert backbone(base_url=f"{server.url}/v1").name == "custom/found-here"
    with pytest.raises(NoModel, match="does not list any"):
        backbone(base_url="http://127.0.0.1:9/v1")


def test_nothing_in_reach_names_three_ways_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "_served", lambda url: ())
    with pytest.raises(NoModel, match=r"OPENAI_API_KEY.*Ollama.*models pull"):
        backbone()


@pytest.mark.parametrize("name", ["gpt-5", "openai/", "nobody/model"])
def test_a_name_that_leads_nowhere_says_so(name: str) -> None:
    with pytest.raises(UnknownName):
        backbone(name)
