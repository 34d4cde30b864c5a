"""Pairs from files, tables, datasets and folders: what is read, and what is said of what is not."""

import base64
import csv
import gzip
import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Self
from unicodedata import category

import pytest
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from loopback import Loopback
from semiosis.core.errors import BadPicture, BadRecord, BadSetting, MissingExtra
from semiosis.core.item import BadRow, Candidate, RowParts, key_of
from semiosis.core.kinds import KINDS
from semiosis.core.kinds.pair import PairItem
from semiosis.core.kinds.question import QuestionItem
from semiosis.core.kinds.rating import RatingItem
from semiosis.core.sign import Artifact, Prompt, Question
from semiosis.sources import Columns, open_items
from semiosis.sources.pictures import Pictures

OURS = {"prompt": "Nothing lasts.", "a": "a.png", "b": "b.png"}


@pytest.fixture
def shelf(tmp_path: Path, png: Callable[..., bytes]) -> Path:
    """A folder with three pictures."""
    for name, colour in (("a", "teal"), ("b", "maroon"), ("c", "gold")):
        (tmp_path / f"{name}.png").write_bytes(png(colour))
    return tmp_path


def write_lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def write_table(path: Path, rows: Sequence[dict[str, Any]], delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def everything(where: str | Path, *args: Any, **options: Any) -> list[Candidate | BadRow]:
    return list(open_items(where, *args, **options).candidates())


def items(where: str | Path, *args: Any, **options: Any) -> list[PairItem]:
    pairs: list[PairItem] = []
    for candidate in everything(where, *args, **options):
        assert isinstance(candidate, Candidate), candidate
        item = candidate.make()
        assert isinstance(item, PairItem)
        assert item.key == candidate.key
        pairs.append(item)
    return pairs


def only_bad(where: str | Path, *args: Any, **options: Any) -> BadRow:
    (bad,) = [each for each in everything(where, *args, **options) if isinstance(each, BadRow)]
    return bad


def prompts_of(rows: Sequence[Candidate | BadRow]) -> list[str]:
    pairs = [each.make() for each in rows if isinstance(each, Candidate)]
    return [item.pair.prompt.text for item in pairs if isinstance(item, PairItem)]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class TestFormats:
    def test_commas_in_a_quoted_title_are_no_delimiters(self, shelf: Path) -> None:
        path = shelf / "pairs.csv"
        path.write_text(
            '"prompt";"a";"b";"note, with, commas, many, more"\n"Nothing lasts.";"a.png";"b.png";"x"\n'
        )
        (candidate,) = open_items(path).candidates()
        assert isinstance(candidate, Candidate)
        assert candidate.make().labels == {"note, with, commas, many, more": "x"}

    def test_a_setting_that_makes_no_sense_is_refused_before_anything_is_read(self, shelf: Path) -> None:
        with pytest.raises(
            BadSetting, match="labels_by of open_items should be 'people', 'makers' or 'unknown'"
        ):
            open_items(shelf / "pairs.jsonl", labels_by="peple")  # type: ignore[arg-type]

    def test_a_line_becomes_an_item_with_its_pictures_and_labels(self, shelf: Path) -> None:
        row = {**OURS, "id": "v/1", "winner": "b", "model_a": "flux", "seed": 7, "nsfw": False, "tags": ["x"]}
        source = open_items(write_lines(shelf / "pairs.jsonl", row))
        assert source.name == "pairs.jsonl"
        (candidate,) = source.candidates()
        assert isinstance(candidate, Candidate)
        a, b = sha256(shelf / "a.png"), sha256(shelf / "b.png")
        assert candidate.key == key_of("pair", "v/1", "Nothing lasts.", a, b)
        assert candidate.where == "pairs.jsonl line 1"
        item = candidate.make()
        assert isinstance(item, PairItem)
        assert (item.id, item.pair.prompt.text) == ("v/1", "Nothing lasts.")
        assert (item.pair.a.sha256, item.pair.b.sha256, item.pair.a.name) == (a, b, "a.png")
        assert item.pair.b.read() == (shelf / "b.png").read_bytes()
        assert item.labels == {"winner": "b", "model_a": "flux", "seed": 7, "nsfw": False}

    @pytest.mark.parametrize(
        "name", ["p.jsonl", "p.ndjson", "p.json", "p.csv", "p.tsv", "p.JSONL", "p.csv.gz"]
    )
    def test_every_text_format_gives_the_same_keys(self, shelf: Path, name: str) -> None:
        rows = [{"id": str(n), **OURS, "prompt": f"Été, “{n}”\nand\tafter", "winner": "a"} for n in (1, 2)]
        path = shelf / name.removesuffix(".gz")
        kind = path.suffix.lower()
        if kind == ".json":
            path.write_text(json.dumps(rows, indent=2), "utf-8")
        elif kind in (".csv", ".tsv"):
            write_table(path, rows, "," if kind == ".csv" else "\t")
        else:
            write_lines(path, *rows)
        if name.endswith(".gz"):
            (shelf / name).write_bytes(gzip.compress(path.read_bytes()))
        a, b = sha256(shelf / "a.png"), sha256(shelf / "b.png")
        assert [item.key for item in items(shelf / name)] == [
            key_of("pair", row["id"], row["prompt"], a, b) for row in rows
        ]

    def test_a_list_of_rows_is_read_across_the_pieces_it_is_held_in(self, shelf: Path) -> None:
        rows = [{**OURS, "prompt": f"{n} " + "é" * 3000} for n in range(300)]
        (shelf / "p.json").write_text(" " * 300_000 + json.dumps(rows), "utf-8")
        assert [item.pair.prompt.text for item in items(shelf / "p.json")] == [row["prompt"] for row in rows]

    def test_a_row_without_an_id_is_known_by_its_line(self, shelf: Path) -> None:
        path = shelf / "p.jsonl"
        path.write_text(f"\n{json.dumps(OURS)}\n\n{json.dumps({**OURS, 'id': None})}\n")
        assert [item.id for item in items(path)] == ["2", "4"]
        assert [item.id for item in items(write_table(shelf / "p.csv", [OURS, OURS]))] == ["2", "3"]

    def test_a_byte_order_mark_is_not_part_of_a_name(self, shelf: Path) -> None:
        for name in ("p.jsonl", "p.csv"):
            path = write_lines(shelf / name, OURS) if name == "p.jsonl" else write_table(shelf / name, [OURS])
            path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
            assert items(path)[0].pair.prompt.text == "Nothing lasts."

    def test_the_limit_counts_rows_good_and_bad(self, shelf: Path) -> None:
        path = write_lines(shelf / "p.jsonl", 1, OURS, OURS)
        assert [type(each) for each in everything(path, limit=2)] == [BadRow, Candidate]
        assert everything(path, limit=0) == []
        with pytest.raises(BadSetting, match="should be greater than or equal to 0, not -1"):
            open_items(path, limit=-1)

    def test_reading_twice_gives_the_same_candidates(self, shelf: Path) -> None:
        source = open_items(write_lines(shelf / "p.jsonl", OURS, {**OURS, "b": "c.png"}))
        first, second = (
            [each.key for each in source.candidates() if isinstance(each, Candidate)] for _ in "12"
        )
        assert first == second
        assert len(set(first)) == 2

    @pytest.mark.parametrize("delimiter", [",", ";", "\t"])
    @pytest.mark.parametrize("name", ["p.csv", "p.tsv"])
    def test_what_is_between_the_columns_is_told_by_the_first_line(
        self, shelf: Path, name: str, delimiter: str
    ) -> None:
        row = {"prompt": "One, two; three\tfour", "a": "a.png", "b": "b.png", "why; or, why not": "x"}
        path = write_table(shelf / name, [row], delimiter)
        path.write_bytes(b"\xef\xbb\xbf\r\n" + path.read_bytes())
        assert b"\r\n" in path.read_bytes()
        (item,) = items(path)
        assert (item.pair.prompt.text, item.id) == (row["prompt"], "3")
        assert item.labels == {"why; or, why not": "x"}

    @pytest.mark.parametrize(
        ("name", "content", "sentence"),
        [
            ("p.csv", "", "p.csv is empty."),
            ("p.csv", "\ufeff\r\n \n", "p.csv is empty."),
            ("p.tsv", "prompt\ta\tb\n", "p.tsv has a header and no rows."),
            ("p.csv", "prompt;a;b\r\n\r\n", "p.csv has a header and no rows."),
            ("p.jsonl", "", "p.jsonl is empty."),
            ("p.jsonl", "\n\n", "p.jsonl is empty."),
            ("p.json", " ", "p.json is empty."),
            ("p.json", "[]", "p.json holds an empty list: it has no rows."),
        ],
    )
    def test_a_file_without_rows_is_called_that(
        self, tmp_path: Path, name: str, content: str, sentence: str
    ) -> None:
        (tmp_path / name).write_text(content, "utf-8", newline="")
        with pytest.raises(BadRecord) as caught:
            everything(tmp_path / name)
        assert str(caught.value) == sentence

    @pytest.mark.parametrize(
        ("name", "sentence"),
        [
            (
                "p.xlsx",
                "p.xlsx is in no format that is read here: save it as .jsonl, .ndjson, .json, .csv, .tsv or",
            ),
            ("p.json", "p.json is no list of rows, [{...}, ...]; if each line is a row, name it .jsonl."),
            ("p.csv", "The first line of p.csv has to name every column, each once."),
            ("p.jsonl.gz", "p.jsonl.gz cannot be read: Not a gzipped file (b'{\"')."),
        ],
    )
    def test_a_file_that_cannot_be_read_says_so_in_a_sentence(
        self, tmp_path: Path, name: str, sentence: str
    ) -> None:
        (tmp_path / name).write_bytes(b'{"":1,"a":2}\n' if name != "p.csv" else b"a,b,a\n1,2,3\n")
        with pytest.raises(BadRecord) as caught:
            everything(tmp_path / name)
        assert str(caught.value).startswith(sentence)

    @pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.jsonl", "p.json", "p.csv.gz"])
    @pytest.mark.parametrize("text", [b"", b"\n \n\n", b"\xef\xbb\xbf"])
    def test_an_empty_file_is_called_empty(self, tmp_path: Path, name: str, text: bytes) -> None:
        (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        with pytest.raises(BadRecord, match=f"^{name} is empty.$"):
            everything(tmp_path / name)

    def test_what_is_not_there_is_named(self, tmp_path: Path) -> None:
        for name in ("none.jsonl", "none-*.parquet", "nowhere", "nul\0.csv"):
            with pytest.raises(BadRecord, match="There is no file or folder"):
                open_items(tmp_path / name)


class TestSchemas:
    @pytest.mark.parametrize(
        ("row", "labels"),
        [
            (
                {"left_image": 1, "right_image": 2, "vote_type": "leftvote"},
                {"vote_type": "leftvote", "winner": "a"},
            ),
            (
                {"left_image": 1, "right_image": 2, "vote_type": "tievote"},
                {"vote_type": "tievote", "winner": "tie"},
            ),
            (
                {
                    "left_image": 1,
                    "right_image": 2,
                    "vote_type": "bothbad_vote",
                    "left_model": "l",
                    "right_model": "r",
                },
                {
                    "vote_type": "bothbad_vote",
                    "winner": "tie",
                    "left_model": "l",
                    "right_model": "r",
                    "model_a": "l",
                    "model_b": "r",
                },
            ),
            (
                {"image_a": 1, "image_b": 2, "model_a": "x", "model_b": "y", "winner": "model_b"},
                {"model_a": "x", "model_b": "y", "winner": "b"},
            ),
            ({"image_a": 1, "image_b": 2, "winner": "tie (bothbad)"}, {"winner": "tie"}),
            ({"left": 1, "right": 2, "winner": "right"}, {"winner": "b"}),
            ({"left": 1, "right": 2, "winner": "Winner.X"}, {"winner": "a"}),
            ({"left": 1, "right": 2, "winner": "Draw"}, {"winner": "tie"}),
            ({"A": 1, "B": 2, "Winner": " B "}, {"Winner": " B ", "winner": "b"}),
            ({"a": 1, "b": 2, "winner": None}, {}),
            ({"a": 1, "b": 2, "winner": ""}, {}),
            ({"a": 1, "b": 2, "winner": float("nan")}, {}),
        ],
    )
    def test_the_usual_schemas_are_recognised(
        self, shelf: Path, row: dict[str, Any], labels: dict[str, Any]
    ) -> None:
        named = {1: "a.png", 2: "b.png"}
        row = {
            name: named.get(value, value) if isinstance(value, int) else value for name, value in row.items()
        }
        (item,) = items(write_lines(shelf / "p.jsonl", {"prompt": "Nothing lasts.", **row}))
        assert (item.pair.a.name, item.pair.b.name) == ("a.png", "b.png")
        assert item.labels == labels

    def test_columns_named_by_hand_come_before_the_usual(self, shelf: Path) -> None:
        row = {**OURS, "caption": "All glows.", "first": "c.png", "who": "tie", "nr": 9, "id": 1}
        path = write_lines(shelf / "p.jsonl", row)
        (item,) = items(path, Columns(prompt="caption", a="first", winner="who", id="nr"))
        assert (item.id, item.pair.prompt.text) == ("9", "All glows.")
        assert (item.pair.a.name, item.pair.b.name) == ("c.png", "b.png")
        assert item.labels == {
            "prompt": "Nothing lasts.",
            "a": "a.png",
            "who": "tie",
            "id": 1,
            "winner": "tie",
        }

    def test_unknown_columns_are_listed_with_the_options_that_name_them(self, shelf: Path) -> None:
        path = write_table(shelf / "p.csv", [{"nr": 1, "question": "?", "a": "a.png", "b": "b.png"}])
        with pytest.raises(BadSetting) as caught:
            everything(path)
        assert str(caught.value) == (
            "p.csv has the columns nr, question, a, b, which make no item: a pair needs prompt (or style and "
            "content), a and b (here without prompt), a rating prompt (or style and content) and picture (here "
            "without prompt and picture), a question question, choices and picture (here without choices); say "
            "what is called otherwise, as in --prompt-column."
        )
        with pytest.raises(BadSetting) as caught:
            everything(path, Columns(prompt="query"))
        assert (
            str(caught.value) == "p.csv has no column 'query' (--prompt-column); it has nr, question, a, b."
        )

    def test_sides_are_not_swapped_since_winners_would_be_misread(self, shelf: Path) -> None:
        row = {"prompt": "x", "left_image": "a.png", "right_image": "b.png", "vote_type": "leftvote"}
        with pytest.raises(BadSetting, match="keep the sides that the file has"):
            everything(write_lines(shelf / "p.jsonl", row), Columns(a="right_image", b="left_image"))

    def test_a_later_row_with_other_columns_is_bad_alone(self, shelf: Path) -> None:
        path = write_lines(shelf / "p.jsonl", OURS, {"x": 1}, {**OURS, "winner": "left"})
        first, bad, last = everything(path)
        assert bad == BadRow(
            "p.jsonl line 2",
            "This row has the columns x, which make no item: a pair needs prompt (or style and content), a and "
            "b (here without prompt and a and b), a rating prompt (or style and content) and picture (here "
            "without prompt and picture), a question question, choices and picture (here without question and "
            "choices and picture); say what is called otherwise, as in --prompt-column.",
        )
        assert isinstance(first, Candidate)
        assert isinstance(last, Candidate)
        assert last.make().labels == {"winner": "a"}

    def test_references_are_part_of_the_prompt_and_of_the_key(self, shelf: Path) -> None:
        path = write_lines(
            shelf / "p.jsonl", {**OURS, "references": ["c.png"]}, {**OURS, "references": []}, OURS
        )
        one, none, absent = items(path)
        assert [each.name for each in one.pair.prompt.references] == ["c.png"]
        assert none.pair.prompt.references == absent.pair.prompt.references == ()
        assert one.labels == {}
        assert one.key != none.key

    def test_evalica_tables_of_names_are_refused_for_their_lack_of_a_prompt(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "food.csv", [{"left": "Pizza", "right": "Sushi", "winner": "left"}])
        with pytest.raises(
            BadSetting,
            match=r"columns left, right, winner, .* needs prompt .* a and b \(here without prompt\)",
        ):
            everything(path)


class TestWinners:
    @staticmethod
    def winners(shelf: Path, *words: object, **more: str) -> list[object]:
        rows = [{**OURS, **more, "winner": word} for word in words]
        return [item.labels.get("winner") for item in items(write_lines(shelf / "p.jsonl", *rows))]

    @pytest.mark.parametrize(
        "words",
        [
            (-1, 1, 0),
            ("-1", "+1", "0"),
            (-1.0, 1.0, 0.0),
            ("Left", "RIGHT", "both"),
            ("A", "b", "draw"),
            ("flux", "sdxl", "tie"),
        ],
    )
    def test_every_spelling_says_who_won(self, shelf: Path, words: tuple[object, ...]) -> None:
        sides = [("model_a", "model_b"), ("method_left", "method_right"), ("left_model", "right_model")]
        for a, b in sides:
            named = {a: "flux", b: "sdxl"}
            assert self.winners(shelf, None, *words, **named) == [None, "a", "b", "tie"]

    def test_a_column_of_0_and_1_is_refused_since_nobody_knows_which_is_which(self, shelf: Path) -> None:
        with pytest.raises(BadRecord, match="'winner' are 0 or 1 and never -1, so 0 may be a draw or a side"):
            self.winners(shelf, None, 1, 0, 1)
        path = write_table(shelf / "p.csv", [{**OURS, "winner": 0}])
        with pytest.raises(BadRecord, match="0 may be a draw or a side: write a, b and tie"):
            everything(path)

    def test_one_word_that_means_nothing_is_one_bad_row(self, shelf: Path) -> None:
        rows = [{**OURS, "winner": word, "model_a": "flux", "model_b": "sdxl"} for word in (1, "x2", "-1")]
        first, bad, last = everything(write_lines(shelf / "p.jsonl", *rows))
        assert isinstance(bad, BadRow)
        assert bad.reason.startswith("The winner 'x2' is unknown: say a, b or tie; left or right;")
        assert [each.make().labels["winner"] for each in (first, last) if isinstance(each, Candidate)] == [
            "b",
            "a",
        ]

    def test_sides_and_names_are_not_mixed_in_one_column(self, shelf: Path) -> None:
        with pytest.raises(BadRecord, match=r"p.jsonl line 2: The winner 'flux' is unknown"):
            self.winners(shelf, "a", "flux", model_a="flux", model_b="sdxl")


def made(where: str | Path, *args: Any, **options: Any) -> list[Any]:
    """Items of any kind, whose candidates knew their keys and kinds."""
    candidates = everything(where, *args, **options)
    assert [each for each in candidates if isinstance(each, BadRow)] == []
    rows = [each.make() for each in candidates if isinstance(each, Candidate)]
    assert [(item.key, item.kind) for item in rows] == [(each.key, each.kind) for each in candidates]  # type: ignore[union-attr]
    return rows


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    """As its suffix says; a table holds what is nested as JSON, Parquet as it is."""
    if path.suffix == ".parquet":
        TestTables.write(path, rows)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows), "utf-8")
    elif path.suffix == ".csv":
        nested = [{k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in r.items()} for r in rows]
        write_table(path, nested)
    else:
        write_lines(path, *rows)
    return path


