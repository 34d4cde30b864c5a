"""What waits at the same time is done in one call, for callers on any loop, and each gets its own value."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from semiosis.backbones.batcher import AHEAD, Batcher


class Squares:
    """Squares numbers once it is let; remembers what came together."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.may_go_on = threading.Event()
        self.batches: list[list[int]] = []

    def __call__(self, numbers: list[int]) -> list[int]:
        self.began.set()
        assert self.may_go_on.wait(10)
        self.batches.append(numbers)
        if -1 in numbers:
            raise ValueError("not that one")
        return [number * number for number in numbers]


def square(batcher: Batcher[int, int], number: int, most: int = 4) -> Coroutine[Any, Any, int]:
    async def prepared() -> int:
        return number

    return batcher.do(prepared, most)


async def begun(squares: Squares, batcher: Batcher[int, int], first: int = 0) -> asyncio.Task[int]:
    """A batch of one that is under way until it is let go on."""
    task = asyncio.create_task(square(batcher, first))
    assert await asyncio.to_thread(squares.began.wait, 10)
    return task


async def test_what_waits_goes_together_and_each_gets_its_own() -> None:
    squares = Squares()
    batcher = Batcher(squares)
    first = await begun(squares, batcher)
    rest = [asyncio.create_task(square(batcher, number)) for number in range(1, 7)]
    await asyncio.sleep(0)
    squares.may_go_on.set()
    assert await asyncio.gather(first, *rest) == [0, 1, 4, 9, 16, 25, 36]
    assert squares.batches == [[0], [1, 2, 3, 4], [5, 6]]
    assert (batcher.rows, batcher.batches) == (7, 3)


async def test_nobody_is_done_with_more_others_than_asked_for() -> None:
    squares = Squares()
    batcher = Batcher(squares)
    first = await begun(squares, batcher)
    sizes = [1, 3, 3, 3, 2, 3]
    rest = [asyncio.create_task(square(batcher, at, most)) for at, most in enumerate(sizes, 1)]
    await asyncio.sleep(0)
    squares.may_go_on.set()
    await asyncio.gather(first, *rest)
    assert squares.batches == [[0], [1], [2, 3, 4], [5, 6]]


async def test_room_is_as_large_as_asked_for_whoever_came_first() -> None:
    squares = Squares()
    batcher = Batcher(squares)
    first = asyncio.create_task(square(batcher, 0, 1))
    assert await asyncio.to_thread(squares.began.wait, 10)
    rest = [asyncio.create_task(square(batcher, number, 8)) for number in range(1, 9)]
    await asyncio.sleep(0)
    squares.may_go_on.set()
    await asyncio.gather(first, *rest)
    assert squares.batches == [[0], [1, 2, 3, 4, 5, 6, 7, 8]]


async def test_callers_on_two_loops_share_a_batch() -> None:
    squares = Squares()
    batcher = Batcher(squares)
    first = await begun(squares, batcher)
    own = asyncio.create_task(square(batcher, 2))
    await asyncio.sleep(0)
    with ThreadPoolExecutor(1) as elsewhere:
        prepared = threading.Event()

        async def there() -> int:
            async def item() -> int:
                asyncio.get_running_loop().call_soon(prepared.set)
                return 3

            return await batcher.do(item, 4)

        other = elsewhere.submit(asyncio.run, there())
        assert await asyncio.to_thread(prepared.wait, 10)
        squares.may_go_on.set()
        assert (await first, await own, await asyncio.to_thread(other.result, 10)) == (0, 4, 9)
    assert squares.batches == [[0], [2, 3]]


async def test_an_error_is_raised_to_its_batch_and_to_no_other() -> None:
    squares = Squares()
    batcher = Batcher(squares)
    first = await begun(squares, batcher)
    rest = [asyncio.create_task(square(batcher, number, 2)) for number in (-1, 5, 6)]
    await asyncio.sleep(0)
    squares.may_go_on.set()
    ends = await asyncio.gather(first, *rest, return_exceptions=True)
    assert [ends[0], ends[3]] == [0, 36]
    assert all(isinstance(each, ValueError) for each in ends[1:3])
    assert await square(batcher, 7) == 49


async def test_one_who_no_longer_waits_is_left_out() -> None:
    squares = Squares()
    batcher = Batcher(squares)
    first = await begun(squares, batcher)
    gone, stays = [asyncio.create_task(square(batcher, number)) for number in (8, 9)]
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.sleep(0)
    squares.may_go_on.set()
    assert (await first, await stays) == (0, 81)
    assert squares.batches == [[0], [9]]
    with pytest.raises(asyncio.CancelledError):
        await gone


async def test_only_some_batches_are_prepared_ahead() -> None:
    squares = Squares()
    batcher = Batcher(squares)
    prepared: list[int] = []

    async def do(number: int) -> int:
        async def item() -> int:
            prepared.append(number)
            return number

        return await batcher.do(item, 2)

    tasks = [asyncio.create_task(do(number)) for number in range(20)]
    assert await asyncio.to_thread(squares.began.wait, 10)
    assert len(prepared) == 2 * (1 + AHEAD)
    squares.may_go_on.set()
    assert await asyncio.gather(*tasks) == [number * number for number in range(20)]
