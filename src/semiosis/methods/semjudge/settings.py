"""What SemJudge can be told besides."""

from typing import Literal

Graphs = Literal["joint", "solo"]
Size = Literal["standard", "complex"]
Keep = Literal["all", "roots"]
Rebuild = Literal["never", "per-order"]
Rationales = Literal["decisive", "every-node"]
PictureReading = Literal["unprompted", "prompted"]
Measure = Literal["distance", "coverage"]
