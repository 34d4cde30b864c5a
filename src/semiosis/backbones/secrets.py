"""Keys appear in no log, record, error or page."""

import re

_SHAPES = re.compile(
    r"(?:sk|rk|pk|AIza|gsk|hf|xai|key)[-_][A-Za-z0-9_\-*]{6,}|AIza[\w\-]{20,}|(?i:bearer)\s+\S+"
)


def redact(text: str, *keys: str | None) -> str:
    """The text without these keys, nor anything shaped like one."""
    for key in keys:
        if key and len(key) >= 4:
            text = text.replace(key, "[key]")
    return _SHAPES.sub("[key]", text)


def withhold(text: str, *keys: str | None) -> str:
    """A reply without these very keys; its other words stay as they came."""
    for key in keys:
        if key and len(key) >= 8 and key in text:
            text = text.replace(key, "[key]")
    return text
