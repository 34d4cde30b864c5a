"""Options that are declared and passed on together: a dataclass whose fields are annotated as options.

    def run(context: typer.Context, *, pace: PaceOptions, quiet: Quiet = False) -> None: ...

On the command line, and in its help, the fields stand where the dataclass stands in the function.
"""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def ungrouped(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the fields of such dataclasses as parameters of its own."""
    whole = signature(function, eval_str=True).parameters
    groups = {name: each.annotation for name, each in whole.items() if _is_group(each.annotation)}

    @wraps(function)
    def call(**values: Any) -> Any:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        return function(**values)

    flat = [
        parameter
        for name, each in whole.items()
        for parameter in (_fields(groups[name]) if name in groups else (each,))
    ]
    parameters = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in flat]
    call.__dict__["__signature__"] = Signature(parameters)
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def _is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and is_dataclass(annotation)


def _fields(group: type[Any]) -> Iterator[Parameter]:
    annotations = get_type_hints(group, include_extras=True)
    for field in fields(group):
        default = Parameter.empty if field.default is MISSING else field.default
        annotation = annotations[field.name]
        yield Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
