"""Questions from a file: the authors' columns and ours, the published file, and files that are no good."""

import json
from pathlib import Path
from typing import Any

import pytest

from semiosis.core.errors import BadRecord
from semiosis.core.outcome import Failure
from semiosis.core.sign import Prompt
from semiosis.methods.dsg.given import GivenQuestions
from semiosis.methods.dsg.propositions import MOST_PROPOSITIONS, Proposition

BIKE = (
    Proposition("1", "entity (bike)", (), "Is there a bike?"),
    Proposition("2", "attribute (bike, red)", ("1",), "Is the bike red?"),
)
OURS = "prompt,id,needs,tuple,question\n"


def written(folder: Path, text: str, name: str = "questions.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ours.csv", f"{OURS}A red bike.,1,,entity (bike),Is there a bike?\n"
         "A red bike.,2,1,\"attribute (bike, red)\",Is the bike red?\n"),
        ("theirs.csv", "item_id,text,keywords,proposition_id,dependency,category_broad,tuple,"
         "question_natural_language\nx,A red bike.,bike,1,0,entity,entity (bike),Is there a bike?\n"
         "x,A red bike.,red,2,\"1, 0\",attribute,\"attribute (bike, red)\", Is the bike red? \n"),
        ("ours.jsonl", "\n".join(json.dumps(row) for row in (
            {"prompt": "A red bike.", "id": 1, "needs": [], "tuple": "entity (bike)", "question": "Is there a bike?"},
            {"prompt": "A  red bike. ", "id": 2, "needs": [1], "tuple": "attribute (bike, red)", "question": "Is the bike red?"},
        ))),
    ],
)  # fmt: skip
def test_rows_become_the_propositions_of_their_prompt(tmp_path: Path, name: str, text: str) -> None:
    given = GivenQuestions.read(written(tmp_path, text, name))
    assert given.of(Prompt(text=" A red\nbike.")) == BIKE
    assert (given.name, given.faults) == (name, {})


def test_the_hash_is_of_what_is_asked_not_of_the_file(tmp_path: Path) -> None:
    rows = ["A red bike.,1,,entity (bike),Is there a bike?", "A dog.,1,,entity (dog),Is there a dog?"]
    one = GivenQuestions.read(written(tmp_path, OURS + "\n".join(rows), "one.csv"))
    other = GivenQuestions.read(written(tmp_path, OURS + "\n".join(rows[::-1]), "other.csv"))
    more = GivenQuestions.read(written(tmp_path, OURS + "\n".join([rows[0], rows[1] + "!"]), "more.csv"))
    assert one.sha256 == other.sha256 != more.sha256


def test_a_prompt_the_file_does_not_have_is_a_failure_that_names_it(tmp_path: Path) -> None:
    given = GivenQuestions.read(written(tmp_path, f"{OURS}A dog.,1,,,Is there a dog?"))
    failure = given.of(Prompt(text="A cat."))
    assert isinstance(failure, Failure)
    assert (failure.reason, failure.stage) == ("invalid", "given questions")
    assert failure.message.startswith("questions.csv has no questions for this prompt")


def test_the_faults_of_a_prompt_are_all_named_and_the_others_are_asked(tmp_path: Path) -> None:
    rows = [
        "A dog.,1,1,entity (dog),Is there a dog?",
        "A dog.,2,7,entity (bowl), ",
        "A cat.,1,,entity (cat),Is there a cat?",
    ]
    given = GivenQuestions.read(written(tmp_path, OURS + "\n".join(rows)))
    faults = (
        "proposition 1 depends on itself",
        "proposition 2 depends on 7, which there is not",
        "proposition 2 has no question",
    )
    assert given.faults == {"A dog.": faults}
    failure = given.of(Prompt(text="A dog."))
    assert isinstance(failure, Failure)
    assert all(fault in failure.message for fault in faults)
    assert given.of(Prompt(text="A cat.")) == (Proposition("1", "entity (cat)", (), "Is there a cat?"),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("prompt,id\nA dog.,1\n", "line 2 has no column question or question_natural_language"),
        ("prompt,id,question\n,1,Is it?\n", "line 2 has no prompt"),
        ("prompt,id,question\nA dog.,,Is it?\n", "line 2 has no id"),
        ("prompt,id,question\nA dog.,1,Is it?\nA dog.,2\n", "line 3 cannot be read: The row has 2 cells"),
        ("", "is empty"),
    ],
)
def test_a_file_with_a_row_that_cannot_be_read_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(BadRecord, match=expected):
        GivenQuestions.read(written(tmp_path, text))


