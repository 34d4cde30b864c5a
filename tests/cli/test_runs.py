"""`semiosis runs` as a person uses it: real processes over real stores, and one over a real run."""

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chat import Judge
from command_line import Run
from loopback import Loopback
from semiosis.benchmarks.registry import BENCHMARKS
from semiosis.cli.runs import summarised
from semiosis.core.item import BadRow, Candidate, candidate
from semiosis.core.kinds.pair import Judgment
from semiosis.core.outcome import Failure, Outcome
from semiosis.core.records import load
from semiosis.core.settled import Settled
from semiosis.core.table import Table
from semiosis.runs.outcomes import outcomes
from semiosis.runs.store import Store
from stored import about, first_run, pair_item, second_run, settle


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    first_run(tmp_path / "semiosis-runs" / "first.sqlite")
    return tmp_path / "semiosis-runs"


def test_runs_are_listed_with_how_they_stand(run: Run, folder: Path) -> None:
    second_run(folder / "second.sqlite")
    done = run("runs", "list")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == ["name", "second", "first"]
    assert rows[1][1:] == ["direct", "gpt-5", "6/7", "2", "3.0000", "done"]
    assert rows[2][1:5] == ["semjudge", "gpt-5", "12/20", "2"]
    assert "4.0000 + 1 unknown" in done.stdout
    assert run("runs").stdout == done.stdout
    listed = json.loads(run("runs", "list", "--json").stdout)
    assert [(each["name"], each["state"], each["settled"]) for each in listed] == [
        ("second", "done", 6),
        ("first", "stopped", 12),
    ]


def test_several_runs_stand_side_by_side(run: Run, folder: Path) -> None:
    second_run(folder / "second.sqlite")
    done = run("runs", "show", "first", "second")
    assert done.returncode == 0, done.stderr
    for fact in ("settled 12/20", "settled 6/7", "undecided 1", "failed 2", "bad rows 1"):
        assert fact in done.stdout
    sums = json.loads(run("runs", "show", "first", "second", "--json").stdout)
    alone = [json.loads(run("runs", "show", name, "--json").stdout) for name in ("first", "second")]
    assert sums == alone
    for each in sums:
        shares = [labelled["share"] for kind in each["counts"]["kinds"] for labelled in kind["agreement"]]
        right, asked = (sum(share[of] for share in shares) for of in ("count", "of"))
        assert f"{right} of {asked}" in done.stdout
    assert "\\begin{tabular}" in run("runs", "show", "first", "second", "--format", "latex").stdout
    refused = run("runs", "show", "first", "second", "--failures")
    assert (refused.returncode, refused.stderr.strip()) == (
        2,
        "semiosis: Items are listed of one run: name one.",
    )


def test_the_name_of_several_runs_tells_what_they_are_called(run: Run, folder: Path) -> None:
    second_run(folder / "first-direct.sqlite")
    second_run(folder / "both-direct.sqlite")
    second_run(folder / "both-random.sqlite")
    assert "There is no run both in semiosis-runs (did you mean both-direct, both-random?)" in (
        run("runs", "show", "both").stderr
    )


def test_a_folder_without_runs_says_so(run: Run, tmp_path: Path) -> None:
    done = run("runs", "list", "--runs", "elsewhere")
    assert (done.returncode, done.stdout.strip()) == (
        0,
        "There are no runs in elsewhere: `semiosis run` makes one.",
    )
    assert json.loads(run("runs", "list", "--json").stdout) == []


def test_a_broken_store_does_not_hide_the_others(run: Run, folder: Path) -> None:
    (folder / "broken.sqlite").write_text("text")
    done = run("runs", "list")
    assert (done.returncode, "first" in done.stdout) == (0, True)
    assert "broken.sqlite cannot be read as a run" in done.stderr


