"""Record a backbone's replies to a file, and replay them without it.

    Record(backbone, Path("tape.jsonl"))    every reply is appended as it arrives
    Replay(Path("tape.jsonl"))              the same requests are answered from the file

A line that holds no request hash (a recording made elsewhere) is found by what the request is about:
its task and the content hashes of the signs.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core.errors import BackboneError, BadRecord
from .base import REPLY, Backbone, Reply, Request, Traits
from .providers import Settings, provider


class Record:
    """Passes requests on and appends each reply to a cassette."""

    def __init__(self, inner: Backbone, path: Path) -> None:
        self.inner = inner
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def traits(self) -> Traits:
        return self.inner.traits

    async def complete(self, request: Request) -> Reply:
        reply = await self.inner.complete(request)
        line = {
            "model": self.name,
            "request": request.sha256,
            "task": request.task,
            "subject": list(request.subject),
            "reply": REPLY.dump_python(reply, mode="json"),
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        return reply

    async def aclose(self) -> None:
        await self.inner.aclose()


class Replay:
    """Answers from cassettes; a request that was never recorded is a Failure, not a guess."""

    def __init__(self, *paths: Path) -> None:
        self._by_request: dict[str, Reply] = {}
        self._by_subject: dict[tuple[str, ...], Reply] = {}
        models: list[str] = []
        for line in _lines(paths):
            reply = replace(REPLY.validate_python(line["reply"]), recorded=True)
            if line.get("request"):
                self._by_request[line["request"]] = reply
            else:
                self._by_subject[line["task"], *line["subject"]] = reply
            models.append(line["model"])
        self._model = models[0] if models else "nothing"

    @property
    def name(self) -> str:
        return f"replay/{self._model}"

    @property
    def traits(self) -> Traits:
        return Traits(endpoint="recording")

    async def complete(self, request: Request) -> Reply:
        found = self._by_request.get(request.sha256) or self._by_subject.get((request.task, *request.subject))
        if found is None:
            raise BackboneError(
                "unreachable", f"The recording holds no reply to this {request.task} request."
            )
        return found

    async def aclose(self) -> None:
        return None


def _lines(paths: Iterable[Path]) -> Iterable[dict[str, Any]]:
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise BadRecord(f"The cassette {path} cannot be read: {error}.") from None
        for number, line in enumerate(text.splitlines(), 1):
            try:
                record = json.loads(line)
                yield {key: record[key] for key in ("model", "task", "subject", "reply")} | {
                    "request": record.get("request")
                }
            except (ValueError, KeyError, TypeError, AttributeError):
                raise BadRecord(f"Line {number} of the cassette {path} does not read.") from None


@provider("replay", about="replies recorded before, from a file")
def _replay(model: str, settings: Settings) -> Replay:
    return Replay(Path(model))
