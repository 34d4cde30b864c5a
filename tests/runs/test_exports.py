"""A run leaves as one file and comes back the same, column by column."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from semiosis.core.errors import BadRecord, BadSetting, MissingExtra, SemiosisError, StoreError
from semiosis.core.kinds.pair import Judgment
from semiosis.core.outcome import Failure
from semiosis.core.records import load
from semiosis.runs.exports import export
from semiosis.runs.imports import import_run
from semiosis.runs.outcomes import outcomes
from semiosis.runs.store import Store
from semiosis.runs.summary import summary
from stored import about, asked, first_run, judged, origin, pair_item, picture, settle

CALLS = (
    "key, task, model, useless, retired, input_tokens, output_tokens, cost_usd, attempts, latency_s, started_at,"
    " subject, pictures, reply, sent"
)
TABLES = {
    "items": "select * from items order by key",
    "outcomes": "select * from outcomes order by item",
    "calls": f"select {CALLS} from calls order by key, retired",
}


@pytest.fixture
def first(tmp_path: Path) -> Path:
    path = tmp_path / "first.sqlite"
    first_run(path)
    return path


def tables(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    with Store.look(path) as store:
        return {name: list(store.rows(query)) for name, query in TABLES.items()}


def exported(store: Path, to: Path) -> Path:
    with Store.look(store) as opened:
        export(opened, to)
    return to


def test_whole_outcomes_come_back_in_the_order_of_the_benchmark(tmp_path: Path) -> None:
    settled = first_run(tmp_path / "first.sqlite")
    with Store.look(tmp_path / "first.sqlite") as store:
        pairs = [(row, outcome) for row, outcome in outcomes(store)]
    assert [row.id for row, _ in pairs] == list(settled)
    assert [outcome for _, outcome in pairs] == list(settled.values())
    assert pairs[0][0].labels == {"winner": "a", "model_a": "x"}
    assert pairs[0][0].key == pair_item(1, {"winner": "a", "model_a": "x"}).key
    assert [call.reply for call in pairs[0][1].provenance.exchanges] == [  # type: ignore[union-attr]
        "reply to shared",
        "no JSON",
        "reply to v1",
    ]


def test_a_call_that_several_outcomes_share_is_paid_for_by_one_of_them(tmp_path: Path) -> None:
    path, items = tmp_path / "x.sqlite", [pair_item(number, {}) for number in range(3)]
    with Store.create(path, about("x")) as store:
        shared = asked(store, "shared", cost_usd=2.0)
        again = shared.model_copy(update={"cached": True})
        for number, (item, graph) in enumerate(zip(items, (shared, again, again), strict=True)):
            settle(store, number, item, judged(item, "a", "a", graph, asked(store, f"v{number}")))
        assert store.spent.cost_usd == 3.5
    import_run(exported(path, tmp_path / "x.jsonl"), tmp_path / "y.sqlite")
    for each in (path, tmp_path / "y.sqlite"):
        with Store.look(each) as store:
            assert [outcome.provenance.cost_usd for _, outcome in outcomes(store)] == [2.5, 0.5, 0.5]


def test_pictures_come_back_with_their_bytes_and_names(first: Path) -> None:
    with Store.look(first) as store:
        ((_, plain),) = outcomes(store, item="pair/1")
        ((_, judgment),) = outcomes(store, item="pair/1", pictures=True)
        ((_, answer),) = outcomes(store, item="question/1", pictures=True)
    assert isinstance(plain, Judgment)
    assert isinstance(judgment, Judgment)
    assert not plain.pair.a.loadable
    assert judgment == plain
    assert judgment.pair.a.read() == picture(2).read()
    assert judgment.pair.a.name == "2.png"
    assert answer.artifacts[0].read() == picture(101).read()  # type: ignore[union-attr]


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(picture(99).read())])
def test_a_picture_that_is_gone_or_another_stays_known_by_its_hash(
    damage: Callable[[Path], object], first: Path
) -> None:
    with Store.look(first) as store:
        damage(store.picture(picture(2).sha256))
        ((_, judgment),) = outcomes(store, item="pair/1", pictures=True)
    assert isinstance(judgment, Judgment)
    assert not judgment.pair.a.loadable
    assert judgment.pair.b.loadable


def test_a_retired_reply_is_found_where_no_other_took_its_place(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    item, again = pair_item(1, {}), pair_item(2, {})
    with Store.create(path, about("x")) as store:
        settle(store, 1, item, judged(item, "a", "a", asked(store, "k1", text="first"), asked(store, "k2")))
        store.mark_useless("k1")
        store.mark_useless("k2")
        store.execute("update calls set retired = 1")
        settle(store, 2, again, judged(again, "a", "a", asked(store, "k1", text="second")))
    with Store.look(path) as store:
        replies = [[call.reply for call in each.provenance.exchanges] for _, each in outcomes(store)]  # type: ignore[union-attr]
    assert replies == [["second", "reply to k2"], ["second"]]
    import_run(exported(path, tmp_path / "x.jsonl"), tmp_path / "y.sqlite")
    calls = [(row[0], row[3], row[4]) for row in tables(tmp_path / "y.sqlite")["calls"]]
    assert calls == [("k1", 0, 0), ("k2", 1, 1)]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_an_export_comes_back_equal_in_every_column(suffix: str, first: Path, tmp_path: Path) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    file = exported(first, tmp_path / f"first.{suffix}")
    assert import_run(file, tmp_path / "runs" / "again.sqlite") == 12
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["again.sqlite"]
    assert tables(tmp_path / "runs" / "again.sqlite") == tables(first)
    with Store.look(first) as one, Store.look(tmp_path / "runs" / "again.sqlite") as two:
        before, after = summary(one), summary(two)
    assert (after.about, after.sessions.state) == (about("again"), "imported")
    assert (after.counts, after.account) == (before.counts, before.account)


def test_a_line_is_an_item_with_its_columns_and_its_whole_record(first: Path, tmp_path: Path) -> None:
    rows = [
        json.loads(line) for line in exported(first, tmp_path / "x.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(rows) == 12
    wanted = ("id", "item_kind", "outcome_kind", "verdict", "value", "flipped", "unverified", "label")
    assert {name: rows[1][name] for name in wanted} == {
        "id": "pair/2",
        "item_kind": "pair",
        "outcome_kind": "judgment",
        "verdict": "b",
        "value": 0.0,
        "flipped": False,
        "unverified": 1,
        "label": "a",
    }
    assert rows[0]["run"]["source"] == "pairs.jsonl"
    assert rows[0]["labels"] == {"winner": "a", "model_a": "x"}
    assert rows[0]["record"]["provenance"]["exchanges"][1]["reply"] == "no JSON"
    assert [call["useless"] for call in rows[0]["calls"] if call["key"] == "useless"] == [True]
    assert isinstance(load(json.dumps(rows[5]["record"])), Failure)
    assert (rows[7]["verdict"], rows[10]["value"]) == ("A", 0.25)


COLUMNS = (
    "run key position id item_kind labels label labels_by outcome_kind verdict value graded certainty flipped unverified"
    " agrees reason finished_at item record calls"
)


def test_columns_are_in_one_order_whatever_the_kind(first: Path, tmp_path: Path) -> None:
    lines = exported(first, tmp_path / "x.jsonl").read_text("utf-8").splitlines()
    order = {row["item_kind"]: " ".join(row) for row in map(json.loads, lines)}
    assert order == dict.fromkeys(("pair", "question", "rating"), COLUMNS)
    parquet = pytest.importorskip("pyarrow.parquet")
    assert " ".join(parquet.read_table(exported(first, tmp_path / "x.parquet")).column_names) == COLUMNS


def test_an_export_of_an_earlier_release_is_read(first: Path, tmp_path: Path) -> None:
    def earlier(line: str) -> dict[str, Any]:
        row = json.loads(line)
        run = row["run"] | {"benchmark": "samples", "configuration": {"backbone at": "host:1"}}
        del run["source"]
        return row | {"run": run, "kind": row.pop("item_kind"), "outcome": row.pop("outcome_kind")}

    lines = exported(first, tmp_path / "x.jsonl").read_text("utf-8").splitlines()
    (tmp_path / "old.jsonl").write_text("".join(json.dumps(earlier(line)) + "\n" for line in lines))
    assert import_run(tmp_path / "old.jsonl", tmp_path / "old.sqlite") == 12
    assert tables(tmp_path / "old.sqlite") == tables(first)
    with Store.look(tmp_path / "old.sqlite") as store:
        assert (store.about.source, store.about.benchmark) == ("samples", "samples")
        assert store.about.configuration == {"backbone_at": "host:1"}


def test_a_table_has_numbers_as_numbers(first: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(exported(first, tmp_path / "x.parquet"))
    assert table.column("value").to_pylist()[:3] == [1.0, 0.0, 0.5]
    assert table.column("flipped").to_pylist()[:3] == [False, False, True]
    assert json.loads(table.column("record")[0].as_py())["kind"] == "judgment"


def test_an_export_that_fails_leaves_what_was_there(first: Path, tmp_path: Path) -> None:
    file = tmp_path / "out" / "x.jsonl"
    file.parent.mkdir()
    file.write_text("what was there")
    with Store.resume(first) as store:
        store.execute("update outcomes set record = 'broken' where item = (select max(item) from outcomes)")
        with pytest.raises(BadRecord):
            export(store, file)
    assert file.read_text() == "what was there"
    assert list(file.parent.iterdir()) == [file]


def test_an_export_of_another_kind_is_refused(first: Path, tmp_path: Path) -> None:
    with Store.look(first) as store, pytest.raises(BadSetting, match=r"\.jsonl or a \.parquet"):
        export(store, tmp_path / "x.csv")
    with pytest.raises(BadSetting, match=r"\.jsonl or a \.parquet"):
        import_run(first, tmp_path / "y.sqlite")


def test_a_missing_library_is_named(first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with Store.look(first) as store, pytest.raises(MissingExtra, match=r"semiosis\[tables\]"):
        export(store, tmp_path / "x.parquet")
    assert list(tmp_path.glob("*.parquet*")) == []


def test_an_import_does_not_replace_a_run(first: Path, tmp_path: Path) -> None:
    file = exported(first, tmp_path / "x.jsonl")
    with pytest.raises(StoreError, match="The run first exists"):
        import_run(file, first)


def test_what_a_deleted_run_left_behind_is_no_part_of_the_new_one(first: Path, tmp_path: Path) -> None:
    file, to = exported(first, tmp_path / "x.jsonl"), tmp_path / "y.sqlite"
    item = pair_item(60, {})
    with Store.create(to, about("y")) as store:
        settle(store, 1, item, judged(item, "a", "a"))
        wal = to.with_name("y.sqlite-wal").read_bytes()
    to.unlink()
    to.with_name("y.sqlite-wal").write_bytes(wal)
    import_run(file, to)
    assert tables(to) == tables(first)


def _changed(**changes: Any) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    return lambda rows: [rows[0], rows[1] | changes]


def _of_another_run(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [rows[0], rows[1] | {"run": rows[1]["run"] | {"name": "other"}}]


def _with_number(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows[1]["record"]["provenance"]["exchanges"][0]["input_tokens"] = 10**30
    return rows


BAD: dict[str, tuple[Callable[[list[dict[str, Any]]], list[Any]], str]] = {
    "no rows": (lambda _: [], "bad.jsonl is empty"),
    "no object": (lambda _: [[1]], "line 1"),
    "a row of something else": (lambda _: [{"prompt": "x"}], "line 1 is no row of an exported run: run: "),
    "a run without settings": (
        _changed(run={"name": "x", "benchmark": "y"}),
        "line 2 is no row of an exported run: run.source: ",
    ),
    "a field of the wrong kind": (
        _changed(position="soon"),
        "line 2 is no row of an exported run: position: ",
    ),
    "a key of another item": (_changed(key="0" * 64), "its key is not that of its item pair/2"),
    "a record that is none": (_changed(record={"kind": "judgment"}), "no JSON object with a schema version"),
    "a record of a later release": (_changed(record={"schema": 99}), "schema version 99"),
    "calls the record does not know": (
        lambda rows: [rows[0], rows[1] | {"calls": rows[1]["calls"] + rows[0]["calls"]}],
        "has no exchange for the call",
    ),
    "an item twice": (lambda rows: [rows[0], rows[0]], "the item pair/1 is there twice"),
    "rows of two runs": (_of_another_run, "it is of the run other"),
    "a number beyond the store": (_with_number, "line 2"),
    "half a character": (_changed(finished_at="\ud83d"), "line 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_sentence_and_leaves_nothing(name: str, first: Path, tmp_path: Path) -> None:
    change, words = BAD[name]
    rows = [
        json.loads(line) for line in exported(first, tmp_path / "x.jsonl").read_text("utf-8").splitlines()
    ]
    bad = tmp_path / "bad.jsonl"
    bad.write_text("".join(json.dumps(row) + "\n" for row in change(rows)))
    with pytest.raises(SemiosisError, match=words) as caught:
        import_run(bad, tmp_path / "runs" / "again.sqlite")
    assert "\n" not in str(caught.value)
    assert list((tmp_path / "runs").iterdir()) == []


@pytest.mark.parametrize(
    ("suffix", "content"), [("jsonl", b"\xff\xfe\x00"), ("jsonl", b"{"), ("parquet", b"PAR1")]
)
def test_a_file_that_cannot_be_read_is_one_sentence(suffix: str, content: bytes, tmp_path: Path) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    file = tmp_path / f"bad.{suffix}"
    file.write_bytes(content)
    with pytest.raises(SemiosisError, match=r"bad\."):
        import_run(file, tmp_path / "again.sqlite")
    assert not (tmp_path / "again.sqlite").exists()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="There is no file"):
        import_run(tmp_path / "none.jsonl", tmp_path / "again.sqlite")


def test_outcomes_without_calls_come_back_too(tmp_path: Path) -> None:
    item = pair_item(1, {"winner": float("inf")})
    with Store.create(tmp_path / "x.sqlite", about("x")) as store:
        settle(store, 1, item, Failure(reason="refused", message="\u202ehostile\x1b[2J", provenance=origin()))
    import_run(exported(tmp_path / "x.sqlite", tmp_path / "x.jsonl"), tmp_path / "y.sqlite")
    assert tables(tmp_path / "y.sqlite") == tables(tmp_path / "x.sqlite")
