"""`semiosis rank` as a person uses it: real processes, a real server."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from chat import refuses
from critic import PROMPT, Critic, hang_up, pictures
from loopback import Loopback, Script
from semiosis.cli.rank import ranking_status
from semiosis.methods.recipe import Recipe
from semiosis.runs.conditions import Conditions
from semiosis.runs.entrants import Entrants
from semiosis.runs.ranking import Goal, start_contest
from semiosis.runs.run import open_run

EIGHT = [4.0 * number for number in range(8)]
NAMES = [f"{number}.png" for number in range(8)]
AT_ONCE = 4
ON_ITS_WAY_S = 0.2


class Command:
    """`semiosis rank` on eight pictures in a folder, against a server."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = url
        hang_up(folder, 8)

    def start(self, *args: str, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "semiosis", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={**os.environ, "COLUMNS": "100", **env},
        )

    def __call__(self, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*args, **env)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def given(self, *more: str, name: str = "first", pictures: list[str] = NAMES) -> list[str]:
        asking = ["--model", "m", "--base-url", f"{self.url}/v1", "--method", "direct"]
        return ["rank", PROMPT, *pictures, *asking, "--name", name, *more]


@pytest.fixture
def critic() -> Critic:
    return Critic(EIGHT)


@pytest.fixture
def command(critic: Critic, tmp_path: Path) -> Iterator[Command]:
    with Loopback(critic.app) as loopback:
        yield Command(tmp_path, loopback.url)


def count(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as store:
        return store.execute(f"select count(*) from {table}").fetchone()[0]


def test_the_pictures_are_shown_best_first_with_how_sure_that_is(command: Command) -> None:
    done = command(*command.given())
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if ".png" in line]
    assert [(row[0], row[1]) for row in rows] == [
        (str(place), name) for place, name in enumerate(reversed(NAMES), 1)
    ]
    assert all(row[6].endswith("%") for row in rows[:-1])
    assert "Settled by 16 of 28 pairs: each picture was compared with the next one." in done.stdout
    assert "The closest two are told apart at 63%." in " ".join(done.stdout.split())
    assert "Flipped when the pictures changed places: 0.0% (0.0 to 19.4), 0 of 16." in done.stdout
    assert "32 calls, no price known." in done.stdout
    output = command("runs", "show", "first")
    assert output.returncode == 0, output.stderr
    assert "16: 16 settled, 0 to do" in output.stdout
    one = command("runs", "show", "first", "--item", "7.png vs 6.png").stdout
    two = command("runs", "show", "first", "--item", "6.png vs 7.png").stdout
    assert PROMPT in one + two


def test_json_has_the_standings_and_how_they_came_about(command: Command) -> None:
    ranking = json.loads(command(*command.given("--comparisons", "4", "--json", "-j", "8")).stdout)
    assert (ranking["ended"], ranking["comparisons"], ranking["pairs"], ranking["calls"]) == (
        "comparisons",
        4,
        28,
        8,
    )
    assert (ranking["name"], ranking["confidence"], ranking["failures"], ranking["unpriced"]) == (
        "first",
        0.95,
        {},
        8,
    )
    assert len(ranking["standings"]) + len(ranking["unranked"]) == 8
    assert ranking["standings"][0].keys() == {
        *("rank", "name", "sha256", "score", "low", "high", "above_next"),
        *("comparisons", "won", "drawn", "lost"),
    }
    first = ranking["standings"][0]
    assert first["low"] < first["score"] < first["high"]
    assert 0.5 <= first["above_next"] <= 1


def test_a_content_goes_along_with_every_pair_and_names_the_ranking(
    command: Command, critic: Critic, tmp_path: Path
) -> None:
    Image.new("RGB", (16, 16), (200, 100, 50)).save(tmp_path / "photo.png")
    words = ("rank", "Ukiyo-e woodblock", *NAMES[:2], "--content", "photo.png", "--model", "m")
    done = command(*words, "--base-url", f"{command.url}/v1", "--method", "direct")
    assert done.returncode == 0, done.stderr
    assert sorted(critic.shown) == [(0, 1), (1, 0)]
    assert [pictures(body)[0] for body in critic.bodies] == [200, 200]
    assert [path.name[:25] for path in (tmp_path / "semiosis-runs").glob("*.sqlite")] == [
        "ranking-Ukiyo-e-woodblock"
    ]


