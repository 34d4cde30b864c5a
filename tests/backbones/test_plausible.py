import json
import re
from datetime import date
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, PositiveInt

from semiosis.backbones.marks import reply_mark
from semiosis.backbones.plausible import plausible
from semiosis.backbones.schemas import schema_of
from semiosis.methods.semjudge.shapes import PICTURE_GRAPHS, PROMPT_GRAPH, AnswerShape
from semiosis.methods.verdict import VerdictShape


class Tuple(BaseModel):
    kind: Literal["entity", "attribute"]
    score: Annotated[float, Field(ge=0, le=10)]
    sure: bool
    parents: Annotated[list[int], Field(min_length=1, max_length=2)]
    corners: tuple[int, str]


class Bounded(BaseModel):
    positive: PositiveInt
    six: Annotated[int, Field(gt=5, lt=7)]
    below: Annotated[int, Field(le=-1)]
    fives: Annotated[int, Field(multiple_of=5, ge=1, le=20)]
    share: Annotated[float, Field(gt=0, lt=1)]
    two: Annotated[set[Literal["a", "b", "c"]], Field(min_length=2)]
    long: Annotated[str, Field(min_length=300)]
    named: Annotated[dict[str, int], Field(min_length=1)]
    day: date
    who: UUID


class Everything(BaseModel):
    tuples: Annotated[list[Tuple], Field(min_length=2, max_length=6)]
    note: Annotated[str, Field(max_length=12)] | None
    either: int | str
    free: str


SHAPES: list[type[BaseModel]] = [
    Everything,
    Bounded,
    VerdictShape,
    AnswerShape,
    *PROMPT_GRAPH.values(),
    *PICTURE_GRAPHS.values(),
]


@pytest.mark.parametrize("shape", SHAPES)
@settings(deadline=None)
@given(seed=st.none() | st.floats(0, 1))
def test_a_made_up_reply_fits_its_schema_and_its_shape(shape: type[BaseModel], seed: float | None) -> None:
    schema = schema_of(shape)
    instance = json.loads(plausible(schema, {}, partial(reply_mark, 3), 2000, seed))
    jsonschema.validate(instance, schema)
    shape.model_validate(instance)


@pytest.mark.parametrize("shape", [VerdictShape, *PROMPT_GRAPH.values()])
@pytest.mark.parametrize("characters", [1500, 4000])
def test_it_is_about_as_long_as_wanted(shape: type[BaseModel], characters: int) -> None:
    schema = schema_of(shape)
    limit = sum(map(int, re.findall(r'"maxLength": (\d+)', json.dumps(schema)))) or characters
    length = len(plausible(schema, {}, partial(reply_mark, 3), characters))
    assert min(0.9 * characters, limit) <= length <= 1.1 * characters


def texts(value: Any) -> list[str]:
    match value:
        case str():
            return [value]
        case dict() | list():
            return [
                text
                for each in (value.values() if isinstance(value, dict) else value)
                for text in texts(each)
            ]
        case _:
            return []


def test_every_text_has_a_mark_of_its_own() -> None:
    reply = json.loads(plausible(schema_of(PROMPT_GRAPH["complex"]), {}, partial(reply_mark, 3), 4000))
    marks = [text.split()[0] for text in texts(reply) if text.startswith("z")]
    assert len(set(marks)) == len(marks) > 10
    assert all(re.fullmatch(r"zr3p\d+z", mark) for mark in marks)


def test_what_the_example_holds_stands_as_it_is() -> None:
    reply = json.loads(plausible(schema_of(AnswerShape), {"answer": "C"}, partial(reply_mark, 0), 800))
    assert reply["answer"] == "C"
    assert reply["reasoning"].startswith("zr0p")


def test_an_empty_text_of_the_example_is_made_up() -> None:
    listed = [{"node": "A.1", "rationale": ""}, {"node": "B", "rationale": ""}]
    reply = json.loads(
        plausible(schema_of(AnswerShape), {"evidence": listed, "answer": "B"}, partial(reply_mark, 0), 800)
    )
    assert [each["node"] for each in reply["evidence"]] == ["A.1", "B"]
    assert len({each["rationale"] for each in reply["evidence"]}) == 2


def test_without_a_schema_it_is_prose() -> None:
    text = plausible(None, {}, partial(reply_mark, 1), 300)
    assert text.startswith("zr1p0z ")
    assert 280 <= len(text) <= 300


def test_a_seed_varies_what_the_schema_leaves_open() -> None:
    replies = {
        plausible(schema_of(Everything), {}, partial(reply_mark, 1), 500, seed / 50) for seed in range(50)
    }
    counts = {len(json.loads(reply)["tuples"]) for reply in replies}
    assert counts == {2, 3, 4, 5, 6}
    assert {each["sure"] for reply in replies for each in json.loads(reply)["tuples"]} == {True, False}
