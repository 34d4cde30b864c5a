"""Record a backbone's replies to a file, and replay them without it.

    Record(backbone, Path("tape.jsonl"))    every reply is appended as it arrives
    Replay(Path("tape.jsonl"))              the same requests are answered from the file

A line that holds no request hash (a recording made elsewhere) is found by what the request is about:
its task and the content hashes of the signs.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ..core.errors import BackboneError, BadRecord
from .backbone import REPLY, Backbone, Reply, Request, Traits
from .providers import Settings, provider
from .wrapper import Wrapper


class Record(Wrapper):
    """Passes requests on to `inner` and appends each reply to the cassette at `path`."""

    def __init__(self, inner: Backbone, path: str | Path) -> None:
        super().__init__(inner)
        self._path = Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)

    async def complete(self, request: Request) -> Reply:
        """The reply to `request`, written down."""
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


class Replay:
    """Answers from the cassettes at `paths`; a request that was never recorded is a Failure, not a guess."""

    def __init__(self, *paths: str | Path) -> None:
        self._by_request: dict[str, Reply] = {}
        self._by_subject: dict[tuple[str, ...], Reply] = {}
        models: list[str] = []
        digest = hashlib.sha256()
        for path in map(Path, paths):
            text = _read(path)
            digest.update(text.encode())
            for line in _lines(path, text):
                if line.request:
                    self._by_request[line.request] = replace(line.reply, recorded=True)
                else:
                    reply = replace(line.reply, recorded=True, words_known=False)
                    self._by_subject[line.task, *line.subject] = reply
                models.append(line.model)
        self._model = models[0] if models else "nothing"
        self._traits = Traits(endpoint="recording", identity=digest.hexdigest())

    @property
    def name(self) -> str:
        """replay/ and the model that was recorded."""
        return f"replay/{self._model}"

    @property
    def traits(self) -> Traits:
        """Those of a recording."""
        return self._traits

    async def complete(self, request: Request) -> Reply:
        """The reply that was recorded for `request`."""
        found = self._by_request.get(request.sha256)
        if found is None and request.repeat == 0:
            found = self._by_subject.get((request.task, *request.subject))
        if found is None:
            raise BackboneError("rejected", f"The recording holds no reply to this {request.task} request.")
        return found

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True)
class Line:
    """One recorded reply. Without `request`, it is found by task and subject."""

    model: str
    task: str
    subject: tuple[str, ...]
    reply: Reply
    request: str | None = None


_LINE: TypeAdapter[Line] = TypeAdapter(Line)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadRecord(f"The cassette {path} cannot be read: {error}.") from None


def _lines(path: Path, text: str) -> Iterator[Line]:
    # Not splitlines(): a reply may hold the line separators of Unicode.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _LINE.validate_json(line)
        except ValidationError:
            raise BadRecord(f"Line {number} of the cassette {path} does not read.") from None


@provider("replay", about="replies recorded before, from a file or a folder of files")
def _replay(model: str, settings: Settings) -> Replay:
    place = Path(model)
    return Replay(*sorted(place.rglob("*.jsonl"))) if place.is_dir() else Replay(place)
