"""`semiosis build stylebench` as a person uses it: a real process, a real server, kills included."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from atelier import Atelier, give_contents, give_keywords, give_results, listed, said
from chat import refuses
from loopback import Loopback, Script
from semiosis.benchmarks.stylebench.build_commands import stylebench
from semiosis.cli.build import build

AT_ONCE = 4
ON_ITS_WAY_S = 0.2


@pytest.fixture
def atelier() -> Iterator[tuple[Atelier, str]]:
    atelier = Atelier()
    with Loopback(atelier.app) as loopback:
        yield atelier, f"{loopback.url}/v1"


class Command:
    """The command in a folder of its own, with contents and keywords beside it."""

    def __init__(self, folder: Path, url: str, pictures: int = 4) -> None:
        self.folder = folder
        self.url = url
        give_contents(folder / "photos", pictures)
        give_keywords(folder / "keywords.txt")

    @property
    def given(self) -> tuple[str, ...]:
        return ("--contents", "photos", "--keywords", "keywords.txt", "--styles", "6", "--per-content", "2")

    def start(self, *words: str, name: str = "mine", **env: str) -> subprocess.Popen[str]:
        model = ("--model", "m", "--base-url", self.url, "-j", str(AT_ONCE))
        return subprocess.Popen(
            [sys.executable, "-m", "semiosis", "build", "stylebench", name, *model, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={**os.environ, "COLUMNS": "120", **env},
        )

    def __call__(self, *words: str, name: str = "mine", **env: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*words, name=name, **env)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def steps(self, done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
        assert done.returncode == 0, done.stderr
        return {step["step"]: step for step in json.loads(done.stdout)["steps"]}


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("build.")
    }


def test_a_build_from_photographs_to_tasks(tmp_path: Path, atelier: tuple[Atelier, str]) -> None:
    _, url = atelier
    command = Command(tmp_path, url)
    done = command(*command.given)
    assert done.returncode == 0, done.stderr
    assert "9 written, 0 repeated to the letter, 4 merged" in done.stdout
    assert "15 calls, 165 + 105 tokens, no price known in all sessions" in done.stdout
    give_results(tmp_path / "one", tmp_path / "mine", 100)
    give_results(tmp_path / "two", tmp_path / "mine", 200)
    steps = command.steps(command("--results", "One=one", "--results", "Two=two", "--json"))
    assert steps["results One"]["made"] == steps["results Two"]["made"] == 8
    assert steps["tasks"]["note"] == "8 per instance, 8 global"
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == [
        "2AFC",
        "base",
        "datasheet.json",
        "datasheet.md",
        "painting",
        "steps",
    ]


def test_killed_again_and_again_it_repeats_no_call_whose_reply_was_stored(
    tmp_path: Path, atelier: tuple[Atelier, str]
) -> None:
    server, url = atelier
    server.delay_s = 0.08
    command = Command(tmp_path, url, pictures=24)
    excused: Counter[str] = Counter()
    for goal in (4, 22, 40, 52):
        process = command.start(*command.given, "--quiet")
        while server.begun < goal and process.poll() is None:
            time.sleep(0.005)
        assert process.poll() is None, process.communicate()
        flying = set(server.flying)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        # What was on its way to or from the server had no reply that could have been stored.
        just_landed = {about for when, about in server.landed if when > time.monotonic() - ON_ITS_WAY_S}
        excused.update(flying | server.flying | just_landed)
        while server.in_flight:
            time.sleep(0.005)
    done = command(*command.given, "--quiet")
    assert done.returncode == 0, done.stderr
    repeated = {about: times - 1 for about, times in server.times.items() if times > 1}
    assert all(times <= excused[about] for about, times in repeated.items())
    # 24 captions, an expansion, a merge, 24 contents and 5 styles sorted.
    assert len(server.times) == 24 + 1 + 1 + 24 + 5
    assert server.begun - len(server.times) <= 4 * AT_ONCE
    with closing(sqlite3.connect(tmp_path / "mine" / "steps" / "build.sqlite")) as store:
        assert store.execute("select count(*) from calls").fetchone() == (55,)

    before = server.begun
    whole = command(*command.given, "--quiet", name="whole")
    assert whole.returncode == 0, whole.stderr
    assert server.begun - before == 55
    assert files(tmp_path / "mine") == files(tmp_path / "whole")
    assert done.stdout == whole.stdout


def test_a_dry_run_counts_what_is_left_to_ask_and_writes_nothing(
    tmp_path: Path, atelier: tuple[Atelier, str]
) -> None:
    server, url = atelier
    command = Command(tmp_path, url)
    (tmp_path / "photos" / "1.txt").write_text("Given.")
    done = command(*command.given, "--dry-run", "--json")
    stages = {stage["stage"]: stage for stage in json.loads(done.stdout)}
    assert {name: stage["calls"] for name, stage in stages.items()} == {
        "caption": 3,
        "expand": 1,
        "merge": 1,
        "style-attributes": 6,
        "content-attributes": 4,
    }
    assert stages["caption"]["input_tokens"] > 3 * 1100
    assert stages["caption"]["cost_usd"] is None
    assert not (tmp_path / "mine").exists()
    assert server.begun == 0
    output = command(*command.given, "--dry-run")
    assert "No price is known for custom/m" in output.stdout
    command(*command.given)
    assert command(*command.given, "--dry-run").stdout == "Nothing would be asked.\n"
    assert server.begun == 3 + 1 + 1 + 5 + 4


def test_a_session_with_nothing_to_ask_needs_no_model(tmp_path: Path, atelier: tuple[Atelier, str]) -> None:
    """What failed before is not asked again either."""
    server, url = atelier
    command = Command(tmp_path, url)
    server.says["style_attributes"] = lambda body: {
        "taxonomy": ["vibes" if "Cubism" in json.dumps(body) else "artist"]
    }
    assert command(*command.given).returncode == 0
    give_results(tmp_path / "one", tmp_path / "mine", 100)
    done = subprocess.run(
        [sys.executable, "-m", "semiosis", "build", "stylebench", "mine", "--results", "One=one"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "results One" in done.stdout


def test_a_budget_stops_it_and_a_larger_one_goes_on(tmp_path: Path, atelier: tuple[Atelier, str]) -> None:
    server, url = atelier
    server.usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    command = Command(tmp_path, url, pictures=8)
    prices = tmp_path / "prices.json"
    prices.write_text('{"m": [10, 10]}')
    stopped = command(*command.given, "--budget-usd", "0.15", SEMIOSIS_PRICES=str(prices))
    assert stopped.returncode == 4, stopped.stdout + stopped.stderr
    assert "Stopped (budget): run the same again with a larger --budget-usd to go on." in stopped.stderr
    assert 0 < server.begun <= 0.15 / 0.011
    assert "in all sessions" in stopped.stdout
    done = command(*command.given, "--budget-usd", "5", SEMIOSIS_PRICES=str(prices))
    assert done.returncode == 0, done.stderr
    assert server.begun == len(server.times) == 8 + 1 + 1 + 8 + 5
    assert f"${23 * 0.011:.4f} in all sessions" in done.stdout


def test_a_refused_key_ends_it_at_once(tmp_path: Path) -> None:
    script = Script(refuses(401, "Incorrect API key provided"))
    with Loopback(script.app) as loopback:
        command = Command(tmp_path, f"{loopback.url}/v1", pictures=12)
        done = command(*command.given)
    assert done.returncode == 3
    assert "Stopped (unauthorised)" in done.stderr
    assert len(script.seen) <= 2 * AT_ONCE
    assert "Traceback" not in done.stderr


def test_a_model_of_no_use_is_exit_3(tmp_path: Path, atelier: tuple[Atelier, str]) -> None:
    server, url = atelier
    server.says = dict.fromkeys(("caption", "content_attributes"), lambda _: "no")
    command = Command(tmp_path, url)
    done = command("--contents", "photos")
    assert done.returncode == 3
    assert "--retry-failed asks again" in done.stderr


def test_a_session_in_which_most_questions_failed_is_exit_3(
    tmp_path: Path, atelier: tuple[Atelier, str]
) -> None:
    server, url = atelier
    server.says["caption"] = lambda _: "no"
    server.says["content_attributes"] = lambda body: "no"
    command = Command(tmp_path, url, pictures=8)
    done = command(*command.given)
    assert done.returncode == 3, done.stderr
    # Of 8 captions, an expansion, a merge, 8 contents and 5 styles.
    assert "16 of 23 questions failed; unparsable: The reply holds no JSON object" in done.stderr
    assert "--retry-failed asks again" in done.stderr
    del server.says["caption"], server.says["content_attributes"]
    assert command(*command.given, "--retry-failed").returncode == 0


def test_a_stylizer_without_one_picture_is_exit_2_and_says_what_is_missing(
    tmp_path: Path, atelier: tuple[Atelier, str]
) -> None:
    _, url = atelier
    command = Command(tmp_path, url)
    assert command(*command.given).returncode == 0
    (tmp_path / "none").mkdir()
    give_results(tmp_path / "two", tmp_path / "mine", 200)
    done = command("--results", "One=none", "--results", "Two=two")
    assert done.returncode == 2
    assert (
        "Not one of the 8 pictures of One is there: painting/to_paint.jsonl lists them; name each "
        "CONTENT_STYLE.png and give their folder as --results One=DIR.\n"
    ) in done.stderr
    assert "results Two" in done.stdout
    give_results(tmp_path / "one", tmp_path / "mine", 100)
    assert command("--results", "One=one").returncode == 0


def test_a_folder_of_somebody_else_is_exit_2_and_stays_as_it_is(
    tmp_path: Path, atelier: tuple[Atelier, str]
) -> None:
    server, url = atelier
    command = Command(tmp_path, url)
    before = files(tmp_path / "photos")
    for words in ((), ("--dry-run",)):
        done = command(*command.given, *words, name="photos")
        assert done.returncode == 2
        assert done.stderr == (
            "semiosis: photos holds files and was not begun as a build: name a new folder, or an empty one.\n"
        )
    assert files(tmp_path / "photos") == before
    assert server.begun == 0


def test_a_failure_of_before_does_not_fail_a_session_that_asks_nothing(
    tmp_path: Path, atelier: tuple[Atelier, str]
) -> None:
    server, url = atelier
    server.says["style_attributes"] = lambda body: {
        "taxonomy": ["vibes" if "Cubism" in json.dumps(body) else "artist"]
    }
    command = Command(tmp_path, url)
    assert command(*command.given).returncode == 0
    calls = server.begun
    again = command(*command.given)
    assert again.returncode == 0
    assert "1 invalid" in again.stdout
    assert "must name" not in again.stdout
    assert server.begun == calls


def test_ctrl_c_finishes_what_is_in_flight(tmp_path: Path, atelier: tuple[Atelier, str]) -> None:
    server, url = atelier
    server.delay_s = 0.1
    command = Command(tmp_path, url, pictures=30)
    process = command.start(*command.given)
    while server.begun < 10:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Stopped (stopped): run the same again to go on." in err
    assert "Traceback" not in out + err
    assert server.begun == server.answered
    with closing(sqlite3.connect(tmp_path / "mine" / "steps" / "build.sqlite")) as store:
        assert store.execute("select count(*) from calls").fetchone() == (server.answered,)
    server.delay_s = 0.0
    assert command(*command.given).returncode == 0
    assert set(server.times.values()) == {1}


def test_a_second_build_in_the_folder_is_refused(tmp_path: Path, atelier: tuple[Atelier, str]) -> None:
    server, url = atelier
    server.delay_s = 0.5
    command = Command(tmp_path, url)
    process = command.start(*command.given, "--quiet")
    while not server.begun:
        time.sleep(0.005)
    second = command()
    assert second.returncode == 2
    assert "is being written by another process" in second.stderr
    assert second.stderr.count("\n") == 1
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err


def test_nothing_hostile_reaches_the_terminal(tmp_path: Path, atelier: tuple[Atelier, str]) -> None:
    server, url = atelier
    server.says["caption"] = lambda _: {"caption": "\x1b]0;owned\x07 a title"}
    command = Command(tmp_path, url)
    (tmp_path / "photos" / "9\x1b[31m[red].png").write_text("no picture")
    give_keywords(tmp_path / "keywords.txt", "\x1b[2Jcleared", "[bold]Cubism[/bold]", "Baroque")
    done = command(*command.given)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "\x07" not in done.stdout + done.stderr
    assert "9\\x1b[31m[red].png" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--results", "../evil=photos"), "A stylizer's name is letters, digits"),
        (("--results", "One=nowhere"), "which is no folder"),
        (("--results", "One=photos", "--results", "One=photos"), "Two --results have the same name"),
        (("--contents", "nowhere"), "cannot be listed: No such file or directory"),
        (("--keywords", "nowhere.txt"), "cannot be read: No such file or directory"),
        (("--review", "nowhere.jsonl"), "are no .jsonl file"),
        (("--styles", "0"), "--styles"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(
    tmp_path: Path, atelier: tuple[Atelier, str], words: tuple[str, ...], message: str
) -> None:
    server, url = atelier
    done = Command(tmp_path, url)(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert server.begun == 0


def examples() -> list[str]:
    page = Path(__file__).parents[3] / "docs" / "build.md"
    texts = [page.read_text("utf-8"), build.__doc__ or "", stylebench.__doc__ or ""]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return [line for line in lines if line.startswith("semiosis build") and "--contents" in line]


@pytest.mark.parametrize("example", examples())
def test_the_examples_can_be_estimated_on_a_machine_without_a_key(tmp_path: Path, example: str) -> None:
    Command(tmp_path, "")
    bare = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN"))}
    words = example.split()[1:] + ([] if "--dry-run" in example else ["--dry-run"])
    done = subprocess.run(
        [sys.executable, "-m", "semiosis", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=bare,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "together" in done.stdout


def test_failed_calls_for_styles_are_not_said_to_be_asked_again_once_combined(
    tmp_path: Path, atelier: tuple[Atelier, str]
) -> None:
    server, url = atelier
    server.says["merge"] = lambda _: "no"
    command = Command(tmp_path, url)
    done = command(*command.given)
    assert done.returncode == 0
    assert "--retry-failed asks again" not in done.stderr
    assert "are not asked again, since styles are fixed" in done.stderr


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_styles_too_few_for_the_combinations_are_refused_before_they_are_paid_for(
    tmp_path: Path, atelier: tuple[Atelier, str], dry: tuple[str, ...]
) -> None:
    server, url = atelier
    command = Command(tmp_path, url)
    done = command("--contents", "photos", "--keywords", "keywords.txt", "--styles", "2", *dry)
    assert done.returncode == 2
    assert "There are 2 styles, and each content is to be painted in 3 different ones" in done.stderr
    assert server.begun == 0


def test_a_build_without_one_style_is_exit_3(tmp_path: Path, atelier: tuple[Atelier, str]) -> None:
    server, url = atelier
    server.says["expand"] = lambda _: "no"
    command = Command(tmp_path, url)
    done = command(*command.given)
    assert done.returncode == 3
    assert "Not one style was made." in done.stderr


def test_a_model_that_writes_what_it_is_asked_for_is_asked_as_often_as_was_estimated(
    tmp_path: Path, atelier: tuple[Atelier, str]
) -> None:
    server, url = atelier

    def expanded(body: dict[str, Any]) -> Any:
        count = int(re.findall(r"Write (\d+) style prompts", said(body))[0])
        return {"styles": [{"keywords": [1], "prompt": f"{listed(body)[0]} {at}"} for at in range(count)]}

    server.says["expand"] = expanded
    server.says["merge"] = lambda _: {"groups": []}
    command = Command(tmp_path, url, pictures=7)
    estimate = json.loads(command(*command.given, "--dry-run", "--json").stdout)
    assert server.begun == 0
    assert command(*command.given).returncode == 0
    assert {stage["stage"].replace("-", "_"): stage["calls"] for stage in estimate} == Counter(
        server.stages()
    )
