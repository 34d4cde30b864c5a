"""`semiosis schema`: what `--json` prints, as JSON Schema."""

from typing import Annotated, Any

import typer

KINDS = {
    "judgment": "judge; runs show --item",
    "interpretation": "interpret; runs show --item",
    "score": "runs show --item",
    "answer": "interpret --ask; runs show --item",
    "failure": "judge, interpret; runs show --item",
    "ranking": "rank",
    "summary": "run; runs show",
    "runs": "runs list",
    "failures": "runs show --failures",
    "bad-rows": "runs show --bad-rows",
    "log": "runs show LOG.eval",
    "comparison": "runs compare",
    "estimate": "--dry-run of judge, rank, run and build",
    "models": "models",
    "demo": "demo",
    "ratings": "stats rate",
    "agreement": "stats agree",
    "correlation": "stats correlate",
    "correlations": "stats correlate --columns",
    "people": "stylebench people",
    "scorecards": "stylebench score",
    "build": "build stylebench",
}
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(
    kind: Annotated[
        str | None, typer.Argument(metavar="KIND", help="What to describe; all kinds are listed without.")
    ] = None,
) -> None:
    """Print the JSON Schema of what --json prints.

    Example:

      semiosis schema

      semiosis schema judgment > judgment.schema.json
    """
    if kind is None:
        for name, commands in KINDS.items():
            print(f"{name:<15} {commands}")
        return
    import json

    print(json.dumps(published(kind), indent=2))


def published(kind: str) -> dict[str, Any]:
    """The schema of a kind, which the JSON that is printed for it is valid by."""
    from ..core import records
    from ..core.errors import UnknownName
    from ..core.kinds import outcome_kinds

    if kind not in KINDS:
        raise UnknownName.among("kind of JSON", kind, KINDS)
    found = records.schema(kind) if kind in outcome_kinds() else _of_type(kind)
    return {"$schema": DIALECT} | found | {"title": kind}


def _of_type(kind: str) -> dict[str, Any]:
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
    from pydantic_core import core_schema

    class OrNull(GenerateJsonSchema):
        """A number that is not finite is printed as null: JSON has none."""

        def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
            return {"anyOf": [super().float_schema(schema), {"type": "null"}]}

    return TypeAdapter(_types()[kind]).json_schema(mode="serialization", schema_generator=OrNull)


def _types() -> dict[str, Any]:
    from ..backbones.lookup import Reach
    from ..benchmarks.samples.commands import Figures
    from ..benchmarks.stylebench.building.report import BuildReport
    from ..benchmarks.stylebench.people import People
    from ..benchmarks.stylebench.scorecard import ScoredJudges
    from ..console.estimate import Estimated
    from ..core.item import BadRow
    from ..runs.inspect_logs import InspectLog
    from ..runs.ranking import Ranking
    from ..runs.summary import FailedItem, RunEntry, Summary
    from . import printed

    return {
        "ranking": Ranking,
        "summary": Summary,
        "runs": list[RunEntry],
        "failures": list[FailedItem],
        "bad-rows": list[BadRow],
        "log": InspectLog,
        "comparison": printed.ComparedRuns,
        "estimate": list[Estimated],
        "models": list[Reach],
        "demo": Figures,
        "ratings": printed.RatedFile,
        "agreement": printed.AgreedFile,
        "correlation": printed.CorrelatedFile,
        "correlations": printed.CorrelatedColumns,
        "people": People,
        "scorecards": ScoredJudges,
        "build": BuildReport,
    }
