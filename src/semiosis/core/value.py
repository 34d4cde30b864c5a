"""The base of everything that is stored or sent: frozen, strict about unknown fields."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")