FILES = ["p.jsonl", "p.json", "p.csv", "p.parquet"]


class TestRatings:
    @pytest.mark.parametrize("name", FILES)
    def test_a_prompt_and_one_picture_are_to_be_scored(self, shelf: Path, name: str) -> None:
        row = {"id": "v/1", "prompt": "Nothing lasts.", "image": "a.png", "score": 4.5, "model": "flux"}
        first, second = made(write_rows(shelf / name, [row, {**row, "id": "v/2", "score": None}]))
        assert isinstance(first, RatingItem)
        assert (first.id, first.prompt.text, first.artifact.name) == ("v/1", "Nothing lasts.", "a.png")
        assert first.key == RatingItem(id="v/1", prompt=first.prompt, artifact=shelf / "a.png").key  # type: ignore[arg-type]
        assert (first.label, second.label) == (4.5, None)
        assert first.labels["model"] == "flux"

    @pytest.mark.parametrize("column", ["picture", "image", "artifact", "image_path", "file_name"])
    def test_the_usual_columns_are_recognised(self, shelf: Path, column: str) -> None:
        (item,) = made(write_rows(shelf / "p.csv", [{"caption": "x", column: "b.png", "mos": "3"}]))
        assert (item.artifact.name, item.labels) == ("b.png", {"mos": "3", "rating": 3.0})

    def test_columns_named_by_hand_tell_the_kind(self, shelf: Path) -> None:
        path = write_lines(shelf / "p.jsonl", {**OURS, "liked": 2, "references": ["c.png"]})
        (item,) = made(path, Columns(picture="b", score="liked"))
        assert isinstance(item, RatingItem)
        assert [each.name for each in item.pictures] == ["c.png", "b.png"]
        assert item.labels == {"a": "a.png", "liked": 2, "rating": 2.0}

    @pytest.mark.parametrize("score", ["good", "inf", True, [1]])
    def test_a_score_that_is_no_number_is_a_bad_row(self, shelf: Path, score: object) -> None:
        path = write_lines(shelf / "p.jsonl", {"prompt": "x", "picture": "a.png", "score": score})
        assert only_bad(path).reason.endswith("in column 'score' is no number.")


