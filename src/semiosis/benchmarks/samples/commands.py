"""`semiosis demo`: the bundled samples through the whole pipeline, from recorded replies."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ...backbones.embedders import MiniLM
from ...console.results import print_json
from ...console.screen import console
from ...core.cascade import SemiosisGap
from ...core.kinds.pair import Judgment
from ...core.kinds.question import Answer
from ...core.kinds.rating import Score
from ...core.loop import run
from ...core.outcome import Failure
from ...methods.semjudge.gap import Gap
from ...methods.semjudge.judge import SemJudge
from ...reports.page import save_html
from ...stats.estimate import wilson_share
from . import items as samples
from .items import ROLES, Initiative
from .page import IndexedPair, Room, save_index

COMMANDS = {"demo": "demo"}

NOTE = (
    "Nine initiatives of original art, three pictures each: one meant to carry the prompt's meaning, one "
    "that shows its nouns and no more, one whose meaning slipped. The replies are recorded: one multimodal "
    "model (Claude family, 2026-11), complex graphs, one picture at a time, verdicts in both orders, no "
    "repeats. Expected winners are the makers' intentions, not votes, and the set is easy: it shows how the "
    "method works, not which judge is better."
)


@dataclass(frozen=True)
class Figures:
    """What came of the samples. `expected` pairs have an intended winner, which `as_intended` of them got;
    `gap_as_intended` of them had the smaller gap, null where no gap was computed."""

    pairs: int
    judged: int
    failed: int
    as_intended: int
    expected: int
    flipped: int
    questions_right: int
    questions: int
    gap_as_intended: int | None
    unverified: int
    index: str


SCHEMAS = {"demo": (Figures, "demo")}


def demo(
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder for the pages.")] = Path(
        "semiosis-demo"
    ),
    only: Annotated[str | None, typer.Option(help="One initiative by its id, as vanitas-screen.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Judge the bundled samples from recorded replies: no key needed. Writes pages to read.

    Example:

      semiosis demo --to pages
    """
    initiatives = samples.load() if only is None else (samples.find(only),)
    out = console(stderr=True)
    with_gap = MiniLM.available()
    rooms: list[Room] = []
    for number, initiative in enumerate(initiatives, 1):
        if out.is_terminal:
            out.print(f"{number} of {len(initiatives)}: {initiative.id}", highlight=False)
        rooms.append(_room(initiative, to, with_gap))
    gap_note = (
        "gap: the angle between the root objects over pi, 0 to 1, MiniLM embeddings, computed now from "
        "readings of the pictures that were made without the prompt."
        if with_gap
        else "gap: not computed, the embedding is not installed (see docs/theory.md)"
    )
    count = "Nine initiatives" if len(rooms) == 9 else rooms[0].name
    title = f"{count}, judged by meaning"
    index = save_index(rooms, to / "index.html", title=title, note=NOTE, gap_note=gap_note)
    _summary(rooms, index, json_)


def _room(initiative: Initiative, folder: Path, with_gap: bool) -> Room:
    recording = initiative.recording()
    method = SemJudge(recording, graphs="solo", size="complex")
    pairs: list[IndexedPair] = []
    for a, b in initiative.pairs():
        outcome = run(method.judge(initiative.pair(a, b)))
        page = f"{initiative.id}-{a}-{b}.html"
        save_html(outcome, folder / page)
        pairs.append(IndexedPair(a, b, outcome, page, initiative.preferred(a, b)))
    gaps: dict[str, SemiosisGap] = {}
    if with_gap:
        gap = Gap(recording, size="complex")
        for role in ROLES:
            score = run(gap.score(initiative.sign(), initiative.artifact(role)))
            if isinstance(score, Score) and score.gap:
                gaps[role] = score.gap
    answers: list[tuple[Answer | Failure, str]] = []
    for number, question in enumerate(initiative.questions, 1):
        answer = run(method.answer(question.plain(), initiative.artifact(question.picture)))
        page = f"{initiative.id}-question-{number}.html"
        save_html(answer, folder / page)
        answers.append((answer, page))
    return Room(
        name=initiative.id,
        prompt=initiative.prompt,
        pictures={role: initiative.artifact(role) for role in ROLES},
        pairs=pairs,
        gaps=gaps,
        answers=answers,
    )


def _summary(rooms: list[Room], index: Path, json_: bool) -> None:
    pairs = [pair for room in rooms for pair in room.pairs]
    judged = [pair for pair in pairs if isinstance(pair.outcome, Judgment)]
    expected = [pair for pair in judged if pair.expected is not None]
    answers = [answer for room in rooms for answer, _ in room.answers]
    ranked = [room.gaps for room in rooms if room.gaps]
    beaten = [
        other
        for gaps in ranked
        for other in ("literal", "drift")
        if "meaning" in gaps and other in gaps and gaps["meaning"].distance < gaps[other].distance
    ]
    flips = sum(bool(isinstance(pair.outcome, Judgment) and pair.outcome.flipped) for pair in judged)
    figures = Figures(
        pairs=len(pairs),
        judged=len(judged),
        failed=len(pairs) - len(judged) + sum(not isinstance(answer, Answer) for answer in answers),
        as_intended=sum(bool(pair.agrees) for pair in expected),
        expected=len(expected),
        flipped=flips,
        questions_right=sum(bool(answer.correct) for answer in answers if isinstance(answer, Answer)),
        questions=len(answers),
        gap_as_intended=len(beaten) if ranked else None,
        unverified=sum(pair.outcome.unverified for pair in judged if isinstance(pair.outcome, Judgment)),
        index=str(index),
    )
    if json_:
        print_json(figures)
        return
    out = console()
    gap = f"; by the gap alone {len(beaten)}" if ranked else ""
    initiatives = "1 initiative" if len(rooms) == 1 else f"{len(rooms)} initiatives"
    out.print(f"{initiatives}, {len(judged)} pairs judged in both orders, {figures.failed} failures.")
    out.print(
        f"Intended picture preferred in {figures.as_intended} of {len(expected)} pairs{gap}. "
        f"Flipped with the order: {wilson_share(flips, len(judged))}. "
        f"{figures.questions_right} of {len(answers)} questions right, the prompt unseen.",
        highlight=False,
    )
    out.print(
        "Replies: recorded, one model (Claude family, 2026-11). The set is easy; it shows, it does not rank.",
        highlight=False,
    )
    out.print(f"Open {index}", highlight=False, soft_wrap=True)
