"""Forced choices by file: in our names, in those of earlier releases, in those of others."""

import json
from pathlib import Path

from semiosis.building.votes import ForcedChoice, VoteColumns, as_row, read
from semiosis.sources.opening import open_rows

COLUMNS = VoteColumns(group=("season",))


def of_file(path: Path, text: str, columns: VoteColumns = COLUMNS) -> tuple[ForcedChoice, ...]:
    path.write_text(text)
    return read(open_rows(path).read(), columns)


def test_a_file_of_an_earlier_release_is_read_as_one_of_today(tmp_path: Path) -> None:
    today = of_file(
        tmp_path / "today.csv",
        "id,season,a,b,winner,share_a,votes_a,votes_b\n"
        "1,spring,gpt,qwen,b,,,\n2,spring,gpt,qwen,,0.75,,\n3,spring,qwen,gpt,,,1,3\n4,spring,gpt,qwen,,,,\n",
    )
    earlier = of_file(
        tmp_path / "earlier.csv",
        "id,season,left,right,winner,left_share,votes_left,votes_right\n"
        "1,spring,gpt,qwen,right,,,\n2,spring,gpt,qwen,,0.75,,\n3,spring,qwen,gpt,,,1,3\n4,spring,gpt,qwen,,,,\n",
    )
    assert [(each.a, each.winner, each.share_a, each.annotated) for each in today] == [
        ("gpt", "b", None, True),
        ("gpt", "a", 0.75, True),
        ("qwen", "b", 0.25, True),
        ("gpt", None, None, False),
    ]
    assert earlier == today


def test_a_choice_that_an_earlier_release_stored_is_read() -> None:
    stored = {
        "id": "1",
        "group": ["spring"],
        "prompt": "",
        "left": "gpt",
        "right": "qwen",
        "winner": "right",
        "annotated": True,
        "left_share": 0.25,
    }
    choice = ForcedChoice(id="1", group=("spring",), prompt="", a="gpt", b="qwen", winner="b", share_a=0.25)
    assert ForcedChoice.model_validate_json(json.dumps(stored)) == choice
    undecided = stored | {"winner": None, "left_share": 0.5}
    assert ForcedChoice.model_validate_json(json.dumps(undecided)).winner is None
    assert ForcedChoice.model_validate_json(choice.model_dump_json()) == choice


def test_a_file_s_own_columns_and_words_are_written_and_read_again(tmp_path: Path) -> None:
    columns = VoteColumns(group=("season",), a="left", b="right", winners=("left", "right"))
    choices = tuple(
        ForcedChoice(id=str(at), group=("spring",), prompt="", a="gpt", b="qwen", winner=winner)
        for at, winner in enumerate(("a", "b", None))
    )
    rows = [as_row(choice, columns) for choice in choices]
    assert [(row["left"], row["right"], row["winner"]) for row in rows] == [
        ("gpt", "qwen", "left"),
        ("gpt", "qwen", "right"),
        ("gpt", "qwen", None),
    ]
    assert of_file(tmp_path / "again.json", json.dumps(rows), columns) == choices
    ours = [as_row(choice, COLUMNS) for choice in choices]
    assert [row["winner"] for row in ours] == ["a", "b", None]
    assert of_file(tmp_path / "ours.json", json.dumps(ours)) == choices
