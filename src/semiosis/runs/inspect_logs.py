"""Scores from inspect_ai's `.eval` logs, without inspect_ai: a log is a zip of JSON.

    for score in scores(Path("log.eval")):
        print(score.sample_id, score.scorer, score.number)

What is read is the log's own digest of its samples, a small part of it; inspect_ai cuts the answers and
explanations in it at about a thousand characters.
"""

import json
import math
import sys
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from ..core.errors import BadRecord

SUFFIX = ".eval"
_HEADER, _DIGEST = "header.json", "summaries.json"
# The log of an evaluation that still runs, or was killed, has these instead.
_BEGINNING, _JOURNAL = "_journal/start.json", "_journal/summaries/"
_FAULTS = (zipfile.BadZipFile, OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError)
_ZSTD = "zipfile_zstd"
# As inspect_ai itself counts: correct, partial, incorrect, no answer.
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@dataclass(frozen=True)
class InspectScore:
    """One score of one sample. A scorer that gives several values is named with each: `scorer.value`."""

    sample_id: str | int
    epoch: int
    scorer: str
    value: JsonValue
    answer: str | None
    explanation: str | None

    @property
    def number(self) -> float | None:
        """The value as inspect_ai counts it; None where it is no number, or NaN (not scored)."""
        match self.value:
            case bool() | int() | float():
                number = float(self.value)
            case str():
                number = _of_text(self.value)
            case _:
                return None
        return number if math.isfinite(number) else None


@dataclass(frozen=True)
class ScorerSummary:
    """What one scorer gave: how many scores, how many of them numbers, and their mean."""

    scorer: str
    scores: int
    numbers: int
    mean: float | None


@dataclass(frozen=True)
class SampleError:
    sample_id: str | int
    epoch: int
    message: str


@dataclass(frozen=True)
class InspectLog:
    """A log at a glance. Means are over all scores, every epoch counting alike."""

    task: str
    model: str
    status: str
    samples: int
    scored: tuple[ScorerSummary, ...]
    errors: tuple[SampleError, ...]


def scores(path: Path) -> Iterator[InspectScore]:
    with _reading(path) as archive:
        yield from (score for sample in _samples(archive) for score in _scores(sample))


def read_log(path: Path) -> InspectLog:
    with _reading(path) as archive:
        about = _json(archive, _HEADER if _HEADER in archive.namelist() else _BEGINNING)
        samples = _samples(archive)
        by_scorer: dict[str, list[float | None]] = {}
        for sample in samples:
            for score in _scores(sample):
                by_scorer.setdefault(score.scorer, []).append(score.number)
        return InspectLog(
            task=str(about["eval"]["task"]),
            model=str(about["eval"]["model"]),
            status=str(about.get("status", "started")),
            samples=len(samples),
            scored=tuple(_scorer_summary(scorer, numbers) for scorer, numbers in by_scorer.items()),
            errors=tuple(
                SampleError(sample["id"], sample["epoch"], _message(sample["error"]))
                for sample in samples
                if sample.get("error")
            ),
        )


@contextmanager
def _reading(path: Path) -> Generator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            if not {_HEADER, _BEGINNING} & set(archive.namelist()):
                raise KeyError("it has no header")
            yield archive
    except FileNotFoundError:
        raise BadRecord(f"There is no file {path}.") from None
    except NotImplementedError:
        raise BadRecord(
            f"{path} is compressed with zstd, as newer inspect_ai writes: "
            "pip install zipfile-zstd to read it, or use Python 3.14."
        ) from None
    except _FAULTS as error:
        raise BadRecord(f"{path} cannot be read as a log of inspect_ai: {error}.") from None


def _samples(archive: zipfile.ZipFile) -> list[dict[str, Any]]:
    """Each sample once an epoch; one that was run again counts as it was last."""
    names = archive.namelist()
    if _DIGEST in names:
        digests = [_DIGEST]
    else:
        journal = [name for name in names if name.startswith(_JOURNAL)]
        digests = sorted(journal, key=lambda name: int(Path(name).stem))
    samples = cast("list[dict[str, Any]]", [each for name in digests for each in _json(archive, name)])
    return list({(sample["id"], sample["epoch"]): sample for sample in samples}.values())


def _json(archive: zipfile.ZipFile, name: str) -> Any:
    try:
        data = archive.read(name)
    except NotImplementedError:
        # Before Python 3.14 zipfile learns zstd from this package, which comes with inspect_ai.
        if _ZSTD in sys.modules or find_spec(_ZSTD) is None:
            raise
        import_module(_ZSTD)
        return _json(archive, name)
    except Exception as error:  # noqa: BLE001 - every decompressor has errors of its own
        raise zipfile.BadZipFile(f"{name} is damaged: {error}") from None
    return json.loads(data)


def _scores(sample: dict[str, Any]) -> Iterator[InspectScore]:
    by_scorer: dict[str, dict[str, Any]] = sample.get("scores") or {}
    for scorer, score in by_scorer.items():
        value: JsonValue = score["value"]
        parts = {f"{scorer}.{name}": each for name, each in value.items()} if isinstance(value, dict) else {}
        for name, each in (parts or {scorer: value}).items():
            yield InspectScore(
                sample["id"], sample["epoch"], name, each, score.get("answer"), score.get("explanation")
            )


def _scorer_summary(scorer: str, numbers: list[float | None]) -> ScorerSummary:
    values = [number for number in numbers if number is not None]
    return ScorerSummary(scorer, len(numbers), len(values), sum(values) / len(values) if values else None)


def _of_text(value: str) -> float:
    number = _LETTERS.get(value, _WORDS.get(value.lower()))
    if number is not None:
        return number
    try:
        return float(value)
    except ValueError:
        return math.nan


def _message(error: Any) -> str:
    return str(cast(Any, error)["message"] if isinstance(error, dict) else error)
