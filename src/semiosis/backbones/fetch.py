"""A picture by URL: http and https only, bounded in size and time."""

import urllib.request

from ..core.errors import BadPicture
from ..core.sign import Artifact

MAX_BYTES = 64 * 1024 * 1024


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
    try:
        with opener.open(
            urllib.request.Request(url, headers={"User-Agent": "semiosis"}), timeout=timeout_s
        ) as r:
            data: bytes = r.read(MAX_BYTES + 1)
    except (OSError, ValueError, AttributeError) as error:
        raise BadPicture(f"{url[:200]} cannot be fetched: {error}.") from None
    if len(data) > MAX_BYTES:
        raise BadPicture(f"{url[:200]} is larger than {MAX_BYTES // 1024**2} MB.")
    name = url.split("?", maxsplit=1)[0].rstrip("/").rsplit("/", 1)[-1]
    return Artifact.of(data).model_copy(update={"name": name})
