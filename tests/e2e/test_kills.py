"""Runs that are killed, interrupted, starved of disk or opened twice, as real processes."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from counting import Counting, write_pairs
from loopback import Loopback

AT_ONCE = 8
ON_ITS_WAY_S = 0.2
# Times, ids of attempts and latencies are all that may differ between two runs of the same items.
COLUMNS = {
    "run": "name, benchmark, method, method_version, package_version, configuration",
    "items": "key, position, id, kind, labels, item",
    "calls": "key, task, model, useless, retired, input_tokens, output_tokens, cost_usd, attempts, subject,"
    " pictures, reply, sent",
    "errors": "key, task, model, kind, message",
    # Nor is it the same in both which outcome was the first to need a call.
    "outcomes": "item, kind, verdict, value, flipped, unverified, failures, reason, label, agrees,"
    """ replace(calls, ', "cached": true', ''), record""",
    "bad_rows": "place, reason",
}


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(path)) as store:
        return {
            table: store.execute(f"select {columns} from {table} order by 1, 2, 3").fetchall()
            if table not in ("bad_rows",)
            else store.execute(f"select {columns} from {table} order by 1").fetchall()
            for table, columns in COLUMNS.items()
        }


def count(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as store:
        return store.execute(f"select count(*) from {table}").fetchone()[0]


class Command:
    """`semiosis run` on a file of pairs, against a server, in a folder of runs."""

    def __init__(self, pairs: Path, url: str, runs: Path) -> None:
        self.runs = runs
        self.store = runs / "first.sqlite"
        self._words = [
            *(sys.executable, "-m", "semiosis", "run", str(pairs), "--base-url", f"{url}/v1", "--model", "m"),
            *("--name", "first", "--runs", str(runs), "-j", str(AT_ONCE)),
        ]

    def start(self, *more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self._words, *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "120"},
        )

    def finish(self, *more: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*more)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    @property
    def resuming(self) -> tuple[str, ...]:
        return ("--resume",) if self.store.exists() and count(self.store, "run") else ()


@pytest.fixture
def server() -> Iterator[tuple[Counting, str]]:
    counting = Counting(delay_s=0.1)
    with Loopback(counting.app) as loopback:
        yield counting, loopback.url


@pytest.mark.long
def test_twenty_kills_lose_nothing_and_repeat_no_call_whose_reply_was_stored(
    tmp_path: Path, server: tuple[Counting, str]
) -> None:
    counting, url = server
    pairs = write_pairs(tmp_path, 400)
    chance = random.Random(7)
    command = Command(pairs, url, tmp_path / "killed")
    kills = in_flight_at_kill = repeated_at_most = 0
    excused: Counter[str] = Counter()
    while kills < 20:
        process = command.start("--quiet", *command.resuming)
        begun = counting.begun
        while counting.begun == begun and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0.0, 0.8))
        assert process.poll() is None, process.communicate()
        flying = set(counting.flying)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        # What was on its way to or from the server had no reply that could have been stored.
        just_landed = {about for when, about in counting.landed if when > time.monotonic() - ON_ITS_WAY_S}
        excused.update(flying | counting.flying | just_landed)
        kills += 1
        in_flight_at_kill += len(flying) > 0
        repeated_at_most += AT_ONCE
        stored = count(command.store, "calls")
        assert counting.begun - stored <= repeated_at_most
        while counting.in_flight:
            time.sleep(0.005)
    assert in_flight_at_kill >= 15
    assert 0 < count(command.store, "outcomes") < 400
    done = command.finish("--quiet", "--resume")
    assert done.returncode == 0, done.stderr
    assert count(command.store, "outcomes") == 400
    assert count(command.store, "sessions") == 21
    assert counting.begun - count(command.store, "calls") <= kills * AT_ONCE
    repeated = {about: times - 1 for about, times in counting.times.items() if times > 1}
    assert all(times <= excused[about] for about, times in repeated.items())

    whole = Command(pairs, url, tmp_path / "whole")
    before = counting.begun
    assert whole.finish("--quiet").returncode == 0
    assert counting.begun - before == 20 + 400 + 800 == count(whole.store, "calls")
    assert contents(command.store) == contents(whole.store)


def test_ctrl_c_finishes_what_is_in_flight_and_says_how_to_go_on(
    tmp_path: Path, server: tuple[Counting, str]
) -> None:
    counting, url = server
    command = Command(write_pairs(tmp_path, 60), url, tmp_path / "runs")
    process = command.start()
    while counting.begun < 40:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert "add --resume to go on" in err
    assert "Traceback" not in out + err
    assert count(command.store, "calls") == counting.answered == counting.begun
    stopped = counting.begun
    assert command.finish("--resume").returncode == 0
    assert count(command.store, "outcomes") == 60
    assert counting.begun == 20 + 60 + 120 > stopped


def test_a_second_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    counting = Counting(delay_s=30)
    with Loopback(counting.app) as loopback:
        command = Command(write_pairs(tmp_path, 20), loopback.url, tmp_path / "runs")
        process = command.start()
        while counting.begun < 4:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
        assert process.returncode == 130
        assert "add --resume" in err
        assert "Traceback" not in out + err
        counting.delay_s = 0.0
        assert command.finish("--resume").returncode == 0
        assert count(command.store, "outcomes") == 20


def test_a_run_open_elsewhere_is_refused_in_a_sentence_and_goes_on_undisturbed(
    tmp_path: Path, server: tuple[Counting, str]
) -> None:
    counting, url = server
    command = Command(write_pairs(tmp_path, 60), url, tmp_path / "runs")
    process = command.start("--quiet")
    while counting.begun < 20:
        time.sleep(0.01)
    second = command.finish("--resume")
    assert second.returncode == 2
    assert second.stderr == (
        "semiosis: The run first is being written by another process: wait for it to end, or stop it.\n"
    )
    looking = subprocess.run(
        [sys.executable, "-m", "semiosis", "runs", "show", "first", "--runs", str(command.runs), "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert looking.returncode == 0, looking.stderr
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert count(command.store, "outcomes") == 60
    assert counting.begun == 200


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root to mount a small disk")
def test_a_full_disk_ends_in_a_sentence_and_a_usable_store(
    tmp_path: Path, server: tuple[Counting, str]
) -> None:
    counting, url = server
    counting.delay_s = 0.0
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        command = Command(write_pairs(tmp_path, 400), url, disk / "runs")
        full = command.finish("--quiet")
        assert full.returncode == 2, full.stdout + full.stderr
        assert full.stderr.count("\n") == 1
        assert "full" in full.stderr or "No space left" in full.stderr
        assert "--resume" in full.stderr
        stored = count(command.store, "calls")
        assert 0 < stored < 1220
        with closing(sqlite3.connect(command.store)) as store:
            assert store.execute("pragma integrity_check").fetchone() == ("ok",)
        subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
        done = command.finish("--quiet", "--resume")
        assert done.returncode == 0, done.stderr
        assert count(command.store, "outcomes") == 400
        # What could not be stored was asked again, and nothing else.
        assert counting.begun - count(command.store, "calls") <= 2 * AT_ONCE
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=False)
