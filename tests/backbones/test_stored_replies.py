"""One layout of stored replies: a row and a line hold the same."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from semiosis.backbones.backbone import Message, Reply, Request, TokenLogprob
from semiosis.backbones.pictures import prepare
from semiosis.backbones.stored_replies import TABLE, StoredReply, find, insert
from semiosis.core.sign import Artifact
from semiosis.runs.store import Store
from stored import about


@pytest.fixture
def stored(png: Callable[..., bytes]) -> StoredReply:
    picture = prepare(Artifact.of(png("red")))
    request = Request((Message("user", ("Wörter\u2028", picture)),), task="t", subject=("s1", "s2"))
    reply = Reply(
        text="half \ud83d of a pair",
        finish="length",
        served="gpt-5-2026",
        fingerprint="f",
        input_tokens=7,
        output_tokens=2,
        cost_usd=0.5,
        charged_usd=0.75,
        latency_s=1.5,
        started_at="2026-01-01T00:00:00.000+00:00",
        attempts=2,
        recorded=True,
        words_known=False,
        parameters={"seed": 1},
        logprobs=(TokenLogprob("a", -1.0),),
    )
    return StoredReply.of("key", "m", request, reply)


@pytest.fixture
def connection() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLE)
    return connection


def test_a_row_and_a_line_hold_all_of_it(stored: StoredReply, connection: sqlite3.Connection) -> None:
    assert [role for role, _ in stored.sent] == ["user"]
    assert stored.pictures[0].width > 0
    insert(connection, stored)
    assert find(connection, "key") == stored
    assert find(connection, "another") is None
    assert "\n" not in stored.line
    assert StoredReply.of_line(stored.line) == stored


def test_a_call_has_one_reply_in_use(stored: StoredReply, connection: sqlite3.Connection) -> None:
    second = replace(stored, reply=Reply("second"))
    insert(connection, stored)
    insert(connection, second)
    assert find(connection, "key") == stored
    connection.execute("update calls set retired = 1")
    insert(connection, second)
    assert find(connection, "key") == second


def test_the_table_is_that_of_a_run(connection: sqlite3.Connection, tmp_path: Path) -> None:
    query = "select name, type, \"notnull\", dflt_value from pragma_table_info('calls')"
    with Store.create(tmp_path / "run.sqlite", about("run")) as store:
        assert connection.execute(query).fetchall() == list(store.rows(query))
