"""What may be shown, and how money and shares are written."""

import pytest

from semiosis.core.text import LONGEST, brief, counted, dollars, expense, percent, plain, price, share, usd


@pytest.mark.parametrize(
    ("hostile", "text"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("one\r\ntwo\tthree", "one  two three"),
        ("a\u202egnp.exe\u2066 b", "a\\u202egnp.exe\\u2066 b"),
        ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
        ("\x9b31m\x00\ud800", "\\x9b31m\\x00\\ud800"),
        ("می‌خواهم 無常 👩‍🎨", "می‌خواهم 無常 👩‍🎨"),
    ],
)
def test_what_a_text_hides_is_seen_and_steers_nothing(hostile: str, text: str) -> None:
    assert plain(hostile) == text


def test_a_brief_text_fits_a_screen() -> None:
    assert brief("x" * LONGEST) == "x" * LONGEST
    assert brief("x" * (LONGEST + 1)) == "x" * LONGEST + "..."


def test_money_and_shares() -> None:
    assert [usd(None), usd(0.01234), usd(1234.5)] == ["unknown", "0.0123", "1,234.50"]
    assert [expense(0.5, 0, 3), expense(0.5, 1, 3), expense(0, 3, 3)] == [
        "0.5000",
        "0.5000 + 1 unknown",
        "unknown",
    ]
    assert [dollars(0.5, 0), dollars(0, 3)] == ["$0.5000", "no price known"]
    assert dollars(0.5, 1) == "$0.5000 and 1 calls without a price"
    assert counted({"refused": 1200, "timeout": 1}) == "1,200 refused, 1 timeout"
    assert share(0.5, 0.2, 0.8) == "50.0% (20.0 to 80.0)"
    assert [percent(0.5), percent(0.876, 0), percent(-1e-9)] == ["50.0%", "88%", "0.0%"]
    assert [price(None), price(0), price(0.5)] == ["price unknown", "$0", "$0.5000"]
