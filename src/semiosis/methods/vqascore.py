"""VQAScore: how probable "Yes" is as the answer to whether the picture shows the prompt.

    score = await VQAScore(backbone).score(prompt, artifact)

Lin et al. 2024, "Evaluating Text-to-Visual Generation with Image-to-Text Generation", equation 1 and its
question. The prompt stands in the question as it is: a model that is asked for one word knows no fences.
"""

from dataclasses import dataclass
from math import exp
from typing import ClassVar

from ..backbones.backbone import Backbone, Message
from ..backbones.prose import ProseQuery, ask_answers
from ..core.outcome import Exchange, Failure
from ..core.sign import Artifact, Prompt
from .card import Card
from .contract import method
from .scorer import Scorer
from .signs import sent, subject_of
from .template import prompt_file

ANSWER = "Yes"


@method("vqascore")
@dataclass(frozen=True)
class VQAScore(Scorer):
    """Scores by the probability of "Yes" to "Does this figure show ...?", 0 to 1.

    backbone    answers with probabilities; one that gives none is a failure
    """

    card: ClassVar[Card] = Card(
        paper="Lin et al. 2024, VQAScore, ECCV, arXiv 2404.01291",
        licence="of the model asked",
        needs="a model that sees and gives log-probabilities: transformers/..., local/..., or a server",
        scale="0 to 1",
        unverified="not run with CLIP-FlanT5, which transformers does not have; for it and for LLaVA the "
        'authors\' package takes the geometric mean of "Yes" and of the end of the reply; here "Yes" alone',
    )
    backbone: Backbone

    async def value(self, prompt: Prompt, artifact: Artifact, log: list[Exchange]) -> float | Failure:
        template = prompt_file("vqascore", __file__)
        question = template.text.replace("$prompt", prompt.text)
        query = ProseQuery(
            task="vqascore",
            messages=(Message("user", (await sent(self.backbone, artifact), question)),),
            stage="question",
            subject=(*subject_of(prompt), artifact.sha256),
            prompts={template.name: template.sha256},
            answers=(ANSWER,),
            temperature=0.0,
        )
        likely = await ask_answers(self.backbone, query, log)
        return likely if isinstance(likely, Failure) else exp(likely[ANSWER])
