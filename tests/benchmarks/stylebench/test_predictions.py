"""A judge's answers from the authors' format, from plain tables, from a run; what failed stays failed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import stored
from semiosis.benchmarks.stylebench.annotations import as_row
from semiosis.benchmarks.stylebench.layout import Kind
from semiosis.benchmarks.stylebench.predictions import read
from semiosis.building.alignment import Predictions
from semiosis.building.baselines import always_a, always_b, random_guess
from semiosis.building.votes import ForcedChoice
from semiosis.core.errors import BadRecord
from semiosis.core.outcome import Failure
from semiosis.runs.store import Store


def comparison(id: str, a: str = "AdaIN", b: str = "DDIM") -> ForcedChoice:
    return ForcedChoice(id=id, group=("3", "4"), prompt="p", a=a, b=b, winner="a")


ROWS = [comparison(id) for id in ("1", "2", "3", "4")]


def test_the_authors_format(tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    winners = ("left", "right", "", None)
    path.write_text(
        json.dumps([as_row(row) | {"winner": winner} for row, winner in zip(ROWS, winners, strict=True)])
    )
    assert read(path, ROWS) == {"1": "a", "2": "b", "3": None, "4": None}


def test_a_pair_that_was_shown_the_other_way_round_is_turned(tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    swapped = [
        as_row(row.swapped) | {"winner": winner} for row, winner in zip(ROWS, ("left", "tie"), strict=False)
    ]
    path.write_text(json.dumps(swapped))
    assert read(path, ROWS) == {"1": "b", "2": "tie"}


def test_predictions_for_another_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    path.write_text(json.dumps([as_row(comparison("1", "StyleID"))]))
    with pytest.raises(BadRecord, match="The prediction 1 is on StyleID and DDIM for content 3 in style 4"):
        read(path, ROWS)


def test_plain_tables(tmp_path: Path) -> None:
    (tmp_path / "judge.csv").write_text("id,winner\n1,left\n2,b\n3,tie\n4,\n")
    (tmp_path / "judge.jsonl").write_text('{"id": 1, "winner": "model_b"}\n{"id": "x", "winner": null}\n')
    assert read(tmp_path / "judge.csv") == {"1": "a", "2": "b", "3": "tie", "4": None}
    assert read(tmp_path / "judge.jsonl", ROWS) == {"1": "b", "x": None}


def test_replies_in_free_text(tmp_path: Path) -> None:
    replies = {
        "1": "Both follow the style, but the left image is better.",
        "2": "[[A=B=Bad]]",
        "3": "I cannot see the images, so I'll guess: [[A>B]]",
        "4": "1. Model A is better: [[A>B]]\n2. Model B is better: [[B>A]]",
        "5": None,
    }
    rows = [json.dumps({"id": id, "reply": reply}) for id, reply in replies.items()]
    (tmp_path / "judge.jsonl").write_text("\n".join(rows))
    assert read(tmp_path / "judge.jsonl") == {"1": "a", "2": "tie", "3": None, "4": None, "5": None}


def test_a_winner_counts_before_the_reply(tmp_path: Path) -> None:
    (tmp_path / "judge.csv").write_text("id,winner,reply\n1,b,[[A>B]]\n2,,[[A>B]]\n")
    assert read(tmp_path / "judge.csv") == {"1": "b", "2": None}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"id": 1}', r"line 1: The row needs an id and a winner, or a reply\."),
        (
            '{"id": 1, "winner": "left"}\n{"id": 1, "winner": "left"}',
            "line 2: There is a second prediction for '1'",
        ),
        ('{"id": 1, "winner": 2}', "line 1: The winner '2' is unknown"),
        ('{"id": 1, "winner": 0}', "are 0 or 1 and never -1, so 0 may be a draw or a side"),
        ("no", "line 1: The line is not JSON"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "judge.jsonl").write_text(text)
    with pytest.raises(BadRecord, match=sentence):
        read(tmp_path / "judge.jsonl")


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="There is no file or folder"):
        read(tmp_path / "no.json")
    (tmp_path / "judge.txt").touch()
    with pytest.raises(BadRecord, match=r"judge.txt is in no format that is read here"):
        read(tmp_path / "judge.txt")


def test_the_judgments_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "first.sqlite"
    with Store.create(path, stored.about("first")) as store:
        for number, votes in enumerate((("a", "a"), ("b", "b"), ("a", "b"), None), 1):
            labels = {"model_a": "AdaIN", "model_b": "DDIM", "content": "3", "style": "4"}
            item = stored.pair_item(number, labels).model_copy(update={"id": str(number)})
            if votes:
                outcome = stored.judged(item, *votes)
            else:
                outcome = Failure(reason="refused", message="no", provenance=stored.origin())
            stored.settle(store, number, item, outcome)
    assert read(path, ROWS) == {"1": "a", "2": "b", "3": "tie", "4": None}
    swapped = [row.swapped for row in ROWS]
    assert read(path, swapped) == {"1": "b", "2": "a", "3": "tie", "4": None}
    with pytest.raises(BadRecord, match="these are predictions for another file"):
        read(path, [comparison("1", "StyleID")])


def test_a_run_of_which_nothing_is_settled_says_so(tmp_path: Path) -> None:
    Store.create(tmp_path / "first.sqlite", stored.about("first")).close()
    with pytest.raises(BadRecord, match="The run first has settled no pair"):
        read(tmp_path / "first.sqlite")


def test_winners_are_spelled_as_everywhere(tmp_path: Path) -> None:
    (tmp_path / "signs.csv").write_text("id;winner\n1;-1\n2;1\n3;0\n4;\n")
    (tmp_path / "names.csv").write_text(
        "id,winner,method_left,method_right\n1,AdaIN,AdaIN,DDIM\n2,AdaIN,DDIM,AdaIN\n3,tie,AdaIN,DDIM\n"
    )
    assert read(tmp_path / "signs.csv", ROWS) == {"1": "a", "2": "b", "3": "tie", "4": None}
    assert read(tmp_path / "names.csv", ROWS) == {"1": "a", "2": "a", "3": "tie"}


class TestKinds:
    """Global and instance rows have the same ids."""

    # People decided 1 to 4 of these, and 1, 2 and 5 of the others.
    OTHERS = tuple(comparison(id, "StyleID", "StyTr2") for id in ("1", "2", "5"))

    def told(self, tmp_path: Path, *lines: str) -> Predictions:
        (tmp_path / "judge.csv").write_text("\n".join((*lines, "")))
        return read(tmp_path / "judge.csv", ROWS, kind="instance", others=self.OTHERS)

    def test_ids_that_people_decided_here_alone_are_of_this_kind(self, tmp_path: Path) -> None:
        assert self.told(tmp_path, "id,winner", "1,left", "3,left") == {"1": "a", "3": "a"}

    def test_ids_that_people_decided_there_alone_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(BadRecord, match=r"By its ids judge.csv is on global rows: .* \(--kind global\)"):
            self.told(tmp_path, "id,winner", "1,left", "5,left")

    @pytest.mark.parametrize("ids", [("1", "2"), ("3", "5"), ("1", "2", "3", "4", "5", "6")])
    def test_ids_that_tell_nothing_are_refused_with_what_to_add(
        self, ids: tuple[str, ...], tmp_path: Path
    ) -> None:
        with pytest.raises(
            BadRecord, match=r"does not say whether .* add a column `kind` with instance in it"
        ):
            self.told(tmp_path, "id,winner", *(f"{id},left" for id in ids))

    def test_a_column_says_the_kind(self, tmp_path: Path) -> None:
        assert self.told(tmp_path, "id,winner,kind", "1,left,instance") == {"1": "a"}
        with pytest.raises(BadRecord, match="line 2: By its column `kind` the row is global; instance rows"):
            self.told(tmp_path, "id,winner,kind", "1,left,global")

    def test_methods_say_the_kind(self, tmp_path: Path) -> None:
        columns = "id,winner,method_left,method_right"
        assert self.told(tmp_path, columns, "1,left,AdaIN,DDIM") == {"1": "a"}
        with pytest.raises(BadRecord, match="these are predictions for another file"):
            self.told(tmp_path, columns, "1,left,StyleID,StyTr2")

    @pytest.mark.parametrize("kind", ["global", "instance"])
    def test_the_benchmark_of_a_run_says_the_kind(self, kind: Kind, tmp_path: Path) -> None:
        path = tmp_path / "first.sqlite"
        about = replace(stored.about("first"), benchmark="stylebench/paper-instance")
        with Store.create(path, about) as store:
            item = stored.pair_item(1, {}).model_copy(update={"id": "1"})
            stored.settle(store, 1, item, stored.judged(item, "a", "a"))
        if kind == "instance":
            assert read(path, ROWS, kind=kind, others=self.OTHERS) == {"1": "a"}
        else:
            with pytest.raises(
                BadRecord, match="on stylebench/paper-instance, which has instance rows; global"
            ):
                read(path, ROWS, kind=kind, others=self.OTHERS)

    def test_an_exported_run_names_its_methods_in_its_labels(self, tmp_path: Path) -> None:
        row = {"id": "1", "kind": "pair", "winner": "a", "labels": {"model_a": "DDIM", "model_b": "AdaIN"}}
        (tmp_path / "run.jsonl").write_text(json.dumps(row))
        assert read(tmp_path / "run.jsonl", ROWS, kind="instance", others=self.OTHERS) == {"1": "b"}
        row["labels"] = {"model_a": "StyleID", "model_b": "StyTr2"}
        (tmp_path / "run.jsonl").write_text(json.dumps(row))
        with pytest.raises(BadRecord, match="these are predictions for another file"):
            read(tmp_path / "run.jsonl", ROWS, kind="instance", others=self.OTHERS)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("1,\n2,\n", "2 of them failed and the rest were not asked"),
        ("8,left\n9,right\n", "it has none of their ids"),
    ],
)
def test_a_file_without_a_usable_verdict_is_refused(tmp_path: Path, lines: str, reason: str) -> None:
    (tmp_path / "judge.csv").write_text(f"id,winner\n{lines}")
    with pytest.raises(BadRecord, match=f"judge.csv holds no usable verdict on the 4 rows .*: {reason}"):
        read(tmp_path / "judge.csv", ROWS)


def test_judges_that_look_at_nothing() -> None:
    assert set(always_a(ROWS).values()) == {"a"}
    assert set(always_b(ROWS).values()) == {"b"}
    many = [comparison(str(number)) for number in range(1000)]
    guesses = random_guess(many, seed=5)
    assert guesses == random_guess(many, seed=5) != random_guess(many, seed=6)
    assert 440 < list(guesses.values()).count("a") < 560
