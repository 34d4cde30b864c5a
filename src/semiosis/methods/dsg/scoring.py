"""The share of what a prompt says that its picture holds.

score = await DSG(backbone).score(prompt, artifact)
score.value, score.parts        0.75, and each proposition with its answer, its reason and what it needs
"""

from dataclasses import dataclass, field
from math import fsum
from pathlib import Path
from typing import ClassVar, cast

from ...backbones.backbone import Backbone
from ...backbones.single_flight import SharedWork
from ...core.kinds.rating import Score
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Prompt
from ..card import Card
from ..contract import method
from ..scorer import JudgesByScore
from ..settings import Temperature
from .given import GivenQuestions
from .propositions import Propositions
from .shapes import AnswerShape
from .viewer import Viewer, parts_of
from .writer import Writer

MOST_PROMPTS = 1024
MOST_ANSWERS = 16_384


def _written() -> SharedWork[Propositions]:
    return SharedWork(MOST_PROMPTS)


def _answers() -> SharedWork[AnswerShape]:
    return SharedWork(MOST_ANSWERS)


@method("dsg")
@dataclass(frozen=True)
class DSG(JudgesByScore):
    """Asks the picture for all that its prompt says, question by question: the share that holds.

    backbone    takes prompts apart, and answers about pictures
    questions   a file of propositions, or `GivenQuestions`; a model writes them where none are given
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one
    """

    card: ClassVar[Card] = Card(
        paper="Cho et al. 2024, Davidsonian Scene Graph (arXiv:2310.18235)",
        needs="a model that reads text and pictures",
        scale="0 to 1, the share of propositions that hold",
        unverified="the prompts are ours, the authors' figures for their models were not reproduced",
    )
    backbone: Backbone
    questions: GivenQuestions | Path | str | None = None
    temperature: Temperature | None = 0.0
    seed: int | None = None
    _written: SharedWork[Propositions] = field(
        default_factory=_written, init=False, repr=False, compare=False
    )
    _answers: SharedWork[AnswerShape] = field(default_factory=_answers, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.questions, str | Path):
            object.__setattr__(self, "questions", GivenQuestions.read(self.questions))

    async def score(self, prompt: Prompt, artifact: Artifact) -> Score | Failure:
        async def answer(question: str, log: list[Exchange]) -> AnswerShape | Failure:
            return await self._answers.get(
                (artifact.sha256, question), lambda own: viewer.answer(question, artifact, own), log
            )

        viewer = Viewer(self.backbone, self.temperature, self.seed)
        log: list[Exchange] = []
        propositions = await self._propositions(prompt, log)
        if isinstance(propositions, Failure):
            return self.failed(propositions, log)
        parts = await parts_of(propositions, answer, log)
        if isinstance(parts, Failure):
            return self.failed(parts, log)
        return Score(
            prompt=prompt,
            artifact=artifact,
            value=fsum(part.value or 0.0 for part in parts) / len(parts),
            parts=parts,
            provenance=self.provenance(log),
        )

    async def _propositions(self, prompt: Prompt, log: list[Exchange]) -> Propositions | Failure:
        given = self._given
        if given is not None:
            return given.of(prompt)
        writer = Writer(self.backbone, self.temperature, self.seed)
        return await self._written.get(prompt.text, lambda own: writer.write(prompt, own), log)

    @property
    def _given(self) -> GivenQuestions | None:
        return cast("GivenQuestions | None", self.questions)

    def configuration(self) -> dict[str, str | int | float | bool | None]:
        given = self._given
        named = f"{given.name} {given.sha256[:12]}" if given else None
        return super().configuration() | {"questions": named}
