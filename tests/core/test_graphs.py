"""The theory as values: graphs, spans, boxes, cascades; what is computed from them without a model."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semiosis.core.cascade import (
    Cascade,
    Reading,
    SemiosisGap,
    SignKind,
    angular_distance,
    iconicity,
    mismatch,
    mismatches,
    semiosis_gap,
    semiosis_gaps,
)
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


ICONIC, SYMBOLIC = HSG(label="x", root=semiosis("iconic")), HSG(label="x", root=semiosis("symbolic"))
MIXED = HSG(label="x", root=semiosis("iconic", "symbolic"))
GROUNDLESS = HSG(label="x", root=semiosis())


def reading(of: SignKind, graph: HSG = GROUNDLESS, **fields: Any) -> Reading:
    return Reading(of=of, graph=graph, interpreter="m", made="built", **fields)


def test_mismatch_is_how_far_two_interpreters_of_one_sign_differ_in_its_iconicity() -> None:
    assert mismatch(SYMBOLIC, ICONIC) == 1.0
    assert mismatch(MIXED, ICONIC) == 0.5
    assert mismatch(ICONIC, ICONIC) == 0.0
    assert mismatch(ICONIC, GROUNDLESS) is None
    assert mismatch(GROUNDLESS, ICONIC) is None
    assert mismatch(reading("artifact", SYMBOLIC), ICONIC) == 1.0
    assert mismatch(reading("artifact", SYMBOLIC), reading("artifact", MIXED)) == 0.5


def test_mismatches_along_a_cascade_are_with_the_round_each_sign_was_made_from() -> None:
    rounds = (
        reading("prompt", SYMBOLIC),
        reading("artifact", ICONIC, source=0),
        reading("edit", MIXED, source=1),
        reading("edit", MIXED),
        reading("artifact", MIXED, source=1),
        reading("edit", GROUNDLESS, source=4),
    )
    assert mismatches(Cascade(rounds=rounds)) == (1.0, 0.5, 0.0, 0.5, None)


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Letters counted: a real, if simple, embedding."""
    return [[float(text.count(letter)) for letter in "abcd"] for text in texts]


def test_the_gap_is_the_angle_between_the_root_objects_over_pi() -> None:
    prompt = HSG(
        label="x", root=semiosis(object="aab"), children=(part("1", object="c"), part("2", object="d"))
    )
    picture = HSG(label="x", root=semiosis(object="abb"), children=(part("1", object="ccd"),))
    gap = semiosis_gap(cascade(prompt, picture), embed)
    assert gap.distance == pytest.approx(math.acos(4 / 5) / math.pi)
    assert (gap.metric, gap.widest) == ("angular", 1)
    assert gap.coverage == pytest.approx((2 / math.sqrt(5) + 1 / math.sqrt(5)) / 2)
    assert gap.score == -gap.distance


def test_the_gap_of_a_sign_with_itself_is_nothing() -> None:
    graph = HSG(label="x", root=semiosis(object="abc"))
    gap = semiosis_gap(cascade(graph, graph), embed)
    assert gap.distance == 0
    assert gap.coverage is None


def test_an_object_without_an_embedding_is_an_error_not_a_number() -> None:
    graph = HSG(label="x", root=semiosis(object="zzz"))
    with pytest.raises(BadGraph, match="zero or not finite"):
        semiosis_gap(cascade(graph, graph), embed)


def test_what_is_missing_from_a_picture_covers_nothing() -> None:
    prompt = HSG(label="x", root=semiosis(object="a"), children=(part("1", object="c"),))
    for absent, coverage in ((False, 1.0), (True, 0.0)):
        picture = HSG(label="x", root=semiosis(object="a"), children=(part("1", object="c", absent=absent),))
        assert semiosis_gap(cascade(prompt, picture), embed).coverage == coverage


def test_every_round_has_its_gap_to_the_first_and_the_last_is_the_cascades() -> None:
    objects = ("aab", "abb", "c", "aab")
    graphs = [HSG(label="x", root=semiosis(object=object)) for object in objects]
    kinds: tuple[SignKind, ...] = ("prompt", "artifact", "edit", "words")
    chain = Cascade(rounds=tuple(reading(of, graph) for of, graph in zip(kinds, graphs, strict=True)))
    gaps = semiosis_gaps(chain, embed)
    assert [gap.distance for gap in gaps] == pytest.approx([math.acos(4 / 5) / math.pi, 0.5, 0])
    assert semiosis_gap(chain, embed) == gaps[-1]
    assert chain.artifact == graphs[2]


def test_a_stored_gap_that_names_no_metric_is_one_minus_the_cosine() -> None:
    gap = SemiosisGap.model_validate_json('{"distance": 1.25, "coverage": null}')
    assert (gap.metric, gap.widest) == ("cosine", 2)


coordinates = st.floats(-1e3, 1e3).filter(lambda value: value == 0 or abs(value) > 1e-3)
vectors = st.lists(coordinates, min_size=3, max_size=3).filter(any)


