"""From text to value: the stress cases of the field, and hostile text."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel

from semiosis.backbones.replies import MAX_REPLY_CHARACTERS, read, recover
from semiosis.core.errors import BackboneError

# Cases of the json_stress set whose expected value we do not give, and why.
OTHERS = {
    '{"key": "val\\ stream_stable': "expects a streaming mode that keeps a half-written escape out",
    '{"key": "val\\n123,`key2:value2 stream_stable': "expects a streaming mode",
    "{} logging": "expects a log of the repair beside the value",
}


class Anything(RootModel[dict[str, Any]]):
    pass


def cases(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "json_stress" / "json_repair_cases.json").read_text())


def expected(case: dict[str, Any]) -> Any:
    value = case["expected"]
    if case["expected_is"] == "json_text" and isinstance(value, str) and value:
        return json.loads(value)
    return value


def test_stress_cases_give_their_value(shared_data: Path) -> None:
    stress = cases(shared_data)
    assert len(stress) == 112
    missed: set[str] = set()
    for case in stress:
        found = recover(case["input"])
        if case["options"].get("schema") == {"type": "integer"}:
            found = int(str(found))
        if found != expected(case):
            flags = [
                name for name, value in case["options"].items() if value is True and name != "return_objects"
            ]
            missed.add(" ".join([case["input"], *flags]))
    assert missed == OTHERS.keys()
    assert len(missed) <= 0.05 * len(stress)


def test_stress_cases_never_raise_anything_but_a_failure(shared_data: Path) -> None:
    outcomes = {"value": 0}
    for case in cases(shared_data):
        try:
            read(case["input"], Anything)
            outcomes["value"] += 1
        except BackboneError as error:
            outcomes[error.kind] = outcomes.get(error.kind, 0) + 1
    assert outcomes == {"value": 84, "unparsable": 28}


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
