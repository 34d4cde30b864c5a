"""How commands end: exit codes and last lines, as scripts and people meet them."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from command_line import Run
from counting import Counting, write_pairs
from critic import PROMPT, Critic, hang_up
from loopback import Loopback


class Failing(Counting):
    """Gives what cannot be read for the first so many prompts."""

    def __init__(self, prompts: int) -> None:
        super().__init__()
        self.prompts = [f"Prompt {number}:" for number in range(prompts)]

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        words = json.dumps(body["messages"])
        return (
            {"no": "verdict"} if any(each in words for each in self.prompts) else super().reply(stage, body)
        )


def direct(run: Run, url: str, name: str, *more: str, model: str = "m") -> subprocess.CompletedProcess[str]:
    one_order = ("--method", "direct", "--orders", "ab", "-j", "1")
    where = ("--model", model, "--base-url", f"{url}/v1", "--name", name, "-q")
    return run("run", "pairs.jsonl", *one_order, *where, *more)


@pytest.mark.parametrize(
    ("failing", "options", "code"),
    [(2, (), 0), (3, (), 3), (1, ("--max-failures", "0"), 3), (3, ("--max-failures", "3"), 0)],
)
def test_a_run_in_which_most_items_failed_is_no_success(
    failing: int, options: tuple[str, ...], code: int, run: Run, tmp_path: Path
) -> None:
    write_pairs(tmp_path, 4, pictures=6)
    with Loopback(Failing(failing).app) as loopback:
        done = direct(run, loopback.url, "first", *options)
    assert done.returncode == code, done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"{failing} of 4 failed (--resume --retry-failed asks for them again); invalid: ")


FLEETING = """
import semiosis as sm


class Fleeting:
    name, rows = "fleeting", [*sm.open_items("pairs.jsonl").candidates()]

    def candidates(self):
        rows, self.rows = self.rows, []
        return iter(rows)
