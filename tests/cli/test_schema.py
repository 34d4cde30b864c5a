"""`semiosis schema`: what is printed as JSON is as published, and a script can name every key of it."""

import json
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from atelier import Atelier, give_contents, give_keywords
from chat import Judge, refuses
from command_line import RunHere
from critic import PROMPT, Critic, hang_up
from loopback import Loopback, Script
from semiosis.benchmarks.stylebench.tasks import write
from semiosis.building.sampling import everywhere, per_instance
from semiosis.cli.schema import kinds, published
from semiosis.runs.store import Store
from stored import about, first_run, judged, pair_item, second_run, settle

Call = Callable[..., Any]
RESULTS = ("3,2", "2,2", "3,3", "4,5", "5,4", "1,1")
MET = ("cat,dog,left", "dog,cow,left", "cow,cat,left", "cat,dog,tie", "cat,cow,")

COMMANDS = {
    "judgment": ("judge", PROMPT, "0.png", "1.png", "TO"),
    "failure": ("judge", PROMPT, "0.png", "1.png", "REFUSED"),
    "interpretation": ("interpret", "0.png", "JUDGE"),
    "cascade": ("interpret", "0.png", "1.png", "--rounds", "--prompt", PROMPT, "JUDGE"),
    "answer": ("runs", "show", "first", "--item", "question/1"),
    "score": ("runs", "show", "first", "--item", "rating/1"),
    "ranking": ("rank", PROMPT, "0.png", "1.png", "2.png", "--method", "direct", "-q", "TO"),
    "summary": ("run", "pairs.jsonl", "--name", "third", "-q", "TO"),
    "summaries": (
        *("run", "pairs.jsonl", "--method", "direct", "--method", "random", "--name", "both", "-q"),
        "TO",
    ),
    "estimates": (
        *("run", "pairs.jsonl", "--method", "direct", "--method", "contrast", "--dry-run"),
        *("--model", "openai/gpt-5"),
    ),
    "audit": ("audit", "random", "--test", "side", "-q"),
    "methods": ("methods",),
    "method": ("methods", "viescore"),
    "runs": ("runs", "list"),
    "failures": ("runs", "show", "first", "--failures"),
    "bad-rows": ("runs", "show", "first", "--bad-rows"),
    "coin-flips": ("runs", "show", "unsure", "--coin-flips"),
    "flips": ("runs", "show", "unsure", "--flipped"),
    "log": ("runs", "show", "x.eval"),
    "comparison": ("runs", "compare", "first", "second", "--items"),
    "talk": ("runs", "talk", "first", "second"),
    "ranks": ("methods", "compare", "sure", "unsure"),
    "estimate": ("judge", PROMPT, "0.png", "1.png", "--dry-run", "--model", "openai/gpt-5"),
    "models": ("models",),
    "demo": ("demo", "--only", "vanitas-screen"),
    "ratings": ("stats", "rate", "votes.csv", "--side", "--prior", "0.1"),
    "agreement": ("stats", "agree", "ratings.csv"),
    "correlation": ("stats", "correlate", "ratings.csv", "--x", "ann", "--y", "bea", "--within", "item"),
    "correlations": ("stats", "correlate", "ratings.csv", "--columns", "ann,bea"),
    "certainty": ("stats", "certainty", "verdicts.csv", "--certainty", "sure", "--against", "right"),
    "people": ("stylebench", "people", "people.json"),
    "scorecards": ("stylebench", "score", "people.json", "--judge", "x=people.json", "--base", "x"),
    "build": (
        "build",
        "stylebench",
        "mine",
        "--contents",
        "photos",
        "--keywords",
        "keywords.txt",
        "-q",
        "AT",
    ),
}


