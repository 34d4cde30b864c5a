"""What a terminal of 60, 80 or 120 columns shows: every name and every number, whole; and the other forms."""

import json
import re
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console

from chat import Judge, refuses
from loopback import Loopback, Script
from semiosis.cli import main
from semiosis.core.item import BadRow
from semiosis.core.kinds.rating import Score
from semiosis.core.sign import Artifact, Prompt
from semiosis.core.table import Interval, Table, numbers, words
from semiosis.core.text import plain
from semiosis.reports.run_tables import ranking_tables
from semiosis.reports.tables import html, latex, markdown, terminal
from semiosis.reports.terminal import show
from semiosis.runs.entrants import Standing
from semiosis.runs.ranking import Ranking
from semiosis.runs.store import Store
from stored import first_run, origin, second_run

Display = Callable[..., str]

WIDTHS = (60, 80, 120)
LONG = "fineartbench-semjudge-solo-gemini-3.1-flash-lite"
PICTURES = ("vanitas-of-the-smartphone-age-0001.png", "vanitas-of-the-smartphone-age-0002.png", "c.png")


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture
def display(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Display:
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


def rendered(width: int, *parts: Table | str) -> str:
    console = Console(width=width, markup=False, highlight=False)
    with console.capture() as capture:
        console.print(terminal(*parts))
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
        coin_flips=1,
        said_how_sure=3,
        calls=12,
        cost_usd=0.25,
        unpriced=0,
    )
    output = rendered(width, *ranking_tables(ranking))
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
        *("won 9  drawn 2  lost 1",) * (width == 60),
    )


def test_the_list_of_runs(display: Display, width: int) -> None:
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
    check(display("runs", "list"), width, "first", LONG, *models)


def test_a_run(display: Display, width: int) -> None:
    tasks = ("answer", "prompt-graph-standard", "verdict-standard", "together", "2.5000", "4.0000")
    shares = ("20.0% (3.6 to 62.4), 1 of 5", "50.0% (9.5 to 90.5), 1 of 2", "mean 0.5000", "openai/gpt-5")
    check(display("runs", "show", "first"), width, *tasks, *shares)


def test_two_runs(display: Display, width: int) -> None:
    shares = ("50.0% (9.5 to 90.5), 1 of 2", "100.0% (34.2 to 100.0), 2 of 2", "25.0% (4.6 to 69.9), 1 of 4")
    spent = ("12 items, 4.0000 + 1 unknown USD", "6 items, 3.0000 USD")
    check(display("runs", "compare", "first", LONG, "--items"), width, LONG, *shares, *spent, "pair/2")


def test_what_failed(display: Display, width: int) -> None:
    output = display("runs", "show", "first", "--failures")
    check(output, width, "unparsable", "pair/7", "refused", "pair/6", "The reply is not JSON.")


def test_bad_rows(display: Display, width: int, tmp_path: Path) -> None:
    where = "s3-mirror/annotations/pairs-of-the-second-round.jsonl line 12,345"
    with Store.resume(tmp_path / "semiosis-runs" / "first.sqlite") as store:
        store.note_bad([BadRow(where[-55:], "There is no picture " + "under that name " * 6)])
    output = display("runs", "show", "first", "--bad-rows")
    check(output, width, where[-55:], "pairs.jsonl line 9", "There is no picture b.")


def test_a_log(display: Display, width: int, tmp_path: Path) -> None:
    scorer = "a_scorer_with_a_rather_long_name/of_its_own"
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as log:
        log.writestr("header.json", json.dumps({"eval": {"task": "t", "model": "m"}, "status": "success"}))
        scores = {scorer: {"value": -0.00001}}
        log.writestr("summaries.json", json.dumps([{"id": 1, "epoch": 1, "scores": scores}]))
    check(display("runs", "show", "x.eval"), width, scorer, "0.0000")


def test_what_is_in_reach(display: Display, width: int) -> None:
    ways = (
        "ANTHROPIC_API_KEY=...",
        "OPENROUTER_API_KEY=...",
        "http://127.0.0.1:11434/v1",
        "transformers/PATH",
    )
    check(display("models"), width, *ways)


def test_an_estimate(display: Display, width: int, tmp_path: Path, png: Callable[..., bytes]) -> None:
    for name, colour in (("a", "teal"), ("b", "maroon"), ("c", "navy")):
        (tmp_path / f"{name}.png").write_bytes(png(colour))
    arguments = ("rank", "Nothing lasts.", "a.png", "b.png", "c.png", "--graphs", "solo", "--dry-run")
    models = ("--model", "openai/gpt-5", "--judge-model", "gemini/gemini-3.1-flash-lite")
    output = display(*arguments, *models)
    check(output, width, "prompt-graph", "picture-graph", "verdict", "together", models[1], models[3])
    estimate = json.loads(display(*arguments, *models, "--json"))
    numbers = [f"{row[name]:,}" for row in estimate for name in ("calls", "input_tokens", "output_tokens")]
    check(output, width, *numbers, *(f"{row['cost_usd']:,.4f}" for row in estimate))


