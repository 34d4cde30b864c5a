"""A picture by URL: http and https only, bounded in size and time."""

import time
import urllib.request
from http.client import HTTPException
from urllib.parse import urlsplit

from ..core.errors import BadPicture
from ..core.sign import Artifact

MAX_BYTES = 64 * 1024 * 1024
CHUNK = 64 * 1024


def is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def fetch(url: str, timeout_s: float = 30.0) -> Artifact:
    # An opener with only these handlers cannot be redirected to file: or ftp:.
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    parts = urlsplit(url)
    # Credentials and signed queries stay out of messages.
    shown = f"{parts.scheme}://{parts.hostname or ''}{parts.path}"[:200]
    deadline = time.monotonic() + timeout_s
    data = bytearray()
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "semiosis"})
        with opener.open(request, timeout=timeout_s) as response:
            # A socket's own timeout restarts with every byte; the deadline does not.
            while chunk := response.read1(CHUNK):
                data += chunk
                if len(data) > MAX_BYTES:
                    raise BadPicture(f"{shown} is larger than {MAX_BYTES // 1024**2} MB.")
                if time.monotonic() > deadline:
                    raise BadPicture(f"{shown} took longer than {timeout_s:g} s.")
            promised = response.headers.get("Content-Length")
            if promised is not None and promised != str(len(data)):
                raise BadPicture(f"{shown} broke off after {len(data)} of {promised} bytes.")
    except (OSError, ValueError, HTTPException, AttributeError) as error:
        raise BadPicture(f"{shown} cannot be fetched: {_cause(error)}.") from None
    name = url.split("?", maxsplit=1)[0].rstrip("/").rsplit("/", 1)[-1]
    return Artifact.of(bytes(data)).model_copy(update={"name": name})


def _cause(error: Exception) -> str:
    """An invalid address is repeated whole in its error; its kind is enough."""
    return type(error).__name__ if isinstance(error, HTTPException | ValueError) else str(error)
