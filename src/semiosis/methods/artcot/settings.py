"""What the methods of the ArtCoT paper can be told: how a pair is shown, and what of its task."""

from typing import Literal

Layout = Literal["composed", "separate"]
Resolution = Literal["full", "half", "quarter", "eighth"]
Without = Literal["nothing", "content", "style", "both"]

SCALES: dict[Resolution, float] = {"full": 1.0, "half": 0.5, "quarter": 0.25, "eighth": 0.125}
