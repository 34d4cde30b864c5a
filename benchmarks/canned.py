"""A chat completions server on 127.0.0.1 that answers every stage of SemJudge after a fixed wait.

    python benchmarks/canned.py --latency-s 0.05 --record DIR

With --per-minute N, a request beyond N in the last 60 seconds is refused with 429 and Retry-After; what was
answered and refused is told at /v1/counts.

It runs in a process of its own, so that its CPU time is not the client's, prints its port and ends when its
standard input is closed. Replies are those recorded for the bundled initiatives, cut to standard graphs.
"""

import argparse
import asyncio
import hashlib
import json
import re
import sys
import time
from collections import deque
from itertools import count
from pathlib import Path
from typing import Any

from aiohttp import web

from semiosis.benchmarks.samples.items import Initiative, load

MAX_CHILDREN = 3
_STAGE = re.compile(rb'"name":\s*"(prompt_graph|picture_graphs|verdict)_standard"')
_PICTURE = re.compile(rb'"(data:image/[^"]+)"')


class Replies:
    """What is said at each stage, as ready bytes, about the initiative whose prompt is asked about."""

    def __init__(self) -> None:
        initiatives = load()
        self._turn = count()
        self._prompts = [json.dumps(item.prompt, ensure_ascii=False)[1:-1].encode() for item in initiatives]
        self._said = [_stages(item) for item in initiatives]

    def to(self, stage: bytes, body: bytes) -> bytes:
        known = (number for number, prompt in enumerate(self._prompts) if prompt in body)
        replies = self._said[next(known, 0)][stage]
        return replies[next(self._turn) % len(replies)]


def _stages(initiative: Initiative) -> dict[bytes, list[bytes]]:
    recorded = _recorded(initiative)
    graphs = [_standard(graph) for graph in recorded["picture-graph-complex"]]
    pairs = zip(graphs, graphs[1:] + graphs[:1], strict=True)
    return {
        b"prompt_graph": [_completion(_standard(graph)) for graph in recorded["prompt-graph-complex"]],
        b"picture_graphs": [_completion({"a": a, "b": b}) for a, b in pairs],
        b"verdict": [_completion(verdict) for verdict in recorded["verdict-complex"]],
    }


def _recorded(initiative: Initiative) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for line in (initiative.folder / "replies.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        found.setdefault(entry["task"], []).append(json.loads(entry["reply"]["text"]))
    return found


def _standard(graph: dict[str, Any]) -> dict[str, Any]:
    return {**graph, "children": graph["children"][:MAX_CHILDREN]}


def _completion(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False)
    message = {"role": "assistant", "content": text, "refusal": None}
    usage = {"prompt_tokens": 3000, "completion_tokens": len(text) // 4}
    return json.dumps(
        {
            "id": "chatcmpl-canned",
            "object": "chat.completion",
            "created": 1,
            "model": "canned",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}],
            "usage": {**usage, "total_tokens": sum(usage.values())},
        }
    ).encode()


class Recorder:
    """Keeps the bodies that came, each picture once, so that another client can send the same."""

    def __init__(self, folder: Path) -> None:
        self._bodies = (folder / "bodies.jsonl").open("wb", buffering=0)
        self._urls = (folder / "urls.jsonl").open("wb", buffering=0)
        self._seen: set[bytes] = set()

    def keep(self, body: bytes) -> None:
        self._bodies.write(_PICTURE.sub(self._named, body).replace(b"\n", b" ") + b"\n")

    def _named(self, match: re.Match[bytes]) -> bytes:
        url = match[1]
        name = b"picture:" + hashlib.sha256(url).hexdigest().encode()
        if name not in self._seen:
            self._seen.add(name)
            self._urls.write(json.dumps([name.decode(), url.decode()]).encode() + b"\n")
        return b'"' + name + b'"'


class Window:
    """At most so many requests in any minute."""

    def __init__(self, per_minute: int | None) -> None:
        self._per_minute = per_minute
        self._accepted: deque[float] = deque()
        self.refused = self.answered = 0

    def wait_s(self) -> float:
        """0 if the request is accepted, else when to come back."""
        if self._per_minute is None:
            return 0.0
        now = time.monotonic()
        while self._accepted and self._accepted[0] <= now - 60:
            self._accepted.popleft()
        if len(self._accepted) < self._per_minute:
            self._accepted.append(now)
            return 0.0
        self.refused += 1
        return self._accepted[0] + 60 - now


def application(latency_s: float, recorder: Recorder | None, window: Window) -> web.Application:
    replies = Replies()

    async def answer(request: web.Request) -> web.Response:
        body = await request.read()
        stage = _STAGE.search(body)
        if stage is None:
            return web.json_response({"error": {"message": "not a stage of SemJudge"}}, status=400)
        if recorder:
            recorder.keep(body)
        wait_s = window.wait_s()
        if wait_s:
            error = {"error": {"message": "too many requests", "type": "rate_limit"}}
            return web.json_response(error, status=429, headers={"Retry-After": f"{wait_s:.2f}"})
        window.answered += 1
        await asyncio.sleep(latency_s)
        return web.Response(body=replies.to(stage[1], body), content_type="application/json")

    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/v1/chat/completions", answer)

    async def counts(_: web.Request) -> web.Response:
        return web.json_response({"answered": window.answered, "refused": window.refused})

    app.router.add_get("/v1/counts", counts)
    return app


async def serve(app: web.Application) -> None:
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency-s", type=float, default=0.05)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--per-minute", type=int)
    options = parser.parse_args()
    recorder = Recorder(options.record) if options.record else None
    asyncio.run(serve(application(options.latency_s, recorder, Window(options.per_minute))))


if __name__ == "__main__":
    main()
