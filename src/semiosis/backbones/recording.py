"""Record a backbone's replies to a file, and replay them without it.

    Record(backbone, Path("tape.jsonl"))    every reply is appended as it arrives
    Replay(Path("tape.jsonl"))              the same requests are answered from the file

The key of a line is the request's hash, whoever is asked. A line without one (a recording made elsewhere) is
found by what the request is about: its task and the content hashes of the signs.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ..core.errors import BackboneError, BadRecord
from .backbone import Backbone, Reply, Request, Traits
from .providers import ProviderSettings, provider
from .stored_replies import StoredReply
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
        stored = StoredReply.of(request.sha256, self.name, request, reply)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(stored.line + "\n")
        return reply


class Replay:
    """Answers from the cassettes at `paths`; a request that was never recorded is a Failure, not a guess."""

    def __init__(self, *paths: str | Path) -> None:
        self._by_request: dict[str, Reply] = {}
        self._by_subject: dict[tuple[str, ...], Reply] = {}
        models: list[str] = []
        tasks: set[str] = set()
        digest = hashlib.sha256()
        for path in map(Path, paths):
            text = _read(path)
            digest.update(text.encode())
            for stored in _replies(path, text):
                if stored.key:
                    self._by_request[stored.key] = replace(stored.reply, recorded=True)
                else:
                    reply = replace(stored.reply, recorded=True, words_known=False)
                    self._by_subject[stored.task, *stored.subject] = reply
                models.append(stored.model)
                tasks.add(stored.task)
        self._model = models[0] if models else "nothing"
        self._holds = f"it holds replies to {', '.join(sorted(tasks))}" if tasks else "it is empty"
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
        reply = self._by_request.get(request.sha256)
        if reply is None and request.repeat == 0:
            reply = self._by_subject.get((request.task, *request.subject))
        if reply is None:
            raise BackboneError(
                "rejected", f"The recording holds no reply to this {request.task} request; {self._holds}."
            )
        return reply

    async def aclose(self) -> None:
        """Nothing is held."""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadRecord(f"The cassette {path} cannot be read: {error}.") from None


def _replies(path: Path, text: str) -> Iterator[StoredReply]:
    # Not splitlines(): a reply may hold the line separators of Unicode.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield StoredReply.of_line(line)
        except (ValueError, RecursionError):
            raise BadRecord(f"Line {number} of the cassette {path} does not read.") from None


@provider("replay", about="replies recorded before, from a file or a folder of files")
def _replay(model: str, settings: ProviderSettings) -> Replay:
    place = Path(model)
    return Replay(*sorted(place.rglob("*.jsonl"))) if place.is_dir() else Replay(place)
