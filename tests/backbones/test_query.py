"""A text that ends at its bound may be cut in the middle of a word: it is asked for again, and never passes."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from chat import says
from loopback import Loopback, Script
from semiosis.backbones.backbone import Message
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.query import Query, ValidReply, ask
from semiosis.core.outcome import Exchange, Failure


class Part(BaseModel):
    sign: Annotated[str, Field(json_schema_extra={"maxLength": 10})]
    quote: Annotated[str, Field(json_schema_extra={"maxLength": 10})] | None = None


class Reading(BaseModel):
    parts: list[Part]


QUERY = Query(task="read", messages=(Message("user", ("Read.",)),), reply=Reading, stage="reading")
WHOLE = {"parts": [{"sign": "a skull", "quote": None}]}


async def answers(
    provider: str, *replies: Any
) -> tuple[ValidReply[Reading] | Failure, Script, list[Exchange]]:
    script = Script(*map(says, replies))
    log: list[Exchange] = []
    with Loopback(script.app) as loopback:
        backbone = OpenAI("m", provider=provider, base_url=f"{loopback.url}/v1", api_key="k")
        response = await ask(backbone, QUERY, log)
        await backbone.aclose()
    return response, script, log


@pytest.mark.parametrize(
    ("part", "where"),
    [
        ({"sign": "a skull on", "quote": None}, "parts.1.sign"),
        ({"sign": "a skull", "quote": "everything"}, "parts.1.quote"),
    ],
)
async def test_a_text_that_ends_at_its_bound_is_asked_for_again(part: dict[str, Any], where: str) -> None:
    response, script, log = await answers("custom", {"parts": [part]}, WHOLE)
    assert isinstance(response, ValidReply)
    assert response.value.parts[0].sign == "a skull"
    assert f"{where} has all of its 10 characters" in script.seen[1].body.decode()
    assert len(log) == 2


async def test_a_text_that_stays_cut_is_a_failure() -> None:
    full = {"parts": [{"sign": "0123456789", "quote": None}]}
    response, script, _ = await answers("custom", full, full)
    assert isinstance(response, Failure)
    assert (response.reason, len(script.seen)) == ("truncated", 2)


@pytest.mark.parametrize(
    ("provider", "sign"),
    [("custom", "0123456789 and more"), ("custom", "012345678"), ("openai", "0123456789")],
)
async def test_no_other_text_is_taken_for_cut(provider: str, sign: str) -> None:
    """Longer than the bound, it was never bounded; and a server that is sent no bounds cuts at none."""
    response, script, _ = await answers(provider, {"parts": [{"sign": sign, "quote": None}]})
    assert isinstance(response, ValidReply)
    assert (response.value.parts[0].sign, len(script.seen)) == (sign, 1)
