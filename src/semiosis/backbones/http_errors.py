"""When a server says no: which error that is, and what to ask differently next time."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from socket import gaierror

from ..core.errors import BackboneError
from ..core.secrets import address, redact

MAX_NEGOTIATIONS = 6
# "max_tokens is too large: 20000. This model supports at most 16384 completion tokens"
_CAP = re.compile(
    r"token.*?(?:at most|maximum(?: value)?(?: is| of)?|up to|<=?|limit(?: is| of)?) (\d{3,7})\b"
)
_UNWANTED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|not permitted|not allowed|extra|deprecated|removed"
    r"|unexpected|not enabled|invalid (?:parameter|argument)|use '?\w+'? instead|no longer|only the default"
)


@dataclass
class Manners:
    """How a server wants to be asked, as far as it has said: schema forms (strongest first), parameters."""

    forms: list[str]
    complaint: re.Pattern[str]
    droppable: tuple[str, ...] = ("temperature", "seed", "logprobs")
    refused: set[str] = field(default_factory=set[str])
    most_tokens: int | None = None

    def room(self, max_tokens: int) -> int:
        """As many tokens as are wanted, or as the server allows."""
        return min(max_tokens, self.most_tokens or max_tokens)

    def learn(self, complaint: str, form: str, sent: Collection[str]) -> bool:
        """Whether asking again would be asking differently; what was refused is remembered.

        Calls run side by side, so what a complaint names may have been given up since it was sent.
        """
        text = complaint.lower()
        cap = _CAP.search(text)
        if cap and (self.most_tokens is None or int(cap[1]) < self.most_tokens):
            self.most_tokens = int(cap[1])
            return True
        for parameter in self.droppable:
            if parameter in sent and parameter in text and _UNWANTED.search(text):
                self.refused.add(parameter)
                return True
        if form not in self.forms:
            return True
        if form == self.forms[0] and len(self.forms) > 1 and self.complaint.search(text):
            self.forms.pop(0)
            return True
        return False


# Unavailable and overloaded: turned away before any work was done.
_TURNED_AWAY = frozenset({503, 529})
_MOST_WORDS = 500
_URL = re.compile(r"https?://[^\s'\"<>]+")


def from_status(
    endpoint: str, status: int, complaint: str, *, code: str = "", retry_after_s: float | None = None
) -> BackboneError:
    """The error an HTTP status stands for; `said` and `code` are the server's words, without keys.

    `endpoint` names the model and where it was asked.
    """
    match status:
        case 402:
            return BackboneError("budget", f"{endpoint} says the account is out of credit: {complaint}")
        case 429 if "quota" in code or "insufficient_quota" in complaint:
            return BackboneError("budget", f"{endpoint} says the account is out of credit: {complaint}")
        case 429:
            return BackboneError(
                "rate-limited", f"{endpoint} is rate-limited: {complaint}", retry_after_s=retry_after_s
            )
        case 401 | 403:
            return BackboneError("unauthorised", f"{endpoint} refused the key ({status}): {complaint}")
        case 408:
            return BackboneError("timeout", f"{endpoint} timed out on its side: {complaint}")
        case _ if "content_filter" in code or "content_policy" in code:
            return BackboneError(
                "filtered", f"{endpoint} filtered the request: {complaint}", reply=complaint, billable=False
            )
        case _ if status >= 500 or status == 409:
            return BackboneError(
                "unreachable",
                f"{endpoint} failed ({status}): {complaint}",
                retry_after_s=retry_after_s,
                billable=status >= 500 and status not in _TURNED_AWAY,
            )
        case 404 | 405:
            return BackboneError("rejected", f"{endpoint} rejected the request ({status}): {complaint}")
        case _:
            return BackboneError(
                "rejected", f"{endpoint} rejected the request ({status}): {complaint}", reply=complaint
            )


def from_exception(endpoint: str, error: Exception, timeout_s: float, key: str | None) -> BackboneError:
    """A call that ended without a status: not connected, too slow, cut off, or not to be read.

    The clients' aiohttp transport calls a dropped connection a timeout too; what caused it knows better.
    """
    from aiohttp import ClientConnectorError

    chain: list[BaseException] = [error]
    while chain[-1].__cause__ is not None:
        chain.append(chain[-1].__cause__)
    reason = redact(words(chain[-1]) or type(chain[-1]).__name__, key)
    cause = _URL.sub(lambda match: address(match[0]), reason)[:_MOST_WORDS].rstrip(".")
    if any(isinstance(link, ClientConnectorError | ConnectionRefusedError | gaierror) for link in chain):
        return BackboneError("unreachable", f"{endpoint} cannot be reached: {cause}.", billable=False)
    if any(isinstance(link, TimeoutError) for link in chain):
        return BackboneError("timeout", f"{endpoint} did not answer within {timeout_s:g} s.")
    if isinstance(error, AttributeError | TypeError | LookupError):
        return BackboneError("unparsable", f"{endpoint} sent an answer of another shape: {cause}.")
    return BackboneError("unreachable", f"{endpoint} sent no answer that can be read: {cause}.")


def words(value: object) -> str:
    """What somebody else's value says, on one line; nothing where it is nested too deep to be shown."""
    try:
        return " ".join(str(value).split())
    except RecursionError:
        return ""


def retry_after(value: str | None) -> float | None:
    """Seconds to wait, from a Retry-After header in either of its forms."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