def test_no_file_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="There is no file or folder"):
        GivenQuestions.read(tmp_path / "none.csv")


def needing(tmp_path: Path, *needs: Any, first: int = 1) -> list[tuple[str, ...]]:
    """What each of so many propositions needs, as it was read."""
    rows = [
        json.dumps({"prompt": "A dog.", "id": at, "needs": each, "question": f"Is there a dog {at}?"})
        for at, each in enumerate(needs, first)
    ]
    given = GivenQuestions.read(written(tmp_path, "\n".join(rows), "rows.jsonl"))
    return [each.needs for each in given.by_prompt["A dog."]]


def test_needs_may_be_whole_numbers_in_any_form(tmp_path: Path) -> None:
    assert needing(tmp_path, None, 1.0, "1,2", [1, 3.0], float("nan"), "") == [
        *((), ("1",), ("1", "2"), ("1", "3"), (), ())
    ]


def test_nought_is_none_but_where_a_proposition_is_called_so(tmp_path: Path) -> None:
    assert needing(tmp_path, "0", "1") == [(), ("1",)]
    assert needing(tmp_path, None, 0, "0,1", first=0) == [(), ("0",), ("0", "1")]


@pytest.mark.parametrize("needs", [[{"a": 1}], {"a": 1}, 1.5, [[1]]])
def test_needs_of_another_kind_are_refused_and_not_dropped(tmp_path: Path, needs: Any) -> None:
    with pytest.raises(BadRecord, match="names no propositions"):
        needing(tmp_path, needs)


def test_a_long_list_of_faults_stays_short(tmp_path: Path) -> None:
    needs = ",".join(str(number) for number in range(100, 5000))
    given = GivenQuestions.read(written(tmp_path, f'{OURS}A dog.,1,"{needs}",,Is there a dog?'))
    failure = given.of(Prompt(text="A dog."))
    assert isinstance(failure, Failure)
    assert "proposition 1 depends on 100, which there is not" in failure.message
    assert "and 4894 more" in failure.message
    assert len(failure.message) < 500


def test_more_propositions_than_can_be_asked_are_refused_at_once(tmp_path: Path) -> None:
    rows = "\n".join(f"A dog.,{n},{n - 1},entity (dog {n}),Is there dog {n}?" for n in range(1, 5001))
    given = GivenQuestions.read(written(tmp_path, OURS + rows))
    assert given.faults == {
        "A dog.": (f"there are 5,000 propositions; at most {MOST_PROPOSITIONS} can be asked",)
    }


def test_a_question_longer_than_can_be_asked_is_refused(tmp_path: Path) -> None:
    row = {"prompt": "A dog.", "id": "1", "tuple": "(" * 1_000_000, "question": "Is it " * 100_000 + "?"}
    given = GivenQuestions.read(written(tmp_path, json.dumps(row), "rows.jsonl"))
    assert given.faults == {
        "A dog.": ("the question of proposition 1 has 600,001 characters; at most 1,000 can be asked",)
    }


def test_half_a_surrogate_pair_is_read_as_a_question_mark(tmp_path: Path) -> None:
    row = {"prompt": "A \ud800 dog.", "id": "1", "question": "Is there a \ud800 dog?"}
    given = GivenQuestions.read(written(tmp_path, json.dumps(row), "rows.jsonl"))
    assert given.by_prompt == {"A ? dog.": (Proposition("1", "", (), "Is there a ? dog?"),)}
