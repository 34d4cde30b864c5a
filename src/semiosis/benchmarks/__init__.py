"""One folder a benchmark: its data, items, summary, tables, page, build steps and commands.

What a benchmark, a bias test, or a kind of item or outcome of another package is made of; found by the
entry-point groups `semiosis.benchmarks`, `semiosis.bias_tests`, `semiosis.kinds`, `semiosis.pages` and
`semiosis.commands`.
"""

from typing import TYPE_CHECKING

from ..core.exports import late

if TYPE_CHECKING:
    from ..core.item import BadRow, Benchmark, Candidate, Item, Labels, LabelsBy, RowParts, candidate, key_of
    from ..core.kinds import kind
    from ..core.kinds.pair import Judgment, PairItem
    from ..core.kinds.question import Answer, QuestionItem
    from ..core.kinds.rating import RatingItem, Score
    from ..core.outcome import Failure, Finding, Outcome, Provenance
    from ..core.settled import Settled
    from ..core.sign import Artifact, Pair, Prompt, Question
    from ..core.table import Column, Interval, Share, Table, numbers, words
    from ..core.value import Value
    from ..reports.html.page import fill_outcome
    from ..reports.lines import facts, line
    from ..reports.page import Page, page
    from .bias import BiasFinding, BiasTest, Leanings, PairBiasTest, Ruling, by_unit, sound
    from .copies import Copies, CopyTest, FinishTest, PictureFile
    from .material import Material, PromptedPicture
    from .registry import benchmark, bias_test

__all__ = [
    "Answer",
    "Artifact",
    "BadRow",
    "Benchmark",
    "BiasFinding",
    "BiasTest",
    "Candidate",
    "Column",
    "Copies",
    "CopyTest",
    "Failure",
    "Finding",
    "FinishTest",
    "Interval",
    "Item",
    "Judgment",
    "Labels",
    "LabelsBy",
    "Leanings",
    "Material",
    "Outcome",
    "Page",
    "Pair",
    "PairBiasTest",
    "PairItem",
    "PictureFile",
    "Prompt",
    "PromptedPicture",
    "Provenance",
    "Question",
    "QuestionItem",
    "RatingItem",
    "RowParts",
    "Ruling",
    "Score",
    "Settled",
    "Share",
    "Table",
    "Value",
    "benchmark",
    "bias_test",
    "by_unit",
    "candidate",
    "facts",
    "fill_outcome",
    "key_of",
    "kind",
    "line",
    "numbers",
    "page",
    "sound",
    "words",
]

__getattr__, __dir__ = late(
    __name__,
    {
        "..core.item": (
            *("BadRow", "Benchmark", "Candidate", "Item"),
            *("Labels", "LabelsBy", "RowParts", "candidate", "key_of"),
        ),
        "..core.kinds": ("kind",),
        "..core.kinds.pair": ("Judgment", "PairItem"),
        "..core.kinds.question": ("Answer", "QuestionItem"),
        "..core.kinds.rating": ("RatingItem", "Score"),
        "..core.outcome": ("Failure", "Finding", "Outcome", "Provenance"),
        "..core.settled": ("Settled",),
        "..core.sign": ("Artifact", "Pair", "Prompt", "Question"),
        "..core.table": ("Column", "Interval", "Share", "Table", "numbers", "words"),
        "..core.value": ("Value",),
        "..reports.html.page": ("fill_outcome",),
        "..reports.lines": ("facts", "line"),
        "..reports.page": ("Page", "page"),
        "bias": (
            *("BiasFinding", "BiasTest", "PairBiasTest"),
            *("Leanings", "Ruling", "by_unit", "sound"),
        ),
        "copies": ("Copies", "CopyTest", "FinishTest", "PictureFile"),
        "material": ("Material", "PromptedPicture"),
        "registry": ("benchmark", "bias_test"),
    },
)
