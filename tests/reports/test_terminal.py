import io
from typing import Any

import pytest
from rich.console import Console

from semiosis.core.kinds.interpretation import Interpretation
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.question import Answer
from semiosis.core.outcome import Failure
from semiosis.core.records import dump, load
from semiosis.core.sign import Prompt
from semiosis.core.text import plain
from semiosis.core.vote import Evidence
from semiosis.reports.terminal import show


def shown(outcome: Any, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False, color_system=None)
    show(outcome, console)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_a_judgment_fits_80_columns_and_tells_the_essentials(judgment: Judgment) -> None:
    text = shown(judgment)
    assert all(len(line) <= 80 for line in text.splitlines())
    flat = " ".join(text.split())
    assert "Picture A comes closer to the meaning" in flat
    assert "preference for A: 0.75" in flat
    assert "flipped when the pictures changed places" in flat
    assert "Votes A (shown A then B), B (shown B then A), A (shown A then B)" in flat
    assert "Evidence, 3 of 4 verified" in flat
    assert "A blue thing" in flat
    assert "A lesson" in flat
    assert "(not verified) A part that does not exist." in flat
    assert "Four pointers not verified, over all votes, spans and boxes; the page shows which." in flat
    assert "Failed: refused at judgment ba" in flat
    assert "cost: unknown, no price for 1 of 2 calls" in flat


def test_whole_pictures_are_no_pointers_to_check(judgment: Judgment) -> None:
    items = tuple(Evidence(node=side, rationale="It is calm.", supports="a") for side in ("a", "b"))
    vote = judgment.votes[0].model_copy(update={"evidence": items})
    text = " ".join(shown(judgment.model_copy(update={"votes": (vote,)})).split())
    assert "Evidence" in text
    assert "2 verified" not in text


def test_without_evidence_the_leading_vote_says_why(direct: Judgment) -> None:
    vote = direct.leading_vote.model_copy(
        update={"order": "ba", "evidence": (), "discussion": f"Picture A is calm. {'word ' * 400}"}
    )
    text = " ".join(shown(direct.model_copy(update={"votes": (vote,)})).split())
    assert "Why Picture A (here B) is calm." in text
    assert "... (--html has the rest)" in text
    assert text.count("word") < 200


def test_a_stylization_is_not_called_a_meaning(direct: Judgment) -> None:
    pair = direct.pair.model_copy(update={"prompt": Prompt.stylization("ukiyo-e", direct.pair.a)})
    assert "Picture B is the better stylization" in shown(direct.model_copy(update={"pair": pair}))


def test_markup_and_control_characters_in_replies_stay_text(judgment: Judgment) -> None:
    item = Evidence(node="a.1", rationale="[bold red]loud[/] \x1b[31mred\x1b[0m [/nothing]", supports="a")
    vote = judgment.votes[0].model_copy(update={"evidence": (item,)})
    text = shown(judgment.model_copy(update={"votes": (vote,)}))
    assert "[bold red]loud[/]" in text
    assert "\x1b" not in text


def test_other_outcomes_are_told(
    direct: Judgment, gap: Judgment, interpretation: Interpretation, answer: Answer, failure: Failure
) -> None:
    assert "Picture B comes closer to the meaning" in shown(direct)
    assert "0.310 (0 to 1, smaller is nearer), coverage 0.62" in shown(gap)
    assert "blue bowl" in shown(interpretation)
    assert "Answered A: right" in shown(answer)
    assert "No result: unparsable at stage 2" in shown(failure)


@pytest.mark.parametrize("width", [40, 60, 120])
def test_no_width_is_overrun(judgment: Judgment, width: int) -> None:
    assert all(len(line) <= width for line in shown(judgment, width).splitlines())


def test_names_cannot_turn_the_line_around() -> None:
    assert "\u202e" not in plain("a\u202egnp.exe")


def test_a_box_without_area_is_called_that(flat_boxes: Interpretation) -> None:
    text = " ".join(shown(flat_boxes).split())
    assert "flat: what flat stands for [indexical, symbolic] (two boxes without area)" in text
    assert (
        "mixed stands for [indexical, symbolic] (one box without area; one box not inside the picture)"
        in text
    )


def test_two_pictures_of_one_file_name_are_told_apart(namesakes: Judgment) -> None:
    text = shown(namesakes, width=300)
    assert f"Picture A {namesakes.pair.a.place}" in text
    assert f"Picture B {namesakes.pair.b.place}" in text
    assert namesakes.pair.a.place.endswith("one/out.png")
    again = load(dump(namesakes))
    stored = shown(again)
    assert isinstance(again, Judgment)
    assert f"Picture A out.png {again.pair.a.sha256[:8]}" in stored
    assert f"Picture B out.png {again.pair.b.sha256[:8]}" in stored
