"""Rows as published, gzipped or not, in a folder or a file, with one label or several votes."""

import gzip
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from semiosis.benchmarks.stylebench.annotations import as_row, first_annotated, load, load_tasks
from semiosis.building.votes import decided
from semiosis.core.errors import BadRecord, BadSetting

ROW = {
    "id": 7,
    "content_index": 75,
    "style_index": 548,
    "style_prompt": "Epic oil painting",
    "method_left": "DiffArtist",
    "method_right": "StyTr2",
    "winner": "left",
    "skipped": False,
}


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text(json.dumps(rows))
    return path


def said(path: Path) -> list[tuple[str | None, bool, float | None]]:
    return [(row.winner, row.annotated, row.share_a) for row in load(path)]


@pytest.mark.parametrize(
    ("kind", "edition", "annotated", "won"),
    [
        ("global", "extended", 3092, 2116),
        ("global", "paper", 2002, 1516),
        ("instance", "extended", 1720, 1128),
        ("instance", "paper", 1183, 877),
    ],
)
def test_the_published_files_hold_these_many_answers(
    fineartbench: Path, kind: Any, edition: Any, annotated: int, won: int
) -> None:
    rows = load(fineartbench, kind, edition=edition)
    assert (len(rows), len(first_annotated(rows, None)), len(decided(rows))) == (5000, annotated, won)
    assert [row.id for row in rows[:2]] == ["1", "2"]


def test_the_first_published_row(fineartbench: Path) -> None:
    (row, *_) = load(fineartbench / "global_annotation.json.gz")
    assert row.group == ("75", "548")
    assert (row.a, row.b, row.winner, row.annotated) == ("DiffArtist", "StyTr2", "a", True)
    assert row.prompt.startswith("Epic oil painting by Donato Giancola")


def test_the_authors_folders_are_found_from_above_and_from_within(fineartbench: Path, tmp_path: Path) -> None:
    (tmp_path / "data" / "human_annotation").mkdir(parents=True)
    file = tmp_path / "data" / "human_annotation" / "global_annotation_paper.json"
    file.write_bytes(gzip.decompress((fineartbench / "global_annotation_paper.json.gz").read_bytes()))
    flat = load(fineartbench, edition="paper")
    assert load(tmp_path, edition="paper") == load(tmp_path / "data", edition="paper") == flat
    with pytest.raises(BadSetting, match=r"holds no global_annotation.json, in data/ or beside it: download"):
        load(tmp_path)
    with pytest.raises(BadSetting, match=r"There is no folder .*nowhere"):
        load_tasks(tmp_path / "nowhere")


def test_tasks_are_rows_nobody_was_asked_about(tmp_path: Path) -> None:
    (tmp_path / "2AFC").mkdir()
    task = {name: ROW[name] for name in ROW if name not in ("winner", "skipped")} | {"winner": ""}
    write(tmp_path / "2AFC" / "2AFC_instance_N_5000.json", task)
    (row,) = load_tasks(tmp_path, "instance")
    assert (row.annotated, row.winner) == (False, None)
    assert as_row(row) == task


def test_null_is_undecided_and_empty_is_not_asked(tmp_path: Path) -> None:
    rows = [ROW, ROW | {"winner": None, "skipped": True}, ROW | {"winner": ""}, ROW | {"winner": "tie"}]
    path = write(tmp_path / "a.json", *({**row, "id": at} for at, row in enumerate(rows)))
    assert said(path) == [("a", True, None), (None, True, None), (None, False, None), (None, True, None)]


def test_the_same_from_csv_where_null_is_empty(tmp_path: Path) -> None:
    header = ",".join(ROW)
    path = tmp_path / "a.csv"
    path.write_text(
        f"{header}\n1,75,548,Epic,A,B,right,False\n2,75,548,Epic,A,B,,True\n3,75,548,E,A,B,,False\n"
    )
    assert said(path) == [("b", True, None), (None, True, None), (None, False, None)]


