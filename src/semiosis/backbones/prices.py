"""Dollars per million tokens, by model, as published on the date below. Unknown models have no price.

List prices for prompts of ordinary length, without caching or batch discounts. A JSON file named by
SEMIOSIS_PRICES, {"model": [input, output]}, is read first.
"""

import json
import os
from functools import cache
from math import isfinite
from pathlib import Path

from ..core.errors import SetupError

AS_OF = "2026-11"

# model name without its provider: (input, output) in USD per million tokens
_TABLE: dict[str, tuple[float, float]] = {
    "gpt-6-astra": (10.0, 50.0),
    "gpt-6-sol": (2.0, 10.0),
    "gpt-6-luna": (0.1, 0.5),
    "gpt-5.6-sol": (4.0, 20.0),
    "gpt-5.6-terra": (2.0, 12.0),
    "gpt-5.6-luna": (0.2, 1.2),
    "gpt-5.4": (2.5, 15.0),
    "gpt-5.4-mini": (0.75, 4.5),
    "gpt-5": (1.25, 10.0),
    "gpt-5-mini": (0.25, 2.0),
    "gemini-3.1-flash-lite": (0.25, 1.5),
    "gemini-2.5-pro": (1.25, 10.0),
    "gemini-2.5-flash": (0.3, 2.5),
    "claude-fable-5-1": (10.0, 50.0),
    "claude-opus-5-5": (4.0, 20.0),
    "claude-opus-5": (5.0, 25.0),
    "claude-sonnet-5-5": (2.0, 10.0),
    "claude-sonnet-5": (2.0, 10.0),
    "claude-haiku-5-5": (0.1, 0.5),
    "claude-haiku-4-5": (1.0, 5.0),
}
_FREE = frozenset({"ollama", "llamacpp", "lmstudio", "vllm", "local", "transformers", "replay"})


def price_of(name: str) -> tuple[float, float] | None:
    """(input, output) in USD per million tokens for "provider/model"; zero for what runs on this machine."""
    provider, _, model = name.partition("/")
    own = _own(os.environ.get("SEMIOSIS_PRICES", ""))
    # What a server of one's own serves under a known name is not that model at its price.
    listed = {} if provider in _FREE or provider == "custom" else _TABLE
    for prices in (own, listed):
        for key in (name, model, model.rsplit("/", 1)[-1]):
            if key in prices:
                return prices[key]
    return (0.0, 0.0) if provider in _FREE else None


def cost_of(name: str, input_tokens: int | None, output_tokens: int | None) -> float | None:
    price = price_of(name)
    if price == (0.0, 0.0):
        return 0.0
    if price is None or input_tokens is None or output_tokens is None:
        return None
    return (price[0] * input_tokens + price[1] * output_tokens) / 1_000_000


@cache
def _own(path: str) -> dict[str, tuple[float, float]]:
    if not path:
        return {}
    try:
        table = json.loads(Path(path).read_text())
        prices = {str(model): (float(pair[0]), float(pair[1])) for model, pair in table.items()}
        if not all(isfinite(price) and price >= 0 for pair in prices.values() for price in pair):
            raise ValueError("a price is a number of dollars, zero or more")
        return prices
    except (OSError, ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
        raise SetupError(
            f'SEMIOSIS_PRICES={path} cannot be read as {{"model": [input, output]}}: {error}.'
        ) from None
