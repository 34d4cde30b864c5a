"""Commands whose help pages and usage errors are whole: what is required, what an option takes, a way out.

    command("list", list_)
    group("runs", runs, {"list": Late("list", "List the runs.", load)})

A group holds its commands as they are listed, and loads the one that is named. One that is called NAME stands
for any other word, as in `semiosis methods dsg`.
"""

import re
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..core.errors import did_you_mean
from .option_groups import ungrouped

# Of a first sentence, all of it: it may take a second line, but none of it is cut.
_WHOLE = 1000
_TAKES = {
    "str": "TEXT",
    "list[str]": "TEXT",
    "path": "FILE",
    "int": "INTEGER",
    "int range": "INTEGER",
    "float": "NUMBER",
    "float range": "NUMBER",
}


def command(name: str, function: Callable[..., Any]) -> Any:
    """The function as a command; its docstring is the page's text. Its options may be in groups."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=_Command)(ungrouped(function))
    return typer.main.get_command(app)


def group(name: str, function: Callable[..., Any], commands: "Mapping[str, Late]", **settings: Any) -> Any:
    """Commands under one name. Without one of them the function is called, if it takes anything."""
    alone = bool(signature(function).parameters)
    settings = {"add_completion": False, "invoke_without_command": alone} | settings
    app = typer.Typer(name=name, cls=_Group, rich_markup_mode=None, **settings)
    app.callback()(function)
    whole: Any = typer.main.get_command(app)
    whole.commands.update(commands)
    return whole


class _Command(TyperCommand):
    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for param in self.params:
            if param.param_type_name == "argument":
                param.metavar = param.metavar or param.name.upper()

    def get_short_help_str(self, limit: int = _WHOLE) -> str:
        return super().get_short_help_str(_WHOLE)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [_unbraced(piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_parameters(self.get_params(ctx), ctx, formatter)


class Late(_Command):
    """A command by its name and what it says of itself, until it is named."""

    def __init__(self, name: str, help: str, load: Callable[[], Any]) -> None:
        super().__init__(name, help=help, rich_markup_mode=None)
        self.load = load


class _Group(TyperGroup):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        if self.invoke_without_command:
            self.subcommand_metavar = "[COMMAND] [ARGS]..."

    def get_short_help_str(self, limit: int = _WHOLE) -> str:
        return super().get_short_help_str(_WHOLE)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_parameters(self.get_params(ctx), ctx, formatter)
        self.format_commands(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        # A command in capitals stands for any word that is no other command; it reads it as its info_name.
        anything = next((each for each in self.commands if each.isupper()), None)
        if anything and self.get_command(ctx, args[0]) is None:
            _, command, _ = self.resolve_command(ctx, [anything])
            return args[0], command, args[1:]
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}{did_you_mean(args[0], self.commands)}.")
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, Late) else command, rest


def _unbraced(piece: str) -> str:
    """Typer puts what is required in braces."""
    return re.sub(r"\{(.+)\}", r"\1", piece)


def _write_parameters(params: list[Any], ctx: Any, formatter: Any) -> None:
    rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    for param in params:
        record = param.get_help_record(ctx)
        if record is not None and param.param_type_name == "argument":
            rows["Arguments"].append((param.metavar, record[1]))
        elif record is not None:
            name = re.sub(r"<(.+)>", lambda kind: _TAKES.get(kind[1], kind[1]), record[0])
            rows["Options"].append((name, record[1]))
    for title, some in rows.items():
        if some:
            with formatter.section(title):
                formatter.write_dl(some)


def usage_sentence(error: Any) -> str:
    """A usage error of typer's, as one sentence that names the thing and the page that says more."""
    ctx = error.ctx
    message = " ".join(error.format_message().split()).rstrip(".")
    if possible := getattr(error, "possibilities", None):
        message = f"{error.message}{did_you_mean(error.option_name, possible)}"
    if refused := getattr(error.__cause__, "errors", None):
        value = repr(refused()[0]["input"])
        message = message if value in message else message.replace("value for", f"value {value} for", 1)
    if ctx is None:
        return f"{message}; see --help."
    if message.startswith("Missing ") and getattr(error, "param", None):
        message += f" in {' '.join((ctx.command_path, *error.cmd.collect_usage_pieces(ctx)))}"
    return f"{message}; see `{ctx.command_path} --help`."
