"""Keys appear in no log, record, error or page."""

import re
from urllib.parse import urlsplit

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


def address(url: str) -> str:
    """Where a URL leads, whole, without what may be secret in it: user, password, query, fragment."""
    try:
        parts = urlsplit(url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return re.sub(r"//[^/?#]*@", "//", re.split(r"[?#]", url, maxsplit=1)[0])
    return f"{parts.scheme}://{host}{port}{parts.path}"


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
