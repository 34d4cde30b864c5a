"""Methods as tables: all of them in a list, or one with its settings and prompts."""

from collections.abc import Sequence

from ..core.table import Cell, Table, words
from ..methods.sheet import MethodSheet, UsedPrompt

SHOWN = 90


def methods_table(sheets: Sequence[MethodSheet], model: str | None) -> Table:
    """By name; where nothing is missing, a method can be run here and now."""
    return Table(
        columns=(
            words("method"),
            words("does", flows=True),
            words("prompt"),
            words("missing here", flows=True),
        ),
        rows=tuple(
            (
                sheet.name,
                ", ".join(sheet.does),
                "seen" if sheet.sees_prompt else "not seen",
                sheet.missing or "nothing",
            )
            for sheet in sheets
        ),
        notes=(
            f"Where --model is left out, {model} is asked."
            if model
            else "No model is at hand; `semiosis models` tells how to reach one.",
            "`semiosis methods NAME` tells more of one: paper, licence, scale, settings, prompts.",
        ),
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
