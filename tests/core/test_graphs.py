"""The theory as values: graphs, spans, boxes, cascades; what is computed from them without a model."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiosis.core.cascade import Cascade, Reading, iconicity, mismatch, semiosis_gap
from semiosis.core.errors import BadGraph
from semiosis.core.graph import GROUND_TYPES, HSG, Ground, Semiosis, SubSemiosis
from semiosis.core.grounding import Box, TextSpan, find_span

PROMPT = "A “vanitas” still life:\n  everything glows — nothing lasts."


def semiosis(*types: str, object: str = "o") -> Semiosis:
    grounds = tuple(Ground(type=kind, reason="r") for kind in types)  # type: ignore[arg-type]
    return Semiosis(sign="s", object=object, interpretant="i", grounds=grounds)


def part(id: str, *types: str, object: str = "o", **fields: object) -> SubSemiosis:
    base = semiosis(*types, object=object).model_dump()
    return SubSemiosis(**base, id=id, label=id, relation="elaboration: x", **fields)


def cascade(prompt: HSG, picture: HSG) -> Cascade:
    return Cascade(
        rounds=(
            Reading(of="prompt", graph=prompt, interpreter="m", made="built"),
            Reading(of="artifact", graph=picture, interpreter="m", made="given"),
        )
    )


def test_iconicity_is_half_the_root_and_half_the_children() -> None:
    graph = HSG(
        label="x",
        root=semiosis("iconic", "symbolic"),
        children=(part("1", "iconic"), part("2", "symbolic", "indexical")),
    )
    assert iconicity(graph) == (1 / 2 + (1 + 0) / 2) / 2


def test_iconicity_takes_what_grounds_there_are() -> None:
    assert iconicity(HSG(label="x", root=semiosis("iconic"))) == 1.0
    assert iconicity(HSG(label="x", root=semiosis(), children=(part("1", "symbolic"),))) == 0.0
    assert iconicity(HSG(label="x", root=semiosis())) is None


def test_mismatch_is_the_distance_between_expected_and_found() -> None:
    iconic, symbolic = HSG(label="x", root=semiosis("iconic")), HSG(label="x", root=semiosis("symbolic"))
    assert mismatch(cascade(symbolic, iconic)) == 1.0
    assert mismatch(cascade(iconic, iconic)) == 0.0
    assert mismatch(cascade(iconic, HSG(label="x", root=semiosis()))) is None


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Letters counted: a real, if simple, embedding."""
    return [[float(text.count(letter)) for letter in "abcd"] for text in texts]


def test_the_gap_is_one_minus_the_cosine_of_the_root_objects() -> None:
    prompt = HSG(
        label="x", root=semiosis(object="aab"), children=(part("1", object="c"), part("2", object="d"))
    )
    picture = HSG(label="x", root=semiosis(object="abb"), children=(part("1", object="ccd"),))
    gap = semiosis_gap(cascade(prompt, picture), embed)
    assert gap.distance == pytest.approx(1 - 4 / 5)
    assert gap.coverage == pytest.approx((2 / math.sqrt(5) + 1 / math.sqrt(5)) / 2)
    assert gap.score == -gap.distance


def test_the_gap_of_a_sign_with_itself_is_nothing() -> None:
    graph = HSG(label="x", root=semiosis(object="abc"))
    gap = semiosis_gap(cascade(graph, graph), embed)
    assert gap.distance == pytest.approx(0)
    assert gap.coverage is None


def test_an_object_without_an_embedding_is_an_error_not_a_number() -> None:
    graph = HSG(label="x", root=semiosis(object="zzz"))
    with pytest.raises(BadGraph, match="zero or not finite"):
        semiosis_gap(cascade(graph, graph), embed)


@pytest.mark.parametrize("ids", [("1", "1"), ("",), ("a.b",), ("a b",)])
def test_ids_are_unique_and_can_be_cited(ids: tuple[str, ...]) -> None:
    with pytest.raises(BadGraph):
        HSG(label="x", root=semiosis(), children=tuple(part(id) for id in ids))


def test_a_node_has_at_most_three_boxes_and_not_boxes_and_a_span() -> None:
    box = Box(x0=0, y0=0, x1=1, y1=1)
    with pytest.raises(BadGraph, match="at most 3"):
        part("1", boxes=(box,) * 4)
    with pytest.raises(BadGraph, match="one or the other"):
        part("1", boxes=(box,), span=TextSpan(quote="x"))


