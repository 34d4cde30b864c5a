"""`semiosis methods`: every judge, scorer and reader by name, and what is missing to run each here."""

from typing import Annotated

import typer

from ..backbones.lookup import choose
from ..console.options import Runs
from ..console.places import run_file
from ..console.results import Form, print_json, print_tables
from ..console.screen import waiting
from ..core.errors import SemiosisError
from ..methods.contract import names
from ..methods.sheet import MethodSheet, sheet_of
from ..reports.method_tables import methods_tables, sheet_tables
from ..reports.rank_tables import rank_tables
from ..runs.picture_ranks import PARTINGS, ComparedRanks, PictureRanks, compare_ranks
from ..runs.store import Store

COMMANDS = {"methods": "listed", "methods compare": "compare", "methods NAME": "shown"}
SCHEMAS = {
    "methods": (list[MethodSheet], "methods"),
    "method": (MethodSheet, "methods NAME"),
    "ranks": (ComparedRanks, "methods compare"),
}

AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


def listed(context: typer.Context, json_: AsJson = False) -> None:
    """List the methods: what each does, what it lacks here.

    Examples:

      semiosis methods

      semiosis methods viescore

      semiosis methods mine:scorer
    """
    if context.invoked_subcommand is not None:
        return
    model = _model()
    sheets = [sheet_of(name, model_at_hand=model is not None, whole=False) for name in names()]
    if json_:
        print_json(sheets)
    else:
        print_tables(*methods_tables(sheets, model))


def compare(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN", help="Two runs or more, by name or their .sqlite files.", show_default=False
        ),
    ],
    most: Annotated[int, typer.Option(min=1, max=1000, help="Pairs to list on which they part.")] = PARTINGS,
    seed: Annotated[int, typer.Option(min=0, help="Of the resamples.")] = 0,
    form: Annotated[
        Form, typer.Option("--format", help="Tables as terminal, markdown, latex or html.")
    ] = "terminal",
    runs: Runs = None,
    json_: AsJson = False,
) -> None:
    """Compare how runs rank the same pictures, and where they part most.

    Example:

      semiosis run pairs.jsonl --method direct --method clipscore --model openai/gpt-5 --name both

      semiosis methods compare both-direct both-clipscore
    """
    ranks: list[PictureRanks] = []
    for name in names:
        with Store.look(run_file(name, runs)) as store, waiting(f"reading {name} ..."):
            ranks.append(PictureRanks.of(store))
    compared = compare_ranks(ranks, partings=most, seed=seed)
    if json_:
        print_json(compared)
        return
    print_tables(*rank_tables(compared), form=form)


def shown(
    context: typer.Context,
    prompts: Annotated[bool, typer.Option("--prompts", help="Print its prompts in full.")] = False,
    json_: AsJson = False,
) -> None:
    """Show one method: its settings, prompts, paper and licence.

    Example:

      semiosis methods viescore --prompts
    """
    sheet = sheet_of(str(context.info_name), model_at_hand=_model() is not None)
    if json_:
        print_json(sheet)
    else:
        print_tables(*sheet_tables(sheet, whole=prompts))


def _model() -> str | None:
    """The model that would be asked where none is named."""
    try:
        return choose()
    except SemiosisError:
        return None
