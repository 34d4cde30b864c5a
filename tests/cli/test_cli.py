"""The command line as a person uses it: a real process, a real server."""

import io
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from aiohttp import web
from PIL import Image

from chat import Judge, refuses, says
from command_line import Run
from loopback import Loopback, Script, hang

PROMPT = "A vanitas still life: everything glows, nothing lasts."


@pytest.fixture(autouse=True)
def pictures(tmp_path: Path, png: Callable[..., bytes]) -> None:
    for name, colour in (("a", "teal"), ("b", "maroon")):
        (tmp_path / f"{name}.png").write_bytes(png(colour))


class ByPicture(Judge):
    """Prefers a picture, not a place: it says B where the maroon picture comes second, A where first."""

    def reply(self, stage: str, body: dict[str, object]) -> object:
        if stage.startswith("verdict"):
            self.prefers = "B" if "[A] a label" in json.dumps(body) else "A"
        return super().reply(stage, body)  # type: ignore[arg-type]


@pytest.fixture
def server() -> Iterator[tuple[Judge, str]]:
    judge = ByPicture()
    with Loopback(judge.app) as loopback:
        yield judge, f"{loopback.url}/v1"


def test_judge_prints_a_summary_and_writes_the_page_and_overlays(
    run: Run, server: tuple[Judge, str], tmp_path: Path
) -> None:
    _, url = server
    done = run(
        "judge",
        PROMPT,
        "a.png",
        "b.png",
        "--model",
        "m",
        "--base-url",
        url,
        "--html",
        "why.html",
        "--overlay",
        "over",
    )
    assert done.returncode == 0, done.stderr
    assert "B" in done.stdout
    assert "b interpretant" in done.stdout
    page = (tmp_path / "why.html").read_text()
    assert "everything glows" in page
    assert sorted(path.suffix for path in (tmp_path / "over").iterdir()) == [".png", ".png"]


def test_a_content_is_painted_in_a_style_and_shown(
    run: Run, server: tuple[Judge, str], tmp_path: Path, png: Callable[..., bytes]
) -> None:
    judge, url = server
    (tmp_path / "photo.png").write_bytes(png("gold"))
    words = ("judge", "Ukiyo-e woodblock", "a.png", "b.png", "--content", "photo.png", "--method", "direct")
    asking = ("--model", "m", "--base-url", url)
    plan = json.loads(run(*words, *asking, "--dry-run", "--json").stdout)
    assert (sum(stage["calls"] for stage in plan), judge.asked) == (2, [])
    done = run(*words, *asking, "--html", "why.html", "--json")
    assert done.returncode == 0, done.stderr
    prompt = json.loads(done.stdout)["pair"]["prompt"]
    assert (prompt["style"], [each["name"] for each in prompt["references"]]) == (
        "Ukiyo-e woodblock",
        ["photo.png"],
    )
    parts = judge.asked[0]["messages"][-1]["content"]
    said = "".join(part.get("text", "") for part in parts)
    assert (
        "Paint the content picture, which is given as the reference, in this style: Ukiyo-e woodblock" in said
    )
    assert sum(part["type"] == "image_url" for part in parts) == 3
    assert 'The content: <span dir="auto">photo.png</span>' in (tmp_path / "why.html").read_text()
    refused = run(*words, *asking, "--reference", "a.png")
    assert (refused.returncode, refused.stderr) == (
        2,
        "semiosis: --content names the one picture that is painted in a style: leave --reference out.\n",
    )


def test_json_is_the_whole_record_and_the_cache_makes_the_second_run_free(
    run: Run, server: tuple[Judge, str]
) -> None:
    judge, url = server
    args = ("judge", PROMPT, "a.png", "b.png", "--model", "m", "--base-url", url, "--json")
    first, second = run(*args), run(*args)
    assert len(judge.asked) == 4
    record = json.loads(second.stdout)
    assert record["kind"] == "judgment"
    assert [vote["winner"] for vote in record["votes"]] == ["b", "b"]
    assert all(call["cached"] for call in record["provenance"]["exchanges"])
    assert json.loads(first.stdout)["votes"] == record["votes"]
    run(*args, "--no-cache")
    assert len(judge.asked) == 8


