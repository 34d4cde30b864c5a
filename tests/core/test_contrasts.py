"""Contrasts and absences: what round-trips, what is refused, where a citation points."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiosis.core.cascade import Cascade, Reading
from semiosis.core.certainty import Certainty
from semiosis.core.contrast import Contrast, Difference, Meaning, Version
from semiosis.core.errors import BadGraph
from semiosis.core.graph import HSG, Semiosis, SubSemiosis
from semiosis.core.grounding import Box, TextSpan
from semiosis.core.kinds.pair import Judgment
from semiosis.core.outcome import Provenance
from semiosis.core.records import dump, load
from semiosis.core.sign import Artifact, Pair
from semiosis.core.vote import Evidence, Vote

shares = st.floats(-0.5, 1.5, allow_nan=False, width=32)
words = st.text(min_size=1, max_size=40)
boxes = st.lists(st.builds(Box, x0=shares, y0=shares, x1=shares, y1=shares), max_size=3).map(tuple)


MEANINGS: list[tuple[Meaning, Meaning]] = [
    ("keeps", "breaks"),
    ("breaks", "keeps"),
    ("keeps", "keeps"),
    ("breaks", "breaks"),
    ("indifferent", "indifferent"),
]


@st.composite
def differences(draw: st.DrawFn, id: str) -> Difference:
    meanings: tuple[Meaning, Meaning] = draw(st.sampled_from(MEANINGS))
    a, b = (Version(says=draw(words), meaning=meaning, boxes=draw(boxes)) for meaning in meanings)
    return Difference(id=id, label=draw(words), a=a, b=b)


@st.composite
def contrasts(draw: st.DrawFn) -> Contrast:
    count = draw(st.integers(0, 4))
    return Contrast(differences=tuple(draw(differences(str(number))) for number in range(1, count + 1)))


PAIR = Pair(prompt="A quiet room.", a=Artifact(sha256="a" * 64), b=Artifact(sha256="b" * 64))
FROM = Provenance(method="m", method_version="1", package_version="0")


@given(contrasts(), st.sampled_from([1, 2, 3, 4, 5]), st.booleans())
def test_a_contrast_and_a_certainty_survive_the_record(
    contrast: Contrast, certainty: Certainty, shared: bool
) -> None:
    vote = Vote(order="ab", winner="a", certainty=certainty, contrast=None if shared else contrast)
    judgment = Judgment(pair=PAIR, votes=(vote,), contrast=contrast if shared else None, provenance=FROM)
    again = load(dump(judgment))
    assert again == judgment
    assert judgment.unverified == contrast.unverified


@given(contrasts())
def test_pictures_that_change_places_twice_are_where_they_were(contrast: Contrast) -> None:
    turned = contrast.exchanged()
    assert [each.a for each in turned.differences] == [each.b for each in contrast.differences]
    assert turned.exchanged() == contrast


KEEPS = Version(says="a lily", meaning="keeps")
BREAKS = Version(says="a sword", meaning="breaks")
INDIFFERENT = Version(says="a pot", meaning="indifferent")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"differences": [Difference(id="1", label="x", a=KEEPS, b=BREAKS)] * 2}, "used 2 times"),
        ({"differences": [Difference(id="1.2", label="x", a=KEEPS, b=BREAKS)]}, "without dots"),
    ],
)
def test_a_contrast_with_names_that_cannot_be_cited_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadGraph, match=words):
        Contrast(**fields)


def test_what_matters_in_one_picture_matters_in_the_other() -> None:
    with pytest.raises(BadGraph, match="in both or in neither"):
        Difference(id="1", label="x", a=KEEPS, b=INDIFFERENT)
    assert Difference(id="1", label="x", a=KEEPS, b=BREAKS).matters is True
    assert Difference(id="1", label="x", a=INDIFFERENT, b=INDIFFERENT).matters is False


def test_a_version_has_three_boxes_at_most() -> None:
    with pytest.raises(BadGraph, match="4 boxes"):
        Version(says="x", meaning="keeps", boxes=(Box(x0=0, y0=0, x1=1, y1=1),) * 4)


@given(boxes, st.booleans())
def test_an_absent_part_survives_the_record_and_quotes_no_prompt(
    where: tuple[Box, ...], absent: bool
) -> None:
    part = SubSemiosis(
        id="1", label="l", relation="r", sign="s", object="o", interpretant="i", boxes=where, absent=absent
    )
    assert SubSemiosis.model_validate_json(part.model_dump_json()) == part
    quoting = part.model_dump() | {"boxes": (), "span": TextSpan(quote="room", start=8, end=12).model_dump()}
    if absent:
        with pytest.raises(BadGraph, match="only a picture lacks a part"):
            SubSemiosis.model_validate(quoting)
    else:
        assert SubSemiosis.model_validate(quoting).span is not None


def test_a_citation_points_at_boxes_of_its_graph_or_of_the_contrast() -> None:
    left, right = Box(x0=0, y0=0, x1=0.5, y1=1), Box(x0=0.5, y0=0, x1=1, y1=1)
    contrast = Contrast(
        differences=(
            Difference(
                id="1",
                label="x",
                a=Version(says="x", meaning="keeps", boxes=(left,)),
                b=Version(says="y", meaning="breaks", boxes=(right,)),
            ),
        )
    )
    root = Semiosis(sign="s", object="o", interpretant="i")
    child = SubSemiosis(
        id="1", label="l", relation="r", sign="s", object="o", interpretant="i", boxes=(left,)
    )
    prompt = Reading(of="prompt", graph=HSG(label="p", root=root), interpreter="m", made="built")
    picture = Reading(
        of="artifact", graph=HSG(label="a", root=root, children=(child,)), interpreter="m", made="built"
    )
    vote = Vote(
        order="ab",
        winner="a",
        certainty=5,
        evidence=(Evidence(node="contrast.1", rationale="r", supports="a"),),
    )
    judgment = Judgment(
        pair=PAIR,
        votes=(vote,),
        cascade_a=Cascade(rounds=(prompt, picture)),
        contrast=contrast,
        provenance=FROM,
    )
    assert judgment.places("contrast.1") == {"a": (left,), "b": (right,)}
    assert judgment.places("a.1") == {"a": (left,)}
    for nowhere in ("a", "b.1", "prompt.1", "contrast.2", "contrast", "x"):
        assert judgment.places(nowhere) == {}
    own = vote.model_copy(update={"contrast": contrast.exchanged()})
    assert judgment.places("contrast.1", own) == {"a": (right,), "b": (left,)}
