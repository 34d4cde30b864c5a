"""One folder a benchmark: its data, items, summary, tables, page, build steps and commands.

What a benchmark, or a kind of item or outcome, of another package is made of; found by the entry-point groups
`semiosis.benchmarks`, `semiosis.kinds`, `semiosis.pages` and `semiosis.commands`.
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
    from .registry import benchmark

__all__ = [
    "Answer",
    "Artifact",
    "BadRow",
    "Benchmark",
    "Candidate",
    "Column",
    "Failure",
    "Finding",
    "Interval",
    "Item",
    "Judgment",
    "Labels",
    "LabelsBy",
    "Outcome",
    "Page",
    "Pair",
    "PairItem",
    "Prompt",
    "Provenance",
    "Question",
    "QuestionItem",
    "RatingItem",
    "RowParts",
    "Score",
    "Settled",
    "Share",
    "Table",
    "Value",
    "benchmark",
    "candidate",
    "facts",
    "fill_outcome",
    "key_of",
    "kind",
    "line",
    "numbers",
    "page",
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
        "registry": ("benchmark",),
    },
)
