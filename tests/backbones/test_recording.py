"""What was recorded is replayed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from numbering import Numbering, asking
from semiosis.backbones.recording import Record, Replay
from semiosis.core.errors import BackboneError, BadRecord


async def test_what_was_recorded_is_replayed_and_nothing_else(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    recorder = Record(Numbering(), tape)
    replies = [await recorder.complete(asking(text)) for text in ("x", "ünïcödé")]
    replay = Replay(tape)
    assert [(await replay.complete(asking(text))).text for text in ("x", "ünïcödé")] == [
        r.text for r in replies
    ]
    assert (await replay.complete(asking("x"))).recorded
    assert replay.name == "replay/openai/gpt-5"
    with pytest.raises(BackboneError, match="no reply to this t request"):
        await replay.complete(asking("never asked"))


def test_a_damaged_cassette_names_its_line(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    tape.write_text('{"model": "m", "task": "t", "subject": [], "reply": {"text": "x"}}\n{"model": ')
    with pytest.raises(BadRecord, match="Line 2"):
        Replay(tape)


async def test_a_line_of_an_earlier_release_is_found_by_its_request_or_its_subject(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    lines = [
        {"request": asking("x").sha256, "subject": [], "reply": {"text": "by request"}},
        {"request": None, "subject": ["s"], "reply": {"text": "by subject"}},
        {"subject": ["s", "t"], "reply": {"text": "by subjects"}},
    ]
    tape.write_text("\n".join(json.dumps({"model": "m", "task": "t"} | line) for line in lines))
    replay = Replay(tape)
    requests = [asking("x"), *(replace(asking("y"), subject=subject) for subject in [("s",), ("s", "t")])]
    replies = [await replay.complete(request) for request in requests]
    assert [reply.text for reply in replies] == ["by request", "by subject", "by subjects"]
    assert [reply.words_known for reply in replies] == [True, False, False]
    assert all(reply.recorded for reply in replies)