def test_a_dataset_by_its_name_has_the_same_columns(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    folder = tmp_path / "fineart"
    folder.mkdir()
    (folder / "train.jsonl").write_text(json.dumps(ROW) + "\n" + json.dumps(ROW | {"id": 8, "winner": None}))
    rows = load(f"hf:{folder}:train")
    assert [(row.id, row.winner, row.annotated) for row in rows] == [("7", "a", True), ("8", None, True)]


@pytest.mark.parametrize(
    ("votes", "winner", "share"),
    [
        ({"share_a": 0.3, "winner": ""}, "b", 0.3),
        ({"votes_a": 3, "votes_b": 1}, "a", 0.75),
        ({"share_a": 0.5, "winner": ""}, None, 0.5),
        ({"left_share": 0.3, "winner": ""}, "b", 0.3),
        ({"votes_left": 3, "votes_right": 1}, "a", 0.75),
    ],
)
def test_shares_of_votes_decide(
    tmp_path: Path, votes: dict[str, Any], winner: str | None, share: float
) -> None:
    assert said(write(tmp_path / "a.json", ROW | votes)) == [(winner, True, share)]


def test_rows_with_one_id_are_votes_and_may_be_shown_swapped(tmp_path: Path) -> None:
    swapped = ROW | {"method_left": "StyTr2", "method_right": "DiffArtist", "winner": "right"}
    path = write(tmp_path / "a.json", ROW, swapped, ROW | {"winner": "right"}, ROW | {"winner": None}, ROW)
    (row,) = load(path)
    assert (row.a, row.winner, row.share_a) == ("DiffArtist", "a", 0.7)


def test_a_row_is_written_as_it_was_read(fineartbench: Path, tmp_path: Path) -> None:
    rows = load(fineartbench, "instance")
    again = write(tmp_path / "again.json", *(as_row(row) for row in rows))
    assert load(again) == rows
    published = json.loads(gzip.decompress((fineartbench / "instance_annotation.json.gz").read_bytes()))
    assert as_row(rows[0]) == published[0]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"method_left": ""}, r"a.json row 1: The row has no method_left\."),
        ({"method_right": "DiffArtist"}, "compares DiffArtist with itself"),
        ({"winner": "perhaps"}, "The winner 'perhaps' is unknown"),
        ({"share_a": 1.2}, "share_a is 1.2, which is no share"),
        ({"left_share": "many"}, "share_a is 'many', which is no number"),
        ({"share_a": 0.2}, "The winner is a, yet 20% of the votes are for a"),
        ({"votes_a": -1, "votes_b": 2}, "-1 votes for a and 2 for b"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadRecord, match=sentence):
        load(write(tmp_path / "a.json", ROW | change))


def test_bad_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="Two different comparisons have the id '7'"):
        load(write(tmp_path / "twice.json", ROW, ROW | {"content_index": 3}))
    with pytest.raises(BadRecord, match=r"empty.json holds an empty list"):
        load(write(tmp_path / "empty.json"))
    with pytest.raises(BadRecord, match=r"There is no file or folder .*nothing.json"):
        load(tmp_path / "nothing.json")
    with pytest.raises(BadRecord, match=r"notes.txt is in no format that is read here"):
        load(shutil.copy(tmp_path / "empty.json", tmp_path / "notes.txt"))
    (tmp_path / "torn.json").write_text(json.dumps([ROW])[:-20])
    with pytest.raises(BadRecord, match=r"torn.json row 1: From here on the list is not JSON"):
        load(tmp_path / "torn.json")


def test_in_the_published_tasks_a_pair_of_methods_is_always_shown_one_way_round(fineartbench: Path) -> None:
    for kind in ("global", "instance"):
        ways = Counter((row.a, row.b) for row in load(fineartbench, kind))
        assert len(ways) == 45
        assert {a for a, _ in ways} | {"DDIM"} == {b for _, b in ways} | {"DiffArtist"}