def test_a_judgment_and_a_failure(
    display: Display, width: int, tmp_path: Path, png: Callable[..., bytes]
) -> None:
    for name, colour in zip(PICTURES, ("teal", "maroon"), strict=False):
        (tmp_path / name).write_bytes(png(colour))
    args = ("judge", "Everything glows, nothing lasts.", *PICTURES[:2], "--model", "m", "--base-url")
    with Loopback(Judge().app) as judge, Loopback(Script(refuses(401, "no")).app) as refusing:
        output = display(*args, f"{judge.url}/v1")
        check(output, width, *PICTURES[:2], "interpretant", "prompt.1", "Evidence")
        check(display(*args, f"{refusing.url}/v1"), width, "No result: unauthorised")


def test_the_demo(display: Display, width: int) -> None:
    output = display("demo", "--only", "vanitas-screen", "--to", "pages")
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
def test_nothing_of_a_table_is_broken_at_any_width(rows: list[list[str]], width: int) -> None:
    columns = (words("name"), numbers("a number"), numbers("another one"), words("text", flows=True))
    table = Table(columns=columns, rows=tuple(tuple(row) for row in rows))
    check(rendered(width, table), width, *(cell for row in rows for cell in row))


def test_a_table_shows_text_from_outside_as_text() -> None:
    columns = (words("name"), words("a\x1b[31m"))
    table = Table(columns=columns, rows=(("[red]x[/red]\x1b[2J", "two\nlines"),))
    assert rendered(80, table).split() == ["name", "a\\x1b[31m", "[red]x[/red]\\x1b[2J", "two", "lines"]


HOSTILE = (
    "a|b\\|c",
    '<script>alert(1)</script> & "x"',
    "[x](http://e.org) ![y](z) **b** _i_ `c` ~~d~~ $e$",
    "\\input{/etc/passwd} ^ % # {}",
    "a\u202eb\x1b[31mc\u2028d",
    "--json [opt] *",
)


def hostile(**more: object) -> Table:
    columns = (words(HOSTILE[0]), numbers("score (95% interval)", 2), words(HOSTILE[1], flows=True))
    rows = tuple((name, Interval(value=-0.5, low=-1, high=0.25), name) for name in HOSTILE)
    table = Table(title=HOSTILE[2], columns=columns, rows=rows, notes=HOSTILE, emphasised=(1,))
    return table.model_copy(update=more)


