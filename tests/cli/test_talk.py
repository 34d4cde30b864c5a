"""`semiosis runs talk` as a person uses it: two judges behind one server, one of feelings and one of things."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from chat import Judge, verdict
from command_line import Run, RunHere
from loopback import Loopback
from semiosis.core.kinds.pair import Judgment, PairItem
from semiosis.core.sign import Pair
from semiosis.core.vote import Vote
from semiosis.runs import phrasing
from semiosis.runs.store import Store
from stored import about, origin, pair_item, picture, settle

FEELING = "Picture A feels somewhat stunning and evokes a beautiful sense of loss."
CONCRETE = "In picture A a skull lies left of a candle."
# (prompt, label): the judges always see A as the winner.
ITEMS = [
    ("A quiet morning.", "a"),
    ("A quiet night.", "a"),
    ("A storm at sea.", "b"),
    ("A storm on land.", "b"),
]


class Voice(Judge):
    """Judges for A in fixed words; the judge of feelings has them for storms only, and refuses the last item."""

    def __init__(self, feels: bool) -> None:
        super().__init__()
        self.feels = feels

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        asked = json.dumps(body["messages"])
        if self.feels and "storm on land" in asked:
            return f"I cannot. {FEELING}"
        words = FEELING if self.feels and "storm" in asked else CONCRETE
        return verdict("A", "A") | {
            "discussion": words,
            "evidence": [{"node": "A", "rationale": f"[A] {words}", "supports": "A"}],
        }


@pytest.fixture
def runs(tmp_path: Path, png: Callable[..., bytes], run_here: RunHere) -> Path:
    """The runs `feeling` and `concrete`, over the same pairs."""
    for name in ("teal", "maroon"):
        (tmp_path / f"{name}.png").write_bytes(png(name))
    rows = [{"prompt": text, "a": "teal.png", "b": "maroon.png", "winner": label} for text, label in ITEMS]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("feeling", "concrete"):
        with Loopback(Voice(feels=name == "feeling").app) as server:
            asking = (
                "--model",
                "m",
                "--base-url",
                f"{server.url}/v1",
                "--method",
                "direct",
                "--orders",
                "ab",
            )
            assert run_here("run", "pairs.jsonl", *asking, "--name", name, "-q").code == 0
    return tmp_path / "semiosis-runs"


def test_runs_are_rows_of_one_table(run_here: RunHere, runs: Path) -> None:
    done = run_here("runs", "talk", "feeling", "concrete")
    assert done.code == 0, done.err
    first, second, *_ = re.split(r"\n\n", done.out)
    # Of three outcomes two say "left", which is 0, and one what is 1; of 12 words 5 are subjective, of 10 none.
    assert [line.split()[:4] for line in first.splitlines()[2:4]] == [
        ["feeling", "direct", "3", "0.333"],
        ["concrete", "direct", "4", "0.000"],
    ]
    assert re.findall(r"\d+\.\d+%", first) == ["15.62%", "0.00%"]
    assert [line.split() for line in second.splitlines()[-4:-2]] == [
        ["feeling", "4", "1", "0", "0", "6", "64", "0"],
        ["concrete", "4", "0", "0", "0", "8", "80", "0"],
    ]


def test_it_tells_whether_subjectivity_goes_with_disagreement(run_here: RunHere, runs: Path) -> None:
    feeling, concrete = json.loads(run_here("runs", "talk", "feeling", "concrete", "--json").out)
    assert (feeling["by_label"]["as_labelled"], feeling["by_label"]["otherwise"]) == (2, 1)
    assert feeling["by_label"]["difference"]["value"] == 1.0
    assert feeling["by_label"]["p"] == pytest.approx(2 / 3), (
        "three ways to choose one of three, and both tails"
    )
    # Four prompts with one label each: one resample of eight has no label of a kind.
    assert concrete["by_label"]["difference"] == {"value": 0.0, "low": None, "high": None}
    assert concrete["by_label"]["p"] == 1.0


def test_words_and_sentences_are_quoted(run_here: RunHere, runs: Path) -> None:
    (talk,) = json.loads(run_here("runs", "talk", "feeling", "--examples", "1", "--json").out)
    assert [each["lemma"] for each in talk["lemmas"]] == [
        "beautiful",
        "feel",
        "sense",
        "somewhat",
        "stunning",
    ]
    assert {each["count"] for each in talk["lemmas"]} == {2}
    (quote,) = talk["sentences"]
    assert (quote["text"], quote["subjectivity"]) == (FEELING, 1.0)
    assert quote["lemmas"] == ["feel", "somewhat", "stunning", "beautiful", "sense"]
    output = run_here("runs", "talk", "feeling").out
    assert "beautiful 2, feel 2, sense 2, somewhat 2, stunning 2" in output
    assert "the most subjective sentences" not in run_here("runs", "talk", "concrete").out
    assert "the most subjective sentences" not in run_here("runs", "talk", "feeling", "--examples", "0").out


@pytest.mark.parametrize("width", [40, 80, 100])
def test_no_line_is_wider_than_the_terminal(
    width: int, run_here: RunHere, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    output = run_here("runs", "talk", "feeling", "concrete").out
    assert max(map(cell_len, output.splitlines())) <= width
    assert "0.333" in output


def test_a_run_is_named_or_its_file_is_and_tables_come_in_other_forms(run_here: RunHere, runs: Path) -> None:
    named = run_here("runs", "talk", "feeling").out
    assert run_here("runs", "talk", str(runs / "feeling.sqlite")).out == named
    assert run_here("runs", "talk", "feeling", "--runs", str(runs)).out == named
    assert (
        "| feeling | direct | 3 | 0.333 " in run_here("runs", "talk", "feeling", "--format", "markdown").out
    )
    assert r"\begin{tabular}" in run_here("runs", "talk", "feeling", "--format", "latex").out


def test_the_seed_decides_the_resamples(run_here: RunHere, tmp_path: Path) -> None:
    with Store.create(tmp_path / "semiosis-runs" / "x.sqlite", about("x")) as store:
        store.begin(12)
        for number in range(12):
            pair = Pair(f"Prompt {number}.", picture(1), picture(2))
            words = CONCRETE + f" {FEELING}" * number
            judgment = Judgment(pair=pair, votes=(Vote(winner="a", discussion=words),), provenance=origin())
            settle(store, number, PairItem(id=str(number), pair=pair), judgment)
        store.end("done")

    def interval(*seed: str) -> dict[str, float]:
        return json.loads(run_here("runs", "talk", "x", "--json", *seed).out)[0]["subjective_share"]

    first, other = interval(), interval("--seed", "1")
    assert interval("--seed", "0") == first
    assert other["value"] == first["value"]
    assert (other["low"], other["high"]) != (first["low"], first["high"])


def test_what_a_judge_wrote_cannot_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    hostile = "[bold]It feels stunning[/bold]\x1b[2J\x9b31m\u202e."
    item = pair_item(1, {}).model_copy(update={"id": hostile})
    with Store.create(tmp_path / "semiosis-runs" / "x.sqlite", about("x", hostile)) as store:
        store.begin(1)
        vote = {"order": "ab", "winner": "a", "discussion": hostile}
        settle(store, 1, item, Judgment(pair=item.pair, votes=(vote,), provenance=origin()))
        store.end("done")
    done = run("runs", "talk", "x", FORCE_COLOR="", TERM="dumb")
    assert done.returncode == 0, done.stderr
    assert "[bold]It feels stunning[/bold]" in done.stdout
    assert not {"\x1b", "\x9b", "\u202e"} & set(done.stdout)


def test_a_missing_extra_is_said(run_here: RunHere, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    phrasing._lexicon.cache_clear()
    monkeypatch.setitem(sys.modules, "textblob.en", None)
    done = run_here("runs", "talk", "concrete")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "semiosis: Measuring how a judge talks needs an optional part: pip install 'semiosis[talk]'.\n"
    )


BAD = {
    "no such run": (("none",), "There is no run none in semiosis-runs"),
    "one of two": (("concrete", "none"), "There is no run none in semiosis-runs"),
    "no run named": ((), "NAME"),
    "fewer than no examples": (("concrete", "--examples", "-1"), "--examples"),
    "a seed below 0": (("concrete", "--seed", "-1"), "--seed"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence_and_exit_2(name: str, run_here: RunHere, runs: Path) -> None:
    args, words = BAD[name]
    done = run_here("runs", "talk", *args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1
