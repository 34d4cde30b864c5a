"""What is set before the first call: money, keys, extras; and a server that breaks its word."""

import json
import os
from pathlib import Path

import pytest

from command_line import Run
from counting import Slurring, write_pairs
from loopback import Loopback
from semiosis.runs.store import Store


@pytest.fixture(autouse=True)
def pairs(tmp_path: Path) -> None:
    write_pairs(tmp_path, 4, pictures=5)


SLURS = {
    "not HTTP": b"hello",
    "TLS": bytes.fromhex("15030300020246"),
    "a bad chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
    "200,000 brackets": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 400000\r\n\r\n"
    + b"[" * 200_000
    + b"]" * 200_000,
}


@pytest.mark.parametrize("slur", SLURS)
def test_a_run_outlives_a_malformed_reply(run: Run, tmp_path: Path, slur: str) -> None:
    server = Slurring(SLURS[slur])
    with Loopback(server.app) as loopback:
        done = run(
            "run", "pairs.jsonl", "--model", "m", "--base-url", f"{loopback.url}/v1", "--name", "first"
        )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    with Store.look(tmp_path / "semiosis-runs" / "first.sqlite") as store:
        assert list(store.rows("select kind, count(*) from outcomes group by kind")) == [("judgment", 4)]


def test_a_reply_malformed_for_ever_is_a_failure_and_resumed_like_one(run: Run, tmp_path: Path) -> None:
    server = Slurring(*[b"hello"] * 4)
    with Loopback(server.app) as loopback:
        args = ("run", "pairs.jsonl", "--model", "m", "--base-url", f"{loopback.url}/v1", "--name", "first")
        first = run(*args)
        failed = run("runs", "show", "first", "--failures", "--json")
        again = run(*args, "--resume", "--retry-failed")
    assert "Traceback" not in first.stderr + again.stderr
    (failure,) = json.loads(failed.stdout)
    assert failure["reason"] == "unreachable"
    assert again.returncode == 0, again.stderr
    with Store.look(tmp_path / "semiosis-runs" / "first.sqlite") as store:
        assert list(store.rows("select kind, count(*) from outcomes group by kind")) == [("judgment", 4)]


PROMPT = "Everything glows, nothing lasts."
COMMANDS = {
    "run": ("run", "pairs.jsonl"),
    "run --batch": ("run", "pairs.jsonl", "--batch"),
    "judge": ("judge", PROMPT, "0.png", "1.png"),
    "rank": ("rank", PROMPT, "0.png", "1.png"),
    "interpret": ("interpret", "0.png"),
    "reward": ("reward", "--port", "0"),
}
KEYS = {
    "openai/gpt-5": "OPENAI_API_KEY",
    "anthropic/claude-haiku-5-5": "ANTHROPIC_API_KEY",
    "gemini/gemini-3.1-flash-lite": "GEMINI_API_KEY",
    "openrouter/qwen/qwen3-vl": "OPENROUTER_API_KEY",
}


def refused(run: Run, folder: Path, sentence: str, *args: str, **env: str) -> None:
    done = run(*args, **env)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"semiosis: {sentence}\n")
    assert not (folder / "semiosis-runs").exists()


@pytest.mark.parametrize(
    ("command", "model"),
    [*((command, "openai/gpt-5") for command in COMMANDS), *(("run", model) for model in KEYS)],
)
def test_a_missing_key_is_said_before_anything_is_asked_or_made(
    run: Run, tmp_path: Path, command: str, model: str
) -> None:
    sentence = f"{model} needs a key: export {KEYS[model]}=..."
    refused(run, tmp_path, sentence, *COMMANDS[command], "--model", model)


def test_the_judges_key_is_looked_for_too(run: Run, tmp_path: Path) -> None:
    models = ("--model", "openai/gpt-5", "--judge-model", "anthropic/claude-haiku-5-5")
    sentence = "anthropic/claude-haiku-5-5 needs a key: export ANTHROPIC_API_KEY=..."
    refused(run, tmp_path, sentence, *COMMANDS["run"], *models, OPENAI_API_KEY="sk-0123456789")


EXTRAS = {
    "anthropic": (("--model", "anthropic/m"), "anthropic/m", "anthropic"),
    "google.genai": (("--model", "gemini/m"), "gemini/m", "gemini"),
    "xllamacpp": (("--model", "local/owner/repo"), "local/owner/repo", "local"),
    "transformers": (("--model", "transformers/owner/m"), "transformers/owner/m", "transformers"),
    "torch": (("--model", "transformers/owner/m"), "transformers/owner/m", "transformers"),
    "ray": (("--model", "openai/gpt-5", "--engine", "ray"), "The Ray engine", "ray"),
}
SOME_KEYS = {name: "sk-0123456789" for name in KEYS.values()}


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where Python looks first: packages named in WITHOUT are not found."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "sitecustomize.py").write_text(
        "import os, sys\nsys.modules.update(dict.fromkeys(os.environ.get('WITHOUT', '').split()))\n"
    )
    return f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"


@pytest.mark.parametrize("package", EXTRAS)
def test_a_missing_extra_is_said_before_anything_is_asked_or_made(
    run: Run, tmp_path: Path, site: str, package: str
) -> None:
    options, what, extra = EXTRAS[package]
    sentence = f"{what} needs an optional part: pip install 'semiosis[{extra}]'."
    env = {**SOME_KEYS, "WITHOUT": package, "PYTHONPATH": site}
    refused(run, tmp_path, sentence, *COMMANDS["run"], *options, **env)


def test_a_missing_embedding_is_said_before_anything_is_asked_or_made(
    run: Run, tmp_path: Path, site: str
) -> None:
    env = {**SOME_KEYS, "WITHOUT": "tokenizers", "PYTHONPATH": site, "SEMIOSIS_EMBEDDER": ""}
    for command in ("run", "judge", "rank", "reward"):
        done = run(*COMMANDS[command], "--model", "openai/gpt-5", "--method", "gap", **env)
        assert (done.returncode, done.stdout) == (2, "")
        assert "pip install 'semiosis[embeddings]'" in done.stderr
        assert not (tmp_path / "semiosis-runs").exists()


@pytest.mark.parametrize("command", ["run", "judge", "rank", "interpret", "reward"])
def test_a_budget_that_is_no_number_of_dollars_is_refused(run: Run, tmp_path: Path, command: str) -> None:
    args = (*COMMANDS[command], "--model", "openai/gpt-5", "--budget-usd")
    sentence = f"Invalid value for '--budget-usd': inf is no finite number; see `semiosis {command} --help`."
    refused(run, tmp_path, sentence, *args, "inf", OPENAI_API_KEY="sk-0123456789")
    assert run(*args, "nan", OPENAI_API_KEY="sk-0123456789").returncode == 2
