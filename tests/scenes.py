"""A server that takes prompts apart and answers questions about numbered pictures (critic.hang_up)."""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web
from hypothesis import strategies as st

from chat import Judge, completion
from critic import pictures
from semiosis.methods.dsg.propositions import Proposition, Propositions

# What the prompt says, what each proposition needs, and what is asked of the picture.
BIKE = "A photo of a red bike that is locked to a black pole."
TUPLES = (
    ("entity", "bike"),
    ("entity", "pole"),
    ("attribute", "bike, red"),
    ("attribute", "pole, black"),
    ("relation", "bike, pole, locked to"),
    ("global", "photo"),
)
NEEDS: tuple[tuple[int, ...], ...] = ((), (), (1,), (2,), (1, 2), ())
ASKED = (
    "Is there a bike?",
    "Is there a pole?",
    "Is the bike red?",
    "Is the pole black?",
    "Is the bike locked to the pole?",
    "Is this a photo?",
)

Answering = Callable[[int, str], Any]


def numbered(key: str, values: Any, field: str) -> dict[str, Any]:
    """numbered("questions", ["Why?"], "question") == {"questions": [{"id": 1, "question": "Why?"}]}"""
    return {key: [{"id": number, field: value} for number, value in enumerate(values, 1)]}


def written() -> dict[str, Any]:
    """The three replies about the prompt, by what they are asked under."""
    return {
        "dsg_tuples": {"tuples": [{"kind": kind, "terms": terms} for kind, terms in TUPLES]},
        "dsg_dependencies": numbered("dependencies", map(list, NEEDS), "needs"),
        "dsg_questions": numbered("questions", ASKED, "question"),
    }


def says(answer: str, reason: str = "It is seen.") -> dict[str, str]:
    return {"reason": reason, "answer": answer}


def question_in(body: dict[str, Any]) -> str:
    """What is asked of the picture."""
    text = body["messages"][1]["content"][-1]["text"]
    return text.split(">\n", 1)[1].rsplit("\n</", 1)[0]


def yes(picture: int, question: str) -> Any:
    return says("yes")


class Scenes(Judge):
    """Answers about a picture as `answer` does, by its number and the question; `graph` has the other replies.

    A list of replies is given one after the other, the last one for ever; a text is sent as it is.
    """

    def __init__(self, answer: Answering = yes, graph: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.answer = answer
        self.graph = graph or written()

    @property
    def looked(self) -> list[tuple[int, str]]:
        """Each question that was asked, with the picture's number."""
        return [
            (pictures(body)[0], question_in(body))
            for stage, body in zip(self.stages(), self.asked, strict=True)
            if stage == "dsg_answer"
        ]

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        reply = self.reply(body["response_format"]["json_schema"]["name"], body)
        return web.json_response(completion(reply if isinstance(reply, str) else json.dumps(reply)))

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        if stage == "dsg_answer":
            return self.answer(pictures(body)[0], question_in(body))
        replies = self.graph[stage]
        if not isinstance(replies, list):
            return replies
        return replies.pop(0) if len(replies) > 1 else replies[0]


def invented(stage: str, body: dict[str, Any]) -> Any:
    """A reply to any prompt, which another prompt does not have: as many questions as a rehearsal counts."""
    if stage == "dsg_answer":
        return says("yes")
    if stage != "dsg_questions":
        return written()[stage]
    digest = hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()[:8]
    return numbered("questions", [f"{question} ({digest})" for question in ASKED], "question")


@st.composite
def graphs(draw: st.DrawFn) -> Propositions:
    """Any propositions that depend on others without a circle, in any order."""
    size = draw(st.integers(1, 12))
    needs = [
        draw(st.sets(st.integers(0, number - 1), max_size=3)) if number else set[int]()
        for number in range(size)
    ]
    propositions = [
        Proposition(
            str(number),
            f"entity (thing {number})",
            tuple(map(str, sorted(each))),
            f"Is there thing {number}?",
        )
        for number, each in enumerate(needs)
    ]
    return tuple(draw(st.permutations(propositions)))
