"""Where an outcome came from, told call by call, with what is not known said so."""

from dataclasses import dataclass

from ..core.outcome import Exchange, Provenance
from ..core.text import price
from .words import kilobytes, seconds


@dataclass(frozen=True)
class Call:
    """One exchange in words."""

    stage: str
    model: str
    served: str
    endpoint: str
    tokens: str
    cost: str
    time: str
    source: str
    prompts: tuple[tuple[str, str], ...]
    pictures: tuple[str, ...]
    exchange: Exchange


@dataclass(frozen=True)
class Account:
    """The calls and their sum."""

    method: str
    version: str
    package: str
    configuration: str
    models: tuple[str, ...]
    calls: tuple[Call, ...]
    tokens: str
    cost: str
    time: str
    started: str
    cached: int
    recorded: int


def account(provenance: Provenance) -> Account:
    exchanges = provenance.exchanges
    tokens_in, tokens_out = provenance.tokens
    counted = any(x.input_tokens is not None or x.output_tokens is not None for x in exchanges)
    silent = sum(x.input_tokens is None and x.output_tokens is None for x in exchanges)
    tokens = f"{tokens_in:,} in, {tokens_out:,} out" if counted else "not reported"
    return Account(
        method=provenance.method,
        version=provenance.method_version,
        package=provenance.package_version,
        configuration=", ".join(
            f"{name} {value}" for name, value in provenance.configuration.items() if value is not None
        ),
        models=provenance.models,
        calls=tuple(_call(exchange) for exchange in exchanges),
        tokens=tokens + (f" ({silent} of {len(exchanges)} calls did not say)" if counted and silent else ""),
        cost=_cost(provenance),
        time=_time(sum(x.latency_s for x in exchanges if not x.cached and not x.recorded), exchanges),
        started=min((x.started_at for x in exchanges if x.started_at), default="").replace("T", " ")[:16],
        cached=sum(x.cached for x in exchanges),
        recorded=sum(x.recorded for x in exchanges),
    )


def _time(latency_s: float, exchanges: tuple[Exchange, ...]) -> str:
    if not exchanges:
        return "no calls"
    return seconds(latency_s) if latency_s else "no waiting for a model"


def _cost(provenance: Provenance) -> str:
    paid = [x for x in provenance.exchanges if not x.cached and not x.recorded]
    if not paid:
        return "nothing was paid for now"
    cost_usd = sum(x.cost_usd for x in paid if x.cost_usd is not None)
    unknown = sum(x.cost_usd is None for x in paid)
    if not unknown:
        return price(cost_usd)
    return f"unknown, no price for {unknown} of {len(paid)} calls" + (
        f"; {price(cost_usd)} for the rest" if cost_usd else ""
    )


def _call(x: Exchange) -> Call:
    tokens = (
        "tokens not reported"
        if x.input_tokens is None and x.output_tokens is None
        else f"{_number(x.input_tokens)} in, {_number(x.output_tokens)} out"
    )
    source = ["cached"] if x.cached else []
    source += ["recorded"] if x.recorded else []
    source += [f"{x.attempts} attempts"] if x.attempts > 1 else []
    return Call(
        stage=x.stage,
        model=x.asked,
        served=x.served if x.served != x.asked else "",
        endpoint=x.endpoint,
        tokens=tokens,
        cost="not paid again" if x.cached or x.recorded else price(x.cost_usd),
        time=seconds(x.latency_s) if x.latency_s else "",
        source=", ".join(source),
        prompts=tuple(x.prompts.items()),
        pictures=tuple(
            f"{sent.sha256[:12]} sent at {sent.width} × {sent.height}, {kilobytes(sent.bytes)}"
            + (f"; {sent.note}" if sent.note else "")
            for sent in x.pictures
        ),
        exchange=x,
    )


def _number(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"
