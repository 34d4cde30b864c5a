"""`semiosis runs talk`: how subjective a judge's words are."""

from typing import Annotated

import typer

from ..console.options import Runs
from ..console.places import run_file
from ..console.results import Form, print_json, print_tables
from ..console.screen import waiting
from ..reports.talk_tables import talk_tables
from ..runs.store import Store
from ..runs.talk import EXAMPLES, RunTalk, run_talk

COMMANDS = {"runs talk": "talk"}

SCHEMAS = {"talk": (list[RunTalk], "runs talk")}


def talk(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME", help="Runs by name, or their .sqlite files.", show_default=False),
    ],
    examples: Annotated[int, typer.Option(min=0, max=100, help="Sentences to quote of each run.")] = EXAMPLES,
    seed: Annotated[int, typer.Option(min=0, help="Of the resamples and permutations.")] = 0,
    form: Annotated[
        Form, typer.Option("--format", help="Tables as terminal, markdown, latex or html.")
    ] = "terminal",
    runs: Runs = None,
    json_: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Measure how subjective a judge's words are, run by run.

    Example:

      semiosis runs talk cot artcot

      semiosis runs talk cot artcot --format latex > table.tex
    """
    talks: list[RunTalk] = []
    for name in names:
        with Store.look(run_file(name, runs)) as store, waiting(f"reading {name} ..."):
            talks.append(run_talk(store, examples=examples, seed=seed))
    if json_:
        print_json(talks)
        return
    print_tables(*talk_tables(talks), form=form)
