"""The base of everything that is stored or sent: frozen, strict about unknown fields."""

from pydantic import BaseModel, ConfigDict, ValidationError


class Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


def first_fault(error: ValidationError) -> str:
    """What is wrong with a value, and where in it: the first of what there may be."""
    fault = error.errors()[0]
    where = ".".join(str(part) for part in fault["loc"])
    message = fault["msg"].removeprefix("Value error, ")
    return f"{where}: {message}" if where else message
