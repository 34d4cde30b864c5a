"""`semiosis audit`: any judge or scorer put to every bias test."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from ...console.gates import Gates
from ...console.options import (
    CallOptions,
    DryRun,
    Html,
    JudgeModel,
    MethodOptions,
    Model,
    PaceOptions,
    Quiet,
    RetryFailed,
    Runs,
    bounds,
)
from ...console.places import runs_folder, writable
from ...console.recipes import recipe_of
from ...console.results import print_json, print_tables
from ...console.sessions import carry_out_session, show_planned
from ...core.errors import BadSetting
from ...core.kinds import item_kind
from ...core.settings import COUNT
from ...methods.contract import Method, find
from ...runs.outcomes import outcomes
from ...runs.run import default_name, open_run
from ...runs.store import Store
from ...runs.summary import cause, summary
from ...sources import open_items
from ..bias import BiasTest
from ..material import Material
from ..registry import BIAS_TESTS
from .items import Audit, every_test
from .page import save_audit
from .report import AuditReport, audited
from .tables import audit_tables, verdict_words

COMMANDS = {"audit": "audit"}
SCHEMAS = {"audit": (AuditReport, "audit")}


def audit(
    context: typer.Context,
    method: Annotated[
        str, typer.Argument(help="A method by name, as direct, or module:Class.", show_default=False)
    ],
    *,
    model: Model = None,
    judge_model: JudgeModel = None,
    calls: CallOptions,
    test: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this test; may be repeated.")
    ] = None,
    items: Annotated[
        str | None,
        typer.Option(
            metavar="ITEMS",
            help="Your own pairs or ratings (a file, a folder, hf:owner/name) in place of the bundled ones, "
            "where a test can use them.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(**bounds(COUNT), help="Only the first so many pairs to plant in.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="The run's name; made from its parts if left out.")] = None,
    runs: Runs = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run of that name.")] = False,
    retry_failed: RetryFailed = False,
    pace: PaceOptions,
    max_failures: Annotated[
        int | None,
        typer.Option(min=0, help="Exit 3 when more items failed than this; than half of them if left out."),
    ] = None,
    html: Html = None,
    dry_run: DryRun = False,
    quiet: Quiet = False,
    json_: Annotated[bool, typer.Option("--json", help="Print what came out as JSON.")] = False,
) -> None:
    """Put a judge or scorer to every bias test.

    Each test plants something that says nothing of the meaning, such as a frame or a longer prompt, and asks;
    what a fair judge gives is known before.

    Example:

      semiosis audit direct --model openai/gpt-5 --dry-run

      semiosis audit direct --model openai/gpt-5 --budget-usd 2 --html audit.html

      semiosis audit taste:Brightness --test blurred --test framed --items pairs.jsonl

    It is a run on the benchmark `audit`: `runs show` shows it, --resume goes on with it. By batches or on a
    cluster it is `semiosis run audit`.

    Exit codes: 0 every item was asked about, whatever came out; 2 bad input or setup; 3 the model cannot be
    asked, or more items failed than --max-failures (half of them, unless said); 4 the budget is spent; 130
    interrupted.
    """
    if retry_failed and not resume:
        raise BadSetting("--retry-failed goes on with a run: add --resume.")
    writable(html)
    conditions = pace.conditions()
    material = Material.bundled(limit) if items is None else Material(open_items(items), limit)
    tests = _tests(test, find(method).cls, quiet=quiet)
    benchmark = Audit(material, tests)
    recipe = recipe_of(context, MethodOptions(model, judge_model, method), calls)
    planned = recipe.make()
    place = (name or default_name(benchmark, planned), runs_folder(runs), resume)
    if dry_run:
        show_planned(benchmark, planned, conditions, place, retry_failed=retry_failed, as_json=json_)
        return
    with open_run(benchmark, planned, *place) as store:
        ended = carry_out_session(
            store, benchmark, recipe, conditions, retry_failed=retry_failed, quiet=quiet
        )
        report, sums, failure = _report(store, tests), summary(store), cause(store)
        page = save_audit(store, report, sums, html) if html else None
    if json_:
        print_json(report)
    else:
        print_tables(verdict_words(report), *audit_tables(report.tests))
    if page:
        print(f"page: {page}", file=sys.stderr)
    Gates(max_failures).leave(sums, ended, failure)


def _tests(names: Sequence[str] | None, method: type[Method], *, quiet: bool) -> list[BiasTest]:
    """Those that were named; else those that the method can be asked, and those of pairs in any case."""
    if names:
        return [BIAS_TESTS.find(name) for name in dict.fromkeys(names)]
    asked: list[BiasTest] = []
    for test in every_test():
        kinds = [kind for kind in sorted(test.kinds) if not _takes(method, kind)]
        if not kinds or "pair" in kinds:
            asked.append(test)
        elif not quiet:
            print(f"{test.name} is left out: the method takes no {kinds[0]} items.", file=sys.stderr)
    return asked


def _takes(method: type[Method], kind: str) -> bool:
    return callable(getattr(method, item_kind(kind).capability, None))


def _report(store: Store, asked: Sequence[BiasTest]) -> AuditReport:
    about, tests = store.about, audited(outcomes(store), [each.name for each in asked])
    return AuditReport(
        run=about.name,
        method=about.method,
        models=about.models,
        accused=tuple(each.test for each in tests if each.accused),
        tests=tests,
    )
