"""A picture by URL: http and https only, bounded in size and time."""

import time
import urllib.request
from http.client import HTTPException, IncompleteRead, InvalidURL, RemoteDisconnected, responses
from urllib.error import HTTPError, URLError

from ..core.errors import BadPicture
from ..core.secrets import address
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
    shown = address(url)
    deadline = time.monotonic() + timeout_s
    data = bytearray()
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "semiosis"})
        if "@" in request.host:
            # It would be looked up, password and all, as the name of a host.
            raise ValueError
        with opener.open(request, timeout=timeout_s) as response:
            # A socket's own timeout restarts with every byte; the deadline does not.
            while chunk := response.read1(CHUNK):
                data += chunk
                if len(data) > MAX_BYTES:
                    raise BadPicture(f"{shown} is larger than {MAX_BYTES // 1024**2} MB.")
                if time.monotonic() > deadline:
                    raise TimeoutError
            promised = response.headers.get("Content-Length")
            if promised is not None and promised != str(len(data)):
                raise BadPicture(f"{shown} broke off after {len(data)} of {promised} bytes.")
    except TimeoutError:
        raise BadPicture(f"{shown} cannot be fetched: it took longer than {timeout_s:g} s.") from None
    except (OSError, ValueError, HTTPException, AttributeError) as error:
        if isinstance(error, HTTPError):
            error.close()
        raise BadPicture(f"{shown} cannot be fetched: {_cause(error)}.") from None
    name = url.split("?", maxsplit=1)[0].rstrip("/").rsplit("/", 1)[-1]
    return Artifact.of(bytes(data)).model_copy(update={"name": name})


def _cause(error: BaseException) -> str:
    """In words of ours where an error would repeat the address, with its secrets, or names only its kind."""
    match error:
        case HTTPError():
            return f"the server says {error.code} {responses.get(error.code, '')}".strip()
        case URLError():
            return _cause(error.reason) if isinstance(error.reason, BaseException) else str(error.reason)
        case InvalidURL() | ValueError():
            return "it is no address that can be asked (no user name, and a space is written %20)"
        case IncompleteRead():
            return "the answer broke off"
        case RemoteDisconnected():
            return "the server hung up without an answer"
        case HTTPException():
            return "the answer is not HTTP"
        case OSError():
            return error.strerror or str(error) or type(error).__name__
        case _:
            return type(error).__name__
