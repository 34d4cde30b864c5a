"""From text to value: the stress cases of the field, and hostile text."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue, RootModel

from semiosis.backbones.replies import MAX_REPLY_CHARACTERS, read
from semiosis.core.errors import BackboneError

# Cases of the json_stress set that end in neither their expected value nor a failure, and why: each asks for
# a mode of the library it comes from, and the same input without that mode is another case, which is met.
OTHERS = {
    '{"key": "val\\ stream_stable',
    '{"key": "val\\n123,`key2:value2 stream_stable',
    "{} logging",
}


class AnyJson(RootModel[JsonValue]):
    pass


class AnyInteger(RootModel[int]):
    pass


def expected(case: dict[str, Any]) -> Any:
    value = case["expected"]
    if case["expected_is"] == "json_text" and isinstance(value, str) and value:
        return json.loads(value)
    return value


def ended(case: dict[str, Any]) -> str:
    """How the reply is read on the way every reply takes: the schema of a case is the shape asked for."""
    shape = AnyInteger if case["options"].get("schema") == {"type": "integer"} else AnyJson
    try:
        return "expected" if read(case["input"], shape).value.root == expected(case) else "another value"
    except BackboneError as error:
        # The library says "no JSON here" with an empty string; here that is a failure, never a value.
        return "nothing there" if expected(case) == "" and error.kind == "unparsable" else "failure"


def test_stress_cases_end_as_they_should(shared_data: Path) -> None:
    cases = json.loads((shared_data / "json_stress" / "json_repair_cases.json").read_text())
    ends = [(ended(case), case) for case in cases]
    assert Counter(end for end, _ in ends) == {"expected": 103, "nothing there": 6, "another value": 3}
    others = {
        " ".join(
            [case["input"], *(name for name in ("stream_stable", "logging") if case["options"].get(name))]
        )
        for end, case in ends
        if end == "another value"
    }
    assert others == OTHERS


class Anything(RootModel[dict[str, Any]]):
    pass


class Verdict(BaseModel):
    winner: str


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, "{" * 50_000, "\x00", "", "null", "NaN", '"winner"', "[1, 2]", "A"],
)
def test_hostile_text_is_a_failure(text: str) -> None:
    with pytest.raises(BackboneError):
        read(text, Verdict)


def test_a_reply_of_unreasonable_length_is_not_even_tried() -> None:
    with pytest.raises(BackboneError, match="characters"):
        read(" " * (MAX_REPLY_CHARACTERS + 1), Verdict)


def test_the_object_that_fits_is_found_among_others() -> None:
    text = (
        '{"note": "first"} and then {"winner": "B"} and {"x": {"y": "a much longer object than the others"}}'
    )
    assert read(text, Verdict).value.winner == "B"


@given(st.text(max_size=200))
def test_any_text_is_a_value_or_a_failure(text: str) -> None:
    kinds = {"value", "refused", "unparsable", "invalid"}
    try:
        found = "value" if isinstance(read(text, Verdict).value, Verdict) else "something else"
    except BackboneError as error:
        found = error.kind
    assert found in kinds


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=20) | st.integers() | st.none(), max_size=5))
def test_valid_json_is_taken_as_it_is(value: dict[str, Any]) -> None:
    found = read(json.dumps(value), Anything)
    assert found.value.root == value
    assert found.repairs == ()
