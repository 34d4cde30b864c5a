"""From a name, or from nothing, to a backbone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from loopback import Loopback, Script, json_answer
from semiosis.backbones import lookup as resolve
from semiosis.backbones.backbone import Message, Request
from semiosis.backbones.llamacpp import LlamaCpp
from semiosis.backbones.lookup import backbone, bare, reachable
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.prices import price_of
from semiosis.backbones.providers import Provider, ProviderSettings, find
from semiosis.backbones.recording import Replay
from semiosis.backbones.wrapper import Retrying
from semiosis.core.errors import BackboneError, BadSetting, NoModel, UnknownName


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
    model = backbone(name)
    assert type(inner(model)).__name__ == kind
    assert model.name == name


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
    def make(model: str, settings: ProviderSettings) -> OpenAI:
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


@pytest.mark.parametrize("how", ["OPENAI_BASE_URL", "base_url"])
def test_a_model_of_openai_keeps_its_name_and_its_price_behind_another_address(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "http://127.0.0.1:9/v1"
    if how == "OPENAI_BASE_URL":
        monkeypatch.setenv(how, url)
    model = backbone("openai/gpt-5", base_url=url if how == "base_url" else None)
    assert (model.name, model.traits.identity) == ("openai/gpt-5", url)
    assert price_of(model.name) == (1.25, 10.0)


@pytest.mark.parametrize(
    ("name", "variable"),
    [("anthropic/m", "ANTHROPIC_BASE_URL"), ("gemini/m", "GOOGLE_GEMINI_BASE_URL")],
)
async def test_an_address_that_a_client_finds_by_itself_is_named_where_it_cannot_be_reached(
    name: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9/of-mine")
    model = Retrying(inner(backbone(name)), tries=1)  # type: ignore[arg-type]
    with pytest.raises(BackboneError, match=f"{name} at http://127.0.0.1:9/of-mine cannot be reached"):
        await model.complete(Request((Message("user", ("hi",)),), task="t"))
    await model.aclose()


def test_a_name_without_a_provider_has_no_list_price() -> None:
    model = backbone("gpt-5", base_url="http://127.0.0.1:9/v1")
    assert (model.name, price_of(model.name)) == ("custom/gpt-5", None)


async def test_a_price_given_by_file_wins_over_the_list_and_over_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"gpt-5": [1, 2], "m.gguf": [3, 4]}')
    monkeypatch.setenv("SEMIOSIS_PRICES", str(prices))
    for name in ("openai/gpt-5", "custom/gpt-5", "ollama/gpt-5", "openrouter/openai/gpt-5"):
        assert price_of(name) == (1.0, 2.0)

    class Server:
        def handle_chat_completions(self, body: object, take: Callable[[object], bool]) -> None:
            take({"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}]})
            take({"usage": {"prompt_tokens": 1_000_000, "completion_tokens": 1_000_000}})

    (tmp_path / "m.gguf").touch()
    local = LlamaCpp(tmp_path / "m.gguf")
    local._server = Server()  # pyright: ignore[reportPrivateUsage]
    assert (await local.complete(Request((Message("user", ("hi",)),), task="t"))).cost_usd == 7.0


def test_the_models_of_the_server_at_openai_base_url_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    app = web.Application()
    app.router.add_get("/v1/models", models)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-key-0001")
    with Loopback(app) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        (reach,) = [each for each in reachable() if each.provider == "openai"]
        assert backbone().name == "openai/found-here"
    assert (reach.ready, reach.models) == (True, ("openai/found-here", "openai/another"))
    assert reach.how == "--model openai/found-here"


def test_the_key_is_for_the_server_at_openai_base_url_and_not_for_one_that_it_leads_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere = Script(models)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-key-0001")
    with Loopback(elsewhere.app) as other:
        leading = Script(json_answer({}, status=307, headers={"Location": f"{other.url}/models"}))
        with Loopback(leading.app) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
            assert backbone().name == "openai/found-here"
    assert [each.headers.get("authorization") for each in leading.seen] == ["Bearer sk-test-key-0001"]
    assert [each.headers.get("authorization") for each in elsewhere.seen] == [None]


def test_a_server_at_openai_base_url_that_lists_nothing_is_said_to_be_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:hush@127.0.0.1:9/v1?key=hush")
    (reach,) = [each for each in reachable() if each.provider == "openai"]
    assert (reach.ready, reach.models) == (False, ())
    assert reach.how == "start it; looked at http://127.0.0.1:9/v1"


def test_nothing_in_reach_names_three_ways_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "_served", lambda url: ())
    with pytest.raises(NoModel, match=r"OPENAI_API_KEY.*Ollama.*models pull"):
        backbone()


@pytest.mark.parametrize("name", ["gpt-5", "openai/", "nobody/model"])
def test_a_name_that_leads_nowhere_says_so(name: str) -> None:
    with pytest.raises(UnknownName):
        backbone(name)


def test_an_address_without_its_scheme_is_refused() -> None:
    with pytest.raises(BadSetting, match=r"starts with http:// or https://, unlike '127.0.0.1:9100'"):
        bare("m", base_url="127.0.0.1:9100")