def test_kills_lose_nothing_and_the_standing_is_as_if_there_had_been_none(tmp_path: Path) -> None:
    critic = Critic([1.5 * number for number in range(8)], delay_s=0.1)
    with Loopback(critic.app) as loopback:
        command = Command(tmp_path, loopback.url)
        words = command.given("--json", "--quiet", "-j", str(AT_ONCE))
        store = tmp_path / "semiosis-runs" / "first.sqlite"
        excused: set[str] = set()
        for enough in (6, 14, 22):
            process = command.start(*words, *(["--resume"] if store.exists() else []))
            while critic.begun < enough and process.poll() is None:
                time.sleep(0.005)
            assert process.poll() is None, process.communicate()
            flying = set(critic.flying)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            # What was on its way to or from the server had no reply that could have been stored.
            landed = {about for when, about in critic.landed if when > time.monotonic() - ON_ITS_WAY_S}
            excused |= flying | critic.flying | landed
            while critic.in_flight:
                time.sleep(0.005)
        assert 0 < count(store, "outcomes") < 16
        killed = command(*words, "--resume")
        assert killed.returncode == 0, killed.stderr
        assert {about for about, times in critic.times.items() if times > 1} <= excused
        whole = command(*command.given("--json", "--quiet", "-j", str(AT_ONCE), name="whole"))
    one, two = json.loads(killed.stdout), json.loads(whole.stdout)
    assert {**one, "name": ""} == {**two, "name": ""}
    assert one["comparisons"] == count(store, "outcomes") == count(store, "items")


def test_ctrl_c_finishes_what_is_in_flight_and_says_how_to_go_on(tmp_path: Path) -> None:
    critic = Critic(EIGHT, delay_s=0.1)
    with Loopback(critic.app) as loopback:
        command = Command(tmp_path, loopback.url)
        process = command.start(*command.given())
        while critic.begun < 6:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130, err
        assert "Stopped after" in out
        assert "Add --resume to go on." in err
        store = tmp_path / "semiosis-runs" / "first.sqlite"
        assert count(store, "calls") == critic.answered == critic.begun
        again = command(*command.given())
        assert (again.returncode, "exists: go on with --resume" in again.stderr) == (2, True)
        assert command(*command.given("--resume")).returncode == 0
    assert critic.begun == count(store, "calls") == 32


def test_a_spent_budget_exits_with_4_and_a_larger_one_goes_on(
    command: Command, critic: Critic, tmp_path: Path
) -> None:
    critic.usage = {"prompt_tokens": 1000, "completion_tokens": 1000, "total_tokens": 2000}
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"m": [0.0, 100.0]}))
    done = command(*command.given("--budget-usd", "1.5"), SEMIOSIS_PRICES=str(prices))
    assert done.returncode == 4, done.stderr
    assert "Stopped by the budget after" in done.stdout
    assert "Add --resume and a larger --budget-usd to go on. The budget of $1.5 does not cover" in done.stderr
    more = command(*command.given("--budget-usd", "99", "--resume"), SEMIOSIS_PRICES=str(prices))
    assert more.returncode == 0, more.stderr
    assert "32 calls, $3.2000." in more.stdout


def test_a_judge_that_follows_the_place_tells_nobody_apart(command: Command, critic: Critic) -> None:
    critic.worth = None
    done = command(*command.given(pictures=NAMES[:4]))
    assert done.returncode == 0, done.stderr
    assert "The closest two are told apart at 50%." in " ".join(done.stdout.split())
    assert "6 of 6" in done.stdout


def test_failures_are_counted_by_kind_and_have_no_place(command: Command, critic: Critic) -> None:
    critic.refused = 3
    done = command(*command.given())
    assert done.returncode == 3, done.stderr
    assert "Failed, and left out: 7 refused." in done.stdout
    assert "Without a comparison, so without a place: 3.png." in done.stdout
    assert "Add --resume --retry-failed to ask again for what failed." in done.stderr
    critic.refused = None
    again = command(*command.given("--resume", "--retry-failed"))
    assert "Failed" not in again.stdout
    assert sum(".png" in line for line in again.stdout.splitlines()) == 8


