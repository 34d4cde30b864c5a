"""Scores from inspect_ai's logs: a zip as inspect_ai 0.3.285 lays it out, and a real log where it is installed."""

import json
import math
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from semiosis.core.errors import BadRecord
from semiosis.runs.inspect_logs import InspectScore, SampleError, ScorerSummary, read_log, scores

ABOUT = {"version": 2, "eval": {"task": "vanitas", "model": "mockllm/model"}, "plan": {"steps": []}}


def score(value: Any, **more: Any) -> dict[str, Any]:
    return {"value": value, "history": [], **more}


def sample(id: str | int, epoch: int, values: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "epoch": epoch,
        "input": "x",
        "target": "y",
        "scores": values,
        "completed": True,
        **more,
    }


SAMPLES = [
    sample(1, 1, {"match": score("C", answer="B", explanation="why"), "both": score({"x": 1, "y": 2.5})}),
    sample("two", 1, {"match": score("P"), "both": score({"x": 0, "y": 0.5})}),
    sample("two", 2, {"match": score(math.nan)}, error="RuntimeError('no luck')"),
    sample(3, 1, {}, error={"message": "timed out", "traceback": "..."}),
]


def log(path: Path, entries: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in entries.items():
            archive.writestr(name, json.dumps(value))
    return path


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    entries: dict[str, Any] = {"_journal/start.json": ABOUT}
    entries |= {f"samples/{each['id']}_epoch_{each['epoch']}.json": each for each in SAMPLES}
    entries |= {
        "_journal/summaries/1.json": SAMPLES,
        "summaries.json": SAMPLES,
        "header.json": {**ABOUT, "status": "success", "results": {}},
    }
    return log(tmp_path / "x.eval", entries)


def test_every_score_is_read_with_its_sample(whole: Path) -> None:
    entries = list(scores(whole))
    assert entries[0] == InspectScore(1, 1, "match", "C", "B", "why")
    assert [(each.sample_id, each.scorer, each.number) for each in entries] == [
        (1, "match", 1.0),
        (1, "both.x", 1.0),
        (1, "both.y", 2.5),
        ("two", "match", 0.5),
        ("two", "both.x", 0.0),
        ("two", "both.y", 0.5),
        ("two", "match", None),
    ]


def test_a_log_at_a_glance(whole: Path) -> None:
    glance = read_log(whole)
    assert (glance.task, glance.model, glance.status, glance.samples) == (
        "vanitas",
        "mockllm/model",
        "success",
        4,
    )
    # What was not scored is in no mean.
    assert glance.scored == (
        ScorerSummary("match", 3, 2, 0.75),
        ScorerSummary("both.x", 2, 2, 0.5),
        ScorerSummary("both.y", 2, 2, 1.5),
    )
    assert glance.errors == (SampleError("two", 2, "RuntimeError('no luck')"), SampleError(3, 1, "timed out"))


def test_a_log_that_was_not_finished_is_read_from_its_journal(tmp_path: Path) -> None:
    again = sample(1, 1, {"match": score("I")})
    journal = {f"_journal/summaries/{number}.json": [SAMPLES[1]] for number in range(2, 11)}
    entries = {
        "_journal/start.json": ABOUT,
        "_journal/summaries/1.json": [SAMPLES[0]],
        **journal,
        "_journal/summaries/11.json": [again],
    }
    glance = read_log(log(tmp_path / "x.eval", entries))
    assert (glance.status, glance.samples) == ("started", 2)
    assert glance.scored[0] == ScorerSummary("match", 2, 2, 0.25)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (True, 1.0),
        (3, 3.0),
        ("I", 0.0),
        ("N", 0.0),
        ("Yes", 1.0),
        ("0.5", 0.5),
        ("perhaps", None),
        ([1], None),
        (None, None),
    ],
)
def test_values_count_as_inspect_counts_them(value: Any, number: float | None) -> None:
    assert InspectScore(1, 1, "s", value, None, None).number == number


def test_a_log_in_zstd_says_what_reads_it(whole: Path) -> None:
    # The method's number, in each local header (at 8) and each entry of the directory (at 10).
    data = bytearray(whole.read_bytes())
    for mark, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = data.find(mark)
        while place >= 0:
            data[place + at : place + at + 2] = (93).to_bytes(2, "little")
            place = data.find(mark, place + 4)
    whole.write_bytes(bytes(data))
    readable = hasattr(zipfile, "ZIP_ZSTANDARD") or find_spec("zipfile_zstd")
    words = "is damaged" if readable else r"compressed with zstd.*pip install zipfile-zstd"
    with pytest.raises(BadRecord, match=words):
        read_log(whole)


BAD: dict[str, dict[str, Any]] = {
    "another zip": {"a.txt": "x"},
    "a digest of something else": {"header.json": ABOUT, "summaries.json": {"a": 1}},
    "samples without an id": {"header.json": ABOUT, "summaries.json": [{"epoch": 1}]},
    "a score without a value": {"header.json": ABOUT, "summaries.json": [sample(1, 1, {"s": {}})]},
}


@pytest.mark.parametrize("name", BAD)
def test_a_zip_that_is_no_log_is_one_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match=r"x\.eval cannot be read as a log"):
        list(scores(log(tmp_path / "x.eval", BAD[name])))


def test_a_file_that_is_no_zip_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.eval").write_text("text")
    with pytest.raises(BadRecord, match=r"x\.eval cannot be read as a log"):
        read_log(tmp_path / "x.eval")
    with pytest.raises(BadRecord, match="There is no file"):
        read_log(tmp_path / "none.eval")


@pytest.mark.filterwarnings("default")
def test_a_real_log_gives_what_inspect_reports(tmp_path: Path) -> None:
    inspect_ai: Any = pytest.importorskip("inspect_ai")
    dataset: Any = pytest.importorskip("inspect_ai.dataset")
    model: Any = pytest.importorskip("inspect_ai.model")
    scorer: Any = pytest.importorskip("inspect_ai.scorer")

    def said(text: str) -> Any:
        output = model.ModelOutput.from_content("mockllm/model", text)
        # With a usage of its own, the mock needs no tokenizer from the network.
        output.usage = model.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    samples = [dataset.Sample(id=number, input="x", target="glow") for number in (1, 2)]
    task = inspect_ai.Task(dataset=samples, scorer=scorer.match(), epochs=2)
    mock = model.get_model("mockllm/model", custom_outputs=[said(w) for w in ("glow", "dim", "glow", "glow")])
    (report,) = inspect_ai.eval(task, model=mock, log_dir=str(tmp_path), display="none", max_connections=1)
    glance = read_log(Path(report.location.removeprefix("file://")))
    reported = report.results.scores[0].metrics["accuracy"].value
    assert (glance.samples, glance.status) == (4, "success")
    assert glance.scored == (ScorerSummary("match", 4, 4, pytest.approx(reported)),)
