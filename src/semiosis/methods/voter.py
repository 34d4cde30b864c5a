"""Who is asked for a verdict between two pictures, and what lies before them.

    vote = await Voter(backbone).vote(pair, "ab", 0, Case(), log)

One prompt file serves every judge: with graphs and without, they differ in nothing but the graphs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from ..backbones.backbone import Backbone, Message
from ..backbones.query import Query, ask
from ..backbones.single_flight import together
from ..core.outcome import Exchange, Failure
from ..core.sign import Pair
from ..core.vote import Order, Vote
from .settings import Wording
from .signs import pair_subject, references, sent
from .template import Template, fence_for, prompt_file
from .verdict import MAX_VERDICT_TOKENS, VerdictShape, oddity
from .voting import WHOLES, Citable, ordered_pair, uncited, verdict_stage, vote_of

# Of a verdict as long as those of the bundled recordings.
USUAL_VERDICT_TOKENS = 550

TextSlot = Literal["prompt_graph", "graph_a", "graph_b", "contrast"]


@dataclass
class Talk:
    """A conversation that goes on from stage to stage, as algorithm C.1 has it."""

    messages: tuple[Message, ...] = ()

    def turn(self, system: Message, user: Message) -> tuple[Message, ...]:
        """The messages so far and the next ones; later instructions are said by the user, in their turn."""
        if not self.messages:
            return system, user
        return *self.messages, Message("user", (*system.parts, *user.parts))


@dataclass(frozen=True)
class Case:
    """What lies before the judge besides prompt and pictures.

    task        what recordings know it by
    citable     what may be cited, in the pair's own sides
    readings    the sentence that says what the readings are; empty where there are none
    evidence    how much is to be cited
    nodes       how a node is named
    texts       readings as text by slot, in the order of showing
    talk        a conversation in which the pictures were shown already
    shape       of the reply
    every_node  whether each id must be cited
    """

    task: str = "direct"
    citable: Citable = field(default_factory=lambda: WHOLES)
    readings: Template | None = None
    evidence: Template = field(default_factory=lambda: prompt_file("evidence-wholes", __file__))
    nodes: str = '"prompt" | "A" | "B"'
    texts: Mapping[TextSlot, str] = field(default_factory=dict[TextSlot, str])
    talk: Talk | None = None
    shape: type[VerdictShape] = VerdictShape
    every_node: bool = False


_HEADINGS: dict[TextSlot, str] = {
    "prompt_graph": "How the prompt was read",
    "graph_a": "How picture A was read",
    "graph_b": "How picture B was read",
    "contrast": "In what the pictures differ",
}


def _oddity(case: Case, order: Order, verdict: VerdictShape) -> str | None:
    wanting = uncited(verdict, order, case.citable) if case.every_node else None
    return oddity(verdict) or wanting


@dataclass(frozen=True)
class Voter:
    """A judge.

    backbone    is asked
    wording     "neutral", the paper's, or "meaning", which tells what counts
    temperature sent where the server takes one
    seed        sent where the server takes one; repeats count on from it
    """

    backbone: Backbone
    wording: Wording = "neutral"
    temperature: float | None = 0.0
    seed: int | None = None

    async def vote(
        self, pair: Pair, order: Order, repeat: int, case: Case, log: list[Exchange]
    ) -> Vote | Failure:
        """One verdict, the pictures shown in this order."""
        files = {
            "verdict": prompt_file("verdict", __file__),
            "wording": prompt_file(f"wording-{self.wording}", __file__),
            "certainty": prompt_file("certainty", __file__),
            "evidence": case.evidence,
            **({"readings": case.readings} if case.readings else {}),
        }
        view = ordered_pair(pair, order)
        fenced = [pair.prompt.text, *case.texts.values()]
        fence = fence_for(fenced)
        texts = {
            slot: f"{heading}:\n<{fence}>\n{case.texts[slot]}\n</{fence}>" if slot in case.texts else ""
            for slot, heading in _HEADINGS.items()
        }
        if case.talk is None:
            attachments = await references(self.backbone, pair.prompt)
            a, b = await together(sent(self.backbone, view.a), sent(self.backbone, view.b))
        else:
            attachments, a, b = [], "(as given above)", "(as given above)"
        system, user = files["verdict"].messages(
            fenced=fenced,
            wording=files["wording"].text,
            readings=f"\n{case.readings.text}\n" if case.readings else "",
            nodes=case.nodes,
            evidence=case.evidence.text,
            certainty=files["certainty"].text,
            prompt=pair.prompt.text,
            references=attachments,
            picture_a=a,
            picture_b=b,
            **{str(slot): text for slot, text in texts.items()},
        )
        query = Query(
            task=case.task,
            messages=case.talk.turn(system, user) if case.talk else (system, user),
            reply=case.shape,
            stage=verdict_stage(order, repeat),
            subject=pair_subject(view),
            prompts={file.name: file.sha256 for file in files.values()},
            reconsider=partial(_oddity, case, order),
            max_tokens=MAX_VERDICT_TOKENS,
            usual_tokens=USUAL_VERDICT_TOKENS,
            temperature=self.temperature,
            seed=None if self.seed is None else self.seed + repeat,
            repeat=repeat,
        )
        response = await ask(self.backbone, query, log)
        if isinstance(response, Failure):
            return response
        return vote_of(response.value, order, repeat, case.citable)
