"""A tuned model behind a server (vLLM, llama.cpp, its own), asked in the words it was tuned with.

Its replies are prose. A number is read in it by the method's own rule, or there is none; a letter that
answers must stand there by itself. Such a model knows no fences: what others wrote goes into its prompt as it
is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...backbones.backbone import Backbone, Message, Reply
from ...backbones.prose import ProseQuery, ask_answers, ask_prose
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
        *("not", "no", "never", "neither", "nor", "hardly", "isn't", "isn’t", "cannot", "can't", "can’t"),
        *("or", "but", "between", "maybe", "perhaps"),
    }
)
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

    async def written(
        self, template: Template, artifact: Artifact, log: list[Exchange], **texts: str
    ) -> str | Failure:
        """What it writes of one picture, asked by that prompt file with its slots filled."""
        words = await self._words(template, texts, artifact)
        reply = await ask_prose(self.backbone, self._query(template, words, (artifact.sha256,)), log)
        return reply.text if isinstance(reply, Reply) else reply

    async def level(
        self, template: Template, artifact: Artifact, log: list[Exchange], **texts: str
    ) -> float | Failure:
        """The level that it names, 5 to 1."""
        text = await self.written(template, artifact, log, **texts)
        if isinstance(text, Failure):
            return text
        if self.backbone.traits.stands_in:
            return float(LEVELS["fair"])
        level = named_level(text)
        if level is None:
            message = f"The reply does not name one of {', '.join(LEVELS)}."
            return Failure(reason="unparsable", message=message, stage=template.name, reply=text)
        return float(level)

    async def weighed(
        self, template: Template, opening: str, artifact: Artifact, log: list[Exchange], **texts: str
    ) -> float | Failure:
        """The mean of the five levels, 5 to 1, each by how probable it is after the opening."""
        words = await self._words(template, texts, artifact)
        query = self._query(template, words, (artifact.sha256,), tuple(LEVELS), opening)
        likely = await ask_answers(self.backbone, query, log)
        return likely if isinstance(likely, Failure) else mean_level(likely)

    async def _words(self, template: Template, texts: dict[str, str], artifact: Artifact) -> Message:
        text = template.text
        for name, value in texts.items():
            text = text.replace(f"${name}", value)
        return Message("user", (await sent(self.backbone, artifact), text))

    def _query(
        self,
        template: Template,
        message: Message,
        subject: tuple[str, ...],
        answers: tuple[str, ...] = (),
        opening: str = "",
    ) -> ProseQuery:
        return ProseQuery(
            task=template.name,
            messages=(message,),
            stage=template.name,
            subject=subject,
            prompts={template.name: template.sha256},
            answers=answers,
            opening=opening,
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
            repeat=repeat,
            usual_tokens=3,
        )
        reply = await ask_prose(self.backbone, query, log)
        if isinstance(reply, Failure):
            return reply
        if reply.made_up:
            return Chosen(next(iter(question.choices)), reply.text)
        letter = named_letter(reply.text, question)
        if letter is None:
            message = "The reply names none of the letters by itself."
            return Failure(reason="unparsable", message=message, stage=query.stage, reply=reply.text)
        return Chosen(letter, reply.text)


def mean_level(likely: dict[str, float]) -> float:
    """Softmax over the five levels, whatever else might have been said."""
    from math import exp

    largest = max(likely.values())
    weights = {level: exp(each - largest) for level, each in likely.items()}
    return sum(LEVELS[level] * weight for level, weight in weights.items()) / sum(weights.values())


def named_level(text: str) -> int | None:
    """The one level that a reply ends with; None where it names none or several, denies one or hedges."""
    words = [word.strip(".,:;!\"'*_`()").casefold() for word in text.split()]
    spoken = [word for word in words if word]
    named = {level for level in LEVELS if level in spoken}
    if len(named) != 1 or spoken[-1] not in named or not _DOUBTS.isdisjoint(spoken):
        return None
    return LEVELS[spoken[-1]]
