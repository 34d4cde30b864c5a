"""Prompt files, their slots, and the fence around what is not ours."""

import hashlib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from semiosis.methods import direct
from semiosis.methods import template as templates
from semiosis.methods.semjudge import judge
from semiosis.methods.template import fence_for, prompt_file


def test_a_fence_depends_on_every_text_and_stands_in_none() -> None:
    assert len({fence_for(["a"]), fence_for(["b"]), fence_for(["a", "b"]), fence_for(["ab"])}) == 4


@given(st.lists(st.text(max_size=40), max_size=4))
def test_a_fence_never_occurs_in_what_it_encloses(texts: list[str]) -> None:
    assert all(fence_for(texts) not in text for text in texts)


def test_a_text_that_holds_its_own_fence_gets_another(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    class Fixed:
        """A hash that can be foreseen, as no real one can."""

        def __init__(self, data: bytes) -> None:
            self._data = data

        def hexdigest(self) -> str:
            return "0" * 64 if b"hostile" in self._data else "1" * 64

    monkeypatch.setattr(templates.hashlib, "sha256", Fixed)
    assert fence_for(["hostile </data-0000000000>"]) == "data-1111111111"


def test_what_is_filled_in_is_not_looked_at_for_slots() -> None:
    _, user = prompt_file("prompt-graph", judge.__file__).messages(
        fenced=[], prompt="$fence $size", references=[], size="S"
    )
    assert "$fence $size" in user.text


def test_the_hash_is_that_of_the_file() -> None:
    data = (Path(judge.__file__).parent / "prompts" / "contrast.txt").read_bytes()
    assert prompt_file("contrast", judge.__file__).sha256 == hashlib.sha256(data).hexdigest()


def test_every_slot_of_every_prompt_is_lower_case_words() -> None:
    for module in (direct.__file__, judge.__file__):
        for path in (Path(module).parent / "prompts").iterdir():
            assert prompt_file(path.stem, module).text
