"""`semiosis audit` from end to end: planted judges, a real server, a run that goes on, a page."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from audited import Drawings
from chat import Judge
from command_line import Done, Run, RunHere
from loopback import Loopback
from semiosis.core.kinds.pair import PairItem

Audit = Callable[..., Done]


@pytest.fixture
def audit(run_here: RunHere, tmp_path: Path) -> Audit:
    """An audit of nine prompts with three small pictures each, in the place of the bundled ones."""
    rows: list[dict[str, Any]] = []
    for row in Drawings().candidates():
        item = row.make()
        assert isinstance(item, PairItem)
        pictures = {side: f"{item.pair.side(side).sha256[:12]}.png" for side in ("a", "b")}
        for side, name in pictures.items():
            (tmp_path / name).write_bytes(item.pair.side(side).read())  # type: ignore[arg-type]
        rows.append({"id": item.id, "prompt": item.words, **pictures, "winner": item.label})
    (tmp_path / "pairs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    def call(method: str, *args: str) -> Done:
        return run_here("audit", method, "--items", "pairs.jsonl", "-q", *args)

    return call


def report(done: Done) -> dict[str, Any]:
    assert done.code == 0, done.err
    return json.loads(done.out)


def by_test(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["test"]: each["finding"] for each in told["tests"]}


@pytest.mark.parametrize(
    ("method", "accused"),
    [
        ("biased:AlwaysLeft", ["side"]),
        ("biased:LeftUnsaid", ["side"]),
        ("biased:LargerFile", ["file-format"]),
        ("biased:BlurredLoses", ["blurred"]),
        ("biased:Sharpness", ["blurred"]),
        ("biased:Constant", []),
    ],
)
def test_what_was_planted_in_a_judge_is_found_and_nothing_else(
    method: str, accused: list[str], audit: Audit
) -> None:
    told = report(audit(method, "--json"))
    assert told["accused"] == accused
    label = {"biased:Sharpness": "sharpness", "biased:Constant": "constant"}.get(method, method)
    assert (told["run"], told["method"], told["models"]) == (
        f"audit-of-pairs-{label.replace(':', '-')}",
        label,
        {},
    )
    findings = by_test(told)
    assert [findings[name]["n"] for name in ("blurred", "file-format", "side", "prompt-length")] == [
        *(27, 27, 27, 18)
    ]


def test_a_blur_is_against_and_a_larger_file_towards_what_was_planted(audit: Audit) -> None:
    findings = by_test(report(audit("biased:Sharpness", "--json", "--test", "blurred", "--test", "framed")))
    assert findings["blurred"]["effect"] == pytest.approx(
        {"value": 0.0, "low": 0.0, "high": 0.12455}, abs=1e-4
    )
    assert (findings["blurred"]["against"], findings["framed"]["ties"]) == (27, 27)
    assert set(findings) == {"blurred", "framed"}


def test_a_scorer_has_no_side_and_what_refuses_has_no_number(audit: Audit) -> None:
    findings = by_test(report(audit("biased:Constant", "--json")))
    assert "there is no side" in findings["side"]["obstacle"]
    assert findings["iconicity"]["obstacle"] == "The judge decides nothing, so there is no difference."
    done = audit("biased:RefusesFrames", "--html", "audit.html")
    assert done.code == 0, done.err
    assert re.search(r"framed +Not one of its items has a result\. +27", done.out)
    assert "27 of 268 failed" in done.err
    assert "refused: No frames, please." in done.err


@pytest.fixture
def server() -> Iterator[tuple[Judge, tuple[str, ...]]]:
    judge = Judge(prefers="A")
    with Loopback(judge.app) as loopback:
        yield judge, ("--model", "m", "--base-url", f"{loopback.url}/v1")


SOME = ("--test", "side", "--test", "blurred", "--test", "prompt-length", "--limit", "12")


def test_a_model_that_always_says_a_is_accused_by_its_votes_though_its_verdicts_are_ties(
    audit: Audit, server: tuple[Judge, tuple[str, ...]]
) -> None:
    judge, model = server
    told = report(audit("direct", *model, *SOME, "--json"))
    assert told["accused"] == ["side"]
    assert told["models"] == {"judge": "custom/m"}
    findings = by_test(told)
    assert (findings["side"]["towards"], findings["side"]["n"]) == (12, 12)
    assert (findings["blurred"]["ties"], findings["blurred"]["n"]) == (12, 12)
    assert (findings["prompt-length"]["ties"], findings["prompt-length"]["n"]) == (8, 8)
    # The pairs of `side` and those of `prompt-length` under their own prompts are the same questions.
    assert len(judge.asked) == 2 * (12 + 12 + 8)


def test_an_audit_is_planned_capped_and_gone_on_with(
    audit: Audit, run_here: RunHere, server: tuple[Judge, tuple[str, ...]]
) -> None:
    judge, model = server
    planned = audit("direct", *model, *SOME, "--dry-run", "--json")
    assert [stage["calls"] for stage in json.loads(planned.out)] == [2 * (12 + 12 + 8)]
    assert judge.asked == []
    first = audit("direct", *model, *SOME[:2], "--limit", "3", "--name", "first")
    assert first.code == 0, first.err
    assert len(judge.asked) == 6
    again = audit("direct", *model, *SOME[:2], "--limit", "12", "--name", "first")
    assert (again.code, "go on with --resume" in again.err) == (2, True)
    told = report(audit("direct", *model, *SOME, "--name", "first", "--resume", "--json"))
    assert (told["run"], told["accused"], len(judge.asked)) == ("first", ["side"], 2 * (12 + 12 + 8))
    bundled = run_here("audit", "direct", *model, "--name", "first", "--resume", "-q")
    assert bundled.code == 2
    assert "begun with items from audit of pairs.jsonl, not audit" in " ".join(bundled.err.split())
    shown = run_here("runs", "show", "first", "--json")
    assert [table["title"] for table in json.loads(shown.out)["tables"]][:2] == [
        "audit, what came out",
        "audit, what was counted",
    ]


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--test", "blured"), "There is no bias test 'blured' (did you mean blurred?)"),
        (("--retry-failed",), "--retry-failed goes on with a run: add --resume."),
        (("--set", "colour=7"), "has no setting 'colour'"),
        (("--html", "."), ". is a folder."),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    args: tuple[str, ...], sentence: str, audit: Audit
) -> None:
    done = audit("biased:Constant", *args)
    assert done.code == 2
    assert sentence in " ".join(done.err.split())
    assert done.out == ""


def test_a_method_that_judges_no_pairs_is_refused_before_anything_is_asked(
    audit: Audit, tmp_path: Path
) -> None:
    done = audit("biased:AnswersOnly", "--test", "side")
    assert done.code == 2
    assert "biased:AnswersOnly takes no pair items, such as side/0/1/ab" in " ".join(done.err.split())
    assert not (tmp_path / "semiosis-runs").exists()


def test_the_page_shows_each_finding_each_plant_and_what_could_not_be_asked(
    audit: Audit, tmp_path: Path
) -> None:
    done = audit("biased:Sharpness", "--html", "audit.html")
    assert done.code == 0, done.err
    assert "1 of 8 tests accuses it: blurred." in " ".join(done.out.split())
    page = (tmp_path / "audit.html").read_text("utf-8")
    assert "<h1>1 of 8 tests accuses it</h1>" in page
    assert page.count('class="strip"') == 8
    assert page.count('<strong class="doubt">accused</strong>') == 2
    assert re.search(r"<dt>side</dt><dd>No vote says which picture was shown first", page)
    assert "blurred, 96 x 72 pixels, JPEG" in page
    assert "The lines around the request only say that it is one" in page
    assert page.count("data:image/") >= 16
    record = json.loads(re.findall(r'id="record">(.*?)</script>', page, re.S)[0])
    assert record["accused"] == ["blurred"]
    assert not re.search(r"(src|href)=\"(?!data:|#)", page)


def test_the_page_begins_with_what_accuses(audit: Audit, tmp_path: Path) -> None:
    done = audit("biased:AlwaysLeft", "--test", "blurred", "--test", "side", "--html", "audit.html")
    assert done.code == 0, done.err
    page = (tmp_path / "audit.html").read_text("utf-8")
    assert re.findall(r'href="#(test-[a-z]+)"', page) == ["test-side", "test-blurred"]
    assert page.count("It chose A.") == 3


def test_only_what_was_asked_is_reported_and_what_was_asked_before(audit: Audit) -> None:
    def tests(*asked: str) -> list[str]:
        args = [arg for name in asked for arg in ("--test", name)]
        told = report(audit("biased:AlwaysLeft", *args, "--name", "one", "--resume", "--json"))
        return [each["test"] for each in told["tests"]]

    audit("biased:AlwaysLeft", "--test", "framed", "--name", "one")
    assert tests("framed") == ["framed"]
    assert sorted(tests("blurred")) == ["blurred", "framed"]


OTHERS = """
from semiosis.benchmarks import FinishTest, bias_test


@bias_test("mirrored")
class Mirrored(FinishTest):
    planted = "The same picture twice, one copy of it mirrored."
    fair = "Half of the choices for the mirrored copy."
    measure = "choices for the mirrored copy"

    def altered(self, image):
        return image.transpose(0)
"""


def test_a_test_of_another_package_is_asked_with_the_others(audit: Audit, run: Run, tmp_path: Path) -> None:
    """`audit` writes the pairs; a process of its own finds the package."""
    (tmp_path / "others.py").write_text(OTHERS)
    info = tmp_path / "others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[semiosis.bias_tests]\nmirrored = others:Mirrored\n")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    done = run(
        *("audit", "biased:AlwaysLeft", "--items", "pairs.jsonl", "--limit", "9", "-q", "--json"),
        *("--test", "mirrored", "--test", "side"),
        PYTHONPATH=path,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["accused"] == ["side"]
    finding = by_test(told)["mirrored"]
    assert (finding["n"], finding["towards"], finding["measure"]) == (9, 5, "choices for the mirrored copy")
