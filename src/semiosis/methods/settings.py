"""What any method can be told: the choices and ranges, for Python and for the command line alike."""

from typing import Annotated, Literal

from ..core.settings import REPEATS, TEMPERATURE

Orders = Literal["both", "ab", "ba"]
Repeats = Annotated[int, REPEATS]
Temperature = Annotated[float, TEMPERATURE]
Wording = Literal["neutral", "meaning"]
