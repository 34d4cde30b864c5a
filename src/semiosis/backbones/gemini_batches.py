"""Google's Batch API: a file of requests goes up, a file of results comes down.

https://ai.google.dev/gemini-api/docs/batch-api
"""

import asyncio
from abc import abstractmethod
from collections.abc import AsyncGenerator, Iterable
from typing import Any, cast

from .backbone import Request
from .batches import BatchProgress
from .hosted_batches import HostedBatches, spool, written

_DOWNLOAD_S = 600
_ENDED = frozenset({"succeeded", "partially_succeeded", "failed", "cancelled", "expired"})
# google.rpc.Code in place of an HTTP status
_STATUS = {1: 499, 3: 400, 4: 408, 5: 404, 7: 403, 8: 429, 9: 400, 11: 400, 12: 400, 16: 401}


class GeminiBatches(HostedBatches):
    """The batches of Google's own endpoint."""

    max_requests = 50_000
    max_bytes = 2_000_000_000
    _name_field = "key"

    def _entry(self, name: str, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        config = dict(body)
        system = config.pop("system_instruction", None)
        # The client would arrange this for a single call; a file holds what the server itself reads.
        body = {"contents": self._contents(request), "generation_config": config}
        if system:
            body["system_instruction"] = {"parts": [{"text": system}]}
        return {"key": name, "request": body}

    async def _deliver(self, entries: Iterable[dict[str, Any]], label: str) -> Any:
        genai, _ = self._connected()
        with spool() as file:
            seconds = self._transfer_s(await written(entries, file))
            async with asyncio.timeout(seconds):
                uploaded = await genai.aio.files.upload(file=file, config={"mime_type": "application/jsonl"})
        async with asyncio.timeout(self._timeout_s):
            job = await genai.aio.batches.create(
                model=self.model, src=uploaded.name, config={"display_name": label}
            )
        return job.name

    async def _found(self, label: str) -> str | None:
        genai, _ = self._connected()
        async for job in await genai.aio.batches.list(config={"page_size": 100}):
            if job.display_name == label:
                return str(job.name)
        return None

    async def _progress(self, batch: str) -> BatchProgress:
        genai, _ = self._connected()
        job = await genai.aio.batches.get(name=batch)
        state = str(job.state.value).removeprefix("JOB_STATE_").lower() if job.state else ""
        if state not in _ENDED:
            return BatchProgress("waiting")
        why = "" if state == "succeeded" else f"{self.name} ended the batch as {state}."
        return BatchProgress("done" if _file_of(job) else "failed", message=why)

    async def _results(self, batch: str) -> AsyncGenerator[bytes]:
        genai, _ = self._connected()
        name = _file_of(await genai.aio.batches.get(name=batch))
        if name:
            with spool() as file:
                await genai.aio.files.download(
                    file=name, destination=file, config={"http_options": {"timeout": _DOWNLOAD_S * 1000}}
                )
                file.seek(0)
                for line in file:
                    yield line

    def _answer(self, result: dict[str, Any]) -> Any:
        from google.genai.types import GenerateContentResponse

        match result:
            case {"error": {"code": int(code), "message": str(message), **rest}}:
                status = code if code >= 100 else _STATUS.get(code, 500)
                raise self._refusal(status, message, code=str(rest.get("status", "")).lower())
            case _:
                # The public way to the same object refuses fields it does not know.
                parse = cast(Any, GenerateContentResponse)._from_response
                return parse(response=result["response"], kwargs={})

    @abstractmethod
    def _contents(self, request: Request) -> list[dict[str, Any]]: ...


def _file_of(job: Any) -> str | None:
    return job.dest.file_name if job.dest else None