@given(vectors, vectors, vectors)
def test_the_angular_distance_is_a_metric_on_directions(
    x: list[float], y: list[float], z: list[float]
) -> None:
    assert angular_distance(x, x) == 0
    assert 0 <= angular_distance(x, y) <= 1
    assert angular_distance(x, y) == angular_distance(y, x)
    assert angular_distance(x, z) <= angular_distance(x, y) + angular_distance(y, z) + 1e-12
    cosine = sum(a * b for a, b in zip(x, y, strict=True)) / (math.hypot(*x) * math.hypot(*y))
    assert angular_distance(x, y) == pytest.approx(math.acos(max(-1, min(1, cosine))) / math.pi, abs=1e-7)


def test_the_angular_distance_keeps_the_triangle_that_one_minus_the_cosine_breaks() -> None:
    x, y, z = (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)
    assert 1 - math.cos(math.pi / 2) > 2 * (1 - math.cos(math.pi / 4))
    assert angular_distance(x, z) == pytest.approx(angular_distance(x, y) + angular_distance(y, z))


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
    for rounds in ((), (first,), (last, first), (last, last), (first, first)):
        with pytest.raises(BadGraph):
            Cascade(rounds=rounds)


@pytest.mark.parametrize(
    ("rounds", "sentence"),
    [
        ((reading("prompt", source=0), reading("artifact")), "first round of a cascade has no source"),
        ((reading("prompt"), reading("artifact", source=1)), "Round 1 of a cascade has the source 1"),
        ((reading("prompt"), reading("artifact", source=7)), "Round 1 of a cascade has the source 7"),
        ((reading("prompt"), reading("artifact", source=-1)), "has the source -1: give an earlier round"),
        (
            (reading("prompt"), reading("edit")),
            r"Round 1 .* \(edit\) is made from a picture, and round 0 is prompt",
        ),
        (
            (reading("prompt"), reading("artifact"), reading("words", source=0)),
            r"Round 2 .* \(words\) is made from",
        ),
    ],
)
def test_an_inconsistent_cascade_is_refused(rounds: tuple[Reading, ...], sentence: str) -> None:
    with pytest.raises(BadGraph, match=sentence):
        Cascade(rounds=rounds)


def test_a_stored_reading_of_an_earlier_release_has_no_maker_and_comes_from_the_round_before() -> None:
    record = cascade(SYMBOLIC, ICONIC).model_dump(exclude={"rounds": {"__all__": {"maker", "source"}}})
    stored = Cascade.model_validate(record)
    assert [(each.maker, each.source) for each in stored.rounds] == [("", None)] * 2
    assert stored.source(1) == 0
    assert mismatches(stored) == (1.0,)


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
    assert mismatch(one, other) == mismatch(other, one)


@st.composite
def chains(draw: st.DrawFn) -> tuple[Reading, ...]:
    """Readings that make a cascade: each sign from a round that it can be made from."""
    rounds = [draw(st.builds(Reading, of=st.just("prompt"), graph=graphs, interpreter=words, made=origins))]
    length = draw(st.integers(2, 7))
    while len(rounds) < length:
        source = draw(st.integers(0, len(rounds) - 1))
        of: list[SignKind] = ["artifact", "prompt"] if len(rounds) < length - 1 else ["artifact"]
        of += ["edit", "words"] if rounds[source].pictured else []
        rounds.append(
            Reading(
                of=draw(st.sampled_from(of)),
                graph=draw(graphs),
                interpreter=draw(words),
                made=draw(origins),
                maker=draw(words | st.just("")),
                source=None if source == len(rounds) - 1 and draw(st.booleans()) else source,
            )
        )
    return tuple(rounds)


origins = st.sampled_from(["built", "given", "recorded"])


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(chains())
def test_cascades_of_any_length_round_trip_through_json(rounds: tuple[Reading, ...]) -> None:
    chain = Cascade(rounds=rounds)
    assert Cascade.model_validate_json(chain.model_dump_json()) == chain
    assert len(mismatches(chain)) == len(rounds) - 1
    assert all(value is None or 0 <= value <= 1 for value in mismatches(chain))
    assert all(chain.source(index) < index for index in range(1, len(rounds)))


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(chains(), st.data())
def test_a_source_that_is_no_earlier_round_is_refused_wherever_it_stands(
    rounds: tuple[Reading, ...], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(rounds) - 1))
    source = data.draw(st.integers(at, at + 9) | st.integers(-9, -1))
    broken = (*rounds[:at], rounds[at].model_copy(update={"source": source}), *rounds[at + 1 :])
    with pytest.raises(BadGraph, match="source"):
        Cascade(rounds=broken)
    with pytest.raises(BadGraph, match="source"):
        Cascade.model_validate_json(f'{{"rounds": [{",".join(each.model_dump_json() for each in broken)}]}}')


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
