"""Options that several commands share, and groups of them that always come together."""

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from ..core.settings import AT_ONCE, BUDGET_USD, PER_MINUTE, REPEATS, TEMPERATURE, TIMEOUT
from ..methods import settings
from ..methods.artcot import settings as showing
from ..methods.semjudge import settings as reading
from ..runs.conditions import Conditions

if TYPE_CHECKING:
    from annotated_types import Interval


class Bounds(TypedDict):
    min: Any
    max: Any


def bounds(interval: "Interval") -> Bounds:
    """A range as an option takes it. Bounds that are not part of the range are left to the setting itself."""
    low = interval.gt if interval.ge is None else interval.ge
    high = interval.lt if interval.le is None else interval.le
    return {"min": low, "max": high}


def _finite(number: float | None) -> float | None:
    if number is not None and not isfinite(number):
        raise typer.BadParameter(f"{number} is no finite number.")
    return number


Model = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", help="provider/model, as in openai/gpt-5; `semiosis models` lists what is in reach."
    ),
]
JudgeModel = Annotated[
    str | None, typer.Option(help="Another model for the verdict; --model then builds the graphs only.")
]
MethodName = Annotated[
    str,
    typer.Option(
        help="semjudge, direct, artcot, viescore ...; `semiosis methods` lists them with their variants; "
        "or module:Class."
    ),
]
Without = Annotated[
    showing.Without,
    typer.Option(help="What ArtCoT's methods are not told of a stylization: content, style or both."),
]
MethodNames = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME[,SETTING=VALUE]",
        help="As in `judge`; repeat it for several methods, or settings of one, each a run of its own.",
        show_default="semjudge",
    ),
]
Orders = Annotated[settings.Orders, typer.Option(help="both, ab or ba.")]
Repeat = Annotated[int, typer.Option(**bounds(REPEATS), help="Votes in each order, or on each question.")]
BaseUrl = Annotated[str | None, typer.Option(help="An OpenAI-compatible server to ask instead.")]
Timeout = Annotated[float, typer.Option(**bounds(TIMEOUT), help="Seconds one call may take.")]
Budget = Annotated[
    float | None,
    typer.Option(**bounds(BUDGET_USD), callback=_finite, help="Stop before more than this is spent."),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Ask again even if the same was asked before.")]
Seed = Annotated[int | None, typer.Option(help="Sent where the server takes one.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Any setting of the method, as in seed=7; may be repeated."
    ),
]
Temperature = Annotated[float, typer.Option(**bounds(TEMPERATURE), help="Sent where the server takes one.")]
Graphs = Annotated[
    reading.Graphs, typer.Option(help="joint, or solo: one graph a picture, for all its pairs.")
]
Rebuild = Annotated[reading.Rebuild, typer.Option(help="never, or per-order (a conversation each order).")]
Size = Annotated[reading.Size, typer.Option(help="At most 3 parts, or 3 to 5 in detail.")]
RequestsPerMinute = Annotated[
    float | None, typer.Option(**bounds(PER_MINUTE), help="Requests a minute, at most.")
]
TokensPerMinute = Annotated[
    float | None, typer.Option(**bounds(PER_MINUTE), help="Tokens a minute, at most.")
]
AtOnce = Annotated[int, typer.Option("--at-once", "-j", **bounds(AT_ONCE), help="Calls in flight at most.")]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="With --resume: ask again what ended in a failure.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print calls, tokens and dollars; ask nothing.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Json = Annotated[bool, typer.Option("--json", help="Print the whole record as JSON.")]
Html = Annotated[Path | None, typer.Option(help="Write the page to this file.")]
Runs = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="The folder of runs; SEMIOSIS_RUNS, or semiosis-runs in this folder."
    ),
]
References = Annotated[
    list[str] | None, typer.Option("--reference", help="A reference image of the prompt; may be repeated.")
]
Content = Annotated[
    str | None,
    typer.Option(
        "--content", help="The picture that was to be painted in a style; the prompt is then the style."
    ),
]


@dataclass(frozen=True)
class MethodOptions:
    """Which method, and the models it asks."""

    model: Model = None
    judge_model: JudgeModel = None
    method: MethodName = "semjudge"
    without: Without = "nothing"


@dataclass(frozen=True)
class MethodsOptions:
    """Which methods, and the models they ask."""

    model: Model = None
    judge_model: JudgeModel = None
    method: MethodNames = None
    without: Without = "nothing"


@dataclass(frozen=True)
class CallOptions:
    """How a model is asked, and whatever else the method can be told."""

    base_url: BaseUrl = None
    timeout: Timeout = 120.0
    temperature: Temperature = 0.0
    seed: Seed = None
    set_: Set = None


@dataclass(frozen=True)
class PaceOptions:
    """How fast models are asked, and for how much."""

    at_once: AtOnce = 16
    rpm: RequestsPerMinute = None
    tpm: TokensPerMinute = None
    budget_usd: Budget = None

    def conditions(self, **others: Any) -> Conditions:
        return Conditions(self.at_once, self.rpm, self.tpm, self.budget_usd, **others)