class TestQuestions:
    ROW = {
        "id": "q1",
        "question": "What does the skull stand for?",
        "choices": {"A": "death", "B": "glory"},
        "picture": "a.png",
        "answer": "A",
        "boxes": {"skull": [0, 0, 500, 500.5]},
        "author": "ann",
    }

    @pytest.mark.parametrize("name", FILES)
    def test_a_question_with_its_choices_is_to_be_answered(self, shelf: Path, name: str) -> None:
        row = {column: cell for column, cell in self.ROW.items() if column != "picture"}
        both = {**row, "id": "q2", "pictures": ["a.png", "b.png"], "answer": None}
        one, two = made(write_rows(shelf / name, [{**row, "pictures": ["a.png"]}, both]))
        assert isinstance(one, QuestionItem)
        assert one.question == Question(
            question=self.ROW["question"],  # type: ignore[arg-type]
            choices={"A": "death", "B": "glory"},
            boxes={"skull": (0, 0, 500, 500.5)},
            answer="A",
        )
        assert [each.name for each in one.artifacts] == ["a.png"]
        assert (one.label, one.labels) == ("A", {"answer": "A", "author": "ann"})
        assert [each.name for each in two.artifacts] == ["a.png", "b.png"]
        assert two.label is None

    def test_choices_in_a_list_are_lettered_and_an_answer_may_be_written_out(self, shelf: Path) -> None:
        rows = [
            {
                "question": "Which?",
                "options": '["death", "glory"]',
                "a": "a.png",
                "b": "b.png",
                "answer": "glory",
            }
        ]
        (item,) = made(write_table(shelf / "p.csv", rows))
        assert item.question.choices == {"A": "death", "B": "glory"}
        assert item.label == "B"
        assert [each.name for each in item.artifacts] == ["a.png", "b.png"]

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"answer": "C"}, "The answer 'C' is not among the choices A, B."),
            ({"choices": {"A": "death"}}, "A multiple-choice question needs at least two choices."),
            ({"choices": "death, glory"}, "Choices are {"),
            ({"choices": "[1"}, "'[1' is not JSON: "),
            ({"question": ""}, "There is no question in column 'question'."),
            ({"question": "\x00"}, "The question holds bytes that are not text"),
            ({"boxes": {"skull": [1, 2]}}, "The row is no question: boxes.skull"),
            ({"boxes": 3}, "The row is no question: boxes"),
            ({"picture": None}, "A question is asked of at least one picture, and the row names none."),
            ({"picture": "none.png"}, "There is no file "),
        ],
    )
    def test_a_row_that_is_no_question_says_why(
        self, shelf: Path, change: dict[str, object], reason: str
    ) -> None:
        path = write_lines(shelf / "p.jsonl", self.ROW, {**self.ROW, **change})
        bad = only_bad(path)
        assert (bad.where, bad.reason[: len(reason)]) == ("p.jsonl line 2", reason)

    def test_kinds_may_be_mixed_in_one_file(self, shelf: Path) -> None:
        rating = {"prompt": "x", "picture": "a.png"}
        mixture = made(write_lines(shelf / "p.jsonl", self.ROW, OURS, rating))
        assert [item.kind for item in mixture] == ["question", "pair", "rating"]

    @pytest.mark.parametrize("kind", ["pair", "rating", "judgment", "oil", 7])
    def test_a_column_called_kind_names_no_kind_that_columns_tell(self, shelf: Path, kind: object) -> None:
        (item,) = made(write_lines(shelf / "p.jsonl", {**OURS, "kind": kind}))
        assert (item.kind, item.labels["kind"]) == ("pair", kind)

    def test_a_kind_from_elsewhere_reads_its_rows_and_a_bad_one_is_a_bad_row(self, shelf: Path) -> None:
        class Title(RatingItem):
            kind: Literal["title"] = "title"  # type: ignore[assignment]

            @classmethod
            def of_row(cls, cells: Mapping[str, object], row: RowParts) -> Self | None:
                if "title" not in cells:
                    return None
                prompt = Prompt(text=str(cells["title"]))
                return cls(id=row.id, prompt=prompt, artifact=row.picture(cells["shown"]), labels={})

        KINDS.add("title", Title)
        try:
            good = {"title": "Vanitas", "shown": "a.png"}
            path = write_lines(shelf / "p.jsonl", good, {**good, "kind": "title"}, {"title": "Vanitas"}, OURS)
            rows = everything(path)
        finally:
            KINDS.remove("title")
        assert [row.kind if isinstance(row, Candidate) else row.reason for row in rows] == [
            "title",
            "title",
            "It is no Title: 'shown'.",
            "pair",
        ]