def test_show_tells_what_came_out(run: Run, folder: Path) -> None:
    done = run("runs", "show", "first")
    assert done.returncode == 0, done.stderr
    for words in (
        "first: semjudge on pairs.jsonl, stopped",
        "20: 12 settled, 2 of them failed, 8 to do",
        "2 a, 2 b, 1 (undecided)",
        "20.0% (3.6 to 62.4), 1 of 5",
        "33.3% (6.1 to 79.2), 1 of 3; without 1 undecided 50.0% (9.5 to 90.5), 1 of 2",
        "1 refused, 1 unparsable",
        "2, mean 0.5000",
        "pairs.jsonl line 9: There is no picture b.",
        "9, 1 could not be read, 1 without a price, 2 more attempts",
        "4.0000",
    ):
        assert words in done.stdout
    assert json.loads(run("runs", "show", "first", "--json").stdout)["counts"]["settled"] == 12


def test_show_lists_failures_and_bad_rows(run: Run, folder: Path) -> None:
    failed = run("runs", "show", "first", "--failures").stdout
    assert "pair/6" in failed
    assert "The model declined to answer." in failed
    listed = json.loads(run("runs", "show", "first", "--failures", "--json").stdout)
    assert [(each["id"], each["reason"]) for each in listed] == [
        ("pair/6", "refused"),
        ("pair/7", "unparsable"),
    ]
    assert "There is no picture b." in run("runs", "show", "first", "--bad-rows").stdout


