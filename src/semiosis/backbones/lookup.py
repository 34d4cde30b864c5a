"""From "provider/model" to a backbone, and what this machine can reach.

backbone("openai/gpt-5")
backbone("my.module:make/model")  a function (model, settings) -> Backbone of your own
backbone()                      SEMIOSIS_MODEL, else a key, else a local server, else a pulled model
"""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any

from ..core.errors import BadSetting, MissingExtra, NoModel, UnknownName
from ..core.secrets import address
from ..core.settings import TIMEOUT, checked
from .backbone import Backbone
from .downloads import Unfetched, is_url, read
from .hub import find as find_local
from .openai import OpenAI
from .providers import Provider, ProviderSettings, find, load, providers
from .wrapper import Retrying

# A server of this machine answers at once or not at all; one elsewhere is given a while.
PROBE_S, ELSEWHERE_S = 0.5, 5.0

NO_MODEL = (
    "No model was named and none was found. The three easiest ways on: set a key "
    "(export OPENAI_API_KEY=..., or ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY); or start Ollama "
    "and use --model ollama/qwen3-vl; or install the local extra and run `semiosis models pull` once, and "
    "need neither key nor server."
)


@dataclass(frozen=True)
class Reach:
    """One provider as this machine sees it now."""

    provider: str
    about: str
    ready: bool
    models: tuple[str, ...]
    how: str


@checked
def backbone(
    name: str | None = None, *, base_url: str | None = None, timeout_s: Annotated[float, TIMEOUT] = 120.0
) -> Retrying:
    """The backbone of that name, with retries; without a name, the first that can be reached.

    name        provider/model, as "openai/gpt-5"; SEMIOSIS_MODEL, else whatever is in reach, if left out
    base_url    an OpenAI-compatible server to ask instead
    timeout_s   how long one call may take

    Used in an `async with`, it is closed at the end; a program that calls synchronously need not close it.
    """
    return Retrying(bare(name, base_url=base_url, timeout_s=timeout_s))


def bare(name: str | None = None, *, base_url: str | None = None, timeout_s: float = 120.0) -> Backbone:
    """The same without retries, for a caller with wrappers of its own."""
    if base_url is not None and not is_url(base_url):
        raise BadSetting(f"A server's address starts with http:// or https://, unlike {base_url[:80]!r}.")
    settings = ProviderSettings(base_url=base_url, timeout_s=timeout_s)
    named = name or choose(base_url)
    prefix, slash, model = named.partition("/")
    names = {each.name for each in providers()}
    if base_url is not None and prefix not in names:
        return _compatible(named, settings)
    if slash and ":" in prefix:
        return load(prefix)(model, settings)
    if not slash or not model:
        guess = f" (did you mean openai/{named}?)" if named.startswith(("gpt", "o1", "o3", "o4")) else ""
        raise UnknownName(
            f"A model is named provider/model, not {named!r}{guess}; "
            f"the providers are {', '.join(sorted(names))}."
        )
    provider = find(prefix)
    if provider.needs and not provider.installed:
        raise MissingExtra(named, extra=provider.needs[1])
    return provider.make(model, settings)


def choose(base_url: str | None = None) -> str:
    """The name that is taken where none is given."""
    named = os.environ.get("SEMIOSIS_MODEL")
    if named:
        return named
    if base_url is None:
        provider, model = _first_reachable()
        return f"{provider.name}/{model}"
    served = _served(base_url)
    if not served:
        raise NoModel(f"No model was named, and {base_url} does not list any: add --model NAME.")
    return served[0]


def _compatible(model: str, settings: ProviderSettings) -> Backbone:
    return OpenAI(
        model,
        provider="custom",
        base_url=settings.base_url,
        api_key=os.environ.get("OPENAI_API_KEY"),
        timeout_s=settings.timeout_s,
    )


def reachable() -> list[Reach]:
    """Every provider: ready or not, the models a running server lists, and how to get there."""
    with ThreadPoolExecutor(max_workers=8) as pool:
        return list(pool.map(_reach, providers()))


def _first_reachable() -> tuple[Provider, str]:
    named = [provider for provider in providers() if provider.server.startswith("$")]
    for provider in named:
        served = _served(provider.listing)
        if served:
            return provider, served[0]
    lacking: list[str] = []
    for provider in providers():
        if provider.default_model and provider.key:
            if provider.installed:
                return provider, provider.default_model
            lacking.append(f"{provider.keys[0]} is set, but {how_to_install(provider)}")
    for provider in providers():
        served = _served(provider.listing)
        if served:
            return provider, served[0]
    local = find_local()
    if local is not None and find("local").installed:
        return find("local"), str(local.gguf)
    raise NoModel(" ".join([*(f"{each}." for each in lacking), NO_MODEL]))


def how_to_install(provider: Provider) -> str:
    package, extra = provider.needs or ("", "")
    return f"{provider.name} needs the package {package}: pip install 'semiosis[{extra}]'"


def _reach(provider: Provider) -> Reach:
    if provider.needs and not provider.installed:
        return Reach(provider.name, provider.about, False, (), how_to_install(provider))
    if provider.listing:
        served = tuple(f"{provider.name}/{model}" for model in _served(provider.listing))
        how = f"--model {served[0]}" if served else f"start it; looked at {address(provider.listing)}"
        return Reach(provider.name, provider.about, bool(served), served, how)
    if provider.keys:
        model = f"{provider.name}/{provider.default_model}"
        ready = provider.key is not None
        how = f"--model {model}" if ready else f"export {provider.keys[0]}=..."
        return Reach(provider.name, provider.about, ready, (model,) if ready else (), how)
    if provider.name == "local":
        local = find_local()
        how = f"--model local/{local.gguf}" if local else "semiosis models pull"
        return Reach(provider.name, provider.about, local is not None, (), how)
    return Reach(provider.name, provider.about, True, (), f"--model {provider.name}/PATH")


def _served(base_url: str) -> tuple[str, ...]:
    """The models a server lists, or none when there is no server."""
    if not base_url:
        return ()
    key = os.environ.get("OPENAI_API_KEY") if base_url == os.environ.get("OPENAI_BASE_URL") else None
    within_s = PROBE_S if "//127.0.0.1:" in base_url else ELSEWHERE_S
    try:
        listed: Any = json.loads(read(f"{base_url.rstrip('/')}/models", within_s, key=key))
        return tuple(str(entry["id"]) for entry in listed["data"])
    except (Unfetched, ValueError, KeyError, TypeError, RecursionError):
        return ()
