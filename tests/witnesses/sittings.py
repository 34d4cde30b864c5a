"""What a model that sees was asked, and with which method: a sitting is one method over its items.

    python tests/witnesses/sittings.py --model openai/gpt-5                     # all that are not recorded yet
    python tests/witnesses/sittings.py --model openai/gpt-5 artcot-stylization  # one, going on where it stopped

Replies are kept in replies/, a cassette for each sitting; test_witnesses.py plays them. Every pair is shown in one
order, and in half of them the picture that its makers prefer comes second.
"""

import argparse
import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from semiosis.backbones.backbone import Backbone, Reply, Request
from semiosis.backbones.lookup import bare
from semiosis.backbones.recording import Record, Replay
from semiosis.backbones.single_flight import together
from semiosis.backbones.wrapper import Wrapper
from semiosis.benchmarks.samples.items import ROLES, Initiative, Role, load
from semiosis.core.errors import BackboneError
from semiosis.core.item import Item
from semiosis.core.kinds.pair import PairItem
from semiosis.core.kinds.question import QuestionItem
from semiosis.core.kinds.rating import RatingItem
from semiosis.core.outcome import Failure, Outcome
from semiosis.core.sign import Artifact, Pair, Prompt, Question
from semiosis.methods.artcot.artcot import ArtCoT
from semiosis.methods.artcot.baselines import BasePrompt, ZeroShotCoT
from semiosis.methods.contract import Interprets, Method, perform
from semiosis.methods.direct import Direct, DirectReading
from semiosis.methods.dsg.scoring import DSG
from semiosis.methods.rubric import Rubric
from semiosis.methods.viescore import VIEScore

FOLDER = Path(__file__).parent
REPLIES = FOLDER / "replies"


@cache
def stylizations() -> tuple[PairItem, ...]:
    """Bundled pictures painted anew by code, one of the two with a fault: the label is the better one."""
    rows = [json.loads(line) for line in (FOLDER / "stylizations/pairs.jsonl").read_text().splitlines()]
    return tuple(
        PairItem(
            id=row["id"],
            pair=Pair(
                Prompt.stylization(row["style"], FOLDER / "stylizations" / row["content"]),
                FOLDER / "stylizations" / row["a"],
                FOLDER / "stylizations" / row["b"],
            ),
            labels={"winner": row["winner"]},
        )
        for row in rows
    )


@cache
def pairs() -> tuple[PairItem, ...]:
    """The 18 bundled pairs whose makers prefer one picture, and two of which they do not."""
    against_meaning: list[tuple[Initiative, Role, Role]] = [
        (initiative, "meaning", other) for initiative in load() for other in ("literal", "drift")
    ]
    without_label: list[tuple[Initiative, Role, Role]] = [(each, "literal", "drift") for each in load()[:2]]
    return tuple(
        _pair(initiative, *((one, other) if number % 2 else (other, one)))
        for number, (initiative, one, other) in enumerate([*against_meaning, *without_label])
    )


def _pair(initiative: Initiative, a: Role, b: Role) -> PairItem:
    preferred = initiative.preferred(a, b)
    winner = None if preferred is None else "a" if preferred == a else "b"
    labels = {"winner": winner} if winner else {}
    return PairItem(id=f"{initiative.id}/{a}/{b}", pair=initiative.pair(a, b), labels=labels)


@cache
def ratings() -> tuple[RatingItem, ...]:
    """Each bundled picture under its prompt."""
    return tuple(
        RatingItem(id=f"{each.id}/{role}", prompt=each.sign(), artifact=each.artifact(role))
        for each in load()
        for role in ROLES
    )


@cache
def questions() -> tuple[QuestionItem, ...]:
    """The 18 bundled questions about one picture, and six about two."""
    about_one = [
        QuestionItem(
            id=f"{initiative.id}/{number}",
            question=entry.plain(),
            artifacts=(initiative.artifact(entry.picture),),
        )
        for initiative in load()
        for number, entry in enumerate(initiative.questions, 1)
    ]
    samples = load()[0].folder.parent
    about_two = [
        QuestionItem(
            id=row["id"],
            question=Question(question=row["question"], choices=row["choices"], answer=row["answer"]),
            artifacts=tuple(Artifact.of(samples / place) for place in row["pictures"]),
        )
        for row in json.loads((FOLDER / "comparisons.json").read_text())
    ]
    return (*about_one, *about_two)


