"""One paper, one file or folder; prompts/ beside it, one text file a prompt.

What a method of another package is made of; it is found by the entry-point group `semiosis.methods`.
"""

from typing import TYPE_CHECKING

from ..core.exports import late

if TYPE_CHECKING:
    from ..backbones.backbone import Backbone
    from ..backbones.query import Query, ask
    from ..core.item import Item
    from ..core.kinds.interpretation import Interpretation
    from ..core.kinds.pair import Judgment, PairItem
    from ..core.kinds.question import Answer, QuestionItem
    from ..core.kinds.rating import Measurement, RatingItem, Score, ScorePart
    from ..core.outcome import Exchange, Failure, Provenance
    from ..core.sign import Artifact, Pair, Prompt, Question
    from ..core.vote import Evidence, Vote
    from .card import Card
    from .contract import Answers, Interprets, Judges, Method, Scores, method
    from .scorer import Measurer, Scorer
    from .settings import Orders, Repeats, Temperature
    from .signs import sent
    from .template import Template, prompt_file
    from .verdict import LongWords, VerdictShape, Words

__all__ = [
    "Answer",
    "Answers",
    "Artifact",
    "Backbone",
    "Card",
    "Evidence",
    "Exchange",
    "Failure",
    "Interpretation",
    "Interprets",
    "Item",
    "Judges",
    "Judgment",
    "LongWords",
    "Measurement",
    "Measurer",
    "Method",
    "Orders",
    "Pair",
    "PairItem",
    "Prompt",
    "Provenance",
    "Query",
    "Question",
    "QuestionItem",
    "RatingItem",
    "Repeats",
    "Score",
    "ScorePart",
    "Scorer",
    "Scores",
    "Temperature",
    "Template",
    "VerdictShape",
    "Vote",
    "Words",
    "ask",
    "method",
    "prompt_file",
    "sent",
]

__getattr__, __dir__ = late(
    __name__,
    {
        "..backbones.backbone": ("Backbone",),
        "..backbones.query": ("Query", "ask"),
        "..core.item": ("Item",),
        "..core.kinds.interpretation": ("Interpretation",),
        "..core.kinds.pair": ("Judgment", "PairItem"),
        "..core.kinds.question": ("Answer", "QuestionItem"),
        "..core.kinds.rating": ("Measurement", "RatingItem", "Score", "ScorePart"),
        "..core.outcome": ("Exchange", "Failure", "Provenance"),
        "..core.sign": ("Artifact", "Pair", "Prompt", "Question"),
        "..core.vote": ("Evidence", "Vote"),
        "card": ("Card",),
        "contract": ("Answers", "Interprets", "Judges", "Method", "Scores", "method"),
        "scorer": ("Measurer", "Scorer"),
        "signs": ("sent",),
        "settings": ("Orders", "Repeats", "Temperature"),
        "template": ("Template", "prompt_file"),
        "verdict": ("VerdictShape", "Words", "LongWords"),
    },
)