class TestStylizations:
    ROW = {"id": "s/1", "style": "Ukiyo-e woodblock", "content": "c.png", "a": "a.png", "b": "b.png"}
    TASK = Prompt.stylization("Ukiyo-e woodblock", Artifact(sha256="0" * 64)).text

    @pytest.mark.parametrize("name", FILES)
    def test_a_style_and_a_content_are_a_task_known_before_it_is_built(self, shelf: Path, name: str) -> None:
        (item,) = made(write_rows(shelf / name, [{**self.ROW, "winner": "b", "painter": "flux"}]))
        assert isinstance(item, PairItem)
        assert item.pair.prompt == Prompt.stylization("Ukiyo-e woodblock", shelf / "c.png")
        content, a, b = (sha256(shelf / f"{each}.png") for each in "cab")
        assert item.key == key_of("pair", "s/1", self.TASK, content, a, b)
        assert [each.name for each in item.pictures] == ["c.png", "a.png", "b.png"]
        assert item.labels == {"winner": "b", "painter": "flux"}

    def test_one_picture_of_them_is_to_be_scored(self, shelf: Path) -> None:
        row = {"style": "Cubism", "content": "c.png", "picture": "a.png", "score": 3}
        (item,) = made(write_lines(shelf / "p.jsonl", row))
        assert isinstance(item, RatingItem)
        assert item.prompt == Prompt.stylization("Cubism", shelf / "c.png")
        assert (item.artifact.name, item.label) == ("a.png", 3.0)

    def test_another_content_is_another_item(self, shelf: Path, png: Callable[..., bytes]) -> None:
        (shelf / "d.png").write_bytes(png("navy"))
        one, other = made(write_lines(shelf / "p.jsonl", self.ROW, {**self.ROW, "content": "d.png"}))
        assert one.key != other.key

    def test_beside_a_prompt_they_are_labels_unless_named(self, shelf: Path) -> None:
        path = write_lines(shelf / "p.jsonl", {**self.ROW, "prompt": "Nothing lasts."})
        (plain,) = made(path)
        assert (plain.pair.prompt.text, plain.pair.prompt.style) == ("Nothing lasts.", None)
        assert plain.labels == {"style": "Ukiyo-e woodblock", "content": "c.png"}
        for columns in (Columns(style="style"), Columns(content="content")):
            (item,) = made(path, columns)
            assert item.pair.prompt == Prompt.stylization("Ukiyo-e woodblock", shelf / "c.png")
            assert item.labels == {"prompt": "Nothing lasts."}
        with pytest.raises(BadSetting, match="name --prompt-column, or --style-column and --content-column"):
            everything(path, Columns(prompt="prompt", content="content"))

    def test_columns_of_other_names_are_named_by_hand(self, shelf: Path) -> None:
        row = {"manner": "Cubism", "photo": "c.png", "a": "a.png", "b": "b.png"}
        path = write_lines(shelf / "p.jsonl", row)
        (item,) = made(path, Columns(style="manner", content="photo"))
        assert item.pair.prompt == Prompt.stylization("Cubism", shelf / "c.png")
        with pytest.raises(BadSetting, match=r"a pair needs prompt .* \(here without prompt\)"):
            everything(path, Columns(style="manner"))

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"content": None}, "There is no picture in column 'content'."),
            ({"content": ""}, "There is no picture in column 'content'."),
            ({"content": "none.png"}, "There is no file "),
            ({"style": None}, "There is no style in column 'style'."),
            ({"style": " "}, "The style is empty"),
            ({"style": "x" * 32_000}, "The prompt has 32,0"),
            ({"references": ["b.png"]}, "A content picture is painted in a style, and column 'references'"),
        ],
    )
    def test_nobody_is_asked_without_the_content_unawares(
        self, shelf: Path, change: dict[str, object], reason: str
    ) -> None:
        path = write_lines(shelf / "p.jsonl", self.ROW, {**self.ROW, **change})
        bad = only_bad(path)
        assert (bad.where, bad.reason[: len(reason)]) == ("p.jsonl line 2", reason)

    def test_a_row_that_lacks_the_column_is_bad(self, shelf: Path) -> None:
        path = write_lines(shelf / "p.jsonl", self.ROW, {k: v for k, v in self.ROW.items() if k != "content"})
        assert "a pair needs prompt (or style and content)" in only_bad(path).reason


