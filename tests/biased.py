"""Judges and scorers with a bias that is known, as a third party would write them: `module:Class`."""

import hashlib
import io
from dataclasses import dataclass
from functools import cache

from PIL import Image, ImageChops, ImageFilter, ImageStat

from semiosis.core.outcome import Failure
from semiosis.core.sign import Side
from semiosis.methods import (
    Answer,
    Answers,
    Artifact,
    Exchange,
    Judges,
    Judgment,
    Pair,
    Prompt,
    Question,
    Scorer,
    Vote,
)


@dataclass(frozen=True)
class OneVote(Judges):
    """Looks once, in the order given."""

    def choice(self, pair: Pair) -> Side | None:
        raise NotImplementedError

    async def judge(self, pair: Pair) -> Judgment | Failure:
        vote = Vote(order="ab", winner=self.choice(pair))  # type: ignore[arg-type]
        return Judgment(pair=pair, votes=(vote,), provenance=self.provenance([]))


@dataclass(frozen=True)
class AlwaysLeft(OneVote):
    def choice(self, pair: Pair) -> Side:
        return "a"


@dataclass(frozen=True)
class LeftUnsaid(Judges):
    """The same, without a word of which picture it looked at first."""

    async def judge(self, pair: Pair) -> Judgment:
        return Judgment(pair=pair, votes=(Vote(winner="a"),), provenance=self.provenance([]))


@dataclass(frozen=True)
class LargerFile(OneVote):
    """Nobody shows it which is first, and it does not care."""

    def choice(self, pair: Pair) -> Side | None:
        a, b = len(pair.a.read()), len(pair.b.read())
        return None if a == b else "a" if a > b else "b"


@dataclass(frozen=True)
class BlurredLoses(OneVote):
    """What is clearly sharper wins; of two that are about as sharp, a coin decides."""

    def choice(self, pair: Pair) -> Side:
        a, b = sharpness(pair.a), sharpness(pair.b)
        if max(a, b) > 1.6 * min(a, b):
            return "a" if a > b else "b"
        asked = f"{pair.prompt.text} {pair.a.sha256} {pair.b.sha256}"
        return "ab"[hashlib.sha256(asked.encode()).digest()[0] % 2]  # type: ignore[return-value]


@dataclass(frozen=True)
class Sharpness(Scorer):
    """A number for each picture by itself, from 0 to 10, in whole steps."""

    name = "sharpness"

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float:
        return float(round(10 * sharpness(artifact)))


@dataclass(frozen=True)
class Constant(Scorer):
    """Says the same of every picture."""

    name = "constant"

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float:
        return 1.0


@dataclass(frozen=True)
class RefusesFrames(OneVote):
    """Declines whatever hangs in a frame, and likes neither of two otherwise."""

    async def judge(self, pair: Pair) -> Judgment | Failure:
        if any("framed" in picture.note for picture in (pair.a, pair.b)):
            return self.failed(Failure(reason="refused", message="No frames, please."), [])
        return await super().judge(pair)

    def choice(self, pair: Pair) -> None:
        return None


@cache
def sharpness(artifact: Artifact) -> float:
    """How far neighbours differ, beside how far wider surroundings do: what is smaller is no sharper for it."""
    with Image.open(io.BytesIO(artifact.read())) as image:
        grey = image.convert("L").resize((256, 192), Image.Resampling.BICUBIC)
    near, wide = (
        ImageStat.Stat(ImageChops.difference(grey, grey.filter(ImageFilter.GaussianBlur(radius)))).mean[0]
        for radius in (1, 6)
    )
    return near / max(wide, 1e-6)


@dataclass(frozen=True)
class AnswersOnly(Answers):
    """Judges no pairs."""

    async def answer(self, question: Question, *artifacts: Artifact) -> Answer | Failure:
        return self.failed(Failure(reason="refused", message="No."), [])
