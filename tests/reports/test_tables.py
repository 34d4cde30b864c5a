"""What a terminal of 60, 80 or 120 columns shows: every name and every number, whole."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from chat import Judge, refuses
from loopback import Loopback, Script
from semiosis.cli import main
from semiosis.cli.rank import ranking_screen
from semiosis.core.item import BadRow
from semiosis.core.kinds.rating import Score
from semiosis.core.sign import Artifact, Prompt
from semiosis.reports.tables import Sheet
from semiosis.reports.terminal import show
from semiosis.runs.entrants import Standing
from semiosis.runs.ranking import Ranking
from semiosis.runs.store import Store
from stored import first_run, origin, second_run

Shown = Callable[..., str]

WIDTHS = (60, 80, 120)
LONG = "fineartbench-semjudge-solo-gemini-3.1-flash-lite"
PICTURES = ("vanitas-of-the-smartphone-age-0001.png", "vanitas-of-the-smartphone-age-0002.png", "c.png")


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture
def shown(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shown:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(width))
    first_run(tmp_path / "semiosis-runs" / "first.sqlite")
    second_run(tmp_path / "semiosis-runs" / f"{LONG}.sqlite", LONG)

    def call(*args: str) -> str:
        monkeypatch.setattr("sys.argv", ["semiosis", *args])
        with pytest.raises(SystemExit):
            main()
        return capsys.readouterr().out

    return call


def check(output: str, width: int, *whole: str) -> None:
    """Each of these on one line of the output, which is no wider than it may be and leaves nothing out."""
    lines = output.splitlines()
    assert [each for each in whole if not any(each in line for line in lines)] == []
    assert [line for line in lines if len(line.rstrip()) > width] == []
    assert "…" not in output
    assert "-0.00" not in output


def rendered(screen: object, width: int) -> str:
    console = Console(width=width, markup=False, highlight=False)
    with console.capture() as capture:
        console.print(screen)
    return capture.get()


def standing(rank: int, score: float, above: float | None) -> Standing:
    return Standing(
        rank=rank,
        name=PICTURES[rank - 1],
        sha256=str(rank) * 64,
        score=score,
        low=score - 1.96,
        high=score + 1.96,
        above_next=above,
        comparisons=12,
        won=9,
        drawn=2,
        lost=1,
    )


def test_a_ranking(width: int) -> None:
    ranking = Ranking(
        name="first",
        standings=(standing(1, 1.25, 0.97), standing(2, -0.001, 0.61), standing(3, -1.25, None)),
        unranked=(),
        ended="settled",
        message="",
        confidence=0.95,
        least_sure=0.61,
        comparisons=3,
        pairs=3,
        failures={},
        flips=1,
        both_orders=3,
        calls=12,
        cost_usd=0.25,
        unpriced=0,
    )
    output = rendered(ranking_screen(ranking), width)
    check(
        output,
        width,
        *PICTURES,
        "+1.25",
        "-0.71 to +3.21",
        "+0.00",
        "-1.96 to +1.96",
        "97%",
        "61%",
        "9, 2, 1",
    )
    assert output.count("9, 2, 1") == 3


def test_the_list_of_runs(shown: Shown, width: int) -> None:
    models = (
        "semjudge",
        "direct",
        "gpt-5",
        "6/7",
        "12/20",
        "3.0000",
        "4.0000 + 1 unknown",
        "stopped",
        "done",
    )
    check(shown("runs", "list"), width, "first", LONG, *models)


def test_a_run(shown: Shown, width: int) -> None:
    tasks = ("answer", "prompt-graph-standard", "verdict-standard", "together", "2.5000", "4.0000")
    shares = ("20.0% (3.6 to 62.4), 1 of 5", "50.0% (9.5 to 90.5), 1 of 2", "mean 0.5000", "openai/gpt-5")
    check(shown("runs", "show", "first"), width, *tasks, *shares)


def test_two_runs(shown: Shown, width: int) -> None:
    shares = ("50.0% (9.5 to 90.5), 1 of 2", "100.0% (34.2 to 100.0), 2 of 2", "25.0% (4.6 to 69.9), 1 of 4")
    spent = ("12 items, 4.0000 + 1 unknown USD", "6 items, 3.0000 USD")
    check(shown("runs", "compare", "first", LONG, "--items"), width, LONG, *shares, *spent, "pair/2")


def test_what_failed(shown: Shown, width: int) -> None:
    output = shown("runs", "show", "first", "--failures")
    check(output, width, "unparsable", "pair/7", "refused", "pair/6", "The reply is not JSON.")


def test_bad_rows(shown: Shown, width: int, tmp_path: Path) -> None:
    where = "s3-mirror/annotations/pairs-of-the-second-round.jsonl line 12,345"
    with Store.resume(tmp_path / "semiosis-runs" / "first.sqlite") as store:
        store.note_bad([BadRow(where[-55:], "There is no picture " + "under that name " * 6)])
    output = shown("runs", "show", "first", "--bad-rows")
    check(output, width, where[-55:], "pairs.jsonl line 9", "There is no picture b.")


def test_a_log(shown: Shown, width: int, tmp_path: Path) -> None:
    scorer = "a_scorer_with_a_rather_long_name/of_its_own"
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as log:
        log.writestr("header.json", json.dumps({"eval": {"task": "t", "model": "m"}, "status": "success"}))
        scores = {scorer: {"value": -0.00001}}
        log.writestr("summaries.json", json.dumps([{"id": 1, "epoch": 1, "scores": scores}]))
    check(shown("runs", "show", "x.eval"), width, scorer, "0.0000")


def test_what_is_in_reach(shown: Shown, width: int) -> None:
    ways = (
        "ANTHROPIC_API_KEY=...",
        "OPENROUTER_API_KEY=...",
        "http://127.0.0.1:11434/v1",
        "transformers/PATH",
    )
    check(shown("models"), width, *ways)


def test_an_estimate(shown: Shown, width: int, tmp_path: Path, png: Callable[..., bytes]) -> None:
    for name, colour in (("a", "teal"), ("b", "maroon"), ("c", "navy")):
        (tmp_path / f"{name}.png").write_bytes(png(colour))
    asked = ("rank", "Nothing lasts.", "a.png", "b.png", "c.png", "--graphs", "solo", "--dry-run")
    models = ("--model", "openai/gpt-5", "--judge-model", "gemini/gemini-3.1-flash-lite")
    output = shown(*asked, *models)
    check(output, width, "prompt-graph", "picture-graph", "verdict", "together", models[1], models[3])
    told = json.loads(shown(*asked, *models, "--json"))
    numbers = [f"{row[name]:,}" for row in told for name in ("calls", "input_tokens", "output_tokens")]
    check(output, width, *numbers, *(f"{row['cost_usd']:,.4f}" for row in told))


def test_a_judgment_and_a_failure(
    shown: Shown, width: int, tmp_path: Path, png: Callable[..., bytes]
) -> None:
    for name, colour in zip(PICTURES, ("teal", "maroon"), strict=False):
        (tmp_path / name).write_bytes(png(colour))
    args = ("judge", "Everything glows, nothing lasts.", *PICTURES[:2], "--model", "m", "--base-url")
    with Loopback(Judge().app) as judge, Loopback(Script(refuses(401, "no")).app) as refusing:
        output = shown(*args, f"{judge.url}/v1")
        check(output, width, *PICTURES[:2], "interpretant", "prompt.1", "Evidence")
        check(shown(*args, f"{refusing.url}/v1"), width, "No result: unauthorised")


def test_the_demo(shown: Shown, width: int) -> None:
    output = shown("demo", "--only", "vanitas-screen", "--to", "pages")
    check(output, width, "1 initiative, 3 pairs judged in both orders, 0 failures.", "pages/index.html")


def test_a_score_of_nought_has_no_minus(width: int) -> None:
    console = Console(width=width)
    with console.capture() as capture:
        artifact = Artifact(sha256="0" * 64)
        show(Score(prompt=Prompt(text="x"), artifact=artifact, value=-0.0, provenance=origin()), console)
    assert capture.get().startswith("Score 0.000 ")


@given(
    st.lists(
        st.lists(st.text("abc-", min_size=1, max_size=30), min_size=4, max_size=4), min_size=1, max_size=5
    ),
    st.integers(40, 130),
)
def test_nothing_of_a_sheet_is_broken_at_any_width(rows: list[list[str]], width: int) -> None:
    sheet = Sheet("name", "a number", "another one", "text", right=(1, 2), flow=(3,))
    for row in rows:
        sheet.add(*row)
    check(rendered(sheet, width), width, *(cell for row in rows for cell in row))


def test_a_sheet_shows_text_from_outside_as_text() -> None:
    sheet = Sheet("name", "a\x1b[31m")
    sheet.add("[red]x[/red]\x1b[2J", "two\nlines")
    assert rendered(sheet, 80).split() == ["name", "a\\x1b[31m", "[red]x[/red]\\x1b[2J", "two", "lines"]
