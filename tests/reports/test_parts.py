"""What a number is made of: as a tree where parts need each other, else as a plain table; of pictures side by side."""

import html
import io
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.rating import Measurement, Score, ScorePart
from semiosis.reports.page import render
from semiosis.reports.parts import DEEPEST, PartsLayout, layout_of
from semiosis.reports.terminal import show


def part(id: str, value: float | None, *needs: str, about: str = "", asked: bool = True) -> ScorePart:
    """A question that was answered, unless it is about something."""
    return ScorePart(
        id=id, about=about or f"Is {id}?", value=value, needs=needs, asked=asked, yes_no=not about
    )


def laid(*parts: ScorePart) -> PartsLayout:
    layout = layout_of(Measurement(value=0.0, parts=parts))
    assert layout is not None
    return layout


def drawn(layout: PartsLayout) -> list[str]:
    signs = {"by": "|", "fork": "+", "end": "`", "none": " "}
    return ["".join(signs[rail] for rail in row.rails) + row.id for row in layout.rows]


def test_a_number_without_parts_has_no_layout() -> None:
    assert layout_of(Measurement(value=1.0), None) is None


def test_parts_hang_under_the_first_that_they_need_in_their_order() -> None:
    layout = laid(
        part("5", 1, "1", "2"),
        part("1", 1),
        part("2", 1),
        part("3", 1, "1"),
        part("4", 1, "3"),
        part("6", 1, "2", "9"),
    )
    assert drawn(layout) == ["1", "+5", "`3", " `4", "2", "`6"]
    assert [(row.id, row.parent, row.others) for row in layout.rows if row.parent] == [
        ("5", "1", ("2",)),
        ("3", "1", ()),
        ("4", "3", ()),
        ("6", "2", ("9",)),
    ]
    assert layout.is_tree


def test_lines_go_by_what_is_deeper() -> None:
    layout = laid(part("1", 1), part("2", 1, "1"), part("3", 1, "2"), part("4", 1, "1"))
    assert drawn(layout) == ["1", "+2", "|`3", "`4"]


@pytest.mark.parametrize(
    ("each", "standing", "text", "because"),
    [
        (part("x", 1.0), "yes", "yes", ""),
        (part("x", 0.0), "no", "no", ""),
        (part("x", 0.0, "n", asked=False), "unasked", "–", "needs n, which failed"),
        (part("x", 0.0, "n", "m", "k", asked=False), "unasked", "–", "needs n and m, which failed"),
        (part("x", 0.0, asked=False), "unasked", "–", ""),
    ],
)
def test_what_a_part_got_is_said(each: ScorePart, standing: str, text: str, because: str) -> None:
    layout = laid(each, part("n", 0), part("m", 0, asked=False), part("k", 1))
    mark = next(row for row in layout.rows if row.id == "x").marks[0]
    assert (mark.standing, mark.shown, mark.because) == (standing, text, because)


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.5"), (1.0, "1"), (-0.0, "0"), (12345.0, "12,345"), (None, "–")]
)
def test_a_part_that_is_no_question_got_a_number_or_none(value: float | None, text: str) -> None:
    layout = laid(part("x", value, about="sharpness"), part("y", 1.0, about="finish"))
    assert [row.marks[0].shown for row in layout.rows] == [text, "1"]
    assert not layout.asks


def test_ones_and_zeros_are_yes_and_no_where_they_are_answers() -> None:
    assert [row.marks[0].shown for row in laid(part("x", 1.0), part("y", 0.0)).rows] == ["yes", "no"]
    numbers = laid(part("x", 1.0, about="Natural?"), part("y", 0.0, "x", about="Free of artefacts?"))
    assert [row.marks[0].shown for row in numbers.rows] == ["1", "0"]


def test_questions_are_summed_up_and_numbers_are_not() -> None:
    questions = (part("1", 1), part("2", 0, "1"), part("3", 0, "2", asked=False), part("4", 1))
    assert laid(*questions).sums == ("two of four hold; one was not asked",)
    assert laid(part("1", 1)).sums == ("one of one holds",)
    assert laid(*questions, part("5", 7, about="finish")).sums == ("",)


def test_pictures_stand_side_by_side_by_the_name_of_the_part() -> None:
    layout = layout_of(
        Measurement(value=0.5, parts=(part("1", 1), part("2", 0, "1"), part("3", 1))),
        Measurement(value=0.5, parts=(part("3", 1), part("1", 1), part("2", 1, "1"), part("4", 0))),
    )
    assert layout is not None
    assert [(row.id, [mark.shown for mark in row.marks], row.differs) for row in layout.rows] == [
        ("3", ["yes", "yes"], False),
        ("1", ["yes", "yes"], False),
        ("2", ["no", "yes"], True),
        ("4", ["–", "no"], True),
    ]


