"""OpenAI's Batch API: a file of requests goes up, a file of answers and a file of errors come down.

https://developers.openai.com/api/docs/guides/batch
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Any

from ..core.errors import BackboneError
from ..core.secrets import redact
from .backbone import Request
from .batches import BatchProgress
from .hosted import count_of
from .hosted_batches import HostedBatches, lines_of, spool, written

_ENDPOINT = "/v1/chat/completions"
_LABEL = "semiosis"


class OpenAIBatches(HostedBatches):
    """The batches of an OpenAI-compatible server that has /batches and /files."""

    max_requests = 50_000
    max_bytes = 200_000_000

    def _entry(self, name: str, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        return {"custom_id": name, "method": "POST", "url": _ENDPOINT, "body": body}

    async def _deliver(self, entries: Iterable[dict[str, Any]], label: str) -> Any:
        client = self._connected()
        with spool() as file:
            seconds = self._transfer_s(await written(entries, file))
            async with asyncio.timeout(seconds):
                uploaded = await client.files.create(
                    file=("batch.jsonl", file), purpose="batch", timeout=seconds
                )
        async with asyncio.timeout(self._timeout_s):
            batch = await client.batches.create(
                completion_window="24h",
                endpoint=_ENDPOINT,
                input_file_id=uploaded.id,
                metadata={_LABEL: label},
            )
        return batch.id

    async def _found(self, label: str) -> str | None:
        async for batch in self._connected().batches.list(limit=100):
            metadata: dict[str, str] | None = batch.metadata
            if metadata and metadata.get(_LABEL) == label:
                return str(batch.id)
        return None

    async def _progress(self, batch: str) -> BatchProgress:
        state = await self._connected().batches.retrieve(batch)
        counts = state.request_counts
        ended = [count_of(getattr(counts, name, None)) or 0 for name in ("completed", "failed")]
        match state.status:
            case "completed":
                return BatchProgress("done", sum(ended))
            case "failed":
                errors = getattr(state.errors, "data", None) or [None]
                why = redact(str(getattr(errors[0], "message", None) or "it does not say why"), self._api_key)
                return BatchProgress("failed", message=f"{self.name} refused the batch: {why[:500]}")
            case "expired" | "cancelled" as status:
                why = f"{self.name} ended the batch before it was answered whole: it was {status}."
                return BatchProgress(
                    "done" if state.output_file_id or any(ended) else "failed", sum(ended), why
                )
            case _:
                return BatchProgress("waiting", sum(ended))

    async def _results(self, batch: str) -> AsyncGenerator[bytes]:
        client = self._connected()
        state = await client.batches.retrieve(batch)
        for file in (state.output_file_id, state.error_file_id):
            if file:
                async with client.files.with_streaming_response.content(file) as response:
                    async for line in lines_of(response.iter_bytes()):
                        yield line

    def _answer(self, result: dict[str, Any]) -> Any:
        from openai.types.chat import ChatCompletion

        error = result.get("error")
        if error:
            code = str(error["code"])
            complaint = redact(str(error.get("message", "")), self._api_key)[:500]
            late = code in ("batch_expired", "request_timeout")
            raise BackboneError(
                "timeout" if late else "unreachable", f"{self._asked} gave up ({code}): {complaint}"
            )
        status, body = result["response"]["status_code"], result["response"]["body"]
        if status >= 400:
            error = body["error"]
            raise self._refusal(status, str(error["message"]), code=str(error.get("code") or ""))
        return ChatCompletion.construct(**body)
