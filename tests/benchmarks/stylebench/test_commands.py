"""`semiosis stylebench` as a person uses it, on a study with a known truth and on the published annotations."""

import json
import math
import random
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest

from command_line import Run
from semiosis.benchmarks.stylebench import layout
from semiosis.benchmarks.stylebench.annotations import as_row, load
from semiosis.benchmarks.stylebench.layout import Edition, Kind
from semiosis.benchmarks.stylebench.tasks import write
from semiosis.building.sampling import everywhere, per_instance
from stored import first_run

METHODS = ["brush", "etch", "glaze", "ink", "wash"]
SEVEN_JUDGES = tuple(word for name in "abcdefg" for word in ("--judge", f"{name}=good.json"))


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, "stylebench", COLUMNS="110")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Twelve instances, all ten pairs of five methods: people mostly like the one that is first by name.

    A good judge agrees nine times in ten and fails now and then; a contrary one says the opposite of people.
    """
    tasks = per_instance(everywhere([(str(n), "1") for n in range(12)], METHODS), 10, seed=1)
    write(tasks, tmp_path / "people.json")
    toss = random.Random(1)
    rows = json.loads((tmp_path / "people.json").read_text())
    good, contrary = [], []
    for row in rows:
        ahead = METHODS.index(row["method_right"]) - METHODS.index(row["method_left"])
        row["winner"] = "left" if toss.random() < 1 / (1 + math.exp(-1.5 * ahead)) else "right"
        other = "right" if row["winner"] == "left" else "left"
        good.append({**row, "winner": row["winner"] if toss.random() < 0.9 else other})
        contrary.append({**row, "winner": other})
    good[3]["winner"] = good[7]["winner"] = ""
    for name, table in (("people", rows), ("good", good), ("contrary", contrary)):
        (tmp_path / f"{name}.json").write_text(json.dumps(table))
    return tmp_path


def test_people_are_ranked_and_filters_told(run: Run, study: Path) -> None:
    done = run("people", "people.json")
    assert done.returncode == 0, done.stderr
    ranked = [line.split()[1] for line in done.stdout.splitlines() if line.strip()[:1].isdigit()]
    assert ranked == METHODS
    report = json.loads(run("people", "people.json", "--json").stdout)
    assert (report["rows"], report["decided"]) == (120, 120)
    assert report["kept"] == 0
    assert [step["groups_removed"] for step in report["steps"]] == [0, 12, 0]
    assert "small groups" not in done.stdout


def test_judges_are_scored_beside_always_a_and_over_a_base(run: Run, study: Path) -> None:
    judges = ("--judge", "good=good.json", "--judge", "contrary=contrary.json")
    done = run("score", "people.json", *judges, "--base", "contrary")
    assert done.returncode == 0, done.stderr
    assert done.stdout.index("always a") < done.stdout.index("good")
    assert "a preference for a side" in " ".join(done.stdout.split())
    report = json.loads(run("score", "people.json", *judges, "--base", "contrary", "--json").stdout)
    cards = {card["name"]: card for card in report["judges"]}
    assert cards["good"]["counts"] == {
        "rows": 120,
        "decided": 118,
        "undecided": 0,
        "failed": 2,
        "absent": 0,
    }
    assert cards["good"]["per_method"]["elo"]["value"] > 0.8
    assert cards["contrary"]["agreement"]["value"] == 0
    contrary = cards["contrary"]["per_method"]["bradley_terry"]
    assert contrary["value"] == pytest.approx(-1)
    assert contrary["p"] < 0.05
    assert contrary["p_greater"] > 0.95
    compared = report["compared"]
    assert (compared["base"], compared["rows"]) == ("contrary", 118)
    a, guess, good, contrary = compared["per_method"]["bradley_terry"]
    assert [each["name"] for each in (a, guess, good, contrary)] == [
        *("always a", "random guess", "good", "contrary")
    ]
    assert contrary["rho"] == pytest.approx(-1)
    assert good["change"] == pytest.approx((good["rho"] + 1) / 2)
    assert "reason" in cards["good"]["per_instance"]


def test_a_base_that_ranks_as_people_do_leaves_nothing_to_improve(run: Run, study: Path) -> None:
    done = run(
        "score",
        "people.json",
        "--judge",
        "people=people.json",
        "--judge",
        "good=good.json",
        "--base",
        "people",
    )
    assert done.returncode == 0, done.stderr
    assert "1.00 (" in done.stdout
    assert "There is no change: it ranks as people do" in done.stdout


def test_few_rows_are_ranked_with_a_prior_that_the_sentence_names(run: Run, tmp_path: Path) -> None:
    rows = [
        {
            "id": n,
            "content_index": n,
            "style_index": 1,
            "method_left": "a",
            "method_right": "b",
            "winner": "left",
        }
        for n in (1, 2)
    ]
    (tmp_path / "two.json").write_text(json.dumps(rows))
    refused = run("people", "two.json")
    assert refused.returncode == 2
    assert "--prior 0.1" in refused.stderr
    done = run("people", "two.json", "--prior", "0.1")
    assert done.returncode == 0, done.stderr
    assert "side effect cannot be estimated" in done.stdout


def test_rows_that_are_not_there_are_absent(run: Run, study: Path) -> None:
    (study / "few.csv").write_text("id,winner\n1,left\n2,right\n3,tie\n4,\n900,left\n")
    report = json.loads(run("score", "people.json", "--judge", "few=few.csv", "--json").stdout)
    counts = report["judges"][0]["counts"]
    assert counts == {"rows": 120, "decided": 2, "undecided": 1, "failed": 1, "absent": 116}


def test_a_judge_without_one_usable_verdict_is_exit_2(run: Run, study: Path) -> None:
    first_run(study / "first.sqlite")
    (study / "failed.csv").write_text("id,winner\n1,\n2,\n")
    (study / "header.csv").write_text("id,winner\n")
    (study / "empty.csv").write_text("")
    (study / "bare").write_text("id,winner\n")
    sentences = {
        "bare": "bare is in no format that is read here",
        "first.sqlite": "The run first holds no usable verdict on the 120 rows",
        "failed.csv": "failed.csv holds no usable verdict on the 120 rows that people decided: 2 of them failed",
        "header.csv": "header.csv has a header and no rows.",
        "empty.csv": "empty.csv is empty.",
    }
    (study / "semiosis-runs").mkdir()
    (study / "first.sqlite").rename(study / "semiosis-runs" / "by-m-1.5.sqlite")
    first_run(study / "first.sqlite")
    sentences["by-m-1.5"] = "The run by-m-1.5 holds no usable verdict on the 120 rows"
    for file, sentence in sentences.items():
        done = run("score", "people.json", "--judge", f"mine={file}")
        assert (done.returncode, done.stdout) == (2, "")
        assert sentence in done.stderr


@pytest.mark.parametrize("edition", ["extended", "paper"])
@pytest.mark.parametrize(("kind", "other"), [("global", "instance"), ("instance", "global")])
def test_verdicts_on_the_published_rows_of_the_other_kind_are_refused(
    kind: Kind, other: Kind, edition: Edition, run: Run, shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "fineartbench"
    rows = load(folder, kind, edition=edition)
    judged = [f"{row.id},{row.winner}" for row in rows if row.winner]
    (tmp_path / "judged.csv").write_text("\n".join(("id,winner", *judged)))
    (tmp_path / "all.csv").write_text("\n".join(("id,winner", *(f"{row.id},left" for row in rows))))
    (tmp_path / "kind.csv").write_text(
        "\n".join(("id,winner,kind", *(f"{row.id},left,{kind}" for row in rows)))
    )
    (tmp_path / "authors.json").write_text(json.dumps([as_row(row) for row in rows]))

    def scored(file: str, of: Kind, data: Path = folder) -> subprocess.CompletedProcess[str]:
        named = ("--judge", f"mine={file}", "--kind", of, "--edition", edition)
        return run("score", str(data), *named)

    assert scored("judged.csv", kind).returncode == 0
    done = scored("judged.csv", other)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"By its ids judged.csv is on {kind} rows" in done.stderr
    whole = layout.need(folder, layout.annotations(other, edition))
    assert f"By its ids judged.csv is on {kind} rows" in scored("judged.csv", "global", whole).stderr
    (tmp_path / "alone").mkdir()
    alone = shutil.copy(whole, tmp_path / "alone")
    done = scored("judged.csv", other, Path(alone))
    assert (done.returncode, "does not say whether its ids are those of" in done.stderr) == (2, True)
    for of in (kind, other):
        done = scored("all.csv", of)
        assert done.returncode == 2
        assert f"add a column `kind` with {of} in it" in done.stderr
    for file in ("kind.csv", "authors.json"):
        assert scored(file, kind).returncode == 0
        assert scored(file, other).returncode == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("people", "nowhere"), "nowhere"),
        (("score", "people.json", "--judge", "=good.json"), "--judge is a run, or a name and a file"),
        (("score", "people.json", "--judge", "nothing"), "There is no run nothing in semiosis-runs"),
        (
            ("score", "people.json", "--judge", "a=good.json", "--judge", "a=good.json"),
            "Two judges are called a",
        ),
        (("score", "people.json", "--judge", "a=nothing.json"), "There is no file or folder nothing.json"),
        (("score", "people.json", "--judge", "a=good.json", "--base", "b"), "There is no judge 'b'"),
        (("score", "people.json", "--judge", "a=good.json", "--by-attribute"), "no per-instance scores"),
        (("score", "people.json", "--judge", "a=good.json", "--plot", "f.svg"), "add --by-attribute"),
        (
            ("score", "people.json", "--by-attribute", "--plot", "f.svg", *SEVEN_JUDGES),
            "A plot tells 6 judges apart, not 7: name fewer.",
        ),
        (("sample", "nowhere", "--to", "tasks.json"), "There is no folder nowhere"),
        (("people", "people.json", "--plot", "out.gif"), "out.gif"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    run: Run, study: Path, words: tuple[str, ...], message: str
) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_published_annotations_come_out_as_published(run: Run, shared_data: Path) -> None:
    folder = str(shared_data / "fineartbench")
    words = ("--kind", "instance", "--edition", "paper", "--first", "1000", "--json")
    report = json.loads(run("people", folder, *words).stdout)
    steps = {step["rule"]: step for step in report["steps"]}
    assert (steps["undecided"]["removed"], steps["undecided"]["of"]) == (248, 1000)
    removed = steps["small groups"]["removed"], steps["feedback arcs"]["removed"]
    assert removed == (84, 56)
    assert round(sum(removed) / steps["small groups"]["of"], 3) == 0.186
    exact = json.loads(run("people", folder, *words, "--arcs", "exact").stdout)
    assert exact["steps"][-1]["removed"] == 0
    screen = run("people", folder, "--edition", "paper").stdout
    assert "1.730 (1.447 to 2.013)" in screen
    assert "not established" in screen


def test_the_first_rows_alone_are_scored_as_the_authors_do(
    run: Run, shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "fineartbench"
    rows = load(folder, "instance", edition="paper")
    (tmp_path / "a.csv").write_text("\n".join(("id,winner", *(f"{row.id},a" for row in rows if row.winner))))
    words = ("score", str(folder), "--kind", "instance", "--edition", "paper", "--judge", "mine=a.csv")
    done = run(*words, "--first", "1000")
    assert done.returncode == 0, done.stderr
    assert (
        "fineartbench: instance rows, paper edition, first 1,000 annotated rows, 752 decided by people"
        in (" ".join(done.stdout.split()))
    )
    part = done.stdout.partition("per instance, as the authors")[2]
    rhos = [line.split()[-4:] for line in part.splitlines() if line.startswith(("always a", "mine"))][:2]
    # People skipped rows that the authors' judges were asked about: always a has them, this file does not.
    assert rhos == [["0.334", "0.0325", "0.316", "0.0769"], ["0.367", "0.0019", "0.326", "0.0646"]]


def test_figure_3_and_the_ablation_are_told(run: Run, shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "fineartbench"
    for seed, name in enumerate(("full", "half")):
        toss = random.Random(seed)
        rows = []
        for row in load(folder, "instance", edition="paper"):
            if row.winner:
                other = "b" if row.winner == "a" else "a"
                faithful = toss.random() < (0.9 if name == "full" else 0.6)
                rows.append({"id": row.id, "winner": row.winner if faithful else other})
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    judges = ("--judge", "full=full.jsonl", "--judge", "half=half.jsonl", "--base", "full")
    done = run("score", str(folder), "--kind", "instance", "--edition", "paper", *judges, "--by-attribute")
    assert done.returncode == 0, done.stderr
    for words in ("over full, per instance", "style.prompt_length", "content.element_density", "KRCC"):
        assert words in done.stdout
    report = json.loads(
        run(
            "score",
            str(folder),
            "--kind",
            "instance",
            "--edition",
            "paper",
            *judges,
            "--by-attribute",
            "--json",
        ).stdout
    )
    parts = {(part["attribute"], part["value"]): part for part in report["by_attribute"]["full"]}
    lengths = [parts["style.prompt_length", each]["instances"] for each in ("short", "medium")]
    assert sum(lengths) <= len(report["judges"][0]["per_instance"]["instances"])
    changes = {each["name"]: each["change"] for each in report["compared"]["per_instance"]["averaged"]}
    assert changes["full"] == 0
    assert changes["half"] < 0


def test_figure_3_is_drawn_a_row_a_value_and_a_mark_a_judge(
    run: Run, drawn_fineartbench: Path, tmp_path: Path
) -> None:
    for name, flip in (("good", 0), ("poor", 3)):
        rows = [row for row in load(drawn_fineartbench, "instance") if row.winner]
        turned = {"a": "b", "b": "a"}
        verdicts = [
            turned[row.winner] if flip and at % flip == 0 else row.winner
            for at, row in enumerate(rows)
            if row.winner
        ]
        table = [f"{row.id},{verdict}" for row, verdict in zip(rows, verdicts, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(("id,winner", *table)))
    words = (
        "score",
        "FineArtBench",
        "--kind",
        "instance",
        "--judge",
        "good=good.csv",
        "--judge",
        "poor=poor.csv",
    )
    done = run(*words, "--by-attribute", "--plot", "figure3.svg")
    assert (done.returncode, done.stderr) == (0, "plot: figure3.svg\n")
    figure = (tmp_path / "figure3.svg").read_text()
    texts = re.findall(r">([^<>]+)</text>", figure)
    groups = [text for text in texts if ": " in text and "," not in text]
    assert groups == [
        "style: prompt length",
        "style: taxonomy",
        "content: element density",
        "content: color diversity",
    ]
    rows = [
        text
        for text in texts
        if text in ("all instances", "short", "long", "art movement", "medium", "High", "Low")
    ]
    assert rows == ["all instances", "short", "long", "art movement", "medium", "Low", "High"]
    assert texts[texts.index("all instances") + 1] == "3"
    assert {"always a", "good", "poor", "rho by Elo", "rho by Bradley-Terry"} <= set(texts)
    assert "FineArtBench: instance rows, extended edition" in figure


def test_tasks_are_drawn_with_sides_by_a_coin(run: Run, shared_data: Path, tmp_path: Path) -> None:
    folder = str(shared_data / "fineartbench")
    methods = [word for method in METHODS for word in ("--method", method)]
    done = run("sample", folder, "--kind", "instance", "--tasks", "30", "--to", "tasks.json", *methods)
    assert done.returncode == 0, done.stderr
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    assert len(tasks) == 30 * 10
    assert {task["winner"] for task in tasks} == {""}
    brush_left = sum(task["method_left"] == "brush" for task in tasks)
    brush_right = sum(task["method_right"] == "brush" for task in tasks)
    assert min(brush_left, brush_right) > 30
    assert all(task["style_prompt"] for task in tasks)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_every_name_and_number_is_whole_at_any_width(
    width: int, run: Run, shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "fineartbench"
    name, other = "gemini-3.1-flash-lite-artcot-solo", "gemini-3.1-flash-lite-artcot-joint"
    for judge, every in ((name, 7), (other, 3)):
        rows = [row for row in load(folder, "instance") if row.winner]
        verdicts = [f"{row.id},{'a' if int(row.id) % every == 0 else row.winner}" for row in rows]
        (tmp_path / f"{judge}.csv").write_text("\n".join(("id,winner", *verdicts)))
    judges = ("--judge", f"{name}={name}.csv", "--judge", f"{other}={other}.csv", "--base", other)
    score = ("score", str(folder), "--kind", "instance", *judges, "--by-attribute")
    cards = json.loads(run(*score, "--json").stdout)
    whole = [
        name,
        other,
        "always a",
        "per method",
        "per method, as the authors",
        "per instance",
        f"over {other}, per",
    ]
    for card in (cards["always_a"], *cards["judges"]):
        agreed = card["agreement"]
        whole.append(f"{agreed['value']:.1%} ({agreed['low'] * 100:.1f} to {agreed['high'] * 100:.1f})")
        for scored in (card["per_method"], card["per_instance"]):
            for rho in (scored["elo"], scored["bradley_terry"]):
                whole.append(f"{rho['value']:z.2f} ({rho['low']:z.2f} to {rho['high']:z.2f})")
    for part in cards["by_attribute"][name]:
        whole += [part["attribute"], part["value"]]
    people = json.loads(run("people", str(folder), "--json").stdout)["rankings"]["bradley_terry"]["ratings"]
    ranked = [
        each
        for rating in people
        for each in (rating["item"], f"{rating['value']:.3f} ({rating['low']:.3f} to {rating['high']:.3f})")
    ]
    cells = {score: whole, ("people", str(folder)): [*ranked, "Bradley-Terry", "Elo", "comparisons"]}
    for words, expected in cells.items():
        output = run(*words, COLUMNS=str(width)).stdout
        lines = output.splitlines()
        assert [each for each in expected if not any(each in line for line in lines)] == []
        assert [line for line in lines if len(line.rstrip()) > width] == []
        assert "…" not in output
        assert not re.search(r"-0\.0+(?![0-9])", output)
