"""Titles: count them, and build more."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from semiosis.benchmarks import Value
from semiosis.building.asking import Ask, Asker, Means
from semiosis.building.steps import Steps, opened
from semiosis.errors import SetupError
from semiosis.methods import Failure, prompt_file

from .items import Titles


class TitleShape(BaseModel):
    title: str


class MoreTitles(Value):
    titles: tuple[str, ...]


def count() -> None:
    """Count the titles."""
    print(sum(1 for _ in Titles().candidates()))


def build(
    folder: Annotated[Path, typer.Argument(help="Where the titles are built.")],
    colour: Annotated[list[str], typer.Option(help="A colour to find a title for; may be repeated.")],
    model: Annotated[str, typer.Option(help="provider/model.")],
    base_url: Annotated[str | None, typer.Option(help="A server to ask instead.")] = None,
) -> None:
    """Build titles for colours, by a model."""
    with opened(folder, "titles") as store:
        steps, asker = Steps(folder), Asker(store, Means(model, base_url))
        titles = steps.read("titles", MoreTitles)
        if titles is None:
            titles = asyncio.run(_ask(asker, colour))
            steps.write("titles", titles)
    print("\n".join(titles.titles))


async def _ask(asker: Asker, colours: list[str]) -> MoreTitles:
    template = prompt_file("title", __file__)
    asks = [Ask(template, TitleShape, {"colour": each}, fenced=(each,)) for each in colours]
    answers: list[MoreTitles] = []

    async def work() -> None:
        replies = await asker.each(asks)
        if failed := [each.value for each in replies if isinstance(each.value, Failure)]:
            raise SetupError(failed[0].message)
        answers.append(MoreTitles(titles=tuple(each.value.title for each in replies)))

    await asker.session(work())
    return answers[0]