"""


def test_a_run_whose_rows_are_gone_when_it_comes_to_them_is_no_success(run: Run, tmp_path: Path) -> None:
    write_pairs(tmp_path, 2, pictures=4)
    (tmp_path / "mine.py").write_text(FLEETING)
    with Loopback(Counting().app) as loopback:
        done = run("run", "mine:Fleeting", "--model", "m", "--base-url", f"{loopback.url}/v1", "-q")
    assert done.returncode == 3, done.stderr
    message = "Not one row became an item: `semiosis runs show NAME --bad-rows` says why."
    assert done.stderr.splitlines()[-1:] == [message]


@pytest.mark.parametrize(("least", "code"), [("0.4", 0), ("0.6", 1)])
def test_agreement_is_a_gate(least: str, code: int, run: Run, tmp_path: Path) -> None:
    write_pairs(tmp_path, 4, pictures=6)
    with Loopback(Critic(None).app) as loopback:
        done = direct(run, loopback.url, "first", "--min-agreement", least)
    assert done.returncode == code, done.stderr
    if code:
        message = "2 of 4 labelled items came out as labelled (50.0%); --min-agreement asks for 60.0%."
        assert done.stderr.splitlines()[-1] == message


def test_agreement_without_labels_is_bad_input(run: Run, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in write_pairs(tmp_path, 2, pictures=4).read_text().splitlines()]
    bare = [{name: row[name] for name in ("prompt", "a", "b")} for row in rows]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in bare))
    with Loopback(Counting().app) as loopback:
        done = direct(run, loopback.url, "first", "--min-agreement", "0.5")
    assert (done.returncode, "needs labels" in done.stderr) == (2, True)


def test_a_ranking_that_leaves_pictures_without_a_place_says_so(run: Run, tmp_path: Path) -> None:
    hang_up(tmp_path, 4)
    with Loopback(Critic([0, 4, 8, 12], refused=2).app) as loopback:
        where = ("--model", "m", "--base-url", f"{loopback.url}/v1", "-q")
        done = run("rank", PROMPT, *(f"{n}.png" for n in range(4)), "--method", "direct", *where)
    assert done.returncode == 3
    assert "Without a comparison, so without a place: 2.png." in done.stdout
    assert "The first that is refused: " in done.stderr.splitlines()[-1]


def test_a_dry_run_refuses_what_the_run_refuses(run: Run, tmp_path: Path) -> None:
    write_pairs(tmp_path, 2, pictures=4)
    with Loopback(Counting().app) as loopback:
        done = direct(run, loopback.url, "first")
        assert done.returncode == 0, done.stderr
        refused = {
            "exists": direct(run, loopback.url, "first", "--dry-run"),
            "There is no run other": direct(run, loopback.url, "other", "--dry-run", "--resume"),
            "A run's name is": direct(run, loopback.url, "../x", "--dry-run"),
            "takes no batches": direct(run, loopback.url, "new", "--dry-run", "--batch", model="ollama/m"),
        }
        for words, done in refused.items():
            assert (done.returncode, words in done.stderr) == (2, True), done.stderr
        assert direct(run, loopback.url, "new", "--dry-run").returncode == 0
    assert not (tmp_path / "semiosis-runs" / "new.sqlite").exists()


def test_a_run_is_shown_by_its_path_and_deleted_by_its_name(run: Run, tmp_path: Path) -> None:
    write_pairs(tmp_path, 2, pictures=4)
    with Loopback(Counting().app) as loopback:
        direct(run, loopback.url, "first")
    output = run("runs", "show", "semiosis-runs/first.sqlite")
    assert (output.returncode, output.stdout) == (0, run("runs", "show", "first").stdout)
    assert "as labelled" in output.stdout
    with Loopback(Counting().app) as loopback:
        direct(run, loopback.url, "voted", "--labels-by", "people")
    assert "as people" in run("runs", "show", "voted").stdout
    refused = run("run", "samples", "--labels-by", "people", "--model", "m")
    assert (refused.returncode, "has its own columns, pictures and labels" in refused.stderr) == (2, True)
    assert run("runs", "delete", "voted", "--yes").returncode == 0
    unsure = run("runs", "delete", "first")
    assert (unsure.returncode, "add --yes" in unsure.stderr) == (2, True)
    assert run("runs", "delete", "first", "--yes").returncode == 0
    assert "There are no runs" in run("runs", "list").stdout
    assert run("runs", "delete", "first", "--yes").returncode == 2


def test_the_last_line_of_a_run_that_cannot_reach_its_server_names_it(run: Run, tmp_path: Path) -> None:
    write_pairs(tmp_path, 24, pictures=30)
    done = direct(run, "http://127.0.0.1:9", "first")
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 3
    assert "127.0.0.1:9" in last


def test_a_spent_budget_is_exit_4_everywhere(run: Run, tmp_path: Path) -> None:
    hang_up(tmp_path, 3)
    write_pairs(tmp_path, 2, pictures=4)
    money = ("--budget-usd", "0.000001", "--model", "openai/gpt-5")
    with Loopback(Counting().app) as loopback:
        env = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{loopback.url}/v1"}
        prices = tmp_path / "prices.json"
        prices.write_text(json.dumps({"openai/gpt-5": [1.0, 1.0]}))
        env["SEMIOSIS_PRICES"] = str(prices)
        commands = {
            "judge": ("judge", PROMPT, "0.png", "1.png"),
            "interpret": ("interpret", "0.png"),
            "run": ("run", "pairs.jsonl", "-q"),
            "rank": ("rank", PROMPT, "0.png", "1.png", "-q"),
        }
        codes = {name: run(*command, *money, **env).returncode for name, command in commands.items()}
    assert codes == dict.fromkeys(commands, 4)


def test_agreement_is_refused_before_anything_is_paid_for(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bare.jsonl").write_text(
        json.dumps({"prompt": "Nothing lasts.", "a": "0.png", "b": "1.png"}) + "\n"
    )
    hang_up(tmp_path, 2)
    server = Counting()
    with Loopback(server.app) as loopback:
        where = ("--model", "m", "--base-url", f"{loopback.url}/v1", "-q", "--min-agreement", "0.5")
        for more in ((), ("--dry-run",)):
            done = run("run", "bare.jsonl", *where, *more)
            assert (done.returncode, "needs labels" in done.stderr) == (2, True), done.stderr
    assert server.begun == 0
    assert not (tmp_path / "semiosis-runs").exists()


def test_a_ranking_by_few_comparisons_that_failed_is_no_success(run: Run, tmp_path: Path) -> None:
    hang_up(tmp_path / "p", 4)
    with Loopback(Critic([0, 4, 8, 12], refused=0).app) as loopback:
        where = ("--model", "m", "--base-url", f"{loopback.url}/v1", "-q", "--method", "direct", "-j", "2")
        done = run("rank", PROMPT, "p", *where, "--comparisons", "6")
    assert (done.returncode, "0.png" in done.stdout) == (3, True), done.stdout


def test_a_folder_in_the_prompts_place_is_noticed(run: Run, tmp_path: Path) -> None:
    hang_up(tmp_path / "p", 2)
    done = run("rank", "p", PROMPT, "--model", "m")
    assert (done.returncode, "is a folder, and the prompt comes first" in done.stderr) == (2, True)


def test_a_budget_without_a_price_is_refused_by_a_dry_run_too(run: Run, tmp_path: Path) -> None:
    write_pairs(tmp_path, 2, pictures=4)
    with Loopback(Counting().app) as loopback:
        done = direct(run, loopback.url, "first", "--budget-usd", "1", "--dry-run")
    assert (done.returncode, "No price is known" in done.stderr) == (2, True)


def test_a_failed_judgment_names_its_cause_on_standard_error(run: Run, tmp_path: Path) -> None:
    hang_up(tmp_path, 2)
    with Loopback(Critic(None, refused=0).app) as loopback:
        where = ("--model", "m", "--base-url", f"{loopback.url}/v1", "--method", "direct", "--json")
        done = run("judge", PROMPT, "0.png", "1.png", *where)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("semiosis: refused: ")


def test_a_run_of_draws_between_generators_is_shown(run: Run, tmp_path: Path) -> None:
    hang_up(tmp_path, 4)
    rows = [
        {"prompt": "Nothing lasts.", "a": f"{n}.png", "b": f"{n + 1}.png", "model_a": "x", "model_b": "y"}
        for n in (0, 2)
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Loopback(Critic(None).app) as loopback:
        where = (
            "--model",
            "m",
            "--base-url",
            f"{loopback.url}/v1",
            "-q",
            "--name",
            "f",
            "--method",
            "direct",
        )
        done = run("run", "pairs.jsonl", *where)
    assert done.returncode == 0, done.stderr
    assert "are ties" in done.stdout
    assert run("runs", "export", "f", "--to", "f.jsonl").returncode == 0
    assert "All 2 comparisons are ties" in run("stats", "rate", "f.jsonl").stderr


def test_labels_are_by_the_same_people_to_the_end(run: Run, tmp_path: Path) -> None:
    write_pairs(tmp_path, 4, pictures=6)
    with Loopback(Counting().app) as loopback:
        first = direct(run, loopback.url, "first", "--labels-by", "people", "--limit", "2")
        assert first.returncode == 0, first.stderr
        done = direct(run, loopback.url, "first", "--resume")
        assert (done.returncode, "labels by people, not unknown" in done.stderr) == (2, True), done.stderr