class TestFineArtBench:
    ROW = {
        "id": 1,
        "content_index": 75,
        "style_index": 548,
        "style_prompt": "Epic oil painting",
        "method_left": "DiffArtist",
        "method_right": "StyTr2",
        "winner": "left",
        "skipped": False,
    }

    def test_methods_lead_to_paintings(self, tmp_path: Path, png: Callable[..., bytes]) -> None:
        paintings = self.paintings(tmp_path, png)
        for name in ("p.json", "p.csv"):
            path = tmp_path / name
            path.write_text(json.dumps([self.ROW])) if name == "p.json" else write_table(path, [self.ROW])
            (item,) = items(path, pictures=paintings)
            assert item.id == "1"
            assert item.pair.prompt.style == "Epic oil painting"
            assert item.pair.prompt.content == Artifact.of(tmp_path / "base/images/75.png")
            assert item.pair.a.sha256 == sha256(paintings / "DiffArtist/content_75_style_2.jpg")
            assert item.labels["model_a"] == item.labels["method_left"] == "DiffArtist"
            assert item.labels["winner"] == "a"

    def test_without_the_content_picture_there_is_no_item(
        self, tmp_path: Path, png: Callable[..., bytes]
    ) -> None:
        paintings = self.paintings(tmp_path, png)
        (tmp_path / "base/images/75.png").unlink()
        bad = only_bad(write_lines(tmp_path / "p.jsonl", self.ROW), pictures=paintings)
        assert bad.reason == (
            "There is no ../base/images/75.png beside the paintings, and a stylization is not judged without "
            "its content: download FineArtBench's contents too."
        )

    def test_a_style_that_its_content_does_not_have_is_a_bad_row(
        self, tmp_path: Path, png: Callable[..., bytes]
    ) -> None:
        path = write_lines(tmp_path / "p.jsonl", {**self.ROW, "style_index": 3})
        bad = only_bad(path, pictures=self.paintings(tmp_path, png))
        assert bad.reason == "content_style_combination.json has no style 3 for content 75."

    @pytest.mark.parametrize("name", ["global_annotation", "instance_annotation", "global_annotation_paper"])
    def test_the_published_annotations_are_recognised(
        self, shared_data: Path, tmp_path: Path, png: Callable[..., bytes], name: str
    ) -> None:
        annotations = shared_data / "fineartbench" / f"{name}.json.gz"
        with pytest.raises(
            BadSetting, match="FineArtBench's rows name methods, not pictures: give its folder"
        ):
            everything(annotations)
        combinations = gzip.decompress(
            (shared_data / "fineartbench" / "content_style_combination.json.gz").read_bytes()
        )
        folder, contents = tmp_path / "painting", tmp_path / "base" / "images"
        contents.mkdir(parents=True)
        folder.mkdir()
        (folder / "content_style_combination.json").write_bytes(combinations)
        first = json.loads(gzip.decompress(annotations.read_bytes()))[0]
        place = json.loads(combinations)[str(first["content_index"])].index(first["style_index"]) + 1
        (contents / f"{first['content_index']}.png").write_bytes(png("navy"))
        for method, colour in ((first["method_left"], "teal"), (first["method_right"], "gold")):
            (folder / method).mkdir()
            file = folder / method / f"content_{first['content_index']}_style_{place}.jpg"
            file.write_bytes(png(colour))
        rows = everything(annotations, pictures=folder)
        assert len(rows) == 5000
        candidate = rows[0]
        assert isinstance(candidate, Candidate)
        item = candidate.make()
        assert isinstance(item, PairItem)
        assert (item.key, item.pair.prompt.style) == (candidate.key, first["style_prompt"])
        assert item.labels["winner"] == {"left": "a", "right": "b"}[first["winner"]]
        bad = [each.reason for each in rows if isinstance(each, BadRow)]
        absent = (f"There is no file {folder}/", "There is no ../base/images/")
        assert all(reason.startswith(absent) for reason in bad)

    def test_its_other_files_are_refused_in_a_sentence(self, shared_data: Path) -> None:
        with pytest.raises(
            BadSetting,
            match=r"has the columns image_path, .* rating prompt .* and picture \(here without prompt\)",
        ):
            everything(shared_data / "fineartbench" / "content_1k.json.gz")
        with pytest.raises(BadRecord, match=r"style_1k.json.gz is no list of rows"):
            everything(shared_data / "fineartbench" / "style_1k.json.gz")

    @staticmethod
    def paintings(tmp_path: Path, png: Callable[..., bytes]) -> Path:
        folder = tmp_path / "painting"
        for method, colour in (("DiffArtist", "teal"), ("StyTr2", "gold")):
            (folder / method).mkdir(parents=True)
            (folder / method / "content_75_style_2.jpg").write_bytes(png(colour))
        (folder / "content_style_combination.json").write_text('{"75": [12, 548, 9]}')
        (tmp_path / "base" / "images").mkdir(parents=True)
        (tmp_path / "base" / "images" / "75.png").write_bytes(png("navy"))
        return folder


def test_votes_without_pictures_are_refused_with_their_columns(shared_data: Path) -> None:
    with pytest.raises(
        BadSetting, match=r"has the columns idx, prompt, human_vote.* \(here without a and b\)"
    ):
        everything(shared_data / "genai_bench" / "image_generation.csv")


class TestPictures:
    def test_paths_are_looked_for_among_the_pictures_then_beside_the_file(
        self, shelf: Path, png: Callable[..., bytes]
    ) -> None:
        elsewhere = shelf / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "a.png").write_bytes(png("navy"))
        path = write_lines(shelf / "p.jsonl", OURS)
        (item,) = items(path, pictures=elsewhere)
        assert item.pair.a.sha256 == sha256(elsewhere / "a.png")
        assert item.pair.b.sha256 == sha256(shelf / "b.png")

    def test_a_path_may_be_absolute_or_go_up(self, shelf: Path) -> None:
        (shelf / "in").mkdir()
        path = write_lines(shelf / "in/p.jsonl", {**OURS, "a": "../a.png", "b": str(shelf / "b.png")})
        assert items(path)[0].pair.b.name == "b.png"

    def test_a_data_url_and_a_hugging_face_cell_hold_their_picture(
        self, shelf: Path, png: Callable[..., bytes]
    ) -> None:
        url = f"data:image/png;base64,{base64.b64encode(png('navy')).decode()}"
        (item,) = items(
            write_lines(shelf / "p.jsonl", {**OURS, "a": url, "b": {"bytes": None, "path": "b.png"}})
        )
        assert item.pair.a.read() == png("navy")
        assert item.pair.b.name == "b.png"

    def test_a_pil_image_is_a_picture(self) -> None:
        image = Image.new("RGB", (8, 8), "teal")
        artifact = Pictures().find(image)
        assert artifact.sha256 == artifact.artifact().sha256 == Artifact.of(image).sha256

    def test_a_file_that_changed_after_its_row_was_read_is_not_judged(
        self, shelf: Path, png: Callable[..., bytes]
    ) -> None:
        source = open_items(write_lines(shelf / "p.jsonl", OURS))
        (before,) = source.candidates()
        (shelf / "a.png").write_bytes(png("navy", size=(80, 80)))
        assert isinstance(before, Candidate)
        with pytest.raises(BadPicture, match=r"a.png changed after its row was read; run again"):
            before.make()
        (after,) = source.candidates()
        assert isinstance(after, Candidate)
        assert after.key != before.key
        assert after.make().key == after.key

    def test_a_url_is_fetched_once_for_keys_and_again_only_for_items_that_come_later(
        self, shelf: Path, png: Callable[..., bytes]
    ) -> None:
        paths: list[str] = []

        async def picture(request: web.Request) -> web.Response:
            paths.append(request.path)
            exists = request.path == "/far.png"
            return web.Response(body=png("navy")) if exists else web.Response(status=404)

        app = web.Application()
        app.router.add_get("/{name}", picture)
        with Loopback(app) as server:
            far = {**OURS, "a": f"{server.url}/far.png"}
            path = write_lines(
                shelf / "p.jsonl", far, {**far, "b": "c.png"}, {**far, "a": f"{server.url}/no.png"}
            )
            first, second, bad = everything(path)
            assert paths == ["/far.png", "/no.png"]
            assert isinstance(first, Candidate)
            assert isinstance(second, Candidate)
            assert first.make().key == first.key
            assert paths == ["/far.png", "/no.png"]
            item = second.make()
            assert isinstance(item, PairItem)
            assert item.pair.a.read() == png("navy")
            assert item.pair.a.name == "far.png"
            assert paths == ["/far.png", "/no.png", "/far.png"]
        assert isinstance(bad, BadRow)
        assert "/no.png cannot be fetched: the server says 404 Not Found" in bad.reason

    @pytest.mark.parametrize(
        ("cell", "reason"),
        [
            ("none.png", "There is no file {folder}/none.png; --pictures names the folder to look in."),
            (
                "new\nline.png",
                r"There is no file {folder}/new line.png; --pictures names the folder to look in.",
            ),
            ("nul\0.png", r"There is no file {folder}/nul\x00.png; --pictures names the folder to look in."),
            (
                "half\ud800.png",
                r"There is no file {folder}/half\ud800.png; --pictures names the folder to look in.",
            ),
            ("", "There is no picture in column 'a'."),
            (None, "There is no picture in column 'a'."),
            (".", "{folder} is a folder, not a picture."),
            ("empty.png", "{folder}/empty.png is empty (0 bytes)."),
            ("pipe.png", "{folder}/pipe.png is not a file."),
            ("data:image/png;base64,?", "The data URL is not valid base64."),
            (7, "A picture is a path, bytes, a data URL or a PIL image, not int."),
            (
                {"bytes": None, "path": None},
                "A picture is a path, bytes, a data URL or a PIL image, not dict.",
            ),
            ("b.png", "A and B are the same picture: there is nothing to compare."),
            ("http://127.0.0.1:1/a.png", "http://127.0.0.1:1/a.png cannot be fetched: "),
        ],
    )
    def test_a_picture_that_cannot_be_used_is_a_bad_row(self, shelf: Path, cell: object, reason: str) -> None:
        (shelf / "empty.png").touch()
        os.mkfifo(shelf / "pipe.png")
        bad = only_bad(write_lines(shelf / "p.jsonl", {**OURS, "a": cell}))
        assert bad.where == "p.jsonl line 1"
        assert bad.reason.startswith(reason.format(folder=shelf))

    def test_a_file_name_may_hold_a_line_break(self, shelf: Path) -> None:
        (shelf / "a.png").rename(shelf / "a\nnew.png")
        assert (
            items(write_lines(shelf / "p.jsonl", {**OURS, "a": "a\nnew.png"}))[0].pair.a.name == "a\nnew.png"
        )


