"""Anthropic's Message Batches API: a list of requests goes up, lines of results come down.

https://platform.claude.com/docs/en/build-with-claude/batch-processing
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Any

from ..core.errors import BackboneError
from .backbone import Request
from .batches import BatchProgress
from .hosted import count_of
from .hosted_batches import HostedBatches, Ticket, lines_of, mark_of, object_of

_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 408,
}


class AnthropicBatches(HostedBatches):
    """The batches of Anthropic's own endpoint."""

    max_requests = 100_000
    # The API takes 256 MB, but the client holds a batch in memory, four times its size.
    max_bytes = 100_000_000

    def _entry(self, name: str, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        flat = {field: value for field, value in body.items() if field != "extra_body"}
        return {"custom_id": name, "params": flat | body.get("extra_body", {})}

    async def _deliver(self, entries: Iterable[dict[str, Any]], label: str) -> Any:
        requests = await asyncio.to_thread(list, entries)
        seconds = self._transfer_s(self.max_bytes)
        async with asyncio.timeout(seconds):
            batch = await self._connected().messages.batches.create(requests=requests, timeout=seconds)
        return batch.id

    async def _found(self, label: str) -> str | None:
        """A batch shows its label only in its results, so one under way may be the one."""
        mark, under_way = mark_of(label), 0
        async for batch in self._connected().messages.batches.list(limit=100):
            if batch.processing_status != "ended":
                under_way += batch.id not in self._submitted
            elif batch.results_url:
                async with aclosing(self._results(batch.id)) as lines:
                    ticket = Ticket.read(object_of(await anext(lines)).get("custom_id"))
                if ticket and ticket.mark == mark:
                    return str(batch.id)
        if under_way:
            raise BackboneError(
                "unreachable",
                f"{self.name} tells batches apart only when they have ended, and {under_way} have not: "
                "ask again when they have.",
            )
        return None

    async def _progress(self, batch: str) -> BatchProgress:
        state = await self._connected().messages.batches.retrieve(batch)
        succeeded, errored, expired, canceled = (
            count_of(getattr(state.request_counts, name, None)) or 0
            for name in ("succeeded", "errored", "expired", "canceled")
        )
        if state.processing_status != "ended":
            return BatchProgress("waiting", succeeded + errored)
        if not state.results_url:
            return BatchProgress("failed", message=f"{self.name} no longer keeps the results of the batch.")
        why = ""
        if expired or canceled:
            why = f"{self.name} left requests unanswered: {expired} expired, {canceled} were cancelled."
        return BatchProgress("done" if succeeded or errored else "failed", succeeded + errored, why)

    async def _results(self, batch: str) -> AsyncGenerator[bytes]:
        results = self._connected().messages.batches.with_streaming_response.results(batch)
        # The client's own reader stops at the first line that is not JSON.
        async with results as response:
            async for line in lines_of(response.iter_bytes()):
                yield line

    def _answer(self, result: dict[str, Any]) -> Any:
        from anthropic.types import Message

        outcome = result["result"]
        match outcome:
            case {"type": "succeeded"}:
                return Message.construct(**outcome["message"])
            case {"type": "errored", "error": {"error": {"type": str(kind), "message": str(message)}}}:
                raise self._refusal(_STATUS.get(kind, 500), message, code=kind)
            case {"type": "expired"}:
                raise BackboneError("timeout", f"{self.name} did not come to this request within its day.")
            case {"type": "canceled"}:
                raise BackboneError("unreachable", f"{self.name} did not come to this request: cancelled.")
            case _:
                raise TypeError(outcome)
