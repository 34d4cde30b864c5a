"""Nine initiatives of original art, three pictures each, with recorded replies: the demo's material.

    for initiative in load():
        backbone = initiative.recording()

`meaning` carries the intended meaning, `literal` shows the prompt's nouns and no more, `drift` is as handsome
but its meaning has slipped. The order is the makers' own, not a vote.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...backbones.recording import Replay
from ...core.errors import UnknownName
from ...core.item import Candidate, Labels, candidate
from ...core.kinds.pair import PairItem
from ...core.kinds.question import QuestionItem
from ...core.sign import Artifact, Pair, Prompt, Question
from ...core.value import Value
from ..registry import benchmark

if TYPE_CHECKING:
    from ...core.settled import Settled
    from ...core.table import Table

Role = Literal["meaning", "literal", "drift"]
ROLES: tuple[Role, ...] = ("meaning", "literal", "drift")


class Picture(Value):
    file: str
    why: str


class SampleQuestion(Question):
    """A question about one picture, with why its answer is right."""

    type: str
    rationale: str
    picture: Role

    def plain(self) -> Question:
        """The question as it is put to a model's reader, without our remarks."""
        return Question(question=self.question, choices=self.choices, boxes=self.boxes, answer=self.answer)


class Iconicity(Value):
    """The makers' ratings from 1 to 7, by mode."""

    icn: float
    idx: float
    sym: float


class Initiative(Value):
    """One prompt, its three pictures and what their makers say of them."""

    id: str
    prompt: str
    tradition: str
    motif: str
    intended_object: str
    intended_interpretant: str
    expected_grounds: tuple[str, ...]
    author_iconicity: dict[str, Iconicity]
    author_order: tuple[tuple[Role, Role], ...]
    artifacts: dict[Role, Picture]
    questions: tuple[SampleQuestion, ...]

    @property
    def folder(self) -> Path:
        return _data() / self.id

    def sign(self) -> Prompt:
        return Prompt(text=self.prompt)

    def artifact(self, role: Role) -> Artifact:
        return Artifact.of(self.folder / self.artifacts[role].file)

    def pair(self, a: Role, b: Role) -> Pair:
        return Pair(prompt=self.prompt, a=self.artifact(a), b=self.artifact(b))

    def pairs(self) -> list[tuple[Role, Role]]:
        return list(combinations(ROLES, 2))

    def recording(self) -> Replay:
        """A multimodal model's replies: complex graphs, one picture at a time, verdicts in both orders."""
        return Replay(self.folder / "replies.jsonl")

    def preferred(self, a: Role, b: Role) -> Role | None:
        """What the makers intended, or None where they left it open."""
        for better, worse in self.author_order:
            if {better, worse} == {a, b}:
                return better
        return None


@cache
def load() -> tuple[Initiative, ...]:
    folders = sorted(folder for folder in _data().iterdir() if folder.is_dir())
    return tuple(
        Initiative.model_validate_json((folder / "initiative.json").read_text("utf-8")) for folder in folders
    )


def find(id: str) -> Initiative:
    for initiative in load():
        if initiative.id == id:
            return initiative
    raise UnknownName.among("sample", id, (item.id for item in load()))


@benchmark("samples")
class Samples:
    """The 27 pairs; the label `winner` is what their makers intended, where they said."""

    name = "samples"

    def candidates(self) -> Iterator[Candidate]:
        for initiative in load():
            for a, b in initiative.pairs():
                preferred = initiative.preferred(a, b)
                winner = None if preferred is None else "a" if preferred == a else "b"
                labels: Labels = {"winner": winner, "model_a": a, "model_b": b}
                yield candidate(
                    PairItem(
                        id=f"{initiative.id}/{a}/{b}",
                        pair=initiative.pair(a, b),
                        labels=labels,
                        labels_by="makers",
                    )
                )

    def summarise(self, rows: "Iterable[Settled]") -> "tuple[Table, ...]":
        from .summary import summarise

        return summarise(rows)


@benchmark("samples/questions")
class SampleQuestions:
    """The 18 questions, answered from one picture each, the prompt never shown."""

    name = "samples/questions"

    def candidates(self) -> Iterator[Candidate]:
        for initiative in load():
            for number, entry in enumerate(initiative.questions, 1):
                artifact = initiative.artifact(entry.picture)
                yield candidate(
                    QuestionItem(
                        id=f"{initiative.id}/{number}",
                        question=entry.plain(),
                        artifacts=(artifact,),
                        labels={"answer": entry.answer, "type": entry.type, "picture": entry.picture},
                        labels_by="makers",
                    )
                )

    def summarise(self, rows: "Iterable[Settled]") -> "tuple[Table, ...]":
        from .summary import summarise_questions

        return summarise_questions(rows)


def _data() -> Path:
    return Path(str(files("semiosis.benchmarks.samples"))) / "data"
