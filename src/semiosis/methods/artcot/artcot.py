"""ArtCoT: a content and style analyser, an art critic, a summariser, each seeing what came before.

    judgment = await ArtCoT(backbone).judge(pair)
    interpretation = await ArtCoT(backbone).interpret(artifact)

"Multimodal LLMs Can Reason about Aesthetics in Zero-Shot", section V, tables IV, V and VII; how one picture
is read alone is reconstructed from figures 6 to 9 of SemJudge, and the words of the prompts are ours.
"""

from dataclasses import dataclass, replace

from ...core.errors import BadSetting
from ...core.kinds.interpretation import Interpretation
from ...core.kinds.question import Answer
from ...core.outcome import Exchange, Failure
from ...core.sign import Artifact, Prompt, Question
from ...core.vote import Evidence, Order, Vote
from ..answers import answered_by_votes, check_pictured
from ..contract import Answers, Interprets, method
from ..voting import own_side
from .alone import FormalAnalysis
from .baselines import DialogueJudge
from .dialogue import AnalysisShape, CritiqueShape, Dialogue, Sampling, WinnerShape


@method("artcot", forgetful={"forgetful": True})
@dataclass(frozen=True)
class ArtCoT(DialogueJudge, Answers, Interprets):
    """Analyses content and style, reflects as a critic, sums up.

    backbone    judges, reads and answers
    layout      of a stylization: "composed" (the source on top of both results) or "separate"
    resolution  of each picture: "full", "half", "quarter", "eighth"; half for a stylization, unless said
    without     what is not told of a stylization: "nothing", "content", "style", "both"
    orders      "both", or only "ab" or "ba"
    repeats     votes in each order, or on each question, 1 to 99
    temperature sent where the server takes one; None sends none
    seed        sent where the server takes one; repeats count on from it
    analysis    whether content and style are analysed first (table IV)
    critique    whether a critic reflects (table IV)
    forgetful   each step is sent without the replies before it, as the authors' script does, not their paper
    """

    analysis: bool = True
    critique: bool = True
    forgetful: bool = False

    def __post_init__(self) -> None:
        if not (self.analysis or self.critique):
            raise BadSetting("ArtCoT without analysis and without critique is direct/base: take that method.")

    @property
    def label(self) -> str:
        return f"{self.name}/forgetful" if self.forgetful else self.name

    async def verdict(self, dialogue: Dialogue, log: list[Exchange]) -> Vote | Failure:
        dialogue = replace(dialogue, forgetful=self.forgetful)
        evidence: tuple[Evidence, ...] = ()
        reflection = ""
        if self.analysis:
            analysis = await dialogue.ask("analysis", AnalysisShape, log)
            if isinstance(analysis, Failure):
                return analysis
            evidence = _evidence(analysis, dialogue.order)
        if self.critique:
            critique = await dialogue.ask("critique", CritiqueShape, log, earlier="earlier-analysis")
            if isinstance(critique, Failure):
                return critique
            reflection = critique.reflection
        summary = await dialogue.ask("summary", WinnerShape, log, earlier="earlier-steps")
        if isinstance(summary, Failure):
            return summary
        return Vote(
            order=dialogue.order,
            repeat=dialogue.sampling.repeat,
            winner=own_side(summary.winner, dialogue.order),
            discussion=reflection,
            evidence=evidence,
        )

    async def interpret(self, sign: Prompt | Artifact) -> Interpretation | Failure:
        if isinstance(sign, Prompt):
            raise BadSetting("ArtCoT reads pictures, not prompts; semjudge and direct/interpret read both.")
        log: list[Exchange] = []
        passages = await self._alone((sign,), 0).passages(log)
        if isinstance(passages, Failure):
            return self.failed(passages, log)
        return Interpretation(artifact=sign, passages=passages, provenance=self.provenance(log))

    async def answer(self, question: Question, *artifacts: Artifact) -> Answer | Failure:
        """From an analysis and a critique of the pictures, without the prompt."""
        check_pictured(artifacts)
        return await answered_by_votes(
            self,
            question,
            artifacts,
            lambda repeat, own: self._alone(artifacts, repeat).answer(question, own),
            log=[],
        )

    def _alone(self, artifacts: tuple[Artifact, ...], repeat: int) -> FormalAnalysis:
        sampling = Sampling(self.temperature, self.seed, repeat)
        return FormalAnalysis(
            self.backbone,
            artifacts,
            sampling,
            resolution=self.resolution,
            analysis=self.analysis,
            critique=self.critique,
            forgetful=self.forgetful,
        )


def _evidence(analysis: AnalysisShape, order: Order) -> tuple[Evidence, ...]:
    """The analyser's two winners, each with its reason."""
    style, content = own_side(analysis.style_winner, order), own_side(analysis.content_winner, order)
    return (
        Evidence(node=style, rationale=analysis.style_reason, supports=style, respect="style"),
        Evidence(node=content, rationale=analysis.content_reason, supports=content, respect="content"),
    )
