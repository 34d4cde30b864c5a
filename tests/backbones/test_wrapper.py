"""A wrapper is a backbone around a backbone."""

import asyncio

from numbering import Numbering, asking
from semiosis.backbones.wrapper import Limited


async def test_no_more_than_so_many_at_once() -> None:
    inner = Numbering()
    limited = Limited(inner, at_once=3)
    await asyncio.gather(*(limited.complete(asking(str(n))) for n in range(20)))
    assert (inner.calls, inner.most) == (20, 3)


def test_a_limit_serves_one_loop_after_another() -> None:
    limited = Limited(Numbering(), at_once=1)

    async def two() -> int:
        return len(await asyncio.gather(limited.complete(asking("x")), limited.complete(asking("y"))))

    assert [asyncio.run(two()) for _ in range(2)] == [2, 2]
