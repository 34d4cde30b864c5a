"""A tuned model behind a server (vLLM, llama.cpp, its own), asked in the words it was tuned with.

Its replies are prose. A number is read in it by the method's own rule, or there is none; a letter that
answers must stand there by itself. Such a model knows no fences: what others wrote goes into its prompt as it
is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...backbones.backbone import Backbone, Message, Reply
from ...backbones.prose import ProseQuery, ask_answers, ask_prose
from ...core.errors import SetupError
from ...core.kinds.question import Answer
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Question
from ..answers import Chosen, answered_by_votes, check_pictured
from ..choices import named_letter, stated
from ..contract import Answers, Method
from ..direct import pictures_by_letter, question_subject
from ..settings import Repeats, Temperature
from ..signs import sent
from ..template import Template, prompt_file

_DOUBTS = frozenset(
    {
        *("not", "no", "never", "neither", "nor", "hardly", "barely", "cannot", "far", "without", "less"),
        *("or", "but", "between", "maybe", "perhaps", "possibly", "could", "might", "may", "would", "if"),
    }
)
NO_LETTER = "The reply names none of the letters by itself."
LEVELS = {"excellent": 5, "good": 4, "fair": 3, "poor": 2, "bad": 1}


@dataclass(frozen=True)
class Tuned(Method):
    """One that is asked in prose, and replies in it.

    backbone    the tuned model
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    """

    backbone: Backbone
    temperature: Temperature | None = 0.0
    seed: int | None = None

    def require_opening(self) -> None:
        """Refuse a model that is known not to go on from the beginning of a reply."""
        if not self.backbone.traits.opens:
            raise SetupError(
                f"{self.backbone.name} cannot go on from the beginning of a reply, and {self.label} gives "
                "one: serve the model with vLLM or llama.cpp (vllm/..., llamacpp/...)."
            )

    async def written(
        self,
        template: Template,
        artifact: Artifact,
        log: list[Exchange],
        *,
        check: Callable[[str], str | None] | None = None,
        **texts: str,
    ) -> Reply | Failure:
        """What it writes of one picture, asked by that prompt file with its slots filled.

        `check` may name what is wrong with it.
        """
        query = await self._query(template, artifact, texts)
        return await ask_prose(self.backbone, replace(query, check=check), log)

    async def level(
        self, template: Template, artifact: Artifact, log: list[Exchange], **texts: str
    ) -> float | Failure:
        """The level that it names, 5 to 1."""
        reply = await self.written(template, artifact, log, check=_lack_of_level, **texts)
        if isinstance(reply, Failure):
            return reply
        return float(named_level(reply.text) or LEVELS["fair"])

    async def weighed(
        self, template: Template, opening: str, artifact: Artifact, log: list[Exchange], **texts: str
    ) -> float | Failure:
        """The mean of the five levels, 5 to 1, each by how probable it is after the opening."""
        query = await self._query(template, artifact, texts)
        likely = await ask_answers(self.backbone, replace(query, answers=tuple(LEVELS), opening=opening), log)
        return likely if isinstance(likely, Failure) else mean_level(likely)

    async def _query(self, template: Template, artifact: Artifact, texts: Mapping[str, str]) -> ProseQuery:
        text = template.text
        for name, value in texts.items():
            text = text.replace(f"${name}", value)
        return ProseQuery(
            task=template.name,
            messages=(Message("user", (await sent(self.backbone, artifact), text)),),
            stage=template.name,
            subject=(*texts.values(), artifact.sha256),
            prompts={template.name: template.sha256},
            temperature=self.temperature,
            seed=self.seed,
        )


@dataclass(frozen=True)
class TunedAnswers(Tuned, Answers):
    """One that answers multiple-choice questions with a letter.

    repeats     votes on each question, 1 to 99
    """

    repeats: Repeats = 1

    async def answer(self, question: Question, *artifacts: Artifact) -> Answer | Failure:
        check_pictured(artifacts)

        async def choose(repeat: int, log: list[Exchange]) -> Chosen | Failure:
            return await self._choice(question, artifacts, repeat, log)

        return await answered_by_votes(self, question, artifacts, choose, log=[])

    async def _choice(
        self, question: Question, artifacts: Sequence[Artifact], repeat: int, log: list[Exchange]
    ) -> Chosen | Failure:
        template, asked = prompt_file("letter", __file__), stated(question)
        shown = await pictures_by_letter(self.backbone, tuple(artifacts))
        query = ProseQuery(
            task="tuned-letter",
            messages=(Message("user", (*shown, template.text.replace("$question", asked))),),
            stage="letter" + (f", repeat {repeat + 1}" if repeat else ""),
            subject=question_subject(asked, tuple(artifacts)),
            prompts={template.name: template.sha256},
            max_tokens=256,
            temperature=self.temperature,
            seed=None if self.seed is None else self.seed + repeat,
            check=lambda text: None if named_letter(text, question) else NO_LETTER,
            repeat=repeat,
            usual_tokens=3,
        )
        reply = await ask_prose(self.backbone, query, log)
        if isinstance(reply, Failure):
            return reply
        # A made up reply names none.
        return Chosen(named_letter(reply.text, question) or next(iter(question.choices)), reply.text)


def _lack_of_level(text: str) -> str | None:
    return None if named_level(text) else f"The reply does not name one of {', '.join(LEVELS)}."


def mean_level(likely: dict[str, float]) -> float:
    """Softmax over the five levels, whatever else might have been said."""
    from math import exp

    largest = max(likely.values())
    weights = {level: exp(each - largest) for level, each in likely.items()}
    return sum(LEVELS[level] * weight for level, weight in weights.items()) / sum(weights.values())


def named_level(text: str) -> int | None:
    """The one level that a reply ends with; None where it names none or several, denies one or hedges."""
    words = [word.strip(".,:;!?\"'*_`()").casefold().replace("’", "'") for word in text.split()]
    spoken = [word for word in words if word]
    named = {level for level in LEVELS if level in spoken}
    doubted = not _DOUBTS.isdisjoint(spoken) or any(word.endswith("n't") for word in spoken)
    if len(named) != 1 or spoken[-1] not in named or doubted:
        return None
    return LEVELS[spoken[-1]]
