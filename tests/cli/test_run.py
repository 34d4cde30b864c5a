"""`semiosis run` as a person uses it: what is refused before anything is asked, and items of every kind."""

import csv
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chat import Judge
from command_line import Run, run_in
from loopback import Loopback
from panel import Panel

PROMPT = "A vanitas still life: everything glows, nothing lasts."
TASTE = '''
from dataclasses import dataclass
from semiosis.core.kinds.rating import Score
from semiosis.methods.contract import Scores

@dataclass(frozen=True)
class Weight(Scores):
    """A picture is worth its bytes."""
    name = "weight"

    async def score(self, prompt, artifact):
        value = float(len(artifact.read()))
        return Score(prompt=prompt, artifact=artifact, value=value, provenance=self.provenance([]))

'''


@pytest.fixture
def server() -> Iterator[tuple[Judge, str]]:
    judge = Judge()
    with Loopback(judge.app) as loopback:
        yield judge, f"{loopback.url}/v1"


@pytest.fixture
def run(tmp_path: Path, png: Callable[..., bytes], server: tuple[Judge, str]) -> Run:
    for name, colour in (("a", "teal"), ("b", "maroon")):
        (tmp_path / f"{name}.png").write_bytes(png(colour))
    (tmp_path / "text.png").write_text("just text")
    (tmp_path / "taste.py").write_text(TASTE)

    def call(*args: str) -> subprocess.CompletedProcess[str]:
        asking = ("--model", "m", "--base-url", server[1]) if args[0] == "run" else ()
        return run_in(tmp_path)(*args, *asking)

    return call


def write(path: Path, content: str | list[dict[str, Any]]) -> None:
    if path.suffix == ".parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        schema = arrow.schema([(name, arrow.string()) for name in ("prompt", "a", "b")])
        parquet.write_table(arrow.Table.from_pylist(content, schema=schema), path)
    elif isinstance(content, str):
        path.write_text(content)
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(content[0]))
            writer.writeheader()
            writer.writerows(content)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in content))


OURS = {"prompt": PROMPT, "a": "a.png", "b": "b.png"}
RATING = {"prompt": PROMPT, "picture": "a.png", "score": "4"}
QUESTION = {"question": "Which?", "choices": {"A": "one", "B": "two"}, "picture": "a.png", "answer": "B"}
REFUSED: dict[str, tuple[str, str | list[dict[str, Any]], str]] = {
    "an empty table": ("p.csv", "", "p.csv is empty."),
    "a header alone": ("p.csv", "prompt,a,b\r\n", "p.csv has a header and no rows."),
    "empty lines": ("p.jsonl", "\n", "p.jsonl is empty."),
    "an empty list": ("p.json", "[]", "p.json holds an empty list"),
    "Parquet without rows": ("p.parquet", [], "p.parquet has no rows"),
    "a folder without pictures": ("folder", "", "folder holds no file of pairs, and no pictures"),
    "rows that are all bad": (
        "p.jsonl",
        [{**OURS, "a": "none.png"}, {**OURS, "prompt": ""}],
        "Not one row of p.jsonl can be used. p.jsonl line 1: There is no file ",
    ),
    "files that are all no pictures": (
        "p.jsonl",
        [{**OURS, "a": "text.png"}],
        "Not one row of p.jsonl can be used. p.jsonl line 1: text.png is not a picture",
    ),
    "columns that make no item": ("p.csv", "x,y\n1,2\n", "p.csv has the columns x, y, which make no item"),
    "winners that are 0 and 1": (
        "p.jsonl",
        [{**OURS, "winner": 0}],
        "The winners in 'winner' are 0 or 1 and never -1",
    ),
    "ratings for a method that judges": (
        "p.csv",
        [RATING],
        "The method semjudge takes no rating items, such as p.csv line 2; aesthetic, artimuse, ",
    ),
}


@pytest.mark.parametrize("how", [("--dry-run",), ("--name", "first", "-q")])
@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_asked_about_is_refused_before_the_first_call(
    case: str, how: tuple[str, ...], run: Run, server: tuple[Judge, str], tmp_path: Path
) -> None:
    name, content, message = REFUSED[case]
    (tmp_path / name).mkdir() if name == "folder" else write(tmp_path / name, content)
    done = run("run", name, *how)
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
    assert server[0].asked == []


@pytest.mark.parametrize("case", ["a header alone", "files that are all no pictures"])
def test_a_refused_run_leaves_nothing_behind(case: str, run: Run, tmp_path: Path) -> None:
    name, content, _ = REFUSED[case]
    write(tmp_path / name, content)
    assert run("run", name, "--name", "first", "-q").returncode == 2
    assert not (tmp_path / "semiosis-runs").exists()


