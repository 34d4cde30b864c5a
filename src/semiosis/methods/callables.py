"""Any scorer that is called with pictures and texts, as a method.

    semiosis run pairs.jsonl --method mine:scorer

`mine:scorer` is called as t2v_metrics is, `scorer(images=[...], texts=[...])` with a matrix of numbers as its
reply, or as ImageReward is, `scorer.score(prompt, images)` with a number for each; a class is made without
arguments first. Pictures are handed over as files, since not every scorer takes anything else.
"""

import asyncio
import hashlib
import inspect
import tempfile
import threading
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

from ..backbones.inprocess import Over, Slots
from ..backbones.pictures import size_of
from ..core.errors import SetupError, UnknownName, whereabouts
from ..core.outcome import Exchange, Failure
from ..core.settings import TIMEOUT
from ..core.sign import Artifact, Prompt
from ..core.text import brief
from .card import Card
from .contract import METHODS, RegisteredMethod
from .scorer import Scorer

Direction = Literal["higher", "lower"]
CallShape = Literal["images-texts", "prompt-images"]

# Written files have the ending of what they are: a scorer may go by it.
_ENDINGS = {b"\x89PNG": ".png", b"\xff\xd8\xff": ".jpg", b"RIFF": ".webp", b"GIF8": ".gif", b"BM": ".bmp"}


@dataclass(frozen=True)
class CalledScorer(Scorer):
    """Scores by a callable of another package.

    place       module:callable
    better      which way its numbers point; "lower" turns them round
    timeout_s   how many seconds one call may take; one that takes longer is the last
    """

    card: ClassVar[Card] = Card(needs="the package that it is in", scale="its own")
    place: str
    better: Direction = "higher"
    timeout_s: Annotated[float, TIMEOUT] = 600.0
    scorer: "ForeignScorer" = field(kw_only=True, repr=False, compare=False)

    @property
    def label(self) -> str:
        return self.place

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        return {"scorer": self.place, "better": self.better}

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        size_of(artifact)
        number = await self.scorer.number(prompt.text, artifact, self.timeout_s)
        if isinstance(number, Failure):
            return number
        return number if self.better == "higher" else -number


class ForeignScorer:
    """What stands at that place, called once at a time: few models of others are made for threads.

    A call that does not return in time is the last, since it cannot be ended.
    """

    def __init__(self, place: str, scorer: Any) -> None:
        self._place = place
        self._scorer = scorer
        self._is_stuck = False
        self._call_turn = threading.Lock()
        # A lock of asyncio belongs to one event loop.
        self._turns: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = (
            weakref.WeakKeyDictionary()
        )

    async def number(self, text: str, artifact: Artifact, timeout_s: float) -> float | Failure:
        message = f"{self._place} did not return within {timeout_s:g} s, and is not called again."
        late = Failure(reason="timeout", message=message)
        async with self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            if self._is_stuck:
                return late
            begun = threading.Event()
            try:
                working = Slots(1, timeout_s).run(lambda over: self._called(text, artifact, begun, over))
                number = await asyncio.wait_for(working, timeout_s)
                return late if number is None else number
            except TimeoutError:
                # One that only waited for another event loop's call is not stuck itself.
                self._is_stuck |= begun.is_set()
                return late

    def _called(
        self, text: str, artifact: Artifact, begun: threading.Event, over: Over
    ) -> "float | Failure | None":
        """None where nobody waits any more, or an earlier call is stuck."""
        with self._call_turn, _as_file(artifact) as path:
            if over() or self._is_stuck:
                return None
            begun.set()
            try:
                reply = _reply(self._scorer, text, str(path))
                number = _single(reply)
            except BaseException as error:  # noqa: BLE001 - whatever another package does
                message = brief(f"{self._place} broke: {whereabouts(error)}")
                return Failure(reason="error", message=message)
            if number is None or not isfinite(number):
                message = brief(f"{self._place} gave {_shown(reply)}, where one finite number was wanted.")
                return Failure(reason="invalid", message=message)
            return number


@cache
def registered(place: str) -> RegisteredMethod:
    """The method made of what stands at `place`; raises UnknownName where it is called in no known way."""
    loaded = METHODS.load(place)
    if _shape(loaded) is None:
        raise UnknownName(
            f"{place} is neither a method (a class that derives from semiosis.methods.Method) nor a scorer "
            "(called with images=[...] and texts=[...], or with score(prompt, images))."
        )
    scorer = ForeignScorer(place, _made(place, loaded) if isinstance(loaded, type) else loaded)
    about = (inspect.getdoc(loaded) or "").partition("\n")[0]
    return RegisteredMethod(CalledScorer, {"place": place, "scorer": scorer}, about)


def _made(place: str, scorer: type[Any]) -> Any:
    try:
        return scorer()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever another package does
        raise SetupError(
            brief(f"{place} cannot be made without arguments: {whereabouts(error)}; name an instance.")
        ) from None


def _reply(scorer: Any, text: str, path: str) -> Any:
    """What it says of the picture in that file under that text."""
    if _shape(scorer) == "images-texts":
        return scorer(images=[path], texts=[text])
    return scorer.score(text, [path])


def _shape(scorer: Any) -> CallShape | None:
    call = _call_of_instances(scorer) if isinstance(scorer, type) else scorer
    if callable(call) and {"images", "texts"} <= _parameters(call):
        return "images-texts"
    score = getattr(scorer, "score", None)
    takes_both = callable(score) and len(_parameters(score) - {"self"}) >= 2
    return "prompt-images" if takes_both else None


def _call_of_instances(cls: type[Any]) -> Any:
    """How instances of a class are called; every class is called itself, to make one."""
    if hasattr(cls, "forward"):
        return cls.forward
    return next((vars(base)["__call__"] for base in cls.__mro__ if "__call__" in vars(base)), None)


def _parameters(function: Callable[..., Any]) -> set[str]:
    try:
        # A module of torch is called by way of its forward.
        target = getattr(function, "forward", function)
        return set(inspect.signature(target).parameters)
    except Exception:  # noqa: BLE001 - whatever another package does
        return set()


@contextmanager
def _as_file(artifact: Artifact) -> Generator[Path]:
    """A file with the picture's bytes: its own where it is still what was read, else a copy for the while."""
    data = artifact.read()
    place = Path(artifact.place) if artifact.place else None
    if place is not None and place.is_file() and _sha256(place) == artifact.sha256:
        yield place
        return
    ending = next((each for mark, each in _ENDINGS.items() if data.startswith(mark)), ".png")
    with tempfile.TemporaryDirectory(prefix="semiosis-") as folder:
        path = Path(folder) / f"{artifact.sha256}{ending}"
        path.write_bytes(data)
        yield path


def _shown(reply: Any) -> str:
    try:
        return repr(reply)
    except Exception:  # noqa: BLE001 - whatever another package does
        return f"a {type(reply).__name__}"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _single(reply: Any) -> float | None:
    """The one number in a reply: as it is, or in lists, arrays or tensors of one."""
    value = reply.tolist() if hasattr(reply, "tolist") else reply
    while isinstance(value, list | tuple) and len(cast("list[Any]", value)) == 1:
        value = cast("list[Any]", value)[0]
        value = value.tolist() if hasattr(value, "tolist") else value
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
