"""Between values and the rows of a store."""

import json
from typing import Any

from ..backbones.stored_replies import StoredReply
from ..core.item import Item
from ..core.outcome import Exchange, Outcome, Provenance
from ..core.records import as_json, dump, load_any


def outcome_row(item: Item, outcome: Outcome, finished_at: str) -> tuple[Any, ...]:
    provenance: Provenance | None = outcome.provenance
    exchanges = provenance.exchanges if provenance else ()
    if provenance:
        outcome = outcome.model_copy(update={"provenance": provenance.model_copy(update={"exchanges": ()})})
    finding = outcome.finding
    return (
        item.key,
        outcome.kind,
        finding.verdict,
        finding.value,
        finding.graded,
        finding.certainty,
        finding.flipped,
        finding.unverified,
        len(finding.failures),
        finding.reason,
        None if item.label is None else str(item.label),
        item.labels_by,
        outcome.agrees(item.label),
        finished_at,
        json.dumps([_link(exchange) for exchange in exchanges]),
        dump(outcome),
    )


def item_row(position: int, item: Item) -> tuple[str | int | None, ...]:
    generators = item.generators
    return (
        item.key,
        position,
        item.id,
        item.kind,
        as_json(item.labels),
        item.model_dump_json(),
        as_json(generators) if len(generators) == 2 else None,
    )


def _link(exchange: Exchange) -> dict[str, Any]:
    """What an outcome knows of a call that the call's own row does not say."""
    fields = exchange.model_dump(
        mode="json", include={"call", "stage", "asked", "endpoint", "prompts", "repairs", "cached"}
    )
    return {name: value for name, value in fields.items() if value}


def outcome_of(record: str, links: str, calls: dict[str, tuple[Any, ...]]) -> Outcome:
    """The whole outcome again: its exchanges from the rows of its calls (see `CALL_COLUMNS`)."""
    outcome = load_any(record)
    provenance: Provenance | None = outcome.provenance
    if provenance is None:
        return outcome
    exchanges = tuple(_exchange(link, calls.get(link.get("call", ""))) for link in json.loads(links))
    return outcome.model_copy(update={"provenance": provenance.model_copy(update={"exchanges": exchanges})})


def _exchange(link: dict[str, Any], row: tuple[Any, ...] | None) -> Exchange:
    if row is None:
        return Exchange.model_validate(link)
    stored = StoredReply.of_row(row)
    reply = stored.reply
    return Exchange.model_validate(
        link
        | {
            "served": reply.served,
            "fingerprint": reply.fingerprint,
            "pictures": stored.pictures,
            "parameters": reply.parameters,
            "sent": stored.sent if reply.words_known else (),
            "reply": reply.text,
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
            "cost_usd": reply.cost_usd,
            "latency_s": reply.latency_s,
            "started_at": reply.started_at,
            "attempts": reply.attempts,
            "recorded": reply.recorded,
        }
    )