def test_questions_for_a_method_that_only_judges_are_refused(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "q.jsonl", [QUESTION])
    done = run("run", "q.jsonl", "--method", "contrast", "--name", "first")
    assert done.returncode == 2
    assert "The method contrast takes no question items, such as q.jsonl line 1; artcot," in done.stderr


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_ratings_are_scored_shown_compared_exported_and_imported(
    suffix: str, run: Run, tmp_path: Path
) -> None:
    write(tmp_path / f"r.{suffix}", [RATING, {**RATING, "picture": "b.png", "score": "2"}])
    for name in ("first", "second"):
        done = run("run", f"r.{suffix}", "--method", "taste:Weight", "--name", name, "-q")
        assert done.returncode == 0, done.stderr
    summary = json.loads(run("runs", "show", "first", "--json").stdout)
    sizes = [(tmp_path / each).stat().st_size for each in ("a.png", "b.png")]
    assert (summary["counts"]["kinds"][0]["values"], summary["counts"]["kinds"][0]["mean_value"]) == (
        2,
        sum(sizes) / 2,
    )
    assert "2, mean" in run("runs", "show", "first").stdout
    compared = json.loads(run("runs", "compare", "first", "second", "--json").stdout)
    assert compared["items"] == 2
    assert compared["first"]["mean_value"] == compared["second"]["mean_value"] == sum(sizes) / 2
    assert run("runs", "export", "first", "--to", "x.jsonl").returncode == 0
    rows = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text("utf-8").splitlines()]
    assert [(row["value"], row["label"]) for row in rows] == [(sizes[0], "4.0"), (sizes[1], "2.0")]
    assert run("runs", "import", "x.jsonl", "--name", "again").returncode == 0
    assert json.loads(run("runs", "show", "again", "--json").stdout)["counts"] == summary["counts"]
    page = run("runs", "show", "first", "--item", rows[0]["id"], "--html", "why.html")
    assert page.returncode == 0, page.stderr


def test_questions_are_answered_shown_compared_exported_and_imported(
    run: Run, server: tuple[Judge, str], tmp_path: Path
) -> None:
    write(tmp_path / "q.jsonl", [QUESTION, {**QUESTION, "picture": ["a.png", "b.png"], "answer": "A"}])
    done = run("run", "q.jsonl", "--name", "first", "-q")
    assert done.returncode == 0, done.stderr
    assert server[0].stages().count("answer") == 2
    summary = json.loads(run("runs", "show", "first", "--json").stdout)
    assert summary["counts"]["kinds"][0]["agreement"][0]["share"]["count"] == 1
    assert run("runs", "export", "first", "--to", "x.jsonl").returncode == 0
    assert run("runs", "import", "x.jsonl", "--name", "again").returncode == 0
    assert json.loads(run("runs", "show", "again", "--json").stdout)["counts"] == summary["counts"]
    compared = json.loads(run("runs", "compare", "first", "again", "--json").stdout)
    assert (compared["items"], compared["agree"]["count"]) == (2, 2)


def test_columns_of_ratings_are_named_by_options(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "r.csv", [{"title": PROMPT, "painting": "a.png", "liked": "3"}])
    named = ("--prompt-column", "title", "--picture-column", "painting", "--score-column", "liked")
    done = run("run", "r.csv", "--method", "taste:Weight", "--name", "first", "--json", *named)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["kinds"][0]["values"] == 1


def test_a_dry_run_of_a_run_to_go_on_with_counts_what_is_not_settled(run: Run, tmp_path: Path) -> None:
    rows = [{"id": str(at), "prompt": f"{PROMPT} {at}", "a": "a.png", "b": "b.png"} for at in range(5)]
    write(tmp_path / "pairs.jsonl", rows)
    options = ("run", "pairs.jsonl", "--method", "direct", "--name", "first")

    def calls(*more: str) -> list[int]:
        return [stage["calls"] for stage in json.loads(run(*options, "--dry-run", "--json", *more).stdout)]

    assert calls() == [10]
    assert run(*options, "--limit", "3", "--quiet").returncode == 0
    assert calls("--resume") == [4]
    assert run(*options, "--resume", "--quiet").returncode == 0
    assert calls("--resume") == []
    shown = run(*options, "--dry-run", "--resume")
    assert (shown.returncode, "0 items to go on with" in shown.stdout) == (0, True)


def test_a_dry_run_of_several_methods_counts_a_call_of_both_once(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "pairs.jsonl", [OURS, {**OURS, "prompt": "Nothing glows."}])
    panel = Panel(
        art_analysis={"style_reason": "x", "content_reason": "y", "style_winner": "A", "content_winner": "B"},
        art_critique={"reflection": "z"},
        art_summary={"winner": "A"},
    )
    with panel.at_address() as url:
        methods = ("--method", "artcot", "--method", "artcot,critique=false", "--name", "both")
        words = ("run", "pairs.jsonl", *methods, "--model", "m", "--base-url", url)
        planned = json.loads(run_in(tmp_path)(*words, "--dry-run", "--json").stdout)
        assert panel.asked == []
        assert run_in(tmp_path)(*words, "-q").returncode == 0
    assert [
        (each["method"], each["stage"], each["calls"], each["calls_made_by_another"]) for each in planned
    ] == [
        ("artcot", "art-analysis", 4, 0),
        ("artcot", "art-critique", 4, 0),
        ("artcot", "art-summary", 4, 0),
        ("artcot,critique=false", "art-analysis", 0, 4),
        ("artcot,critique=false", "art-summary", 4, 0),
    ]
    asked = panel.tasks()
    assert (asked.count("art_analysis"), len(asked)) == (4, sum(each["calls"] for each in planned))