def test_fail_under_decides_the_exit_code(run: Run, server: tuple[Judge, str]) -> None:
    _, url = server
    args = ("judge", PROMPT, "a.png", "b.png", "--model", "m", "--base-url", url)
    assert run(*args, "--fail-under", "0.5").returncode == 1
    assert run(*args, "--fail-under", "0").returncode == 0


def test_fail_under_says_why_it_failed(run: Run, server: tuple[Judge, str]) -> None:
    _, url = server
    args = ("judge", PROMPT, "a.png", "b.png", "--model", "m", "--base-url", url, "--json")
    judged = run(*args, "--fail-under", "0.5")
    assert judged.stderr == (
        "semiosis: The share of votes for A is 0, below --fail-under 0.5: 0 of 2 votes for A, 2 for B.\n"
    )
    assert run(*args, "--fail-under", "0").stderr == ""


def test_fail_under_says_why_an_undecided_judgment_failed(run: Run) -> None:
    with Loopback(Judge(prefers="A").app) as loopback:
        done = run(
            "judge",
            PROMPT,
            "a.png",
            "b.png",
            "--model",
            "m",
            "--base-url",
            f"{loopback.url}/v1",
            "--fail-under",
            "0.75",
        )
    assert (done.returncode, done.stderr) == (
        1,
        "semiosis: The share of votes for A is 0.5, below --fail-under 0.75: 1 of 2 votes for A, 1 for B.\n",
    )


def test_fail_under_says_why_a_failed_judgment_failed(run: Run) -> None:
    with Loopback(Script(refuses(401, "no")).app) as loopback:
        done = run(
            "judge",
            PROMPT,
            "a.png",
            "b.png",
            "--model",
            "m",
            "--base-url",
            f"{loopback.url}/v1",
            "--fail-under",
            "0.5",
        )
    assert done.returncode == 3
    assert done.stderr.startswith("semiosis: unauthorised: ")
    assert done.stderr.count("\n") == 1


def test_pictures_by_url(run: Run, server: tuple[Judge, str], png: Callable[..., bytes]) -> None:
    _, url = server

    async def picture(_: web.Request) -> web.Response:
        return web.Response(body=png("navy"), content_type="image/png")

    with Loopback(Script(picture).app) as files:
        done = run(
            "judge", PROMPT, f"{files.url}/n.png", "b.png", "--model", "m", "--base-url", url, "--json"
        )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pair"]["a"]["name"] == "n.png"


def test_a_failure_is_exit_3_and_says_its_kind(run: Run) -> None:
    key = "sk-very-secret-key-123456"
    with Loopback(Script(refuses(401, f"Incorrect API key provided: {key}")).app) as loopback:
        done = run(
            "judge",
            PROMPT,
            "a.png",
            "b.png",
            "--model",
            "m",
            "--base-url",
            f"{loopback.url}/v1",
            OPENAI_API_KEY=key,
        )
    assert done.returncode == 3
    assert "unauthorised" in done.stdout
    assert key not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_the_key_is_in_no_file_that_is_written(run: Run, server: tuple[Judge, str], tmp_path: Path) -> None:
    _, url = server
    key = "sk-very-secret-key-123456"
    done = run(
        "judge",
        PROMPT,
        "a.png",
        "b.png",
        "--model",
        "m",
        "--base-url",
        url,
        "--html",
        "why.html",
        "--json",
        OPENAI_API_KEY=key,
    )
    assert done.returncode == 0
    for path in [*tmp_path.rglob("*")]:
        assert path.is_dir() or key.encode() not in path.read_bytes()
    assert key not in done.stdout


