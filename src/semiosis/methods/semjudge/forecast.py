"""The calls that reading and judging will take, before any is made.

Forecast(reader).prompt(prompt)     one planned call; its node is the same whoever needs that graph
"""

from dataclasses import dataclass, replace

from ...core.sign import Artifact, Pair, Prompt, Question
from ..contract import PlannedCall, estimated
from ..signs import pair_subject, subject_of
from ..template import prompt_file
from .reader import Reader
from .settings import Size

# Tokens of a typical reply, at 3.5 characters each: means over the bundled recordings for complex graphs
# and verdicts; standard graphs are taken as half of that.
REPLY_TOKENS: dict[Size, dict[str, int]] = {
    "standard": {"prompt": 550, "picture": 650, "verdict": 500},
    "complex": {"prompt": 1100, "picture": 1300, "verdict": 500},
}


@dataclass(frozen=True)
class Forecast:
    """One reader's calls, each of use so many times to the item.

    In a `talk`, stages after the first are asked with what was said before.
    """

    reader: Reader
    uses: int = 1
    talk: bool = False

    def prompt(self, prompt: Prompt) -> PlannedCall:
        return self._call("prompt-graph", prompt, subject_of(prompt), 0, 0, self._reply["prompt"])

    def pair(self, pair: Pair) -> PlannedCall:
        write = 2 * self._reply["picture"]
        return self._call("picture-graphs", pair.prompt, pair_subject(pair), 2, self._reply["prompt"], write)

    def picture(self, prompt: Prompt, artifact: Artifact) -> PlannedCall:
        subject = (*subject_of(prompt), artifact.sha256)
        return self._call("picture-graph", prompt, subject, 1, self._reply["prompt"], self._reply["picture"])

    def unprompted(self, artifact: Artifact) -> PlannedCall:
        return self._call("picture-alone", None, (artifact.sha256,), 1, 0, self._reply["picture"])

    def verdict(self, pair: Pair, graphs: tuple[str, ...] = ()) -> PlannedCall:
        """`graphs` is what the pictures' graphs were read from, where that is not each picture by itself."""
        read = self._reply["prompt"] + 2 * self._reply["picture"]
        about = (*pair_subject(pair), *graphs)
        return self._call("verdict", pair.prompt, about, 2, read, self._reply["verdict"])

    def answer(self, question: Question, artifacts: tuple[Artifact, ...]) -> PlannedCall:
        subject = (question.model_dump_json(), *(artifact.sha256 for artifact in artifacts))
        read = len(artifacts) * self._reply["picture"]
        return self._call("answer", None, subject, len(artifacts), read, self._reply["verdict"])

    @property
    def _reply(self) -> dict[str, int]:
        return REPLY_TOKENS[self.reader.size]

    def _call(
        self,
        stage: str,
        prompt: Prompt | None,
        subject: tuple[str, ...],
        pictures: int,
        read: int,
        write: int,
    ) -> PlannedCall:
        reader = self.reader
        later = self.talk and stage != "prompt-graph"
        node = (subject, reader.size, reader.temperature, reader.seed, reader.repeat, later)
        template = prompt_file(stage, __file__)
        call = estimated(
            template, reader.backbone.name, prompt, node, pictures=pictures, read=read, write=write
        )
        return replace(call, uses=self.uses)
