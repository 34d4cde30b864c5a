"""Text from outside: what is one line, what is the same text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiosis.building.texts import folded, one_line


@pytest.mark.parametrize("text", ["", "   ", "...", "a\x1b[31mb", "a\u202eb", "a\x00b", "a\ud800b"])
def test_text_with_nothing_to_read_or_something_hidden_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must hold words|cannot be shown"):
        one_line(text)


def test_text_in_any_script_is_one_line() -> None:
    assert one_line(" 水墨\n\t画 ") == "水墨 画"
    assert one_line("نقاشی\u200cهای ایرانی") == "نقاشی\u200cهای ایرانی"


@given(st.text(max_size=60))
def test_folding_twice_is_folding_once_and_capitals_do_not_matter(text: str) -> None:
    once = folded(text)
    assert folded(once) == once
    assert folded(f"  {text} !") == once
