"""From "provider/model" to a backbone, and what this machine can reach.

backbone("openai/gpt-5")
backbone()                      SEMIOSIS_MODEL, else a key, else a local server, else a pulled model
"""

import json
import os
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ..core.errors import NoModel, UnknownName
from .base import Backbone
from .hub import find as find_local
from .openai import OpenAI
from .providers import Provider, Settings, find, providers
from .wrappers import Retrying

PROBE_S = 0.5

NO_MODEL = (
    "No model was named and none was found. The three easiest ways on: set a key "
    "(export OPENAI_API_KEY=..., or ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY); or start Ollama "
    "and use --model ollama/qwen3-vl; or run `semiosis models pull` once and need neither key nor server."
)


@dataclass(frozen=True)
class Reach:
    """One provider as this machine sees it now."""

    provider: str
    about: str
    ready: bool
    models: tuple[str, ...]
    how: str


def backbone(name: str | None = None, *, base_url: str | None = None, timeout_s: float = 120.0) -> Backbone:
    """The backbone of that name, with retries; without a name, the first that can be reached."""
    settings = Settings(base_url=base_url, timeout_s=timeout_s)
    named = name or os.environ.get("SEMIOSIS_MODEL")
    if named is None and base_url is not None:
        served = _served(base_url)
        if not served:
            raise NoModel(f"No model was named, and {base_url} does not list any: add --model NAME.")
        named = served[0]
    if named is None:
        named = _first_reachable()
    provider, slash, model = named.partition("/")
    known = {item.name for item in providers()}
    if base_url is not None and provider not in known:
        return Retrying(
            OpenAI(
                named,
                provider="custom",
                base_url=base_url,
                api_key=os.environ.get("OPENAI_API_KEY"),
                timeout_s=timeout_s,
            )
        )
    if not slash or not model:
        raise UnknownName(
            f"A model is named provider/model, not {named!r}; the providers are {', '.join(sorted(known))}."
        )
    found = find(provider)
    if found.keys and found.key is None and base_url is None and not _elsewhere(provider):
        raise NoModel(f"{named} needs a key: export {found.keys[0]}=...")
    return Retrying(found.make(model, settings))


def reachable() -> list[Reach]:
    """Every provider: ready or not, the models a running server lists, and how to get there."""
    with ThreadPoolExecutor(max_workers=8) as pool:
        return list(pool.map(_reach, providers()))


def _first_reachable() -> str:
    for provider in providers():
        if provider.default_model and provider.key and provider.installed:
            return f"{provider.name}/{provider.default_model}"
    if os.environ.get("OPENAI_BASE_URL"):
        served = _served(os.environ["OPENAI_BASE_URL"])
        if served:
            return f"openai/{served[0]}"
    for provider in providers():
        served = _served(provider.server) if provider.server else ()
        if served:
            return f"{provider.name}/{served[0]}"
    local = find_local()
    if local is not None and find("local").installed:
        return f"local/{local.gguf}"
    raise NoModel(NO_MODEL)


def _elsewhere(provider: str) -> bool:
    """Whether OpenAI's usual variable sends its requests to another server, which may need no key."""
    return provider == "openai" and bool(os.environ.get("OPENAI_BASE_URL"))


def _reach(provider: Provider) -> Reach:
    if provider.needs and not provider.installed:
        how = f"pip install 'semiosis[{provider.needs[1]}]'"
        return Reach(provider.name, provider.about, False, (), how)
    if provider.keys:
        model = f"{provider.name}/{provider.default_model}"
        ready = provider.key is not None
        how = f"--model {model}" if ready else f"export {provider.keys[0]}=..."
        return Reach(provider.name, provider.about, ready, (model,) if ready else (), how)
    if provider.server:
        served = tuple(f"{provider.name}/{model}" for model in _served(provider.server))
        how = f"--model {served[0]}" if served else f"start it; looked at {provider.server}"
        return Reach(provider.name, provider.about, bool(served), served, how)
    if provider.name == "local":
        local = find_local()
        how = f"--model local/{local.gguf}" if local else "semiosis models pull"
        return Reach(provider.name, provider.about, local is not None, (), how)
    return Reach(provider.name, provider.about, True, (), f"--model {provider.name}/PATH")


def _served(base_url: str) -> tuple[str, ...]:
    """The models a server lists, or none when there is no server."""
    request = urllib.request.Request(f"{base_url.rstrip('/')}/models")
    key = os.environ.get("OPENAI_API_KEY")
    if key and base_url == os.environ.get("OPENAI_BASE_URL"):
        request.add_header("Authorization", f"Bearer {key}")
    try:
        with urllib.request.urlopen(request, timeout=PROBE_S) as response:
            listed: Any = json.loads(response.read(1_000_000))
            return tuple(str(entry["id"]) for entry in listed["data"])
    except (OSError, ValueError, KeyError, TypeError):
        return ()
