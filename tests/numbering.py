"""A backbone that answers with a number that grows, and something to ask it."""

import asyncio
from dataclasses import replace

from semiosis.backbones.backbone import Message, Reply, Request, Traits


class Numbering:
    """Answers with its number, and knows how many were asked at once."""

    name = "openai/gpt-5"
    traits = Traits(endpoint="test")

    def __init__(self, reply: Reply | None = None) -> None:
        self.reply = reply or Reply(text="", cost_usd=0.01)
        self.calls = self.now = self.most = 0

    async def complete(self, request: Request) -> Reply:
        self.calls += 1
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(3):
            await asyncio.sleep(0)
        self.now -= 1
        return replace(self.reply, text=str(self.calls))

    async def aclose(self) -> None:
        pass


def asking(text: str, **fields: int) -> Request:
    return Request((Message("user", (text,)),), task="t", **fields)  # type: ignore[arg-type]
