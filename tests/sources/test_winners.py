"""One reading of winners, whatever holds them."""

import pytest

from semiosis.core.errors import BadRecord
from semiosis.sources.winners import Ballot, spelling


def column(*words: str | None, a: str | None = None, b: str | None = None) -> list[Ballot]:
    return [Ballot(f"v.csv line {line}", word, a, b) for line, word in enumerate(words, 2)]


def read(*words: str | None, a: str | None = None, b: str | None = None) -> list[str | None]:
    ballots = column(*words, a=a, b=b)
    return list(map(spelling(ballots), ballots))


@pytest.mark.parametrize(
    "words",
    [
        ("left", "right", "tie"),
        ("A", "B", "Draw"),
        ("model_a", "model_b", "tie (bothbad)"),
        ("leftvote", "rightvote", "bothbad_vote"),
        ("-1", "1", "0"),
        (" -1.0", "+1", "0.0 "),
        ("flux", "sdxl", "tie"),
    ],
)
def test_every_spelling_says_who_won(words: tuple[str, ...]) -> None:
    assert read(*words, None, "", a="flux", b="sdxl") == ["a", "b", "tie", None, None]


def test_a_column_of_only_0_and_1_is_refused_since_0_may_be_a_draw_or_a_side() -> None:
    for words in (("0", "1"), ("1", "1"), ("0", "0"), ("1", "0", "")):
        with pytest.raises(BadRecord, match="'winner' are 0 or 1 and never -1, so 0 may be a draw or a side"):
            spelling(column(*words, a="flux", b="sdxl"))


def test_0_and_1_may_be_names() -> None:
    assert read("0", "1", "tie", a="0", b="1") == ["a", "b", "tie"]


def test_a_word_that_is_the_name_of_the_other_side_is_refused() -> None:
    with pytest.raises(BadRecord, match=r"line 2: the winner 'b' is the name of a side and of an item"):
        spelling(column("b", a="b", b="a"))
    assert read("b", a="a", b="b") == ["b"]


def test_names_are_told_from_all_rows_and_not_from_one() -> None:
    assert read("b", "c", a="b", b="c") == ["a", "b"]


@pytest.mark.parametrize("words", [("perhaps",), ("2",), ("True",), ("flux", "left")])
def test_what_no_spelling_reads_names_its_place(words: tuple[str, ...]) -> None:
    with pytest.raises(BadRecord, match=r"v.csv line 2: The winner '\w+' is unknown: say a, b or tie"):
        spelling(column(*words, a="flux", b="sdxl"))


def test_a_later_ballot_that_does_not_fit_raises_when_it_is_read() -> None:
    by_name = spelling(column("flux", a="flux", b="sdxl"))
    with pytest.raises(BadRecord, match="The winner 'left' is neither of 'flux' and 'sdxl'"):
        by_name(Ballot("v.csv line 9", "left", "flux", "sdxl"))


def test_nobody_asked_is_nobody_chosen() -> None:
    assert read() == []
    assert read(None, "nan", "ignore") == [None, None, None]
