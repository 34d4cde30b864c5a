"""`semiosis build stylebench`: another benchmark of that kind, in steps that can be resumed."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ...building.asking import Asker, Means
from ...console import exits
from ...console.estimate import show_estimate
from ...console.interrupts import carry_out
from ...console.options import BaseUrl, Model, PaceOptions, Quiet, Timeout
from ...console.places import writable
from ...console.progress import run_status
from ...console.results import print_json, print_tables
from ...console.screen import console
from ...core.errors import BadSetting
from ...core.text import plain
from ...runs.asking import STOPPED_AT_ONCE
from ...runs.costs import account
from ...runs.store import Store
from .building.inputs import BuildInputs
from .building.pipeline import Build, opened
from .building.rehearsal import rehearse
from .building.report import BuildReport, StyleBenchReport
from .building.results import named
from .tables import build_tables

COMMANDS = {"build stylebench": "stylebench"}
SCHEMAS = {"build": (BuildReport, "build stylebench")}


def stylebench(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the benchmark is built.")],
    *,
    contents: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="A folder of content pictures; captions in .txt or captions.jsonl."
        ),
    ] = None,
    keywords: Annotated[Path | None, typer.Option(help="A file of style keywords, one a line.")] = None,
    styles: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Styles at most; 100 if left out.")
    ] = None,
    per_content: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Styles for each content; 3 if left out.")
    ] = None,
    results: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=DIR", help="A stylizer's pictures, CONTENT_STYLE.png; may be repeated."),
    ] = None,
    tasks: Annotated[
        int | None, typer.Option(min=1, help="2AFC tasks at most, of each kind; 5000 if left out.")
    ] = None,
    review: Annotated[Path | None, typer.Option(help="A .jsonl file of people's corrections.")] = None,
    seed: Annotated[int | None, typer.Option(help="Decides what is drawn and dealt; 0 if left out.")] = None,
    source: Annotated[
        str | None, typer.Option(help="Where the contents come from, for the datasheet.")
    ] = None,
    licence: Annotated[
        str | None, typer.Option(help="The licence of what is built, for the datasheet.")
    ] = None,
    model: Model = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 120.0,
    pace: PaceOptions,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what ended in a failure.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print calls, tokens and dollars; ask nothing. Needs no key."),
    ] = False,
    quiet: Quiet = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Build a benchmark like MM-StyleBench.

    Its steps: contents, styles, attributes, combinations, results, 2AFC tasks.

    Example:

      semiosis build stylebench mine --contents photos --keywords keywords.txt --model openai/gpt-5 --dry-run

      semiosis build stylebench mine --contents photos --keywords keywords.txt -m openai/gpt-5 --budget-usd 2

      semiosis build stylebench mine --review reviewed.jsonl

      semiosis build stylebench mine --results AdaIN=out/adain --results ControlNet=out/controlnet

    A dry run needs --model and the model's extra: no key, no server. Each step runs as far as what is given
    allows: run again with more to go on. What was answered is not paid for again, however a build ended. Exit
    codes: 0 done so far; 2 bad input or setup, or a stylizer of which there is not one picture; 3 the model
    cannot be asked, most questions failed, or not one style was made; 4 the budget is spent; 130 interrupted.
    """
    writable(folder, folder=True)
    pairs = [named(each) for each in results or ()]
    if len(dict(pairs)) < len(pairs):
        raise BadSetting("Two --results have the same name: each stylizer has a name of its own.")
    inputs = BuildInputs(
        contents=contents,
        keywords=keywords,
        styles=styles,
        per_content=per_content,
        results=dict(pairs),
        tasks=tasks,
        review=review,
        seed=seed,
        source=source,
        licence=licence,
        retry_failed=retry_failed,
    )
    means = Means(model, base_url, timeout, pace.conditions().pace, pace.budget_usd)
    if dry_run:
        _estimate(folder, inputs, means, as_json=json_)
        return
    with opened(folder) as store:
        asker = Asker(store, means)
        build = Build(folder, inputs, asker)
        ended = carry_out(
            build.run(), stop=build.stop, status=lambda: run_status(build.progress.standing), quiet=quiet
        )
        report = ended or build.report(STOPPED_AT_ONCE)
        _show(report, store, as_json=json_)
    if report.ended in exits.ENDINGS:
        raise typer.Exit(exits.ENDINGS[report.ended])
    failed, total = build.progress.failed.total(), build.progress.answered
    if 2 * failed > total:
        print(plain(f"{failed:,} of {total:,} questions failed; {build.progress.cause}"), file=sys.stderr)
        raise typer.Exit(exits.NO_RESULT)
    if inputs.keywords and build.state.styles and not build.state.styles.styles:
        print("Not one style was made.", file=sys.stderr)
        raise typer.Exit(exits.NO_RESULT)
    if report.unpainted:
        raise BadSetting(report.unpainted)


def _estimate(folder: Path, inputs: BuildInputs, means: Means, *, as_json: bool) -> None:
    stages = rehearse(folder, inputs, means)
    if stages or as_json:
        show_estimate("what this session would ask for", stages, as_json=as_json)
    else:
        console().print("Nothing would be asked.")


def _show(report: StyleBenchReport, store: Store, *, as_json: bool) -> None:
    spent, lines = store.spent, account(store)
    if as_json:
        print_json(BuildReport(**dict(report), account=lines, spent=spent))
    else:
        print_tables(*build_tables(report, lines, spent))
    if report.ended != "done":
        more = " with a larger --budget-usd" if report.ended == "budget" else ""
        hint = f"Stopped ({report.ended}): run the same again{more} to go on. {report.message}"
        print(plain(hint).rstrip(), file=sys.stderr)
    elif report.way_out:
        print(report.way_out, file=sys.stderr)
