"""semiosis tells whether generated art means what its prompt meant, and shows why.

    import semiosis as sm
    judge = sm.SemJudge(sm.backbone("openai/gpt-5"))
    judgment = judge.judge_sync(sm.Pair(prompt="...", a="a.png", b="b.png"))
    sm.save_html(judgment, "why.html")

Names are loaded when they are first used, so importing the package costs nothing.
"""

import sys
from typing import TYPE_CHECKING, Any

from .core.exports import late

if TYPE_CHECKING:
    from .backbones.budget import Budgeted
    from .backbones.cache import Cached
    from .backbones.embedders import MiniLM
    from .backbones.lookup import backbone
    from .backbones.recording import Record, Replay
    from .backbones.wrapper import Limited, Retrying
    from .core.cascade import Cascade, Reading, iconicity, mismatch, mismatches, semiosis_gap, semiosis_gaps
    from .core.errors import SemiosisError
    from .core.graph import HSG, Ground, Semiosis, SubSemiosis
    from .core.grounding import Box, TextSpan
    from .core.kinds.cascade import CascadeReading
    from .core.kinds.interpretation import Interpretation
    from .core.kinds.pair import Judgment
    from .core.kinds.question import Answer
    from .core.kinds.rating import Score
    from .core.outcome import Failure
    from .core.records import dump, load
    from .core.sign import Artifact, Pair, Prompt, Question
    from .core.vote import Evidence, Vote
    from .methods.direct import Direct
    from .methods.recipe import Recipe
    from .methods.semjudge.gap import Gap
    from .methods.semjudge.judge import SemJudge
    from .methods.semjudge.readings import Given
    from .methods.semjudge.rounds import Rounds
    from .reports.page import save_html
    from .runs.conditions import Conditions
    from .runs.ensemble import run_together
    from .runs.outcomes import outcomes
    from .runs.ranking import Ranking, rank
    from .runs.reward.reward import reward
    from .runs.reward.server import RemoteReward
    from .runs.run import run
    from .runs.store import Store
    from .sources import open_items

__all__ = [
    "HSG",
    "Answer",
    "Artifact",
    "Box",
    "Budgeted",
    "Cached",
    "Cascade",
    "CascadeReading",
    "Conditions",
    "Direct",
    "Evidence",
    "Failure",
    "Gap",
    "Given",
    "Ground",
    "Interpretation",
    "Judgment",
    "Limited",
    "MiniLM",
    "Pair",
    "Prompt",
    "Question",
    "Ranking",
    "Reading",
    "Recipe",
    "Record",
    "RemoteReward",
    "Replay",
    "Retrying",
    "Rounds",
    "Score",
    "SemJudge",
    "Semiosis",
    "SemiosisError",
    "Store",
    "SubSemiosis",
    "TextSpan",
    "Vote",
    "backbone",
    "dump",
    "iconicity",
    "load",
    "mismatch",
    "mismatches",
    "open_items",
    "outcomes",
    "rank",
    "reward",
    "run",
    "run_together",
    "save_html",
    "semiosis_gap",
    "semiosis_gaps",
]

_HOMES = {
    "backbones.recording": ("Record", "Replay"),
    "backbones.embedders": ("MiniLM",),
    "backbones.lookup": ("backbone",),
    "backbones.budget": ("Budgeted",),
    "backbones.cache": ("Cached",),
    "backbones.wrapper": ("Limited", "Retrying"),
    "core.cascade": (
        "Cascade",
        "Reading",
        "iconicity",
        "mismatch",
        "mismatches",
        "semiosis_gap",
        "semiosis_gaps",
    ),
    "core.errors": ("SemiosisError",),
    "core.graph": ("HSG", "Ground", "Semiosis", "SubSemiosis"),
    "core.grounding": ("Box", "TextSpan"),
    "core.kinds.cascade": ("CascadeReading",),
    "core.kinds.interpretation": ("Interpretation",),
    "core.kinds.pair": ("Judgment",),
    "core.kinds.question": ("Answer",),
    "core.kinds.rating": ("Score",),
    "core.outcome": ("Failure",),
    "core.records": ("dump", "load"),
    "core.vote": ("Evidence", "Vote"),
    "core.sign": ("Artifact", "Pair", "Prompt", "Question"),
    "methods.direct": ("Direct",),
    "methods.semjudge.gap": ("Gap",),
    "methods.semjudge.readings": ("Given",),
    "methods.semjudge.rounds": ("Rounds",),
    "methods.semjudge.judge": ("SemJudge",),
    "reports.page": ("save_html",),
    "runs.conditions": ("Conditions",),
    "runs.ensemble": ("run_together",),
    "runs.run": ("run",),
    "runs.outcomes": ("outcomes",),
    "runs.ranking": ("Ranking", "rank"),
    "methods.recipe": ("Recipe",),
    "runs.reward.reward": ("reward",),
    "runs.reward.server": ("RemoteReward",),
    "sources": ("open_items",),
    "runs.store": ("Store",),
}
_load, __dir__ = late(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    value = _load(name)
    if "semiosis.core.outcome" in sys.modules:
        _show_in_notebooks()
    return value


def _show_in_notebooks() -> None:
    from .core.outcome import Outcome

    def page(outcome: Any) -> str:
        """The page of an outcome, for a notebook."""
        from .reports.page import notebook

        return notebook(outcome)

    Outcome.render = page
