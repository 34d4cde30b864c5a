"""Keys appear in no log, record, error or page."""

import re

_SHAPES = re.compile(
    r"(?:sk|rk|pk|AIza|gsk|hf|xai|key)[-_][A-Za-z0-9_\-*]{6,}|AIza[\w\-]{20,}|(?i:bearer)\s+\S+"
)

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def redact(text: str, *keys: str | None) -> str:
    """The text without these keys, nor anything shaped like one."""
    for key in keys:
        if key and len(key) >= 4:
            text = text.replace(key, "[key]")
    return _SHAPES.sub("[key]", text)


def withhold(text: str, *keys: str | None) -> str:
    """A reply without these very keys; its other words stay as they came."""
    for key in keys:
        if not key or len(key) < 8:
            continue
        if key in text:
            text = text.replace(key, "[key]")
        if "\\u" in text:
            # A key spelt in JSON's escapes would come out whole when the reply is parsed.
            plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
            text = plain.replace(key, "[key]") if key in plain else text
    return text