def test_dry_run_asks_nothing_and_prints_calls_and_dollars(run: Run) -> None:
    done = run(
        "judge",
        PROMPT,
        "a.png",
        "b.png",
        "--model",
        "openai/gpt-5",
        "--dry-run",
        "--repeat",
        "3",
        "--json",
        OPENAI_API_KEY="x",
    )
    calls = {row["stage"]: row["calls"] for row in json.loads(done.stdout)}
    assert calls == {"prompt-graph-standard": 1, "picture-graphs-standard": 1, "verdict-standard": 6}
    assert all(row["cost_usd"] > 0 for row in json.loads(done.stdout))
    output = run(
        "judge", PROMPT, "a.png", "b.png", "--model", "openai/gpt-5", "--dry-run", OPENAI_API_KEY="x"
    )
    assert "together" in output.stdout


def test_a_key_that_is_missing_is_said_before_anything_is_sent(run: Run) -> None:
    done = run("judge", PROMPT, "a.png", "b.png", "--model", "openai/gpt-5")
    assert done.returncode == 2
    assert "needs a key: export OPENAI_API_KEY" in done.stderr
    plan = run("judge", PROMPT, "a.png", "b.png", "--model", "openai/gpt-5", "--dry-run", "--json")
    assert plan.returncode == 0


def test_two_servers_with_a_model_of_one_name_do_not_share_replies(
    run: Run, server: tuple[Judge, str]
) -> None:
    _, url = server
    other = Judge()
    args = ("judge", PROMPT, "a.png", "b.png", "--model", "m", "--json")
    with Loopback(other.app) as loopback:
        first = run(*args, "--base-url", url)
        second = run(*args, "--base-url", f"{loopback.url}/v1")
    assert len(other.asked) == 4
    assert json.loads(first.stdout)["votes"] != json.loads(second.stdout)["votes"]


def test_nothing_is_left_open(run: Run, server: tuple[Judge, str]) -> None:
    _, url = server
    done = run("judge", PROMPT, "a.png", "b.png", "--model", "m", "--base-url", url)
    assert done.stderr == ""


def test_a_useless_reply_is_not_kept(run: Run) -> None:
    script = Script(says("no idea"))
    with Loopback(script.app) as loopback:
        args = ("judge", PROMPT, "a.png", "b.png", "--model", "m", "--base-url", f"{loopback.url}/v1")
        assert [run(*args).returncode for _ in range(2)] == [3, 3]
    assert len(script.seen) == 4


def test_the_budget_stops_before_the_first_call_it_does_not_cover(run: Run) -> None:
    done = run(
        "judge",
        PROMPT,
        "a.png",
        "b.png",
        "--model",
        "openai/gpt-5",
        "--budget-usd",
        "0.001",
        OPENAI_API_KEY="x",
    )
    assert done.returncode == 4
    assert "budget" in done.stdout


def test_interpret_reads_a_picture_a_prompt_and_answers_a_question(
    run: Run, server: tuple[Judge, str], tmp_path: Path
) -> None:
    _, url = server
    to = ("--model", "m", "--base-url", url)
    picture = run("interpret", "a.png", *to, "--json")
    assert json.loads(picture.stdout)["reading"]["graph"]["root"]["object"] == "solo object"
    prompt = run("interpret", "--prompt", PROMPT, *to)
    assert "prompt object" in prompt.stdout
    (tmp_path / "q.json").write_text(
        json.dumps({"question": "Which?", "choices": {"A": "one", "B": "two"}, "answer": "B"})
    )
    answer = run("interpret", "a.png", "b.png", "--ask", "q.json", *to, "--html", "answer.html")
    assert answer.returncode == 0, answer.stderr
    assert "B" in answer.stdout
    assert (tmp_path / "answer.html").exists()
    graph = tmp_path / "graph.json"
    graph.write_text(picture.stdout)
    judgment = run("judge", PROMPT, "a.png", "b.png", *to, "--graph-a", "graph.json", "--json")
    assert json.loads(judgment.stdout)["cascade_a"]["rounds"][1]["made"] == "given"