CELLS = st.sampled_from(
    ["Nothing lasts.", "a.png", "b.png", "left", {"A": "x", "B": "y"}, '["x", "y"]', ["a.png"], 4, "A"]
) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


class TestBadRows:
    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            (b"{", "The line is not JSON: Expecting property name enclosed in double quotes at character"),
            (b"[1]", "The row is not an object that names its columns."),
            (b"null", "The row is not an object that names its columns."),
            (b"\x00\x00", "The line is not JSON: Expecting value at character 1."),
            (b'{"prompt": "\xff"}', "The line is not UTF-8: invalid start byte at byte 13."),
            (b"[" * 200_000, "The line cannot be read: it is nested too deeply."),
            (b'{"id": ' + b"9" * 5000 + b"}", "The line cannot be read: Exceeds the limit"),
            (
                b'{"prompt": "' + b"x" * 10_000_000,
                "The line is not JSON: Invalid control character at character",
            ),
            (
                b'{"prompt": "' + b"x" * 10_000_000 + b'", "a": "a.png", "b": "b.png"}',
                "The prompt has 10,000,000 ch",
            ),
            (
                b'{"prompt": " ", "a": "a.png", "b": "b.png"}',
                "The prompt is empty: say what the pictures were",
            ),
            (b'{"prompt": null, "a": "a.png", "b": "b.png"}', "There is no prompt in column 'prompt'."),
            (
                b'{"prompt": 3, "a": "a.png", "b": "b.png"}',
                "What is in column 'prompt' is not a text, and so no prompt.",
            ),
            (
                b'{"prompt": "\\u0000", "a": "a.png", "b": "b.png"}',
                "The prompt holds bytes that are not text",
            ),
            (
                b'{"prompt": "\\ud800", "a": "a.png", "b": "b.png"}',
                "The prompt holds bytes that are not text",
            ),
            (
                b'{"id": "\\ud800", "prompt": "x", "a": "a.png", "b": "b.png"}',
                "The id holds bytes that are not text",
            ),
            (
                b'{"id": {}, "prompt": "x", "a": "a.png", "b": "b.png"}',
                "The id is neither a text nor a number.",
            ),
            (
                b'{"prompt": "x", "a": "a.png", "b": "b.png", "winner": "C"}',
                "The winner 'C' is unknown: say a, b or t",
            ),
        ],
    )
    def test_a_bad_line_says_why_and_the_next_is_read(self, shelf: Path, line: bytes, reason: str) -> None:
        path = shelf / "pairs.jsonl"
        good = json.dumps(OURS).encode()
        path.write_bytes(b"\n".join([good, line, good]))
        first, bad, last = everything(path)
        assert isinstance(bad, BadRow)
        assert bad.where == "pairs.jsonl line 2"
        assert bad.reason.startswith(reason)
        assert len(bad.reason) < 500
        assert isinstance(first, Candidate)
        assert isinstance(last, Candidate)
        assert last.where == "pairs.jsonl line 3"

    def test_a_label_that_cannot_be_stored_is_a_bad_row(self, shelf: Path) -> None:
        bad = only_bad(write_lines(shelf / "p.jsonl", {**OURS, "note": "\ud800"}))
        assert bad.reason == "The column 'note' holds bytes that are not text (a NUL, or not valid UTF-8)."

    def test_a_line_of_any_length_is_passed_over(self, shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("semiosis.sources.lines.MAX_LINE_BYTES", 1024**2)
        for name, header, good in (
            ("p.jsonl", "", json.dumps(OURS)),
            ("p.csv", "prompt,a,b\n", "Nothing lasts.,a.png,b.png"),
        ):
            (shelf / name).write_text(f"{header}{good}\n{'x' * (3 * 1024**2)}\n{good}\n")
            first, bad, last = everything(shelf / name)
            assert isinstance(bad, BadRow)
            assert bad.reason == "The line is longer than 1 MB."
            assert isinstance(first, Candidate)
            assert isinstance(last, Candidate)

    @pytest.mark.parametrize(
        ("row", "reason"),
        [
            ("x,a.png", "The row has 2 cells, and 3 columns are named."),
            ("x,a.png,b.png,4", "The row has 4 cells, and 3 columns are named."),
            (
                '"x"y,a.png,b.png',
                "The row cannot be read (',' expected after '\"'); cells of any length fit JSON Lines.",
            ),
            (
                "x" * 200_000 + ",a.png,b.png",
                "The row cannot be read (field larger than field limit (131072)); cells",
            ),
            ("\0,a.png,b.png", "The prompt holds bytes that are not text"),
            ("é,a.png,b.png", "The line is not UTF-8: "),
        ],
    )
    def test_a_bad_row_of_a_table_says_why_and_the_next_is_read(
        self, shelf: Path, row: str, reason: str
    ) -> None:
        good = b'"Nothing\nlasts.",a.png,b.png\n'
        path = shelf / "p.csv"
        path.write_bytes(b"prompt,a,b\n\n" + good + row.encode("latin-1") + b"\n" + good)
        first, bad, last = everything(path)
        assert isinstance(bad, BadRow)
        assert bad.where == "p.csv line 5"
        assert bad.reason.startswith(reason)
        assert isinstance(first, Candidate)
        assert first.where == "p.csv line 3"
        assert isinstance(last, Candidate)
        assert last.where == "p.csv line 6"

    def test_a_quote_that_is_never_closed_does_not_swallow_the_file(self, shelf: Path) -> None:
        good = "Nothing lasts.,a.png,b.png\n"
        (shelf / "p.csv").write_text("prompt,a,b\n" + '"open,a.png,b.png\n' + good * 20_000)
        rows = everything(shelf / "p.csv")
        assert rows[0] == BadRow(
            "p.csv line 2",
            "The row cannot be read (field larger than field limit (131072)); cells of any length fit JSON Lines.",
        )
        assert sum(isinstance(row, Candidate) for row in rows) > 15_000

    @pytest.mark.parametrize(
        ("tail", "bad"),
        [
            (
                ', {"x": }]',
                BadRow(
                    "p.json row 2", "From here on the list is not JSON, and was not read: Expecting value."
                ),
            ),
            (
                ' {"x": 1}]',
                BadRow("p.json after row 1", "The list breaks off here; the rest was not read."),
            ),
            ("", BadRow("p.json after row 1", "The list breaks off here; the rest was not read.")),
            ("] []", BadRow("p.json after row 1", "What follows the list was not read.")),
            (
                ", 12]",
                BadRow("p.json row 2", "The row is not an object that names its columns."),
            ),
            (
                f", {'[' * 200_000}",
                BadRow(
                    "p.json row 2",
                    "From here on the list is not JSON, and was not read: it is nested too deeply.",
                ),
            ),
        ],
    )
    def test_a_list_that_breaks_off_keeps_what_came_before(self, shelf: Path, tail: str, bad: BadRow) -> None:
        (shelf / "p.json").write_text(f"[{json.dumps(OURS)}{tail}")
        first, second = everything(shelf / "p.json")
        assert isinstance(first, Candidate)
        assert second == bad

    def test_a_gzip_that_breaks_off_keeps_what_came_before(self, shelf: Path) -> None:
        noise = [{**OURS, "id": hashlib.sha256(bytes([n % 256, n // 256])).hexdigest()} for n in range(5000)]
        whole = gzip.compress("".join(f"{json.dumps(row)}\n" for row in noise).encode())
        (shelf / "p.jsonl.gz").write_bytes(whole[: len(whole) // 2])
        *rows, bad = everything(shelf / "p.jsonl.gz")
        assert len(rows) > 1000
        assert isinstance(bad, BadRow)
        assert bad.where == f"after p.jsonl.gz line {len(rows)}"
        assert bad.reason.startswith("The rest of p.jsonl.gz cannot be read: Compressed file ended before")

    def test_a_file_in_utf_16_is_refused_with_the_way_out(self, tmp_path: Path) -> None:
        (tmp_path / "p.csv").write_text("prompt,a,b\n", "utf-16")
        with pytest.raises(BadRecord, match=r"p.csv is written in UTF-16: save it as UTF-8"):
            everything(tmp_path / "p.csv")

    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(line=st.binary(max_size=80).filter(lambda line: b"\n" not in line))
    def test_any_bytes_are_a_bad_row_or_nothing(self, shelf: Path, line: bytes) -> None:
        path = shelf / "p.jsonl"
        path.write_bytes(json.dumps(OURS).encode() + b"\n" + line)
        first, *rest = everything(path)
        assert isinstance(first, Candidate)
        assert len(rest) == (0 if not line or line.isspace() else 1)
        assert all(isinstance(each, BadRow) and each.reason.isprintable() for each in rest)

    @pytest.mark.parametrize(
        ("first", "columns"),
        [
            ({**OURS, "winner": -1}, ("prompt", "a", "b", "winner", "id", "references", "note")),
            (
                {"prompt": "x", "picture": "a.png"},
                ("prompt", "picture", "score", "rating", "id", "references", "note"),
            ),
            (TestQuestions.ROW, ("question", "choices", "pictures", "answer", "boxes", "id", "note")),
        ],
    )
    @settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    def test_any_row_is_a_candidate_whose_item_has_its_key_or_a_bad_row(
        self, shelf: Path, first: dict[str, Any], columns: tuple[str, ...], data: st.DataObject
    ) -> None:
        row = data.draw(st.fixed_dictionaries(dict.fromkeys(columns, CELLS)))
        _, second = everything(write_lines(shelf / "p.jsonl", first, row))
        if isinstance(second, BadRow):
            assert second.where == "p.jsonl line 2"
            assert not {"Cc", "Cs", "Zl", "Zp"} & {category(each) for each in second.reason}
        else:
            assert second.make().key == second.key

    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(body=st.binary(max_size=120))
    def test_any_bytes_under_a_header_give_rows_good_or_bad(self, shelf: Path, body: bytes) -> None:
        (shelf / "p.csv").write_bytes(b"prompt,a,b\nx,a.png,b.png\n" + body)
        first, *rest = everything(shelf / "p.csv")
        assert isinstance(first, Candidate)
        assert all(isinstance(each, BadRow) for each in rest)


class TestTables:
    @pytest.fixture
    def rows(self, shelf: Path) -> list[dict[str, Any]]:
        held = {"bytes": (shelf / "a.png").read_bytes(), "path": "far/away.png"}
        return [
            {
                "prompt": "Nothing lasts.",
                "left_image": held,
                "right_image": {"bytes": None, "path": "b.png"},
                "n": n,
            }
            for n in range(3)
        ]

    def test_parquet_cells_hold_pictures_or_name_them(self, shelf: Path, rows: list[dict[str, Any]]) -> None:
        self.write(shelf / "p.parquet", rows)
        pairs = items(shelf / "p.parquet")
        assert [item.id for item in pairs] == ["1", "2", "3"]
        assert (pairs[0].pair.a.name, pairs[0].pair.b.name) == ("away.png", "b.png")
        assert pairs[0].pair.a.read() == (shelf / "a.png").read_bytes()
        assert pairs[2].labels == {"n": 2}
        assert [each.where for each in everything(shelf / "p.parquet", limit=1)] == ["p.parquet row 1"]

    def test_plain_bytes_and_times_are_cells_too(self, shelf: Path) -> None:
        pa = pytest.importorskip("pyarrow")
        times = pa.array([1_700_000_000_123_456_789], pa.timestamp("ns"))
        cells = {name: pa.array([(shelf / f"{name}.png").read_bytes()]) for name in ("a", "b")}
        table = pa.table({"prompt": ["x"], **cells, "at": times, "gone": pa.array([None], pa.string())})
        pytest.importorskip("pyarrow.parquet").write_table(table, shelf / "p.parquet")
        (item,) = items(shelf / "p.parquet")
        assert item.pair.b.sha256 == sha256(shelf / "b.png")
        assert item.labels == {"at": str(datetime(2023, 11, 14, 22, 13, 20, 123456)), "gone": None}

    def test_a_snapshot_of_several_files_is_numbered_through(
        self, shelf: Path, rows: list[dict[str, Any]]
    ) -> None:
        folder = shelf / "snapshot"
        (folder / "data").mkdir(parents=True)
        for row in rows:
            row["right_image"]["path"] = "../b.png"
        self.write(folder / "data/train-1.parquet", rows[1:])
        self.write(folder / "data/train-0.parquet", rows[:1])
        assert open_items(folder).name == "snapshot"
        assert [item.id for item in items(folder)] == ["1", "2", "3"]
        assert [each.where for each in everything(folder)][1:] == [
            "train-1.parquet row 1",
            "train-1.parquet row 2",
        ]
        assert [item.id for item in items(folder / "data/train-*.parquet", pictures=folder)] == [
            "1",
            "2",
            "3",
        ]

    def test_a_damaged_file_is_refused_and_a_damaged_second_one_keeps_the_first(
        self, shelf: Path, rows: list[dict[str, Any]]
    ) -> None:
        folder = shelf / "snapshot"
        folder.mkdir()
        (folder / "1.parquet").write_bytes(b"PAR1, or not")
        pytest.importorskip("pyarrow")
        with pytest.raises(BadRecord, match=r"1.parquet cannot be read: Parquet magic bytes not found"):
            everything(folder / "1.parquet")
        self.write(folder / "0.parquet", rows)
        (bad,) = [each for each in everything(folder, pictures=shelf) if isinstance(each, BadRow)]
        assert bad.where == "after 1.parquet"

    def test_a_saved_dataset_is_read_as_it_was_saved(self, shelf: Path) -> None:
        datasets = pytest.importorskip("datasets")
        self.dataset(shelf).save_to_disk(shelf / "saved")
        pairs = items(shelf / "saved")
        assert open_items(shelf / "saved").name == "saved"
        assert [item.labels for item in pairs] == [
            {"vote_type": "leftvote", "winner": "a"},
            {"vote_type": "bothbad_vote", "winner": "tie"},
            {"vote_type": None},
        ]
        assert pairs[0].pair.a.sha256 == sha256(shelf / "a.png")
        both = datasets.DatasetDict({"train": self.dataset(shelf), "test": self.dataset(shelf)})
        both.save_to_disk(shelf / "both")
        with pytest.raises(
            BadSetting, match=r"both has the splits train, test: name one, as in .*both/test\."
        ):
            everything(shelf / "both")
        assert len(items(shelf / "both" / "test")) == 3

    def test_a_dataset_is_streamed_by_its_name_and_split(self, shelf: Path) -> None:
        pytest.importorskip("datasets")
        for split in ("train", "test"):
            (shelf / "hub").mkdir(exist_ok=True)
            self.dataset(shelf).to_parquet(shelf / f"hub/{split}-0.parquet")
        where = f"hf:{shelf}/hub"
        pairs = items(f"{where}:test")
        assert open_items(f"{where}:test").name == f"{shelf}/hub:test"
        assert [item.labels.get("winner") for item in pairs] == ["a", "tie", None]
        assert [item.id for item in items(f"{where}:default:train", limit=1)] == ["1"]
        assert pairs[0].pair.a.sha256 == sha256(shelf / "a.png")
        with pytest.raises(BadSetting, match=r"has the splits train, test: name one, as in hf:.*/hub:test"):
            everything(where)
        with pytest.raises(BadRecord, match="hub cannot be read: Bad split: no"):
            everything(f"{where}:no")
        with pytest.raises(BadSetting, match="hf:a:b:c:d has too many parts"):
            everything("hf:a:b:c:d")

    @pytest.mark.parametrize(
        ("where", "module", "sentence"),
        [
            (
                "p.parquet",
                "pyarrow.parquet",
                "Reading Parquet needs an optional part: pip install 'semiosis[tables]'.",
            ),
            (
                "hf:x/y",
                "datasets",
                "Reading a Hugging Face dataset needs an optional part: pip install 'semiosis[data",
            ),
        ],
    )
    def test_a_missing_library_is_named_with_its_extra(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, module: str, sentence: str
    ) -> None:
        (tmp_path / "p.parquet").touch()
        monkeypatch.chdir(tmp_path)
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtra) as caught:
            everything(where)
        assert str(caught.value).startswith(sentence)

    @staticmethod
    def write(path: Path, rows: list[dict[str, Any]]) -> None:
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pytest.importorskip("pyarrow").Table.from_pylist(rows), path)

    @staticmethod
    def dataset(shelf: Path) -> Any:
        """Three rows with pictures, and votes that are numbers with names; -1 has none."""
        datasets = pytest.importorskip("datasets")
        votes = ["leftvote", "rightvote", "tievote", "bothbad_vote"]
        features = datasets.Features(
            {
                "prompt": datasets.Value("string"),
                "left_image": datasets.Image(),
                "right_image": datasets.Image(),
                "vote_type": datasets.ClassLabel(names=votes),
            }
        )
        row = {
            "prompt": "Nothing lasts.",
            "left_image": str(shelf / "a.png"),
            "right_image": str(shelf / "b.png"),
        }
        rows = [{**row, "vote_type": vote} for vote in ("leftvote", "bothbad_vote", -1)]
        return datasets.Dataset.from_list(rows, features=features)


class TestFolder:
    @pytest.fixture
    def gallery(self, tmp_path: Path, png: Callable[..., bytes]) -> Path:
        """Three models, two prompts, and one prompt that only one model painted."""
        folder = tmp_path / "gallery"
        colours = iter(["teal", "maroon", "gold", "navy", "olive", "pink", "gray"])
        for model in ("sdxl", "flux", "imagen"):
            (folder / model).mkdir(parents=True)
            for prompt in ("a-still_life", "storm"):
                (folder / model / f"{prompt}.png").write_bytes(png(next(colours)))
        (folder / "flux/alone.png").write_bytes(png("black"))
        return folder

    def test_every_two_models_meet_on_every_prompt(self, gallery: Path) -> None:
        source = open_items(gallery)
        assert source.name == "gallery"
        rows = list(source.candidates())
        assert rows[3] == BadRow(
            "gallery/flux/alone.png", "No other model has a picture of 'alone': there is nothing to compare."
        )
        pairs = [each.make() for each in rows if isinstance(each, Candidate)]
        assert [item.id for item in pairs] == [
            f"{prompt}/{pair}"
            for prompt in ("a-still_life", "storm")
            for pair in ("flux/imagen", "flux/sdxl", "imagen/sdxl")
        ]
        first = pairs[0]
        assert isinstance(first, PairItem)
        assert first.pair.prompt.text == "a still life"
        assert first.labels == {"prompt_id": "a-still_life", "model_a": "flux", "model_b": "imagen"}
        assert first.pair.a.sha256 == sha256(gallery / "flux/a-still_life.png")

    def test_pictures_side_by_side_are_named_by_prompt_then_model(self, shelf: Path) -> None:
        (shelf / "a.png").rename(shelf / "dark__storm__flux.png")
        (shelf / "b.png").rename(shelf / "dark__storm__sdxl.PNG")
        bad, candidate = everything(shelf)
        assert bad == BadRow(
            f"{shelf.name}/c.png", "The name tells no model: call it <prompt-id>__<model>.png."
        )
        assert isinstance(candidate, Candidate)
        assert candidate.make().id == "dark__storm/flux/sdxl"

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("prompts.jsonl", '{"id": "storm", "prompt": "A storm, inside."}\n'),
            ("prompts.csv", 'prompt_id,prompt\nstorm,"A storm, inside."\n'),
            ("prompts.txt", "storm\tA storm, inside.\n"),
        ],
    )
    def test_prompts_are_listed_in_a_file_and_one_that_is_not_is_a_bad_row(
        self, gallery: Path, name: str, text: str
    ) -> None:
        (gallery / name).write_text(text)
        rows = everything(gallery)
        prompts = prompts_of(rows)
        assert prompts == ["A storm, inside."] * 3
        assert rows[0] == BadRow("gallery a-still_life", f"{name} lists no prompt 'a-still_life'.")

    def test_a_line_alone_is_the_prompt_of_its_number(
        self, tmp_path: Path, png: Callable[..., bytes]
    ) -> None:
        (tmp_path / "prompts.txt").write_text("One.\n\nThree.\n")
        for model, colour in (("x", "teal"), ("y", "gold")):
            (tmp_path / f"3__{model}.png").write_bytes(png(colour))
        assert [item.pair.prompt.text for item in items(tmp_path)] == ["Three."]

    def test_a_prompt_may_lie_in_the_folder_or_beside_a_picture(self, gallery: Path) -> None:
        (gallery / "storm.txt").write_text("\ufeffA storm, inside.\n")
        (gallery / "sdxl/a-still_life.txt").write_text("Nothing lasts.")
        prompts = prompts_of(everything(gallery))
        assert prompts == ["Nothing lasts."] * 3 + ["A storm, inside."] * 3

    def test_bad_lists_of_prompts_are_told(self, gallery: Path) -> None:
        rows = [{"id": "storm", "prompt": "One."}, {"id": "storm", "prompt": "Two."}, {"id": "x"}, 4]
        write_lines(gallery / "prompts.jsonl", *rows)
        bad = [each for each in everything(gallery) if isinstance(each, BadRow)]
        assert bad[:3] == [
            BadRow("prompts.jsonl line 2", "Another prompt is listed for 'storm' before, and was taken."),
            BadRow("prompts.jsonl line 3", "The row needs an id and a prompt."),
            BadRow("prompts.jsonl line 4", "The row is not an object that names its columns."),
        ]

    def test_what_cannot_meet_is_told(self, gallery: Path, png: Callable[..., bytes]) -> None:
        (gallery / "flux/storm.jpg").write_bytes(png("white"))
        (gallery / "flux/more").mkdir()
        (gallery / ".git").mkdir()
        (gallery / "imagen/storm.png").write_bytes((gallery / "sdxl/storm.png").read_bytes())
        (gallery / "sdxl/a-still_life.png").write_bytes(b"")
        assert {each.where: each.reason for each in everything(gallery) if isinstance(each, BadRow)} == {
            "gallery/flux/more": "A folder in a model's folder is not read: name pictures <model>/<prompt-id>.png.",
            "gallery/flux/alone.png": "No other model has a picture of 'alone': there is nothing to compare.",
            "gallery/flux/storm.png": f"{gallery}/flux/storm.jpg is of the same prompt and model, and was taken.",
            "gallery storm/imagen/sdxl": "A and B are the same picture: there is nothing to compare.",
            "gallery a-still_life/flux/sdxl": f"{gallery}/sdxl/a-still_life.png is empty (0 bytes).",
            "gallery a-still_life/imagen/sdxl": f"{gallery}/sdxl/a-still_life.png is empty (0 bytes).",
        }

    def test_a_folder_without_pictures_that_name_a_model_is_refused(self, shelf: Path) -> None:
        with pytest.raises(BadRecord, match=r"name them <model>/<prompt-id>.png or <prompt-id>__<model>.png"):
            everything(shelf)

    def test_columns_make_no_sense_for_a_folder_of_pictures(self, gallery: Path) -> None:
        with pytest.raises(
            BadSetting, match="gallery is a folder of pictures: it has no columns and no labels to name"
        ):
            open_items(gallery, Columns(prompt="x"))
