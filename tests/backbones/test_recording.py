"""What was recorded is replayed."""

from pathlib import Path

import pytest

from numbering import Numbering, asking
from semiosis.backbones.recording import Record, Replay
from semiosis.core.errors import BackboneError, BadRecord


async def test_what_was_recorded_is_replayed_and_nothing_else(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    recorder = Record(Numbering(), tape)
    said = [await recorder.complete(asking(text)) for text in ("x", "ünïcödé")]
    replay = Replay(tape)
    assert [(await replay.complete(asking(text))).text for text in ("x", "ünïcödé")] == [r.text for r in said]
    assert (await replay.complete(asking("x"))).recorded
    assert replay.name == "replay/openai/gpt-5"
    with pytest.raises(BackboneError, match="no reply to this t request"):
        await replay.complete(asking("never asked"))


def test_a_damaged_cassette_names_its_line(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    tape.write_text('{"model": "m", "task": "t", "subject": [], "reply": {"text": "x"}}\n{"model": ')
    with pytest.raises(BadRecord, match="Line 2"):
        Replay(tape)