@pytest.fixture
def call(tmp_path: Path, run_here: RunHere) -> Iterator[Call]:
    """A command's JSON, in a folder with something of everything. TO, JUDGE, REFUSED and AT name servers."""
    hang_up(tmp_path, 3)
    (tmp_path / "pairs.jsonl").write_text(
        json.dumps({"prompt": PROMPT, "a": "0.png", "b": "1.png", "winner": "a"}) + "\n"
    )
    (tmp_path / "votes.csv").write_text("\n".join(("left,right,winner", *MET, "")))
    (tmp_path / "ratings.csv").write_text(
        "\n".join(("item,ann,bea", *(f"{n // 3},{row}" for n, row in enumerate(RESULTS)), ""))
    )
    (tmp_path / "verdicts.csv").write_text("sure,right\n" + "5,true\n4,true\n4,false\n1,false\n" * 5)
    first_run(tmp_path / "semiosis-runs" / "first.sqlite")
    second_run(tmp_path / "semiosis-runs" / "second.sqlite")
    item = pair_item(1, {})
    for name, verdict in (("unsure", judged(item, "a", "b", certainty=1)), ("sure", judged(item, "a", "a"))):
        with Store.create(tmp_path / "semiosis-runs" / f"{name}.sqlite", about(name)) as store:
            settle(store, 1, item, verdict)
    give_contents(tmp_path / "photos", 2)
    give_keywords(tmp_path / "keywords.txt")
    tasks = per_instance(everywhere([(str(n), "1") for n in range(4)], ["brush", "etch", "ink"]), 3, seed=1)
    write(tasks, tmp_path / "people.json")
    toss = random.Random(1)
    rows = [
        row | {"winner": toss.choice(("left", "right"))}
        for row in json.loads(Path("people.json").read_text())
    ]
    (tmp_path / "people.json").write_text(json.dumps(rows))
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as log:
        log.writestr("header.json", json.dumps({"eval": {"task": "t", "model": "m"}, "status": "success"}))
        scored = {"id": 1, "epoch": 1, "scores": {"exact": {"value": "C"}}, "error": "none"}
        log.writestr("summaries.json", json.dumps([scored]))
    critic, atelier, refusing = Critic([0.0, 1.0, 2.0]), Atelier(), Script(refuses(401, "no"))
    with (
        Loopback(critic.app) as to,
        Loopback(Judge().app) as judge,
        Loopback(refusing.app) as refused,
        Loopback(atelier.app) as at,
    ):
        servers = {"TO": to, "JUDGE": judge, "REFUSED": refused, "AT": at}

        def run(*args: str) -> Any:
            server = servers.get(args[-1])
            asking = ("--model", "m", "--base-url", f"{server.url}/v1") if server else args[-1:]
            done = run_here(*args[:-1], *asking, "--json")
            assert done.out, done.err
            return json.loads(done.out)

        yield run


@pytest.mark.parametrize("kind", kinds())
def test_what_is_printed_is_as_published_and_no_key_of_it_has_a_space(kind: str, call: Call) -> None:
    printed = call(*COMMANDS[kind])
    assert printed
    Draft202012Validator(published(kind)).validate(printed)
    assert [key for key in keys(printed) if not key or any(map(str.isspace, key))] == []


@pytest.mark.parametrize("kind", kinds())
def test_a_schema_names_every_key_there_may_be(kind: str) -> None:
    schema = published(kind)
    described = [schema, *schema.get("$defs", {}).values()]
    objects = [each for each in described if "properties" in each]
    assert objects
    assert [each["title"] for each in objects if each.get("additionalProperties") is not False] == []


def test_a_number_may_be_null_since_json_has_none_that_is_not_finite(call: Call) -> None:
    summary = call(*COMMANDS["summary"])
    schema = Draft202012Validator(published("summary"))
    assert schema.is_valid(summary | {"total": summary["total"] | {"cost_usd": None}})
    assert not schema.is_valid(summary | {"total": summary["total"] | {"calls": None}})


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys(each)


def test_the_winner_of_a_judgment_is_at_the_top(call: Call) -> None:
    judgment = call(*COMMANDS["judgment"])
    assert list(judgment)[:5] == ["schema", "kind", "winner", "preference", "flipped"]
    assert judgment["preference"] in (0.0, 0.5, 1.0)


def test_an_unknown_kind_is_told_which_it_may_be(run_here: RunHere) -> None:
    done = run_here("schema", "jugment")
    assert done.code == 2
    assert "There is no kind of JSON 'jugment' (did you mean judgment?); there are" in done.err