def test_show_prints_one_item_and_writes_its_page_with_its_pictures(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    done = run("runs", "show", "first", "--item", "pair/1", "--html", "why.html")
    assert done.returncode == 0, done.stderr
    assert "everything glows, nothing lasts" in done.stdout
    page = (tmp_path / "why.html").read_text("utf-8")
    assert page.count("data:image/") >= 2
    assert "not at hand" not in page
    record = load(run("runs", "show", "first", "--item", "pair/6", "--json").stdout)
    assert isinstance(record, Failure)
    assert record.reason == "refused"


def test_compare_tells_where_two_runs_part(run: Run, folder: Path) -> None:
    second_run(folder / "second.sqlite")
    done = run("runs", "compare", "first", "second", "--items")
    assert done.returncode == 0, done.stderr
    for words in ("6 settled by both", "50.0% (9.5 to 90.5), 1 of 2", "1 by one, 1 by both", "pair/2"):
        assert words in done.stdout
    comparison = json.loads(run("runs", "compare", "first", "second", "--items", "--json").stdout)
    assert comparison["second"]["decided"]["count"] == 2
    assert comparison["disagreements"] == [{"id": "pair/2", "first": "b", "second": "a", "label": "a"}]


def test_compare_tests_two_methods_on_the_same_items(run: Run, folder: Path) -> None:
    second_run(folder / "second.sqlite")
    done = run("runs", "compare", "first", "second")
    (mcnemar,) = [line.split("  ") for line in done.stdout.splitlines() if line.startswith("McNemar, ")]
    words = [cell.strip() for cell in mcnemar if cell]
    # The first has pair 1, the second pairs 1 and 2: with one against none, the mid-p is a half.
    assert words == [
        "McNemar, both decided",
        "0 alone less 1",
        "0.5000",
        "2",
        "2 failed, 1 unlabelled, 1 undecided",
    ]
    assert "mid-p (exact 1.0000)" in done.stdout
    assert "It takes 5 prompts to resample; prompts in common: 1." in done.stdout
    tests = json.loads(run("runs", "compare", "first", "second", "--json").stdout)["tests"]
    assert tests["mcnemar"] == {
        "items": 2,
        "left_out": {"failed": 2, "unlabelled": 1, "tied": 0, "undecided": 1},
        "first_alone": 0,
        "second_alone": 1,
        "p": 0.5,
        "exact_p": 1.0,
    }
    assert [each["measure"] for each in tests["differences"]] == ["agreement"]


def test_a_run_is_exported_and_imported(run: Run, folder: Path, tmp_path: Path) -> None:
    assert run("runs", "export", "first", "--to", "x.jsonl").stderr == "x.jsonl: 12 rows\n"
    done = run("runs", "import", "x.jsonl", "--name", "again")
    assert (done.returncode, done.stderr) == (0, "again: 12 items\n")
    same = json.loads(run("runs", "compare", "first", "again", "--json").stdout)
    assert (same["items"], same["disagree"], same["one_failed"]) == (12, 0, 0)


def test_what_comes_from_outside_cannot_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    hostile = "[bold]x[/bold]\x1b[2J\x9b31m\rOK"
    item = pair_item(1, {}).model_copy(update={"id": hostile})
    with Store.create(tmp_path / "semiosis-runs" / "x.sqlite", about("x", hostile)) as store:
        store.begin(1)
        settle(store, 1, item, Failure(reason="refused", message=hostile))
        store.note_bad([BadRow(hostile, hostile)])
        store.end("done")
    for args in (
        ("list",),
        ("show", "x"),
        ("show", "x", "--failures"),
        ("show", "x", "--bad-rows"),
        ("show", "x", "--item", item.key),
        ("compare", "x", "x"),
    ):
        done = run("runs", *args, FORCE_COLOR="", TERM="dumb")
        assert done.returncode == 0, done.stderr
        assert not {"\x1b", "\x9b", "\r"} & set(done.stdout + done.stderr)
    assert "[bold]x[/bold]" in run("runs", "show", "x", "--failures").stdout


BAD = {
    "no such run": (("show", "none"), "There is no run none in semiosis-runs"),
    "no such run to compare": (("compare", "first", "none"), "There is no run none"),
    "no such item": (("show", "first", "--item", "x\x1b[2J"), "no outcome for an item"),
    "a page of nothing": (("show", "first", "--html", "x.html"), "name it with --item"),
    "an export of no known kind": (("export", "first", "--to", "x.csv"), ".jsonl or a .parquet"),
    "an export into no folder": (("export", "first", "--to", "none/x.jsonl"), "none"),
    "no such file": (("import", "none.jsonl", "--name", "x"), "There is no file none.jsonl"),
    "a file of something else": (("import", "text.jsonl", "--name", "x"), "text.jsonl line 1"),
    "a name that is taken": (("import", "text.jsonl", "--name", "first"), "The run first exists"),
    "a name that is a path": (("import", "text.jsonl", "--name", "../x"), "A run's name is letters"),
    "a log that is none": (("show", "text.eval"), "text.eval cannot be read as a log"),
    "no such log": (("show", "none.eval"), "There is no file none.eval"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence_and_exit_2(name: str, run: Run, folder: Path, tmp_path: Path) -> None:
    args, words = BAD[name]
    (tmp_path / "text.jsonl").write_text("just text\n")
    (tmp_path / "text.eval").write_text("just text\n")
    done = run("runs", *args)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "\x1b" not in done.stderr
    assert done.stdout == ""


def test_show_reads_a_log_of_inspect(run: Run, tmp_path: Path) -> None:
    scores = {"match": {"value": "C", "history": []}}
    samples = [
        {"id": 1, "epoch": 1, "scores": scores},
        {"id": 2, "epoch": 1, "scores": {}, "error": "timed out"},
    ]
    header = {"version": 2, "status": "success", "eval": {"task": "vanitas", "model": "mockllm/model"}}
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("summaries.json", json.dumps(samples))
    done = run("runs", "show", "x.eval")
    assert done.returncode == 0, done.stderr
    for words in (
        "x.eval: vanitas by mockllm/model, success",
        "match",
        "1.0000",
        "1; the first: 2: timed out",
    ):
        assert words in done.stdout
    assert json.loads(run("runs", "show", "x.eval", "--json").stdout)["scored"][0]["mean"] == 1.0


def test_a_real_run_is_shown_exported_and_imported(
    run: Run, tmp_path: Path, png: Callable[..., bytes]
) -> None:
    for name in ("teal", "maroon", "navy"):
        (tmp_path / f"{name}.png").write_bytes(png(name))
    rows = [
        {"prompt": "Everything glows, nothing lasts.", "a": "teal.png", "b": b, "winner": "a"}
        for b in ("maroon.png", "navy.png")
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Loopback(Judge().app) as loopback:
        args = (
            "run",
            "pairs.jsonl",
            "--model",
            "m",
            "--base-url",
            f"{loopback.url}/v1",
            "--name",
            "real",
            "-q",
        )
        done = run(*args)
    assert done.returncode == 0, done.stderr
    summary = json.loads(run("runs", "show", "real", "--json").stdout)
    assert (summary["counts"]["settled"], summary["sessions"]["state"]) == (2, "done")
    # The judge says A whatever it sees, so every verdict changes with the order.
    assert (
        summary["counts"]["kinds"][0]["flips"]["count"],
        summary["counts"]["kinds"][0]["agreement"][0]["decided"]["of"],
    ) == (2, 0)
    assert summary["total"]["calls"] == sum(line["calls"] for line in summary["account"]) > 0
    for suffix in ("jsonl", "parquet"):
        if suffix == "parquet":
            pytest.importorskip("pyarrow")
        assert run("runs", "export", "real", "--to", f"x.{suffix}").returncode == 0
        assert run("runs", "import", f"x.{suffix}", "--name", suffix).returncode == 0
        again = json.loads(run("runs", "show", suffix, "--json").stdout)
        assert (again["counts"], again["account"]) == (summary["counts"], summary["account"])
    first = json.loads((tmp_path / "x.jsonl").read_text("utf-8").splitlines()[0])["id"]
    page = run("runs", "show", "real", "--item", first, "--html", "why.html")
    assert page.returncode == 0, page.stderr
    assert (tmp_path / "why.html").read_text("utf-8").count("data:image/") >= 2


def test_every_command_has_an_example(run: Run) -> None:
    for command in ("list", "show", "compare", "export", "import"):
        output = run("runs", command, "--help").stdout
        assert f"semiosis runs {command}" in output.split("Usage", 1)[1].split("\n", 1)[1]


def test_a_benchmark_named_by_a_file_is_only_looked_up(run: Run, tmp_path: Path) -> None:
    """A name in somebody else's export must not import or call anything."""
    (tmp_path / "trap.py").write_text("import pathlib\npathlib.Path('sprung').touch()\ngo = list\n")
    first_run(tmp_path / "semiosis-runs" / "first.sqlite")
    assert run("runs", "export", "first", "--to", "first.jsonl").returncode == 0
    for place in ("trap:go", ":x", "os:abort"):
        rows = [json.loads(line) for line in (tmp_path / "first.jsonl").read_text().splitlines()]
        for row in rows:
            row["run"]["benchmark"] = place
        (tmp_path / "evil.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        name = f"evil{len(place)}"
        assert run("runs", "import", "evil.jsonl", "--name", name).returncode == 0
        output = run("runs", "show", name, "--json")
        assert output.returncode == 0, output.stderr
        assert json.loads(output.stdout)["tables"] == []
    assert not (tmp_path / "sprung").exists()


class Whole:
    """Counts by columns, then by whole outcomes; the latter breaks where it is told to."""

    name = "whole"
    broken = False

    def candidates(self) -> Iterator[Candidate]:
        yield candidate(pair_item(1, {}))

    def summarise(self, rows: Iterable[Settled]) -> tuple[Table, ...]:
        return (Table.facts([("rows", len(list(rows)))], title="columns"),)

    def summarise_outcomes(self, rows: Iterable[tuple[Settled, Outcome]]) -> tuple[Table, ...]:
        if self.broken:
            raise ValueError("no")
        votes = sum(len(outcome.votes) for _, outcome in rows if isinstance(outcome, Judgment))
        return (Table.facts([("votes", votes)], title="outcomes"),)


@pytest.fixture
def whole() -> Iterator[None]:
    BENCHMARKS.add("whole", Whole)
    yield
    BENCHMARKS.remove("whole")


@pytest.mark.usefixtures("whole")
def test_a_benchmark_sums_up_columns_and_then_whole_outcomes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_run(tmp_path / "first.sqlite")
    with Store.look(tmp_path / "first.sqlite") as source:
        judgments = [each for _, each in outcomes(source) if isinstance(each, Judgment)]
    with Store.create(tmp_path / "mine.sqlite", replace(about("mine"), benchmark="whole")) as store:
        for number, judgment in enumerate(judgments):
            store.settle(number, pair_item(number, {}), judgment)
    with Store.look(tmp_path / "mine.sqlite") as store:
        columns, whole = summarised(store).tables
        assert columns.rows == (("rows", len(judgments)),)
        assert whole.rows == (("votes", sum(len(each.votes) for each in judgments)),)
        monkeypatch.setattr(Whole, "broken", True)
        columns, told = summarised(store).tables
    assert columns.title == "columns"
    assert told.notes == ("whole cannot sum this run up: ValueError: no",)
