"""What is set before the first call: money, keys, extras; and a server that breaks its word."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from counting import Slurring, write_pairs
from loopback import Loopback
from semiosis.runs.store import Store

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    write_pairs(tmp_path, 4, pictures=5)

    def call(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "semiosis", *args],
            capture_output=True,
            check=False,
            text=True,
            cwd=tmp_path,
            timeout=120,
            env={**os.environ, "COLUMNS": "100", **env},
        )

    return call


SLURS = {
    "not HTTP": b"hello",
    "TLS": bytes.fromhex("15030300020246"),
    "a bad chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
    "200,000 brackets": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 400000\r\n\r\n"
    + b"[" * 200_000
    + b"]" * 200_000,
}


@pytest.mark.parametrize("slur", SLURS)
def test_a_run_outlives_a_malformed_reply(run: Run, tmp_path: Path, slur: str) -> None:
    server = Slurring(SLURS[slur])
    with Loopback(server.app) as loopback:
        done = run(
            "run", "pairs.jsonl", "--model", "m", "--base-url", f"{loopback.url}/v1", "--name", "first"
        )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    with Store.look(tmp_path / "semiosis-runs" / "first.sqlite") as store:
        assert list(store.rows("select kind, count(*) from outcomes group by kind")) == [("judgment", 4)]


def test_a_reply_malformed_for_ever_is_a_failure_and_resumed_like_one(run: Run, tmp_path: Path) -> None:
    server = Slurring(*[b"hello"] * 4)
    with Loopback(server.app) as loopback:
        args = ("run", "pairs.jsonl", "--model", "m", "--base-url", f"{loopback.url}/v1", "--name", "first")
        first = run(*args)
        failed = run("runs", "show", "first", "--failures", "--json")
        again = run(*args, "--resume", "--retry-failed")
    assert "Traceback" not in first.stderr + again.stderr
    (failure,) = json.loads(failed.stdout)
    assert failure["reason"] == "unreachable"
    assert again.returncode == 0, again.stderr
    with Store.look(tmp_path / "semiosis-runs" / "first.sqlite") as store:
        assert list(store.rows("select kind, count(*) from outcomes group by kind")) == [("judgment", 4)]
