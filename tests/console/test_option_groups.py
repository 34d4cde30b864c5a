"""Options in groups, as a command line sees them."""

from dataclasses import dataclass
from inspect import signature
from typing import Annotated

import typer

from semiosis.console.option_groups import ungrouped


@dataclass(frozen=True)
class Frame:
    width: Annotated[int, typer.Option(help="In cells.")]
    title: Annotated[str, typer.Option(help="Above it.")] = "none"


def draw(to: str, *, frame: Frame, quiet: bool = False) -> tuple[str, Frame, bool]:
    return to, frame, quiet


def test_fields_stand_where_their_group_stands() -> None:
    parameters = signature(ungrouped(draw)).parameters
    assert list(parameters) == ["to", "width", "title", "quiet"]
    assert parameters["width"].default is parameters["width"].empty
    assert parameters["title"].default == "none"
    assert parameters["title"].annotation == Annotated[str, Frame.__annotations__["title"].__metadata__[0]]


def test_the_function_gets_the_group() -> None:
    assert ungrouped(draw)(to="a.txt", width=3, title="t", quiet=True) == ("a.txt", Frame(3, "t"), True)


def test_a_function_without_groups_is_called_as_it_is() -> None:
    def add(one: int, other: int = 2) -> int:
        return one + other

    assert ungrouped(add)(one=1, other=4) == 5
    assert signature(ungrouped(add)).parameters["other"].default == 2
