"""What model families tend to do with boxes, by name. Sources: docs/backbones.md."""

import re
from dataclasses import replace

from .backbone import Traits

_HABITS: tuple[tuple[re.Pattern[str], dict[str, str]], ...] = (
    (re.compile(r"gemini", re.I), {"box_order": "y-first"}),
    (re.compile(r"qwen-?2\.5-?vl", re.I), {"box_scale": "pixels"}),
)


def traits_of(model: str, endpoint: str, *, identity: str = "") -> Traits:
    traits = Traits(endpoint=endpoint, identity=identity)
    for pattern, habits in _HABITS:
        if pattern.search(model):
            return replace(traits, **habits)
    return traits
