"""What a built benchmark says of itself, beside it as datasheet.json and datasheet.md.

    sheet = Datasheet(benchmark="haiku", licence="CC0-1.0", steps=counts(steps), prompts=prompts(answers))
    write(sheet, folder)

The same build has the same datasheet: nothing in it depends on when or in how many sessions it was made.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from ..core.table import Table, numbers, words
from ..core.text import counted, plain
from ..core.value import Value
from ..methods.contract import package_version
from ..reports.tables import markdown
from .asking import Made
from .report import BuildStep
from .reviews import Annotation
from .steps import write_bytes, write_json

UNNAMED = "unnamed"

Who = Literal["people", "model", "source"]


class StepCount(Value):
    """`made` of `wanted`; `failed` by kind; `bad` is what was given and is of no use."""

    step: str
    made: int
    wanted: int
    failed: dict[str, int] = {}
    bad: int = 0
    missing: int = 0
    note: str = ""


class PromptUse(Value):
    """A prompt file as it was put to a model, and the answers that came of it."""

    prompt: str
    sha256: str
    model: str
    served: str
    answers: int


class LabelCount(Value):
    """How many labels there are of something, and by whom: people, a model, or the `source` of the data."""

    of: str
    who: Who
    name: str
    labels: int


class Datasheet(Value):
    """`source` and `licence` are the builder's words."""

    benchmark: str
    source: str = ""
    licence: str = ""
    steps: tuple[StepCount, ...] = ()
    prompts: tuple[PromptUse, ...] = ()
    labels: tuple[LabelCount, ...] = ()
    made_with: str = f"semiosis {package_version()}"


# The fields of the three above, in their order.
_STEPS = (
    *(words("step"), numbers("made"), numbers("of"), words("failed")),
    *(numbers("no use"), numbers("missing"), words()),
)
_PROMPTS = (words("prompt file"), words("SHA-256"), words("model"), words("served"), numbers("answers"))
_LABELS = (words("what"), words("by"), words(), numbers("labels"))


def counts(steps: Iterable[BuildStep]) -> tuple[StepCount, ...]:
    return tuple(
        StepCount(
            step=step.step,
            made=step.made,
            wanted=step.wanted,
            failed=step.failed,
            bad=len(step.bad),
            missing=len(step.missing),
            note=step.note,
        )
        for step in steps
    )


def prompts(answers: Iterable[Made | None]) -> tuple[PromptUse, ...]:
    """What was asked of whom, by where the answers came from, those that failed among them."""
    uses = Counter((by.prompt, by.prompt_sha256, by.model, by.served) for by in answers if by is not None)
    return tuple(
        PromptUse(prompt=prompt, sha256=sha256, model=model, served=served, answers=count)
        for (prompt, sha256, model, served), count in sorted(uses.items())
    )


def labels(of: str, annotations: Iterable[Annotation[Any]]) -> tuple[LabelCount, ...]:
    """Who gave the attributes of some things. One that a person confirmed is that person's."""
    names: Counter[tuple[Who, str]] = Counter()
    for each in annotations:
        if each.attributes is not None and each.reviewed:
            names["people", each.reviewer or UNNAMED] += 1
        elif each.attributes is not None and each.by:
            names["model", each.by.model] += 1
    return label_counts(of, names)


def label_counts(of: str, names: Mapping[tuple[Who, str], int]) -> tuple[LabelCount, ...]:
    return tuple(
        LabelCount(of=of, who=who, name=name, labels=count) for (who, name), count in sorted(names.items())
    )


def write(sheet: Datasheet, folder: Path) -> None:
    write_json(folder / "datasheet.json", sheet.model_dump(mode="json"))
    write_bytes(folder / "datasheet.md", _page(sheet).encode())


def _page(sheet: Datasheet) -> str:
    origin = (
        f"Source: {sheet.source or 'not said'}. Licence: {sheet.licence or 'not said'}. "
        f"Made with {sheet.made_with}."
    )
    steps = [dict(step) | {"failed": counted(dict(sorted(step.failed.items())))} for step in sheet.steps]
    sections = [f"# {plain(sheet.benchmark)}\n\n{markdown(Table.facts((), notes=(origin,)))}"]
    for title, columns, values in (
        ("Steps", _STEPS, steps),
        ("Models and prompts", _PROMPTS, map(dict, sheet.prompts)),
        ("Who labelled", _LABELS, map(dict, sheet.labels)),
    ):
        rows = tuple(tuple(value.values()) for value in values)
        table = Table(columns=columns, rows=rows, notes=() if rows else ("None.",))
        sections.append(f"## {title}\n\n{markdown(table)}")
    return "\n".join(sections)