def test_a_cascade_runs_from_prompt_to_artifact_through_any_number_of_rounds() -> None:
    graph = HSG(label="x", root=semiosis())
    first = Reading(of="prompt", graph=graph, interpreter="a person", made="given")
    last = Reading(of="artifact", graph=graph, interpreter="m", made="built")
    assert len(Cascade(rounds=(first, last, first, last)).rounds) == 4
    for rounds in ((first,), (last, first), (last, last)):
        with pytest.raises(BadGraph):
            Cascade(rounds=rounds)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("everything glows", "everything glows"),
        ("EVERYTHING   Glows", "everything glows"),
        ('"vanitas" still life', "“vanitas” still life"),
        ("'everything glows'", "everything glows"),
        ("still life: everything", "still life:\n  everything"),
        ("glows - nothing", "glows — nothing"),
        ("...nothing lasts.", "nothing lasts."),
    ],
)
def test_a_quotation_is_found_though_case_quotes_dashes_and_white_space_differ(quote: str, text: str) -> None:
    span = find_span(PROMPT, quote)
    assert span.verified
    assert PROMPT[span.start : span.end] == text


@pytest.mark.parametrize("quote", ["", "  ", "...", "everything lasts", "glowsnothing", '""'])
def test_what_is_not_in_the_prompt_is_kept_unverified(quote: str) -> None:
    assert find_span(PROMPT, quote) == TextSpan(quote=quote)


words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=60)


@given(words, st.data())
def test_every_real_part_of_a_prompt_is_found(prompt: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(prompt) - 1))
    end = data.draw(st.integers(start + 1, len(prompt)))
    quote = prompt[start:end]
    span = find_span(prompt, quote)
    if span.verified:
        assert 0 <= span.start < span.end <= len(prompt)  # type: ignore[operator]
    else:
        assert not quote.strip("\"'“”‘’«»….\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85 ").strip()


numbers = st.floats(-2, 3)


@given(numbers, numbers, numbers, numbers)
def test_a_mended_box_has_its_corners_in_order_and_says_so(
    x0: float, y0: float, x1: float, y1: float
) -> None:
    box = Box(x0=x0, y0=y0, x1=x1, y1=y1).mended()
    assert box.x0 <= box.x1
    assert box.y0 <= box.y1
    assert ("corners-swapped" in box.marks) == (x0 > x1 or y0 > y1)
    assert box.mended() == box


grounds = st.lists(st.builds(Ground, type=st.sampled_from(GROUND_TYPES), reason=words), max_size=3).map(tuple)
spans = st.none() | st.builds(TextSpan, quote=words, start=st.integers(0, 9), end=st.integers(10, 20))
graphs = st.builds(
    HSG,
    label=words,
    root=st.builds(Semiosis, sign=words, object=words, interpretant=words, grounds=grounds),
    children=st.integers(0, 5).flatmap(
        lambda count: st.tuples(
            *(
                st.builds(
                    SubSemiosis,
                    id=st.just(str(number)),
                    label=words,
                    relation=words,
                    sign=words,
                    object=words,
                    interpretant=words,
                    grounds=grounds,
                    span=spans,
                )
                for number in range(1, count + 1)
            )
        )
    ),
)


@given(graphs)
def test_graphs_round_trip_through_json_and_iconicity_is_a_share(graph: HSG) -> None:
    assert HSG.model_validate_json(graph.model_dump_json()) == graph
    value = iconicity(graph)
    assert value is None or 0 <= value <= 1
    assert graph.root_only().children == ()


@given(graphs, graphs)
def test_mismatch_does_not_depend_on_the_direction(one: HSG, other: HSG) -> None:
    assert mismatch(cascade(one, other)) == mismatch(cascade(other, one))


@pytest.mark.parametrize(
    ("corners", "fault"),
    [
        ((0.1, 0.1, 0.6, 0.7), None),
        ((0.0, 0.0, 1.0, 1.0), None),
        ((0.5, 0.1, 0.5, 0.7), "without area"),
        ((0.1, 0.7, 0.6, 0.7), "without area"),
        ((1.5, 0.7, 1.5, 0.7), "without area"),
        ((float("nan"), 0.1, 0.6, 0.7), "without area"),
        ((0.8, 0.8, 1.4, 0.9), "not inside the picture"),
        ((-2.0, 0.8, -1.0, 0.9), "not inside the picture"),
    ],
)
def test_a_box_says_what_is_wrong_with_it(corners: tuple[float, ...], fault: str | None) -> None:
    box = Box(**dict(zip(("x0", "y0", "x1", "y1"), corners, strict=True)))  # type: ignore[arg-type]
    assert (box.fault, box.verified) == (fault, fault is None)