@given(st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 11), max_size=4)), max_size=12))
def test_any_record_is_laid_out_each_part_once_circles_too(rows: list[tuple[int, list[int]]]) -> None:
    parts = [part(str(id), 1, *map(str, needs)) for id, needs in rows]
    layout = layout_of(Measurement(value=0.0, parts=tuple(parts)))
    ids = [] if layout is None else [row.id for row in layout.rows]
    assert sorted(ids) == sorted({each.id for each in parts})


def test_a_chain_of_thousands_is_drawn_as_deep_as_any() -> None:
    layout = laid(part("0", 1), *(part(str(n), 1, str(n - 1)) for n in range(1, 5000)))
    assert len(layout.rows) == 5000
    assert max(len(row.rails) for row in layout.rows) == DEEPEST


def words(text: str) -> str:
    """A page as a reader has it."""
    body = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", body))).strip()


def shown(outcome: Any, width: int = 80) -> str:
    file = io.StringIO()
    show(outcome, Console(file=file, width=width, force_terminal=False, color_system=None))
    return file.getvalue()


def cells(text: str) -> list[str]:
    """The rows of the table of parts, as a reader has them."""
    table = text[text.index('<table class="ledger parts') :]
    rows = re.findall(r"<tr.*?</tr>", table[: table.index("</table>")], re.S)
    return [words(row) for row in rows]


def test_a_score_shows_its_tree_with_answers_reasons_and_what_was_not_asked(asked_score: Score) -> None:
    text = render(asked_score)
    head, *rows = cells(text)
    assert head == "QuestionAnswer"
    assert rows[1].startswith("2Is the bowl mended?, needs 1")
    assert rows[1].endswith("no Because of Is the bowl mended?")
    assert "also needs 3" in rows[2]
    assert rows[2].endswith("not asked needs 2, which failed")
    assert "Two of four hold; one was not asked." in words(text)
    assert text.count("data-hang=") == 1


def test_a_judgment_shows_one_tree_with_both_pictures_answers(asked_judgment: Judgment) -> None:
    text = render(asked_judgment)
    head, *rows = cells(text)
    assert head == "QuestionAB"
    assert "A no Because of Is the bowl mended?B yes Because of Is the bowl mended?" in rows[1]
    assert "A not asked needs 2, which failedB no" in rows[2]
    assert ["differs" in row for row in re.findall(r"<tr[^>]*--depth[^>]*>", text)] == [
        False,
        True,
        True,
        False,
    ]
    assert "Score of A0.500: two of four hold; one was not asked" in words(text)
    assert "Score of B0.750: three of four hold" in words(text)


def test_parts_that_need_nothing_are_a_plain_table(asked_judgment: Judgment) -> None:
    parts = tuple(part(str(n), value, about=f"rubric {n}") for n, value in enumerate((8.0, 2.5), 1))
    measured = asked_judgment.model_copy(
        update={"score_a": Measurement(value=5.0, parts=parts), "score_b": Measurement(value=1.0)}
    )
    text = render(measured)
    assert cells(text) == ["PartAB", "rubric 1 A 8B –", "rubric 2 A 2.5B –"]
    assert "parts tree" not in text
    assert "Part by part" in words(text)


def test_a_measured_judgment_without_parts_shows_its_two_numbers(asked_judgment: Judgment) -> None:
    bare = {side: Measurement(value=value) for side, value in (("score_a", 0.25), ("score_b", 21.5))}
    text = words(render(asked_judgment.model_copy(update=bare)))
    assert "Score of A0.250" in text
    assert "Score of B21.500" in text
    assert "by part" not in text


def test_the_terminal_draws_the_tree_within_80_columns(asked_score: Score, asked_judgment: Judgment) -> None:
    alone = shown(asked_score)
    assert "  yes  1 Is there a bowl?" in alone
    assert "  no   └ 2 Is the bowl mended?" in alone
    assert "  –      └ 4 Is it" in alone
    assert "not asked: needs 2, which failed" in alone
    both = shown(asked_judgment)
    assert "  A    B" in both
    assert "  no   yes  └ 2 Is the bowl mended?" in both
    assert "A: Because of Is the bowl mended?" in both
    assert "Because of Is there a bowl?" not in both


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("name", ["asked_score", "asked_judgment"])
def test_no_width_is_overrun(request: pytest.FixtureRequest, name: str, width: int) -> None:
    outcome: Any = request.getfixturevalue(name)
    assert all(len(line) <= width for line in shown(outcome, width).splitlines())
