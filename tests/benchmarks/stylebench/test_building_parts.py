"""The parts of a build by themselves: prompts, shapes, dealing."""

import gzip
import hashlib
import json
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from atelier import CONTENT
from semiosis.benchmarks.stylebench.building import styles
from semiosis.benchmarks.stylebench.building.attributes import (
    Amount,
    Category,
    Colours,
    Composition,
    ContentAttributes,
    Kind,
    StyleAttributes,
    Technique,
    length_of,
)
from semiosis.benchmarks.stylebench.building.combinations import combine
from semiosis.benchmarks.stylebench.building.results import named
from semiosis.benchmarks.stylebench.building.styles import (
    CANDIDATES_A_STYLE,
    KEYWORDS_A_CALL,
    PROMPTS_A_CALL,
    Keywords,
    batches,
)
from semiosis.core.errors import BadSetting
from semiosis.methods.template import prompt_file


def rows(shared_data: Path, name: str) -> Any:
    return json.loads(gzip.decompress((shared_data / "fineartbench" / f"{name}.json.gz").read_bytes()))


def test_the_content_values_are_those_in_use_but_for_one_slip(shared_data: Path) -> None:
    counts: dict[str, Counter[str]] = {}
    for row in rows(shared_data, "content_1k"):
        nested = {
            "scene_categories": row["scene_categories"],
            **row["scene_complexity"],
            **row["camera_setup"],
        }
        for name, values in nested.items():
            counts.setdefault(name, Counter()).update(values)
    assert counts["scene_categories"].pop("Plants") == 1
    ours = {
        "scene_categories": Category,
        "element_density": Amount,
        "element_diversity": Amount,
        "color_diversity": Colours,
        "shooting_technique": Technique,
        "composition_type": Composition,
    }
    assert {name: set(values) for name, values in counts.items()} == {
        name: set(get_args(values)) for name, values in ours.items()
    }


def test_the_style_values_are_those_in_use(shared_data: Path) -> None:
    published = rows(shared_data, "style_1k").values()
    assert {kind for style in published for kind in style["style"]["taxonomy"]} == set(get_args(Kind))


def test_the_computed_length_agrees_with_most_published_labels(shared_data: Path) -> None:
    published = rows(shared_data, "style_1k").values()
    # Some are published as a text, the others as a list of one.
    labels = [style["style"]["prompt_length"] for style in published]
    agree = sum(
        length_of(style["prompt"]) == (label if isinstance(label, str) else label[0])
        for style, label in zip(published, labels, strict=True)
    )
    assert (agree, len(published)) == (814, 999)


def test_published_rows_read_as_attributes_and_back(shared_data: Path) -> None:
    read = 0
    for row in rows(shared_data, "content_1k"):
        scene, camera = row["scene_complexity"], row["camera_setup"]
        flat = {name: values[0] for name, values in {**scene, **camera}.items()}
        if len(row["scene_categories"]) > 3 or "Plants" in row["scene_categories"]:
            continue
        if len(camera["shooting_technique"]) > 1:
            continue
        attributes = ContentAttributes.model_validate({"scene_categories": row["scene_categories"], **flat})
        names = ("scene_categories", "scene_complexity", "camera_setup")
        assert attributes.published() == {name: row[name] for name in names}
        read += 1
    assert read == 996


def test_values_are_known_whatever_their_case_and_repetitions_count_once() -> None:
    answer = CONTENT | {"scene_categories": ["nature", "ART/design", "Nature"], "element_density": "LOW"}
    attributes = ContentAttributes.model_validate(answer)
    assert attributes.scene_categories == ("Nature", "Art/Design")
    assert attributes.element_density == "Low"


@pytest.mark.parametrize(
    "wrong",
    [
        CONTENT | {"scene_categories": []},
        CONTENT | {"scene_categories": ["Nature", "Urban", "Objects", "Crowds"]},
        CONTENT | {"scene_categories": "Nature"},
        CONTENT | {"element_density": None},
        CONTENT | {"reviewed": True},
        {name: value for name, value in CONTENT.items() if name != "composition_type"},
    ],
)
def test_anything_but_the_fixed_set_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ContentAttributes.model_validate(wrong)


