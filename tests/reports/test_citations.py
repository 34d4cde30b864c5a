import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiosis.core.graph import HSG
from semiosis.core.kinds.pair import Judgment
from semiosis.core.vote import Vote
from semiosis.reports.html.citations import own_name, pieces
from semiosis.reports.html.marks import Marks, marks_of, register
from semiosis.reports.html.spans import stretches


@pytest.fixture
def marks(judgment: Judgment) -> Marks:
    assert judgment.cascade_a
    graph = judgment.cascade_a.artifact
    return register(
        [marks_of("prompt", judgment.cascade_a.prompt), marks_of("a", graph), marks_of("b", graph)]
    )


def names(text: str, marks: Marks, vote: Vote | None = None) -> list[str]:
    return [
        piece.mark.name if piece.mark else f"?{piece.text}"
        for piece in pieces(text, marks, vote)
        if piece.cites
    ]


@pytest.mark.parametrize(
    ("text", "citations"),
    [
        ("[a.1]", ["A.1"]),
        ("[A.1] [Prompt.2]", ["A.1", "prompt.2"]),
        ("[a.1, b.2; prompt]", ["A.1", "B.2", "prompt"]),
        ("[a.1 and a.2]", ["A.1", "A.2"]),
        ("[a.1, a.2, and b.3]", ["A.1", "A.2", "B.3"]),
        ("[a]", ["A"]),
        ("[a.99]", ["?a.99"]),
        ("[c.1] (a.1) [about]", []),
        ("[[a.1]]", ["A.1"]),
    ],
)
def test_citations_are_found_however_they_are_listed(text: str, citations: list[str], marks: Marks) -> None:
    assert names(text, marks) == citations


def test_labels_of_the_other_order_are_turned_back(marks: Marks) -> None:
    vote = Vote(order="ba", repeat=0, winner="a")
    assert names("[a.1] [b.2] [prompt.1]", marks, vote) == ["B.1", "A.2", "prompt.1"]
    assert own_name("A.1", vote) == "b.1"
    glossed = [(p.text, p.means) for p in pieces("Picture A and image B.", marks, vote) if p.means]
    assert glossed == [("Picture A", "B"), ("image B", "A")]


@pytest.mark.parametrize(
    ("text", "glossed"),
    [
        ("B is chosen; A answers the genre.", ["B", "A"]),
        ("A cream piece in B's half.", ["B's"]),
        ("As a whole, the bowl.", []),
        ("More than A, less than picture b.", ["A", "picture b"]),
    ],
)
def test_bare_labels_are_glossed_but_articles_are_not(text: str, glossed: list[str]) -> None:
    swapped = Vote(order="ba", repeat=0, winner="a")
    assert [piece.text for piece in pieces(text, {}, swapped) if piece.means] == glossed
    straight = Vote(order="ab", repeat=0, winner="a")
    assert [piece.text for piece in pieces(text, {}, straight)] == [text]


@given(st.text(alphabet="[]ab.12, promt\n", max_size=60), st.sampled_from(["ab", "ba"]))
def test_prose_outside_citations_is_kept_as_written(text: str, order: str) -> None:
    vote = Vote.model_validate({"order": order, "repeat": 0, "winner": "a"})
    prose = "".join(piece.text for piece in pieces(text, {}, vote) if not piece.cites)
    assert len(prose) <= len(text)
    remaining = iter(text)
    assert all(character in remaining for character in prose)


def test_a_prompt_cut_at_its_spans_is_still_the_prompt(judgment: Judgment) -> None:
    assert judgment.cascade_a
    graph: HSG = judgment.cascade_a.prompt
    text = judgment.pair.prompt.text
    parts = stretches(text, graph, marks_of("prompt", graph))
    assert "".join(stretch.text for stretch in parts) == text
    assert [mark.short for stretch in parts for mark in stretch.closes] == ["1", "3", "2", "5"]


def test_a_span_that_lies_outside_the_prompt_is_passed_over(judgment: Judgment) -> None:
    assert judgment.cascade_a
    graph = judgment.cascade_a.prompt
    parts = stretches("A friend", graph, marks_of("prompt", graph))
    assert "".join(stretch.text for stretch in parts) == "A friend"
    assert all(stretch.text for stretch in parts)
