"""A reply and the call it answers, as it is stored: a row of the table `calls`, or a line of JSON.

    StoredReply.of(key, backbone.name, request, reply)
    insert(connection, stored); find(connection, key)
    StoredReply.of_line(stored.line) == stored

The cache, a run's journal and a recording are three uses of it.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

from pydantic import AliasChoices, Field, JsonValue, TypeAdapter

from ..core.outcome import SentPicture
from ..core.records import as_json
from .backbone import REPLY, Reply, Request

# Columns of their own; what else a reply holds is JSON in the column `reply`.
FIGURES = (
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "charged_usd",
    "attempts",
    "latency_s",
    "started_at",
)
_COLUMNS = ("key", "task", "model", *FIGURES, "subject", "pictures", "reply", "sent")
CALL_COLUMNS = ", ".join(_COLUMNS)

# As the first migration of a run's store makes it.
TABLE = """
create table if not exists calls (
  id            integer primary key,
  key           text not null,
  task          text not null,
  model         text not null,
  useless       integer not null default 0,
  retired       integer not null default 0,
  input_tokens  integer,
  output_tokens integer,
  cost_usd      real,
  charged_usd   real,
  attempts      integer not null,
  latency_s     real not null,
  started_at    text not null,
  subject       text not null,
  pictures      text not null,
  reply         text not null,
  sent          text not null
);
create unique index if not exists calls_by_key on calls (key) where not retired;
"""


@dataclass(frozen=True)
class StoredReply:
    """A reply, and what is known of the call.

    key         what it is found by; a recording made elsewhere has none
    model       that was asked
    task        and `subject`: what the call was about
    reply       what came back
    pictures    what was sent for each
    sent        roles and words, pictures standing as their hashes
    """

    key: Annotated[str | None, Field(None, validation_alias=AliasChoices("key", "request"))]
    model: str
    task: str
    subject: tuple[str, ...]
    reply: Reply
    pictures: tuple[SentPicture, ...] = ()
    sent: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, key: str, model: str, request: Request, reply: Reply) -> Self:
        return cls(
            key,
            model,
            request.task,
            request.subject,
            reply,
            tuple(picture.record for picture in request.pictures),
            tuple((message.role, message.text) for message in request.messages),
        )

    @property
    def as_copy(self) -> Self:
        """For somebody who did not make the call: it took no attempt there, and cost nothing."""
        return replace(self, reply=replace(self.reply, attempts=0, cost_usd=0.0, charged_usd=0.0))

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> "StoredReply":
        """From a row that begins with the cells of `CALL_COLUMNS`."""
        cells: dict[str, Any] = dict(zip(_COLUMNS, row, strict=False))
        figures = {name: cells.pop(name) for name in FIGURES}
        cells |= {name: json.loads(cells[name]) for name in ("subject", "pictures", "reply", "sent")}
        cells["reply"] |= figures
        return _STORED.validate_python(cells)

    @classmethod
    def of_line(cls, line: str) -> "StoredReply":
        """From `line`, or one of an earlier release; raises ValueError where it is neither."""
        return _STORED.validate_python(json.loads(line))

    @property
    def row(self) -> tuple[Any, ...]:
        """The cells of `CALL_COLUMNS`."""
        return (
            self.key,
            self.task,
            self.model,
            *(getattr(self.reply, name) for name in FIGURES),
            as_json(self.subject),
            as_json([picture.model_dump(mode="json") for picture in self.pictures]),
            as_json(self.words),
            as_json(self.sent),
        )

    @property
    def words(self) -> dict[str, JsonValue]:
        """The reply without its figures; whether it is `cached` is for whoever finds it to say."""
        made_up = () if self.reply.made_up else ("made_up",)
        return REPLY.dump_python(self.reply, mode="json", exclude={*FIGURES, "cached", *made_up})

    @property
    def line(self) -> str:
        """All of it as JSON, without a line's end."""
        return as_json(_STORED.dump_python(self, mode="json"))


_STORED: TypeAdapter[StoredReply] = TypeAdapter(StoredReply)


def find(connection: sqlite3.Connection, key: str) -> StoredReply | None:
    """The reply in use for a call, if there is one."""
    row = connection.execute(
        f"select {CALL_COLUMNS} from calls where key = ? and not retired", (key,)
    ).fetchone()
    return None if row is None else StoredReply.of_row(row)


def insert(connection: sqlite3.Connection, stored: StoredReply) -> None:
    """Unless the call has a reply in use."""
    marks = ", ".join("?" * len(_COLUMNS))
    connection.execute(
        f"insert into calls ({CALL_COLUMNS}) values ({marks}) on conflict (key) where not retired do nothing",
        stored.row,
    )