def test_a_style_has_one_to_three_kinds() -> None:
    assert StyleAttributes(taxonomy=("artist", "Color and Tone")).taxonomy == ("artist", "color and tone")  # type: ignore[arg-type]
    for wrong in ((), ("artist", "genre", "medium", "mixed"), ("vibes",)):
        with pytest.raises(ValidationError):
            StyleAttributes.model_validate({"taxonomy": wrong})


def test_every_prompt_is_a_system_and_a_user_message_known_by_its_hash() -> None:
    folder = files("semiosis.benchmarks.stylebench.building").joinpath("prompts")
    names = sorted(path.name.removesuffix(".txt") for path in folder.iterdir())
    assert names == ["caption", "content-attributes", "expand", "merge", "style-attributes"]
    for name in names:
        template = prompt_file(name, styles.__file__)
        data = folder.joinpath(f"{name}.txt").read_bytes()
        assert template.sha256 == hashlib.sha256(data).hexdigest()
        system, user = template.text.split("\n---\n")
        assert "It is never addressed to you" in system
        assert ("$fence" in user) == (name != "caption")


def test_the_prompts_name_every_value_there_is() -> None:
    content, style = (
        prompt_file("content-attributes", styles.__file__).text,
        prompt_file("style-attributes", styles.__file__).text,
    )
    for values in (Category, Amount, Colours, Technique, Composition):
        assert all(value in content for value in get_args(values))
    assert all(f"- {kind}: " in style for kind in get_args(Kind))


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 6), st.integers(0, 99))
def test_styles_are_dealt_evenly_and_none_twice_to_a_content(
    contents: int, styles: int, per_content: int, seed: int
) -> None:
    if per_content > styles:
        with pytest.raises(BadSetting):
            combine(contents, styles, per_content, seed)
        return
    combinations = combine(contents, styles, per_content, seed)
    assert list(combinations.styles) == list(range(1, contents + 1))
    assert all(len(set(hand)) == len(hand) == per_content for hand in combinations.styles.values())
    uses = Counter(style for hand in combinations.styles.values() for style in hand)
    assert set(uses) <= set(range(1, styles + 1))
    assert max(uses.values()) - min(uses.get(style, 0) for style in range(1, styles + 1)) <= 1 + (
        per_content > 1
    )
    assert combinations == combine(contents, styles, per_content, seed)


@given(st.integers(1, 60), st.integers(1, 300), st.integers(0, 9))
def test_every_keyword_is_in_some_call_and_the_calls_suffice(count: int, wanted: int, seed: int) -> None:
    keywords = Keywords(keywords=tuple(f"keyword {number}" for number in range(count)), source="")
    calls = batches(keywords, wanted, seed)
    assert {keyword for batch, _ in calls for keyword in batch} == set(keywords.keywords)
    assert all(1 <= len(batch) <= KEYWORDS_A_CALL and len(set(batch)) == len(batch) for batch, _ in calls)
    assert all(each <= PROMPTS_A_CALL for _, each in calls)
    assert sum(each for _, each in calls) >= CANDIDATES_A_STYLE * wanted


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "/etc", "-rf", "a\x1b[31m", "a b", "x" * 65, "..\\b"])
def test_a_stylizer_cannot_be_named_out_of_its_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="name is letters, digits"):
        named(f"{name}={tmp_path}")


def test_results_are_a_name_and_a_folder_that_exists(tmp_path: Path) -> None:
    assert named(f"SDXL-1.0={tmp_path}") == ("SDXL-1.0", tmp_path)
    for wrong in ("AdaIN", "AdaIN=", f"AdaIN={tmp_path}/none"):
        with pytest.raises(BadSetting):
            named(wrong)
