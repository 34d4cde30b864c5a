"""`--set name=value`: every setting of every method, a plugin's too."""

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import Run
from counting import write_pairs
from semiosis.core.errors import BadSetting
from semiosis.core.settings import parsed
from semiosis.methods.direct import Direct
from semiosis.methods.semjudge.gap import Gap
from semiosis.methods.semjudge.judge import SemJudge

PLUGIN = '''
from dataclasses import dataclass
from typing import Literal
from semiosis import Judgment, Vote
from semiosis.methods import Judges

@dataclass(frozen=True)
class Coin(Judges):
    """Says what it is told to."""
    name = "coin"
    side: Literal["a", "b"] = "a"
    faces: Literal[2, 6] = 2
    weight: float | None = 0.5
    loaded: bool = False
    orders: Literal["ab", "both"] = "ab"

    async def judge(self, pair):
        return Judgment(pair=pair, votes=(Vote(winner=self.side),), provenance=self.provenance([]))

'''


@pytest.fixture(autouse=True)
def pairs(tmp_path: Path) -> None:
    write_pairs(tmp_path, 1, pictures=2)
    (tmp_path / "coin.py").write_text(PLUGIN)


def judge(run: Run, *words: str) -> Any:
    done = run("judge", "Nothing lasts.", "0.png", "1.png", "--method", "coin:Coin", "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_settings_of_a_plugin_are_read_by_their_annotations(run: Run) -> None:
    words = ("side=b", "faces=6", "weight=none", "loaded=true")
    outcome = judge(run, *(word for each in words for word in ("--set", each)))
    assert outcome["winner"] == "b"
    assert outcome["provenance"]["configuration"] == {
        "side": "b",
        "faces": 6,
        "weight": None,
        "loaded": True,
        "orders": "ab",
    }


def test_an_option_that_was_not_typed_leaves_the_method_s_own_default(run: Run) -> None:
    assert judge(run)["provenance"]["configuration"]["orders"] == "ab"
    assert judge(run, "--orders", "both")["provenance"]["configuration"]["orders"] == "both"
    assert judge(run, "--orders", "both", "--set", "orders=both")["winner"] == "a"


COIN = ("--method", "coin:Coin")
ASKING = ("--model", "openai/m")
REFUSED = {
    "no such setting": (
        (*COIN, "--set", "sides=b"),
        "The method coin:Coin has no setting 'sides'; it has faces,",
    ),
    "a value it does not take": (
        (*COIN, "--set", "side=c"),
        "The setting side of Coin should be 'a' or 'b', not 'c'.",
    ),
    "a value of another type": (
        (*COIN, "--set", "weight=heavy"),
        "The setting weight of Coin should be a valid number, unable to parse string as a number, not 'heavy'.",
    ),
    "no value": ((*COIN, "--set", "side"), "--set is a setting and its value, as in seed=7, not 'side'."),
    "twice": (
        (*COIN, "--set", "side=a", "--set", "side=b"),
        "side is set twice, to a and b: leave out one.",
    ),
    "an option that says otherwise": (
        (*COIN, "--orders", "both", "--set", "orders=ab"),
        "--orders says both and --set orders says ab: leave out one.",
    ),
    "an option of another name": (
        (*ASKING, "--repeat", "2", "--set", "repeats=3"),
        "--repeat says 2 and --set repeats says 3: leave out one.",
    ),
    "out of range": (
        (*ASKING, "--set", "repeats=100"),
        "The setting repeats of SemJudge should be less than or equal to 99, not '100'.",
    ),
    "a model": (
        ("--set", "backbone=openai/m"),
        "The setting backbone is a model: name it with --model.",
    ),
    "what a variant fixes": (
        (*ASKING, "--method", "semjudge/root-only", "--set", "keep=all"),
        "The method semjudge/root-only has no setting 'keep'; it has ",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_setting_that_cannot_be_is_one_sentence_and_exit_2(name: str, run: Run) -> None:
    words, sentence = REFUSED[name]
    done = run("judge", "Nothing lasts.", "0.png", "1.png", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"semiosis: {sentence}")


@pytest.mark.parametrize(
    "command",
    [
        ("judge", "Nothing lasts.", "0.png", "1.png"),
        ("rank", "Nothing lasts.", "0.png", "1.png"),
        ("run", "pairs.jsonl"),
        ("reward",),
        ("interpret", "0.png"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_of_a_method_takes_it(command: tuple[str, ...], run: Run) -> None:
    done = run(*command, *ASKING, "--set", "keep=some")
    assert done.returncode == 2
    assert done.stderr == "semiosis: The setting keep of SemJudge should be 'all' or 'roots', not 'some'.\n"


def test_a_run_stores_what_was_set(run: Run) -> None:
    done = run("run", "pairs.jsonl", *COIN, "--set", "side=b", "--name", "first", "-q")
    assert done.returncode == 0, done.stderr
    again = run("run", "pairs.jsonl", *COIN, "--set", "side=a", "--name", "first", "--resume", "-q")
    assert again.returncode == 2
    assert "side" in again.stderr


@pytest.mark.parametrize(
    ("method", "name", "text", "value"),
    [
        (SemJudge, "graphs", "solo", "solo"),
        (SemJudge, "temperature", "none", None),
        (SemJudge, "temperature", "0.5", 0.5),
        (SemJudge, "seed", "7", 7),
        (Direct, "repeats", "3", 3),
        (Gap, "embed", "none", None),
    ],
)
def test_a_text_becomes_a_setting(method: type, name: str, text: str, value: Any) -> None:
    assert parsed(method, name, text) == value


@pytest.mark.parametrize(("name", "text"), [("temperature", "nan"), ("temperature", "-1"), ("seed", "1.5")])
def test_a_text_that_is_no_such_setting_is_refused(name: str, text: str) -> None:
    with pytest.raises(BadSetting, match=f"The setting {name} of Direct should be"):
        parsed(Direct, name, text)


def test_several_settings_of_one_method_are_runs_of_their_own(run: Run) -> None:
    coins = (
        "--method",
        "coin:Coin",
        "--method",
        "coin:Coin,side=b",
        "--method",
        "coin:Coin,side=b,weight=2.5",
    )
    done = run("run", "pairs.jsonl", *coins, "--name", "coins", "-q", "--json")
    assert done.returncode == 0, done.stderr
    summaries = json.loads(done.stdout)
    assert [each["about"]["name"] for each in summaries] == [
        "coins-coin-Coin",
        "coins-coin-Coin-side-b",
        "coins-coin-Coin-side-b-weight-2.5",
    ]
    twice = run("run", "pairs.jsonl", *coins[2:4], *coins[2:4], "--name", "twice")
    assert (twice.returncode, "coin:Coin,side=b is named twice" in twice.stderr) == (2, True)
    other = run("run", "pairs.jsonl", "--method", "coin:Coin,sides=b", "--name", "other")
    assert (other.returncode, "has no setting 'sides'" in other.stderr) == (2, True)
