"""Contents and styles with flat attributes."""

import json
from pathlib import Path

import pytest

from semiosis.benchmarks.stylebench.catalogue import load
from semiosis.core.errors import BadRecord, BadSetting


def test_the_published_catalogue(fineartbench: Path) -> None:
    catalogue = load(fineartbench)
    assert (len(catalogue.contents), len(catalogue.styles), len(catalogue.groups)) == (1000, 999, 2997)
    assert catalogue.groups[:3] == (("1", "865"), ("1", "395"), ("1", "777"))
    assert catalogue.contents["1"].prompt.startswith("A snowy village at night")
    assert catalogue.contents["1"].picture == "./images/1.png"
    assert catalogue.attributes(("1", "2")) == {
        "content.image_source": ("ideogram-v1",),
        "content.scene_categories": ("Urban", "Architecture", "Decoration"),
        "content.element_density": ("High",),
        "content.element_diversity": ("Low",),
        "content.color_diversity": ("Limited",),
        "content.shooting_technique": ("General",),
        "content.composition_type": ("Non-Object-Centric",),
        "style.taxonomy": ("technique", "art movement", "medium"),
        "style.prompt_length": ("short",),
        "style.prompt_source": ("WikiArt",),
    }


def test_an_unlisted_style_has_no_attributes(fineartbench: Path) -> None:
    assert not [name for name in load(fineartbench).attributes(("1", "1000")) if name.startswith("style.")]


def test_sources_are_as_the_paper_counts_them_but_for_one_missing_style(fineartbench: Path) -> None:
    catalogue = load(fineartbench)
    sources = [entry.attributes["image_source"][0] for entry in catalogue.contents.values()]
    assert {name: sources.count(name) for name in set(sources)} == {
        "ideogram-v1": 500,
        "MSCOCO": 250,
        "sa-1B": 250,
    }
    from_wikiart = [entry.attributes["prompt_source"][0] for entry in catalogue.styles.values()]
    assert (from_wikiart.count("WikiArt"), from_wikiart.count("DiffusionDB")) == (764, 235)


def test_files_that_are_something_else_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"holds no content_\*.json"):
        load(tmp_path)
    (tmp_path / "content_1k.json").write_text("7")
    (tmp_path / "style_1k.json").write_text("{}")
    with pytest.raises(BadRecord, match=r"content_1k.json is neither a list of entries nor an object"):
        load(tmp_path)
    (tmp_path / "content_1k.json").write_text("[3]")
    with pytest.raises(BadRecord, match=r"Entry 1 of content_1k.json is not an object"):
        load(tmp_path)
    (tmp_path / "content_1k.json").write_text("[{")
    with pytest.raises(BadRecord, match=r"content_1k.json cannot be read as JSON"):
        load(tmp_path)
    (tmp_path / "content_1k.json").write_text("[]")
    (tmp_path / "content_style_combination.json").write_text(json.dumps({"1": 865}))
    with pytest.raises(BadRecord, match=r"has no list of styles for content 1"):
        load(tmp_path)