class Parsed(HTMLParser):
    """The tags, what they have, and the text of every cell, caption and paragraph."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("caption", "th", "td", "p"):
            self._inside = tag
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside][-1] += data


def test_html_is_a_table_in_which_nothing_is_markup() -> None:
    parsed = Parsed(html(hostile(columns=(*hostile().columns[:2], words("why", flows=True, alarm=True)))))
    names = [plain(each) for each in HOSTILE]
    assert parsed.texts["caption"] == [names[2]]
    assert parsed.texts["th"] == [names[0], "score (95% interval)", "why", *names]
    assert parsed.texts["td"] == [text for name in names for text in ("-0.50 (-1.00 to 0.25)", name)]
    assert parsed.texts["p"] == names
    assert {tag for tag, _ in parsed.tags} == {"table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    heads = [attributes for tag, attributes in parsed.tags if tag == "th"]
    assert [head["scope"] for head in heads] == ["col"] * 3 + ["row"] * 6
    assert heads[1]["class"] == "number"
    cells = [attributes.get("class") for tag, attributes in parsed.tags if tag == "td"]
    assert cells == ["number", "doubt"] * 6
    assert [attributes.get("class") for tag, attributes in parsed.tags if tag == "tr"] == [
        *(None, None, "total"),
        *[None] * 4,
    ]


def test_facts_in_html_have_names_and_no_column_titles() -> None:
    parsed = Parsed(html(Table.facts([("items", "20: 12\nsettled"), ("failed", 2)])))
    assert parsed.texts == {"th": ["items", "failed"], "td": ["20: 12settled", "2"]}
    assert [tag for tag, _ in parsed.tags if tag in ("thead", "caption", "br")] == ["br"]


def tokens_of(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def text_of(token: Token) -> str:
    """What a reader sees of an inline token; a link, a picture or code would not be text."""
    parts = token.children or []
    assert {part.type for part in parts} <= {
        "text",
        "text_special",
        "strong_open",
        "strong_close",
        "html_inline",
    }
    assert {part.content for part in parts if part.type == "html_inline"} <= {"<br>"}
    return "".join("\n" if part.type == "html_inline" else part.content for part in parts)


def test_markdown_reads_back_into_the_cells() -> None:
    text = markdown(hostile())
    tokens = tokens_of(text)
    cells = [text_of(after) for token, after in pairwise(tokens) if token.type in ("th_open", "td_open")]
    names = [plain(each) for each in HOSTILE]
    rows = [cell for name in names for cell in (name, "-0.50 (-1.00 to 0.25)", name)]
    assert cells == [names[0], "score (95% interval)", names[1], *rows]
    paragraphs = [text_of(after) for token, after in pairwise(tokens) if token.type == "paragraph_open"]
    assert paragraphs == [names[2], *names]
    assert "| --- | ---: | --- |" in text
    assert sum(part.type == "strong_open" for token in tokens for part in token.children or []) == 1 + 3


@given(st.text(st.characters(exclude_categories=("Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=30))
def test_any_text_reads_back_from_markdown_and_html(name: str) -> None:
    table = Table(columns=(words("x"), words("y")), rows=((name, "z"),), notes=(name,))
    lines = [plain(line) for line in name.split("\n")]
    tokens = tokens_of(markdown(table))
    cells = [text_of(after) for token, after in pairwise(tokens) if token.type == "td_open"]
    assert cells == ["\n".join(lines).strip(" "), "z"]
    assert Parsed(html(table)).texts["th"] == ["x", "y", "".join(lines)]


@pytest.mark.parametrize("note", ["1. x", "2) x", "- x", "+ x", "# x", "> x", "---", "    x"])
def test_a_note_opens_no_list_and_no_heading(note: str) -> None:
    table = Table(columns=(words("x"),), rows=(("y",),), notes=(note,))
    *_, paragraph, inline, _ = tokens_of(markdown(table))
    assert (paragraph.type, text_of(inline)) == ("paragraph_open", note.strip())


def test_latex_is_a_tabular_in_which_nothing_is_a_command() -> None:
    text = latex(hostile())
    lines = text.splitlines()
    assert lines[:2] == ["\\begin{table}", "\\centering"]
    assert "\\begin{tabular}{lrp{0.60\\linewidth}}" in lines
    assert [line for line in lines if line.endswith("rule")] == ["\\toprule", "\\midrule", "\\bottomrule"]
    rows = [line for line in lines if line.endswith(" \\\\")]
    assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [2] * 7
    assert rows[1] == (
        "a\\textbar{}b\\textbackslash{}\\textbar{}c & $-$0.50 ($-$1.00 to 0.25) & "
        "a\\textbar{}b\\textbackslash{}\\textbar{}c \\\\"
    )
    assert rows[2].startswith("\\textbf{\\textless{}script\\textgreater{}alert(1)")
    assert rows[4].startswith("\\textbackslash{}input\\{/etc/passwd\\} \\textasciicircum{} \\% \\# \\{\\} &")
    assert rows[5].startswith("a\\textbackslash{}u202eb\\textbackslash{}x1b{[}31mc\\textbackslash{}u2028d &")
    assert rows[6].startswith("-{}-json {[}opt{]} {*} &")
    commands = set(re.findall(r"\\([a-z]+)", text))
    assert commands == {
        *("begin", "end", "centering", "caption", "toprule", "midrule", "bottomrule", "linewidth", "textbf"),
        *("par", "smallskip", "footnotesize", "char"),
        *("textbar", "textbackslash", "textless", "textgreater", "textasciitilde", "textasciicircum"),
        "textasciigrave",
    }
    assert text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")


def test_a_bare_table_in_latex_is_a_tabular() -> None:
    table = Table.facts([("items", "two\nlines"), ("failed", None)])
    assert latex(table).splitlines() == [
        "\\begin{tabular}{lp{0.60\\linewidth}}",
        "\\toprule",
        "items & two\\newline lines \\\\",
        "failed & - \\\\",
        "\\bottomrule",
        "\\end{tabular}",
    ]


def test_tables_and_sentences_in_a_terminal() -> None:
    facts = Table.facts([("items", "12 settled"), ("failed", "2")], title="first", alarms=("failed",))
    columns = (words("task"), numbers("calls"), numbers("failed", alarm=True))
    rows = (("answer", 3, 0), ("together", 9, 2))
    table = Table(columns=columns, rows=rows, notes=("A note.",), emphasised=(1,))
    empty = Table(title="per method", columns=columns, notes=("No score: too few.",))
    lines = [line.rstrip() for line in rendered(80, facts, table, empty, "A sentence.").splitlines()]
    assert lines == [
        "first",
        "items   12 settled",
        "failed  2",
        "",
        "task      calls  failed",
        "answer        3       0",
        "together      9       2",
        "A note.",
        "",
        "per method",
        "No score: too few.",
        "A sentence.",
    ]
    console = Console(width=80, force_terminal=True, color_system="standard", highlight=False)
    with console.capture() as capture:
        console.print(terminal(facts, table))
    styled = capture.get()
    assert "\x1b[31m2" in styled
    assert "\x1b[1mtogether" in styled
    assert "\x1b[31m0" not in styled