def test_repeat_is_called_so_wherever_something_is_judged(run: Run) -> None:
    for command in ("judge", "run", "rank", "reward", "interpret"):
        assert "--repeat " in run(command, "--help").stdout, command


def test_a_question_may_be_asked_several_times(run: Run, server: tuple[Judge, str], tmp_path: Path) -> None:
    judge, url = server
    (tmp_path / "q.json").write_text(json.dumps({"question": "Which?", "choices": {"A": "one", "B": "two"}}))
    asking = ("interpret", "a.png", "--ask", "q.json", "--model", "m", "--base-url", url, "--repeat", "3")
    answer = run(*asking, "--json")
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["votes"] == ["B", "B", "B"]
    assert judge.stages().count("answer") == 3
    assert "Answered B by 3 of 3 votes" in run(*asking).stdout


BAD = {
    "repeats of a reading": (
        ("interpret", "a.png", "--repeat", "2", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"),
        "--repeat is for votes on a question: add --ask",
    ),
    "repeats of a method that measures": (
        (
            "judge",
            PROMPT,
            "a.png",
            "b.png",
            "--repeat",
            "2",
            "--method",
            "gap",
            "--model",
            "m",
            "--base-url",
            "http://127.0.0.1:9/v1",
        ),
        "The method gap has no option --repeat.",
    ),
    "no such file": (("judge", PROMPT, "nowhere.png", "b.png"), "There is no file nowhere.png"),
    "a text file named .png": (("judge", PROMPT, "text.png", "b.png"), "text.png is not a picture"),
    "the prompt in the middle": (
        ("judge", "a.png", "it glows", "b.png"),
        "a.png is a file, and the prompt comes first: semiosis judge 'it glows' a.png b.png",
    ),
    "the prompt last": (
        ("judge", "a.png", "b.png", PROMPT),
        f"the prompt comes first: semiosis judge '{PROMPT}' a.png b.png",
    ),
    "pictures and no prompt": (
        ("judge", "a.png", "b.png"),
        "Missing argument 'B' in semiosis judge [OPTIONS] PROMPT A B",
    ),
    "a prompt that looks like a picture": (
        ("judge", "nowhere.JPG", "b.png", "it glows"),
        "nowhere.JPG looks like a picture, and the prompt comes first: "
        "semiosis judge 'it glows' nowhere.JPG b.png",
    ),
    "a picture by URL for a prompt": (
        ("judge", "http://127.0.0.1:9/a.png?x=1", "b.png", "it glows"),
        "http://127.0.0.1:9/a.png?x=1 looks like a picture, and the prompt comes first",
    ),
    "an existing file for a prompt": (
        ("judge", "glow", "a.png", "b.png"),
        "glow is a file, and the prompt comes first",
    ),
    "only pictures to rank": (
        ("rank", "a.png", "b.png", "c.png"),
        "the prompt comes first: semiosis rank PROMPT a.png b.png c.png",
    ),
    "the prompt last in a ranking": (
        ("rank", "a.png", "b.png", "it glows"),
        "the prompt comes first: semiosis rank 'it glows' a.png b.png",
    ),
    "a prompt for a picture": (
        ("interpret", "Nothing lasts."),
        "There is no file 'Nothing lasts.'; a text is read with --prompt: "
        "semiosis interpret --prompt 'Nothing lasts.'",
    ),
    "an empty prompt": (("judge", " ", "a.png", "b.png"), "The prompt is empty"),
    "an empty file": (("judge", PROMPT, "empty.png", "b.png"), "empty.png is empty"),
    "the same picture twice": (("judge", PROMPT, "a.png", "a.png"), "the same picture"),
    "one picture": (
        ("judge", PROMPT, "a.png"),
        "Missing argument 'B' in semiosis judge [OPTIONS] PROMPT A B",
    ),
    "nothing": (("judge",), "Missing argument"),
    "three pictures": (("judge", PROMPT, "a.png", "b.png", "c.png"), "unexpected extra argument"),
    "an unknown option": (("judge", PROMPT, "a.png", "b.png", "--pretty"), "No such option"),
    "an unknown size": (("judge", PROMPT, "a.png", "b.png", "--size", "x"), "is not one of"),
    "no model": (("judge", PROMPT, "a.png", "b.png"), "The three easiest ways on"),
    "a model without a provider": (("judge", PROMPT, "a.png", "b.png", "--model", "gpt"), "provider/model"),
    "a page that is a folder": (
        (
            "judge",
            PROMPT,
            "a.png",
            "b.png",
            "--model",
            "m",
            "--base-url",
            "http://127.0.0.1:9/v1",
            "--html",
            ".",
        ),
        ". is a folder",
    ),
    "overlays into a file": (
        (
            "judge",
            PROMPT,
            "a.png",
            "b.png",
            "--model",
            "m",
            "--base-url",
            "http://127.0.0.1:9/v1",
            "--overlay",
            "a.png",
        ),
        "a.png is not a folder",
    ),
    "a method that is none": (
        ("judge", PROMPT, "a.png", "b.png", "--method", "os:getcwd"),
        "os:getcwd is neither a method",
    ),
    "markup in a name": (("judge", PROMPT, "a[/b].png", "b.png"), "There is no file a[/b].png"),
    "a URL with a space": (("judge", PROMPT, "http://127.0.0.1:9/a b.png", "b.png"), "cannot be fetched"),
    "an unknown provider": (("judge", PROMPT, "a.png", "b.png", "--model", "x/y"), "no provider 'x'"),
    "an unknown method": (
        (
            "judge",
            PROMPT,
            "a.png",
            "b.png",
            "--model",
            "openai/m",
            "--base-url",
            "http://127.0.0.1:9/v1",
            "--method",
            "x",
        ),
        "no method 'x'",
    ),
    "an option the method lacks": (
        (
            "judge",
            PROMPT,
            "a.png",
            "b.png",
            "--model",
            "m",
            "--base-url",
            "http://127.0.0.1:9/v1",
            "--method",
            "direct",
            "--graphs",
            "solo",
        ),
        "no option --graphs",
    ),
    "a budget without a price": (
        (
            "judge",
            PROMPT,
            "a.png",
            "b.png",
            "--model",
            "nobody-knows",
            "--base-url",
            "http://127.0.0.1:9/v1",
            "--budget-usd",
            "1",
        ),
        "No price is known",
    ),
    "a graph that is none": (
        ("judge", PROMPT, "a.png", "b.png", "--graph-a", "text.png"),
        "text.png is not a graph",
    ),
    "neither picture nor prompt": (("interpret",), "Give a picture or --prompt"),
    "two pictures without a question": (("interpret", "a.png", "b.png"), "One picture is read at a time"),
    "a question that is none": (("interpret", "a.png", "--ask", "text.png"), "text.png is not a question"),
    "an unknown sample": (("demo", "--only", "x"), "no sample 'x'"),
    "a URL that answers nothing": (
        ("judge", PROMPT, "http://127.0.0.1:9/x.png", "b.png"),
        "cannot be fetched",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence_and_exit_2(name: str, run: Run, tmp_path: Path) -> None:
    args, words = BAD[name]
    (tmp_path / "text.png").write_text("just text")
    (tmp_path / "empty.png").touch()
    (tmp_path / "glow").touch()
    done = run(*args)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize("command", [("judge", "-", "a.png", "b.png"), ("interpret", "--prompt", "-")])
def test_a_prompt_of_200_000_characters_is_refused(command: tuple[str, ...], run: Run) -> None:
    # One argument may hold at most 128 kB on Linux, so a prompt this long comes through standard input.
    done = run(*command, stdin="x" * 200_000)
    assert done.returncode == 2
    assert done.stderr == "semiosis: The prompt has 200,000 characters; at most 32,000 can be judged.\n"


def test_the_prompt_can_come_through_standard_input(run: Run, server: tuple[Judge, str]) -> None:
    _, url = server
    done = run(
        "judge", "-", "a.png", "b.png", "--model", "m", "--base-url", url, "--json", stdin=PROMPT + "\n"
    )
    assert json.loads(done.stdout)["pair"]["prompt"]["text"] == PROMPT


@pytest.mark.parametrize("prompt", ["A sign that says logo.png", "glows/", "a.b", "x" * 300])
def test_a_prompt_is_not_taken_for_a_file(prompt: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "glows").mkdir()
    done = run("judge", prompt, "a.png", "b.png", "--model", "openai/gpt-5", "--dry-run", OPENAI_API_KEY="x")
    assert done.returncode == 0, done.stderr


def test_a_prompt_with_the_line_ends_of_another_system_is_the_same_prompt(
    run: Run, server: tuple[Judge, str]
) -> None:
    _, url = server
    to = ("--model", "m", "--base-url", url, "--json")
    judged = run("judge", "-", "a.png", "b.png", *to, stdin="Everything glows,\r\nnothing lasts.\r\n")
    assert json.loads(judged.stdout)["pair"]["prompt"]["text"] == "Everything glows,\nnothing lasts."


def test_ctrl_c_ends_in_one_sentence(run: Run, tmp_path: Path) -> None:
    script = Script(hang)
    with Loopback(script.app) as loopback:
        args = ["judge", PROMPT, "a.png", "b.png", "--model", "m", "--base-url", f"{loopback.url}/v1"]
        process = subprocess.Popen(
            [sys.executable, "-m", "semiosis", *args], cwd=tmp_path, stderr=subprocess.PIPE, text=True
        )
        assert script.asked.wait(60)
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=60)
    assert (process.returncode, message) == (130, "semiosis: interrupted.\n")


def test_models_lists_what_is_in_reach(run: Run) -> None:
    listed = {row["provider"]: row for row in json.loads(run("models", "--json", OPENAI_API_KEY="x").stdout)}
    assert listed["openai"]["ready"]
    assert not listed["anthropic"]["ready"]
    assert {
        "ollama",
        "vllm",
        "llamacpp",
        "lmstudio",
        "openrouter",
        "gemini",
        "local",
        "transformers",
    } <= listed.keys()
    assert run("models").returncode == 0


def test_the_model_is_found_from_the_environment(run: Run, server: tuple[Judge, str]) -> None:
    _, url = server
    done = run("judge", PROMPT, "a.png", "b.png", "--json", SEMIOSIS_MODEL="openai/m", OPENAI_BASE_URL=url)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["provenance"]["exchanges"][0]["asked"] == "openai/m"


def test_demo_writes_an_index_and_its_pages(run: Run, tmp_path: Path) -> None:
    done = run("demo", "--to", "pages", "--only", "vanitas-screen", "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert (figures["judged"], figures["as_intended"], figures["questions_right"], figures["failed"]) == (
        3,
        2,
        2,
        0,
    )
    pages = {path.name for path in (tmp_path / "pages").iterdir()}
    assert "index.html" in pages
    assert len(pages) == 6


def test_help_has_an_example_for_every_command(run: Run) -> None:
    for command in ("judge", "interpret", "demo", "models"):
        output = run(command, "--help").stdout
        assert f"semiosis {command}" in output.split("Usage")[1].replace("Usage", "")
        assert "Example" in output


def test_a_picture_that_is_a_picture_but_odd_works(
    run: Run, server: tuple[Judge, str], tmp_path: Path
) -> None:
    _, url = server
    buffer = io.BytesIO()
    Image.new("CMYK", (1, 900)).save(buffer, "JPEG")
    (tmp_path / "odd name '; rm.jpg").write_bytes(buffer.getvalue())
    done = run(
        "judge", PROMPT, "odd name '; rm.jpg", "b.png", "--model", "m", "--base-url", url, "--html", "w.html"
    )
    assert done.returncode == 0, done.stderr