@cache
def pictures() -> tuple[Artifact, ...]:
    """The bundled pictures, to be read alone."""
    return tuple(each.artifact for each in ratings())


@dataclass(frozen=True)
class Sitting:
    """One method, and what it is put to: items, or pictures to be read alone."""

    method: Callable[[Backbone], Method]
    about: Callable[[], Sequence[Item | Artifact]]

    async def outcomes(self, backbone: Backbone) -> list[Outcome]:
        method = self.method(backbone)
        return list(await together(*(self._outcome(method, each) for each in self.about())))

    @staticmethod
    async def _outcome(method: Method, about: Item | Artifact) -> Outcome:
        if isinstance(about, Item):
            return await perform(method, about)
        assert isinstance(method, Interprets)
        return await method.interpret(about)


SITTINGS: dict[str, Sitting] = {
    "direct-base-stylization": Sitting(lambda model: BasePrompt(model, orders="ab"), stylizations),
    "direct-base-separate": Sitting(
        lambda model: BasePrompt(model, orders="ab", layout="separate"), stylizations
    ),
    "direct-base-without-content": Sitting(
        lambda model: BasePrompt(model, orders="ab", without="content"), stylizations
    ),
    "direct-base-without-style": Sitting(
        lambda model: BasePrompt(model, orders="ab", without="style"), stylizations
    ),
    "direct-base-without-both": Sitting(
        lambda model: BasePrompt(model, orders="ab", without="both"), stylizations
    ),
    "direct-cot-stylization": Sitting(lambda model: ZeroShotCoT(model, orders="ab"), stylizations),
    "artcot-stylization": Sitting(lambda model: ArtCoT(model, orders="ab"), stylizations),
    "viescore-stylization": Sitting(VIEScore, stylizations),
    "direct-base": Sitting(lambda model: BasePrompt(model, orders="ab"), pairs),
    "direct-cot": Sitting(lambda model: ZeroShotCoT(model, orders="ab"), pairs),
    "artcot": Sitting(lambda model: ArtCoT(model, orders="ab"), pairs),
    "viescore": Sitting(VIEScore, ratings),
    "rubric": Sitting(Rubric, ratings),
    "dsg": Sitting(lambda model: DSG(model, questions=FOLDER / "questions.jsonl"), ratings),
    "direct-answer": Sitting(Direct, questions),
    "artcot-answer": Sitting(ArtCoT, questions),
    "direct-interpret": Sitting(DirectReading, pictures),
    "artcot-interpret": Sitting(ArtCoT, pictures),
}


class Unrecorded(Wrapper):
    """Asks `inner` for what the cassette at `path` does not hold, and writes it there."""

    def __init__(self, inner: Backbone, path: Path) -> None:
        super().__init__(Record(inner, path))
        self._held = Replay(path) if path.exists() else Replay()

    async def complete(self, request: Request) -> Reply:
        try:
            return await self._held.complete(request)
        except BackboneError:
            return await super().complete(request)


async def record(model: str, names: Sequence[str]) -> None:
    """Put these sittings to a model, one after the other."""
    REPLIES.mkdir(exist_ok=True)
    for name in names:
        backbone = Unrecorded(bare(model, timeout_s=3600), REPLIES / f"{name}.jsonl")
        outcomes = await SITTINGS[name].outcomes(backbone)
        failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
        print(f"{name}: {len(outcomes)} outcomes, {len(failures)} failed", *failures, sep="\n  ")
        await backbone.aclose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True, help="provider/model")
    parser.add_argument("names", nargs="*", metavar="SITTING", help=", ".join(SITTINGS))
    arguments = parser.parse_args()
    asyncio.run(record(arguments.model, arguments.names or list(SITTINGS)))
