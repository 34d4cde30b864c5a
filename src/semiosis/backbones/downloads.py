"""What an address holds: http and https only, through every redirect, bounded in bytes and in time."""

import asyncio
import os
import re
from typing import TYPE_CHECKING

from ..core.errors import BadPicture
from ..core.loop import run
from ..core.secrets import address
from ..core.sign import Artifact

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession
    from yarl import URL

MAX_BYTES = 64 * 1024 * 1024
MAX_REDIRECTS = 10
CHUNK = 64 * 1024


class Unfetched(Exception):
    """Why an address gave nothing, in words of ours: an error of the client may repeat the address."""


def is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def fetch(url: str, timeout_s: float = 30.0) -> Artifact:
    try:
        data = read(url, timeout_s)
    except Unfetched as error:
        raise BadPicture(f"{address(url)} cannot be fetched: {error}.") from None
    name = url.split("?", maxsplit=1)[0].rstrip("/").rsplit("/", 1)[-1]
    return Artifact.of(data).model_copy(update={"name": name})


def read(url: str, timeout_s: float, *, key: str | None = None) -> bytes:
    """The unpacked body of a good answer. The key goes to that server only, wherever it redirects to."""
    return run(_read(url, timeout_s, {"Authorization": f"Bearer {key}"} if key else {}))


async def _read(url: str, timeout_s: float, headers: dict[str, str]) -> bytes:
    import aiohttp
    from yarl import URL

    try:
        if re.search(r"[\x00-\x20\x7f]", url):
            raise ValueError
        # As it was written, since a signature may be of every letter.
        where = _askable(URL(url, encoded=url.isascii()))
        # A limit of the client's own would begin anew with every redirect.
        async with (
            asyncio.timeout(timeout_s),
            aiohttp.ClientSession(
                headers={"User-Agent": "semiosis"}, timeout=aiohttp.ClientTimeout()
            ) as session,
        ):
            return await _asked(session, where, headers, MAX_REDIRECTS)
    except TimeoutError:
        raise Unfetched(f"it took longer than {timeout_s:g} s") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise Unfetched(_cause(error)) from None


async def _asked(session: "ClientSession", url: "URL", headers: dict[str, str], redirects: int) -> bytes:
    from http.client import responses

    async with session.get(url, headers=headers, proxy=_proxy(url), allow_redirects=False) as response:
        onward = _onward(response) if redirects else None
        if onward is None and not 200 <= response.status < 300:
            status = f"{response.status} {responses.get(response.status, '')}"
            raise Unfetched(f"the server says {status.rstrip()}")
        if onward is None:
            return await _body(response)
    return await _asked(session, onward, headers if onward.origin() == url.origin() else {}, redirects - 1)


async def _body(response: "ClientResponse") -> bytes:
    data = bytearray()
    async for chunk in response.content.iter_chunked(CHUNK):
        data += chunk
        if len(data) > MAX_BYTES:
            raise Unfetched(f"it is larger than {MAX_BYTES // 1024**2} MB")
    return bytes(data)


def _onward(response: "ClientResponse") -> "URL | None":
    from yarl import URL

    if response.status not in (301, 302, 303, 307, 308) or "Location" not in response.headers:
        return None
    try:
        return _askable(response.url.join(URL(response.headers["Location"])))
    except (Unfetched, ValueError):
        return None


def _askable(url: "URL") -> "URL":
    if not url.host:
        raise Unfetched("no host given")
    if url.scheme not in ("http", "https") or url.user is not None or url.password is not None:
        raise ValueError
    return url


def _proxy(url: "URL") -> str | None:
    """The environment's. The client's own look at the environment would send passwords of netrc, too."""
    from urllib.request import getproxies, proxy_bypass

    proxy = None if proxy_bypass(url.host or "") else getproxies().get(url.scheme)
    return proxy if proxy is None or "://" in proxy else f"http://{proxy}"


def _cause(error: Exception) -> str:
    import aiohttp

    match error:
        case aiohttp.ClientPayloadError():
            return "the answer broke off"
        case aiohttp.ServerDisconnectedError():
            return "the server hung up without an answer"
        case aiohttp.ClientHttpProxyError():
            return f"the proxy says {error.status}"
        case aiohttp.ClientResponseError():
            return "the answer is not HTTP"
        case aiohttp.ClientSSLError() | aiohttp.ClientConnectorDNSError():
            return error.strerror or type(error).__name__
        case OSError():
            return os.strerror(error.errno) if error.errno else type(error).__name__
        case ValueError():
            return "it is no address that can be asked (no user name, and a space is written %20)"
        case _:
            return type(error).__name__