@pytest.mark.parametrize(("status", "ended"), [(401, "unauthorised"), (400, "exhausted")])
def test_a_server_that_fails_exits_with_3(tmp_path: Path, status: int, ended: str) -> None:
    with Loopback(Script(refuses(status, "no")).app) as loopback:
        command = Command(tmp_path, loopback.url)
        done = command(*command.given("--json", pictures=NAMES[:3]))
    assert done.returncode == 3, done.stderr
    ranking = json.loads(done.stdout)
    assert (ranking["ended"], ranking["standings"], ranking["comparisons"]) == (ended, [], 0)


def test_a_dry_run_asks_nothing(command: Command, critic: Critic, tmp_path: Path) -> None:
    done = command(*command.given("--dry-run"))
    assert done.returncode == 0, done.stderr
    assert "direct: all 28 pairs of 8 pictures, at most" in done.stdout
    few = json.loads(command(*command.given("--dry-run", "--json", "--comparisons", "5")).stdout)
    assert few[0]["calls"] == 10
    assert critic.begun == 0
    assert not (tmp_path / "semiosis-runs").exists()


def test_the_line_of_progress_names_who_leads_and_how_sure_it_is(command: Command, tmp_path: Path) -> None:
    command(*command.given("--comparisons", "12"))
    entrants = Entrants.of(PROMPT, [tmp_path / name for name in NAMES])
    recipe = Recipe("direct", model="m", base_url=f"{command.url}/v1")
    with open_run(entrants, recipe.make(), "first", tmp_path / "semiosis-runs", True) as store:
        contest = start_contest(store, entrants, recipe, Conditions(), Goal())
        line = ranking_status(contest).line
    assert line.startswith("12 of 28 pairs compared · 7.png leads · the closest two are told apart at ")
    assert line.endswith("% · no price known")


def test_a_name_cannot_reach_the_terminal(command: Command, tmp_path: Path) -> None:
    hostile = "\x1b[2J\r[bold]x.png"
    (tmp_path / "0.png").rename(tmp_path / hostile)
    done = command(*command.given(pictures=[hostile, "1.png"]))
    assert done.returncode == 0, done.stderr
    assert not {"\x1b", "\r"} & set(done.stdout + done.stderr)
    assert "[bold]x.png" in done.stdout


def test_a_folder_is_ranked_by_its_pictures_and_what_is_none_is_said(
    command: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "shown"
    folder.mkdir()
    for name in ("2.png", "0.png", "1.png"):
        (tmp_path / name).rename(folder / name)
    (folder / "notes.txt").write_text("not a picture")
    (folder / "more").mkdir()
    (folder / ".hidden").touch()
    done = command(*command.given("--json", pictures=["7.png", "shown/"]))
    assert done.returncode == 0, done.stderr
    assert [each["name"] for each in json.loads(done.stdout)["standings"]] == [
        "7.png",
        "2.png",
        "1.png",
        "0.png",
    ]
    assert done.stderr.splitlines()[0] == "Left out, since they are no pictures: shown/more, shown/notes.txt."


BAD: dict[str, tuple[Callable[[Command], list[str]], str]] = {
    "one picture": (lambda of: of.given(pictures=["0.png"]), "only one was given: 0.png"),
    "no picture": (lambda of: of.given(pictures=[]), "Missing"),
    "a folder without pictures": (
        lambda of: of.given(pictures=["0.png", "empty"]),
        "The folder empty holds no pictures",
    ),
    "the same picture twice": (lambda of: of.given(pictures=["0.png", "1.png", "copy.png"]), "same picture"),
    "a missing file": (lambda of: of.given(pictures=["0.png", "none.png"]), "There is no file none.png"),
    "a file that is no picture": (lambda of: of.given(pictures=["0.png", "text.png"]), "text.png"),
    "an empty prompt": (lambda of: ["rank", " ", *of.given()[2:]], "The prompt is empty"),
    "no confidence": (lambda of: of.given("--confidence", "1"), "less than 1, not 1"),
    "no such method": (lambda of: of.given("--method", "none"), "There is no method 'none'"),
    "a budget without a price": (lambda of: of.given("--budget-usd", "1"), "No price is known"),
    "failures of nothing": (lambda of: of.given("--retry-failed"), "add --resume"),
    "nothing to go on with": (lambda of: of.given("--resume"), "There is no run first"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence_and_exit_2(case: str, command: Command, tmp_path: Path) -> None:
    words, message = BAD[case]
    (tmp_path / "copy.png").write_bytes((tmp_path / "1.png").read_bytes())
    (tmp_path / "text.png").write_text("just text")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").touch()
    done: Any = command(*words(command))
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
