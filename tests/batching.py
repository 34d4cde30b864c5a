"""Loopback servers that speak the batch endpoints of OpenAI, Anthropic and Google to their real clients.

server = OpenAIServer(lambda body: "an answer")     or None: not answered before the batch expired
with Loopback(server.app) as loopback:
    OpenAI("gpt-5", base_url=f"{loopback.url}{server.path}")
server.submitted                                    the bodies of all requests in all batches
server.held = True                                  batches stay under way until it is False again
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from aiohttp import web

from chat import completion
from loopback import Answer

Said = str | dict[str, Any] | None
"""A text, a result as `fails` or `says` make it, or nothing in time."""


@dataclass
class Batch:
    id: str
    label: str
    entries: list[tuple[str, dict[str, Any]]]
    results: list[dict[str, Any]] | None = None


class BatchServer(ABC):
    """Answers every request of a batch when its progress is asked for and `held` is not set.

    `trouble` answers every HTTP request instead, `extra` are lines that come before the results.
    """

    path: ClassVar[str] = ""

    def __init__(self, answer: Callable[[dict[str, Any]], Said]) -> None:
        self.answer = answer
        self.held = False
        self.trouble: Answer | None = None
        self.extra: list[bytes] = []
        self.batches: list[Batch] = []
        self.heard: list[str] = []
        self._files: dict[str, bytes] = {}

    @property
    def submitted(self) -> list[dict[str, Any]]:
        return [body for batch in self.batches for _, body in batch.entries]

    @property
    def names(self) -> list[str]:
        return [name for batch in self.batches for name, _ in batch.entries]

    @property
    def app(self) -> web.Application:
        @web.middleware
        async def listen(request: web.Request, handler: Any) -> web.StreamResponse:
            self.heard.append(f"{request.method} {request.path}")
            return await (self.trouble or handler)(request)

        app = web.Application(client_max_size=256 * 1024 * 1024, middlewares=[listen])
        self._routes(app.router)
        return app

    def _opened(self, label: str, entries: list[tuple[str, dict[str, Any]]]) -> Batch:
        batch = Batch(f"{len(self.batches) + 1}", label, entries)
        self.batches.append(batch)
        return batch

    def _batch(self, request: web.Request) -> Batch:
        return next(batch for batch in self.batches if batch.id == request.match_info["id"].split("_")[-1])

    def _ended(self, batch: Batch) -> bool:
        if batch.results is None and not self.held:
            batch.results = [self._result(name, self.answer(body)) for name, body in batch.entries]
        return batch.results is not None

    def _lines(self, results: list[dict[str, Any]]) -> web.Response:
        return web.Response(body=b"\n".join([*self.extra, *(json.dumps(each).encode() for each in results)]))

    @abstractmethod
    def _routes(self, router: web.UrlDispatcher) -> None: ...

    @abstractmethod
    def _result(self, name: str, reply: Said) -> dict[str, Any]: ...

    @abstractmethod
    def says(self, text: str, finish: str) -> dict[str, Any]:
        """A result that ended as "stop", "length", "refused" or "filtered"."""

    @abstractmethod
    def fails(self, status: int, message: str) -> dict[str, Any]:
        """A request that was refused on its own."""


class OpenAIServer(BatchServer):
    """Also answers single calls, kept in `alone`."""

    path = "/v1"

    def __init__(self, answer: Callable[[dict[str, Any]], Said]) -> None:
        super().__init__(answer)
        self.alone: list[dict[str, Any]] = []
        self.invalid = ""

    def _routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/files", self._upload)
        router.add_get("/v1/files/{id}/content", self._download)
        router.add_post("/v1/batches", self._create)
        router.add_get("/v1/batches", self._list)
        router.add_get("/v1/batches/{id}", self._retrieve)
        router.add_post("/v1/chat/completions", self._complete)

    def says(self, text: str, finish: str) -> dict[str, Any]:
        reason = {"length": "length", "filtered": "content_filter"}.get(finish, "stop")
        refusal = text if finish == "refused" else None
        body = completion(None if refusal else text, finish=reason, refusal=refusal)
        return {"response": {"status_code": 200, "request_id": "req_1", "body": body}, "error": None}

    def fails(self, status: int, message: str) -> dict[str, Any]:
        body = {"error": {"message": message, "type": "invalid_request_error", "code": None}}
        return {"response": {"status_code": status, "request_id": "req_1", "body": body}, "error": None}

    def _result(self, name: str, reply: Said) -> dict[str, Any]:
        if reply is None:
            late = {"code": "batch_expired", "message": "This request could not be executed in time."}
            reply = {"response": None, "error": late}
        return {"id": "batch_req_1", "custom_id": name} | (
            self.says(reply, "stop") if isinstance(reply, str) else reply
        )

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] == "batch"
        name = f"file-{len(self._files) + 1}"
        self._files[name] = form["file"].file.read()  # pyright: ignore[reportAttributeAccessIssue]
        return web.json_response({"id": name, "object": "file", "purpose": "batch"})

    async def _create(self, request: web.Request) -> web.Response:
        body = await request.json()
        assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
        lines = [json.loads(line) for line in self._files[body["input_file_id"]].splitlines()]
        assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
        entries = [(line["custom_id"], line["body"]) for line in lines]
        return web.json_response(self._shown(self._opened(body["metadata"]["semiosis"], entries), False))

    async def _list(self, request: web.Request) -> web.Response:
        newest = list(reversed(self.batches))
        after = request.query.get("after", "").split("_")[-1]
        start = next((n + 1 for n, batch in enumerate(newest) if batch.id == after), 0)
        page = [self._shown(batch, batch.results is not None) for batch in newest[start : start + 1]]
        return web.json_response({"object": "list", "data": page, "has_more": start + 1 < len(newest)})

    async def _retrieve(self, request: web.Request) -> web.Response:
        batch = self._batch(request)
        return web.json_response(self._shown(batch, self._ended(batch)))

    async def _download(self, request: web.Request) -> web.Response:
        kind, _, number = request.match_info["id"].partition("_")
        batch = next(batch for batch in self.batches if batch.id == number)
        return self._lines([each for each in batch.results or [] if _went_wrong(each) == (kind == "errors")])

    async def _complete(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.alone.append(body)
        result = self._result("", self.answer(body))["response"]
        return web.json_response(result["body"], status=result["status_code"])

    def _shown(self, batch: Batch, ended: bool) -> dict[str, Any]:
        results = batch.results or []
        wrong = [result for result in results if _went_wrong(result)]
        late = [result for result in wrong if result["error"]]
        right = len(results) - len(wrong)
        status = ("expired" if late else "completed") if ended else "in_progress"
        return {
            "id": f"batch_{batch.id}",
            "object": "batch",
            "status": "failed" if self.invalid else status,
            "errors": {"data": [{"code": "invalid", "message": self.invalid}]} if self.invalid else None,
            "output_file_id": f"output_{batch.id}" if right else None,
            "error_file_id": f"errors_{batch.id}" if wrong else None,
            "metadata": {"semiosis": batch.label},
            "request_counts": {
                "total": len(batch.entries),
                "completed": right,
                "failed": len(wrong) - len(late),
            },
        }


def _went_wrong(result: dict[str, Any]) -> bool:
    response = result.get("response")
    return response is None or response["status_code"] >= 400


class AnthropicServer(BatchServer):
    """Results of a batch are at the address that its progress gives."""

    def _routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/messages/batches", self._create)
        router.add_get("/v1/messages/batches", self._list)
        router.add_get("/v1/messages/batches/{id}", self._retrieve)
        router.add_get("/v1/messages/batches/{id}/results", self._download)

    def says(self, text: str, finish: str) -> dict[str, Any]:
        # Anthropic's filter is its refusal.
        reason = {"length": "max_tokens", "refused": "refusal", "filtered": "refusal"}.get(finish, "end_turn")
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-served-1",
            "content": [{"type": "text", "text": text}],
            "stop_reason": reason,
            "usage": {"input_tokens": 11, "output_tokens": 7},
        }
        return {"type": "succeeded", "message": message}

    def fails(self, status: int, message: str) -> dict[str, Any]:
        kind = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}
        error = {"type": kind.get(status, "api_error"), "message": message}
        return {"type": "errored", "error": {"type": "error", "error": error}}

    def _result(self, name: str, reply: Said) -> dict[str, Any]:
        result = self.says(reply, "stop") if isinstance(reply, str) else reply or {"type": "expired"}
        return {"custom_id": name, "result": result}

    async def _create(self, request: web.Request) -> web.Response:
        body = await request.json()
        entries = [(each["custom_id"], each["params"]) for each in body["requests"]]
        return web.json_response(self._shown(request, self._opened("", entries), False))

    async def _list(self, request: web.Request) -> web.Response:
        newest = list(reversed(self.batches))
        page = [self._shown(request, batch, batch.results is not None) for batch in newest]
        return web.json_response({"data": page, "has_more": False, "first_id": None, "last_id": None})

    async def _retrieve(self, request: web.Request) -> web.Response:
        batch = self._batch(request)
        return web.json_response(self._shown(request, batch, self._ended(batch)))

    async def _download(self, request: web.Request) -> web.Response:
        return self._lines(self._batch(request).results or [])

    def _shown(self, request: web.Request, batch: Batch, ended: bool) -> dict[str, Any]:
        kinds = [result["result"].get("type") for result in batch.results or []]
        counts = {kind: kinds.count(kind) for kind in ("succeeded", "errored", "expired", "canceled")}
        address = request.url.origin().with_path(f"/v1/messages/batches/msgbatch_{batch.id}/results")
        return {
            "id": f"msgbatch_{batch.id}",
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {"processing": 0 if ended else len(batch.entries), **counts},
            "results_url": str(address) if ended else None,
            "created_at": "2026-11-01T00:00:00Z",
            "expires_at": "2026-11-02T00:00:00Z",
        }


class GeminiServer(BatchServer):
    """Takes its requests from an uploaded file and leaves its results in another."""

    def _routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/upload/{version}/files", self._start)
        router.add_post("/upload/{id}", self._upload)
        router.add_post("/{version}/models/{model}:batchGenerateContent", self._create)
        router.add_get("/{version}/batches", self._list)
        router.add_get("/{version}/batches/{id}", self._retrieve)
        router.add_get("/{version}/files/results{id}:download", self._download)

    def says(self, text: str, finish: str) -> dict[str, Any]:
        reason = {"length": "MAX_TOKENS", "refused": "SAFETY", "filtered": "SAFETY"}.get(finish, "STOP")
        candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": reason}
        usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "aFieldOfNextYear": 1}
        return {
            "response": {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-served-1"}
        }

    def fails(self, status: int, message: str) -> dict[str, Any]:
        return {"error": {"code": {400: 3, 401: 16, 429: 8}.get(status, 13), "message": message}}

    def _result(self, name: str, reply: Said) -> dict[str, Any]:
        return {"key": name} | (self.says(reply, "stop") if isinstance(reply, str) else reply or {})

    async def _start(self, request: web.Request) -> web.Response:
        assert request.headers["X-Goog-Upload-Header-Content-Type"] == "application/jsonl"
        name = f"{len(self._files) + 1}"
        self._files[name] = b""
        address = str(request.url.origin().with_path(f"/upload/{name}"))
        return web.json_response({}, headers={"X-Goog-Upload-URL": address})

    async def _upload(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        self._files[name] += await request.read()
        last = "finalize" in request.headers["X-Goog-Upload-Command"]
        file = {"name": f"files/{name}", "mimeType": "application/jsonl"}
        return web.json_response(
            {"file": file}, headers={"X-Goog-Upload-Status": "final" if last else "active"}
        )

    async def _create(self, request: web.Request) -> web.Response:
        batch = (await request.json())["batch"]
        file = batch["inputConfig"]["fileName"].removeprefix("files/")
        lines = [json.loads(line) for line in self._files[file].splitlines()]
        entries = [(line["key"], line["request"]) for line in lines]
        return web.json_response(self._shown(self._opened(batch["displayName"], entries), False))

    async def _list(self, request: web.Request) -> web.Response:
        newest = list(reversed(self.batches))
        start = int(request.query.get("pageToken") or 0)
        page = [self._shown(batch, batch.results is not None) for batch in newest[start : start + 1]]
        more = {"nextPageToken": str(start + 1)} if start + 1 < len(newest) else {}
        return web.json_response({"operations": page} | more)

    async def _retrieve(self, request: web.Request) -> web.Response:
        batch = self._batch(request)
        return web.json_response(self._shown(batch, self._ended(batch)))

    async def _download(self, request: web.Request) -> web.Response:
        return self._lines([each for each in self._batch(request).results or [] if len(each) > 1])

    def _shown(self, batch: Batch, ended: bool) -> dict[str, Any]:
        late = [result for result in batch.results or [] if len(result) == 1]
        state = ("EXPIRED" if late else "SUCCEEDED") if ended else "RUNNING"
        metadata = {"displayName": batch.label, "state": f"BATCH_STATE_{state}"}
        if ended and len(late) < len(batch.entries):
            metadata["output"] = {"responsesFile": f"files/results{batch.id}"}
        return {"name": f"batches/{batch.id}", "metadata": metadata}
