"""Methods as tables: all of them in a list, or one with its settings and prompts."""

from collections import defaultdict
from collections.abc import Sequence

from ..core.table import Cell, Table, words
from ..methods.sheet import A_MODEL, ITS_OWN_MODEL, MethodSheet, UsedPrompt

SHOWN = 90


def methods_tables(sheets: Sequence[MethodSheet], model: str | None) -> tuple[Table | str, ...]:
    """What can be run here and now, what can once a model is named, what lacks more; what is unverified."""
    ready = [sheet for sheet in sheets if sheet.missing is None]
    modelless = [sheet for sheet in sheets if sheet.missing == A_MODEL]
    tuned = [sheet for sheet in sheets if (sheet.missing or "").startswith(ITS_OWN_MODEL)]
    lacking = [sheet for sheet in sheets if sheet.missing not in (None, A_MODEL) and sheet not in tuned]
    tables = (
        _listed("ready" if model is None else f"ready; asked is {model}, unless --model says", ready),
        _listed("ready once a model is named: --model provider/model", modelless),
        _listed("ready once their own model is served: --model vllm/NAME", tuned, needs=True),
        _listed("lacking what they need on this machine", lacking, needs=True),
        _unverified(sheets),
    )
    return (
        *(table for table in tables if table.rows),
        *(("`semiosis models` tells how to reach a model.",) if modelless else ()),
        "`semiosis methods NAME` tells more of one: how to get what it lacks, paper, licence, prompts.",
    )


def _listed(title: str, sheets: Sequence[MethodSheet], *, needs: bool = False) -> Table:
    return Table(
        title=title,
        columns=(
            words("method"),
            words("about", flows=True),
            words("does", flows=True),
            words("prompt"),
            *([words("needs", flows=True)] * needs),
        ),
        rows=tuple(
            (
                sheet.name,
                sheet.about,
                ", ".join(sheet.does),
                "seen" if sheet.sees_prompt else "unseen",
                *([sheet.needs] * needs),
            )
            for sheet in sheets
        ),
    )


def _unverified(sheets: Sequence[MethodSheet]) -> Table:
    names = defaultdict[str, list[str]](list)
    for sheet in sheets:
        if sheet.unverified:
            names[sheet.unverified].append(sheet.name)
    return Table(
        title="unverified",
        columns=(words("methods", flows=True), words("what could not be checked", flows=True)),
        rows=tuple((", ".join(each), what) for what, each in names.items()),
    )


def sheet_tables(sheet: MethodSheet, *, whole: bool) -> tuple[Table | str, ...]:
    """What it is, what it can be told, what it sends; prompts in full where it is to be `whole`."""
    facts: list[tuple[str, Cell]] = [
        ("about", sheet.about),
        ("does", ", ".join(sheet.does)),
        ("sees the prompt", sheet.sees_prompt),
        ("better", sheet.better),
        ("scale", sheet.scale),
        ("needs", sheet.needs),
        ("missing here", sheet.missing or "nothing"),
        ("paper", sheet.paper),
        ("licence", sheet.licence),
        ("unverified", sheet.unverified),
    ]
    parts: list[Table | str] = [
        Table.facts([(name, value) for name, value in facts if value not in (None, "")], title=sheet.name)
    ]
    if sheet.settings:
        parts.append(
            Table(
                title="settings, by --set NAME=VALUE",
                columns=(words("setting"), words("default"), words("what", flows=True)),
                rows=tuple((each.name, each.default, each.about) for each in sheet.settings),
            )
        )
    if sheet.prompts:
        parts.append(
            Table(
                title="prompts",
                columns=(words("file"), words("SHA-256"), words("begins", flows=True)),
                rows=tuple((each.name, each.sha256[:12], _beginning(each)) for each in sheet.prompts),
                notes=() if whole else ("--prompts prints them in full.",),
            )
        )
    return (*parts, *(f"--- {each.name}\n\n{each.text}\n" for each in sheet.prompts if whole))


def _beginning(prompt: UsedPrompt) -> str:
    text = " ".join(prompt.text.split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
