"""A vector is computed once: for all who ask at once, for the next process, after a kill, beside a second writer."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from semiosis.backbones.embeddings import Embeddings, key_of, shared_embeddings

np: Any = pytest.importorskip("numpy")


class Computed:
    """A vector of ones, and how often it was computed."""

    def __init__(self, fill: float = 1.0) -> None:
        self.times = 0
        self.vector = np.full(3, fill, np.float32)

    async def __call__(self) -> Any:
        self.times += 1
        await asyncio.sleep(0)
        return self.vector


KEY = key_of("weights", "picture", "abc")


async def test_all_who_ask_at_once_share_one_computation(tmp_path: Path) -> None:
    embeddings, compute = Embeddings(tmp_path / "e.sqlite"), Computed()
    vectors = await asyncio.gather(*(embeddings.get(KEY, compute) for _ in range(5)))
    assert [vector.tolist() for vector in vectors] == [[1.0, 1.0, 1.0]] * 5
    assert compute.times == 1


async def test_another_process_finds_what_this_one_kept(tmp_path: Path) -> None:
    path = tmp_path / "home" / "e.sqlite"
    vector = np.array([1.5, -2.25, 3e-7], np.float32)
    first = Computed()
    first.vector = vector
    await Embeddings(path).get(KEY, first)
    again = Computed()
    stored = await Embeddings(path).get(KEY, again)
    assert again.times == 0
    assert stored.dtype == np.float32
    assert stored.tolist() == vector.tolist()
    assert (await Embeddings(path).get(key_of("other"), again)).tolist() == [1.0, 1.0, 1.0]


async def test_without_a_file_nothing_outlives_the_process(tmp_path: Path) -> None:
    compute = Computed()
    for _ in range(2):
        await Embeddings(None).get(KEY, compute)
    assert compute.times == 2
    assert list(tmp_path.iterdir()) == []


async def test_of_those_in_memory_the_least_used_goes_first() -> None:
    embeddings, compute = Embeddings(None, most=2), Computed()
    for name in ("a", "b", "a", "c", "a"):
        await embeddings.get(key_of(name), compute)
    assert compute.times == 3
    await embeddings.get(key_of("b"), compute)
    assert compute.times == 4


@pytest.mark.parametrize(
    "blob",
    [b"", b"abc", np.array([1, np.nan], "<f4").tobytes(), np.array([np.inf], "<f4").tobytes(), "text", None],
)
async def test_what_is_no_vector_is_computed_anew(tmp_path: Path, blob: Any) -> None:
    path = tmp_path / "e.sqlite"
    await Embeddings(path).get(key_of("other"), Computed())
    with sqlite3.connect(path) as file:
        file.execute("drop table embeddings")
        file.execute("create table embeddings (key blob primary key, vector blob)")
        file.execute("insert into embeddings values (?, ?)", (KEY, blob))
    file.close()
    compute = Computed()
    assert (await Embeddings(path).get(KEY, compute)).tolist() == [1.0, 1.0, 1.0]
    assert compute.times == 1
    assert (await Embeddings(path).get(KEY, Computed(2.0))).tolist() == [1.0, 1.0, 1.0]


async def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    async def fails() -> Any:
        raise ValueError("no")

    embeddings = Embeddings(tmp_path / "e.sqlite")
    with pytest.raises(ValueError, match="no"):
        await embeddings.get(KEY, fails)
    assert (await embeddings.get(KEY, Computed())).tolist() == [1.0, 1.0, 1.0]


async def test_a_damaged_file_costs_a_warning_and_no_vector(tmp_path: Path) -> None:
    path = tmp_path / "e.sqlite"
    path.write_bytes(b"not a database, whatever it is called" * 100)
    embeddings, compute = Embeddings(path), Computed()
    with pytest.warns(RuntimeWarning, match=r"e\.sqlite cannot be used: .*; delete the file"):
        assert (await embeddings.get(KEY, compute)).tolist() == [1.0, 1.0, 1.0]
    await embeddings.get(key_of("b"), compute)
    assert compute.times == 2


def test_a_file_is_hashed_again_only_when_it_changed(tmp_path: Path) -> None:
    file, path = tmp_path / "model.bin", tmp_path / "e.sqlite"
    file.write_bytes(b"weights")
    first = Embeddings(path).hash_of(file)
    with sqlite3.connect(path) as store:
        assert store.execute("select sha256 from files").fetchall() == [(first,)]
        store.execute("update files set sha256 = 'remembered'")
    store.close()
    assert Embeddings(path).hash_of(file) == "remembered"
    file.write_bytes(b"other weights")
    assert Embeddings(path).hash_of(file) not in (first, "remembered")


WRITER = """
import asyncio, os, signal, sys
import numpy as np
from pathlib import Path
from semiosis.backbones.embeddings import Embeddings, key_of

async def main(path, name, count, kill):
    embeddings = Embeddings(Path(path))
    for number in range(count):
        async def compute(number=number):
            return np.full(8, number, np.float32)
        await embeddings.get(key_of(name, str(number)), compute)
    if kill:
        os.kill(os.getpid(), signal.SIGKILL)

path, name, count, kill = sys.argv[1:]
asyncio.run(main(path, name, int(count), kill == "kill"))
"""


def writer(path: Path, name: str, count: int, kill: str = "") -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(path), name, str(count), kill]
    return subprocess.Popen(command, env=os.environ)


async def test_two_processes_write_and_one_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "e.sqlite"
    killed, other = writer(path, "killed", 50, "kill"), writer(path, "other", 200)
    assert (killed.wait(60), other.wait(60)) == (-signal.SIGKILL, 0)
    embeddings, anew = Embeddings(path), Computed(-1.0)
    for name, count in (("killed", 50), ("other", 200)):
        for number in range(count):
            vector = await embeddings.get(key_of(name, str(number)), anew)
            assert vector.tolist() == [float(number)] * 8
    assert anew.times == 0


def test_those_of_one_file_are_one_in_a_process(tmp_path: Path) -> None:
    one, other = shared_embeddings(tmp_path / "a"), shared_embeddings(tmp_path / "b")
    assert one is shared_embeddings(tmp_path / "a")
    assert one is not other
