"""Replies are kept in a file, and found again."""

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from numbering import Numbering, asking
from semiosis.backbones.backbone import REPLY, Reply, TokenLogprob, Traits, call_key
from semiosis.backbones.cache import Cached
from semiosis.core.errors import SetupError


async def test_the_same_request_is_paid_for_once_and_another_repeat_again(tmp_path: Path) -> None:
    inner = Numbering(Reply(text="", logprobs=(TokenLogprob("a", -1.0),), parameters={"seed": 1}))
    first = Cached(inner, tmp_path / "replies.sqlite")
    one = await first.complete(asking("x"))
    await first.aclose()
    second = Cached(inner, tmp_path / "replies.sqlite")
    again = await second.complete(asking("x"))
    assert again == replace(one, cached=True)
    assert [(await second.complete(asking("x", repeat=n))).text for n in (1, 2, 1)] == ["2", "3", "2"]
    assert (await second.complete(asking("y"))).text == "4"
    await second.aclose()


async def test_models_do_not_share_replies(tmp_path: Path) -> None:
    class Another(Numbering):
        name = "openai/another"

    class Elsewhere(Numbering):
        traits = Traits(endpoint="test", identity="http://elsewhere/v1")

    for inner in (Numbering(), Another(), Elsewhere()):
        cached = Cached(inner, tmp_path / "replies.sqlite")
        assert not (await cached.complete(asking("x"))).cached
        await cached.aclose()


async def test_a_truncated_reply_is_not_kept(tmp_path: Path) -> None:
    cached = Cached(Numbering(Reply(text="", finish="length")), tmp_path / "replies.sqlite")
    assert [(await cached.complete(asking("x"))).text for _ in range(2)] == ["1", "2"]
    await cached.aclose()


def test_a_cache_that_is_no_database_says_so(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_text("not a database, but long enough to look like a damaged one" * 50)
    with pytest.raises(SetupError, match="cannot be opened"):
        Cached(Numbering(), path)


async def test_equal_requests_at_once_are_one_call(tmp_path: Path) -> None:
    inner = Numbering()
    cached = Cached(inner, tmp_path / "replies.sqlite")
    replies = await asyncio.gather(*(cached.complete(asking("x")) for _ in range(5)))
    assert inner.calls == 1
    assert sorted(reply.cached for reply in replies) == [False, True, True, True, True]
    await cached.aclose()
    assert (await cached.complete(asking("x"))).cached
    await cached.aclose()


async def test_a_row_of_another_time_is_asked_again(tmp_path: Path) -> None:
    cached = Cached(Numbering(), tmp_path / "replies.sqlite")
    await cached.complete(asking("x"))
    await cached.aclose()
    with sqlite3.connect(tmp_path / "replies.sqlite") as store:
        store.execute("update calls set reply = '{}'")
    store.close()
    assert (await cached.complete(asking("x"))).text == "2"
    await cached.aclose()


EARLIER = "create table replies (key text primary key, model text, reply text)"


async def test_the_replies_of_an_earlier_release_are_carried_over_once(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    inner = Numbering()
    reply = Reply(
        text="then",
        served="gpt-5-2026",
        input_tokens=7,
        output_tokens=2,
        cost_usd=0.5,
        charged_usd=0.75,
        latency_s=1.5,
        started_at="2026-01-01T00:00:00.000+00:00",
        attempts=2,
        parameters={"seed": 1},
        logprobs=(TokenLogprob("a", -1.0),),
    )
    with sqlite3.connect(path) as store:
        store.execute(EARLIER)
        store.executemany(
            "insert into replies values (?, ?, ?)",
            [
                (call_key(inner, asking("x")), inner.name, REPLY.dump_json(reply).decode()),
                (call_key(inner, asking("y")), inner.name, "not a reply"),
            ],
        )
    store.close()
    for _ in range(2):
        cached = Cached(inner, path)
        assert await cached.complete(asking("x")) == replace(reply, cached=True)
        await cached.aclose()
    assert inner.calls == 0
    assert (await cached.complete(asking("y"))).text == "1"
    await cached.aclose()
    with sqlite3.connect(path) as store:
        assert store.execute("select name from sqlite_master where type = 'table'").fetchall() == [("calls",)]
    store.close()


async def test_a_cache_keeps_no_words_that_were_sent(tmp_path: Path) -> None:
    cached = Cached(Numbering(), tmp_path / "replies.sqlite")
    await cached.complete(asking("a secret"))
    await cached.aclose()
    assert b"secret" not in (tmp_path / "replies.sqlite").read_bytes()


async def test_a_reply_of_no_use_is_asked_for_again(tmp_path: Path) -> None:
    cached = Cached(Numbering(), tmp_path / "replies.sqlite")
    await cached.complete(asking("x"))
    await cached.forget(asking("x"))
    assert (await cached.complete(asking("x"))).text == "2"
    await cached.aclose()
