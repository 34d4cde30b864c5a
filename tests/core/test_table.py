"""How a table's cells are written, and what JSON keeps of them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from semiosis.core.table import Cell, Column, Interval, Share, Table, numbers, words

RHO = Interval(value=0.479, low=0.128, high=0.724)
HALF = Share(5, 10, 0.5, 0.2, 0.8)


@pytest.mark.parametrize(
    ("column", "cell", "text"),
    [
        (words(), "as it is\nin two lines", "as it is\nin two lines"),
        (words(), None, "-"),
        (words(), True, "yes"),
        (numbers(""), 12345, "12,345"),
        (numbers("", sign=True), 3, "+3"),
        (numbers(""), 464.0, "464"),
        (numbers(""), 0.125, "0.125"),
        (numbers("", 3), RHO, "0.479 (0.128 to 0.724)"),
        (numbers("", 2, sign=True), RHO, "+0.48 (+0.13 to +0.72)"),
        (numbers("", 0), Interval(value=1, low=1, high=3), "1 (1 to 3)"),
        (numbers("", 1), Interval(value=1500), "1,500.0"),
        (numbers("", 1), Interval(value=0.5, low=-math.inf, high=1), "0.5 (-inf to 1.0)"),
        (numbers("", form="percent"), Interval(value=0.5, low=0.2, high=0.8), "50.0% (20.0 to 80.0)"),
        (numbers("", 0, form="percent", sign=True), 0.436, "+44%"),
        (numbers(""), HALF, "50.0% (20.0 to 80.0), 5 of 10"),
        (numbers(""), Share(0, 0), "0 of 0"),
        (numbers("", form="usd"), 0.0123, "0.0123"),
        (numbers("", form="usd"), "4.0000 + 1 unknown", "4.0000 + 1 unknown"),
        (numbers("", form="p"), 0.00003, "< 0.0001"),
        (numbers("", form="p"), 0.0112, "0.0112"),
    ],
)
def test_a_cell_is_written_as_its_column_says(column: Column, cell: Cell, text: str) -> None:
    assert column.written(cell) == text


@given(st.floats(-1e-9, 0), st.integers(0, 6), st.booleans())
def test_nought_has_no_minus(value: float, digits: int, sign: bool) -> None:
    for form in ("number", "percent"):
        column = numbers("", digits, form=form, sign=sign)
        assert "-" not in column.written(Interval(value=value, low=value, high=value))


def test_json_has_the_numbers_and_reads_back() -> None:
    rows: tuple[tuple[Cell, ...], ...] = (("a", RHO, HALF, 1), ("b", None, 1.0, True), ("", 0.1, 7, "x"))
    columns = (words("name"), numbers("rho", 1), numbers("share"), words("any"))
    table = Table(title="t", columns=columns, rows=rows, notes=("n",), emphasised=(1,))
    read = Table.model_validate_json(table.model_dump_json())
    assert read == table
    assert [[type(cell) for cell in row] for row in read.rows] == [
        [type(cell) for cell in row] for row in rows
    ]
    assert table.model_dump(mode="json")["rows"][0][1] == {"value": 0.479, "low": 0.128, "high": 0.724}
    assert table.model_dump(mode="json")["rows"][0][2]["count"] == 5


def test_what_is_not_zero_alarms() -> None:
    columns = (words("name"), numbers("failed", alarm=True), words("why", alarm=True))
    table = Table(columns=columns, rows=(("a", 0, ""), ("b", 2, None), ("c", Share(0, 4), "x")))
    alarms = [[table.alarms(row, column) for column in range(3)] for row in range(3)]
    assert alarms == [[False, False, False], [False, True, False], [False, False, True]]


def test_facts_have_no_column_titles_and_alarm_by_name() -> None:
    facts = Table.facts([("items", 20), ("failed", "2 refused")], title="first", alarms=("failed", "errors"))
    assert (facts.is_titled, facts.alarmed, facts.rows) == (
        False,
        (1,),
        (("items", 20), ("failed", "2 refused")),
    )
    assert [facts.columns[1].written(cell) for _, cell in facts.rows] == ["20", "2 refused"]


def test_a_table_is_rectangular() -> None:
    with pytest.raises(ValidationError, match="A row has 1 cells, and the table 2 columns"):
        Table(columns=(words("a"), words("b")), rows=(("x",),))
    with pytest.raises(ValidationError, match="3 of 1 columns cannot name a row"):
        Table(columns=(words("a"),), heading=3)
