"""StyleBench as a benchmark for a run: only rows that count, with their pictures."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from semiosis.benchmarks.registry import find, names
from semiosis.benchmarks.stylebench.predictions import read
from semiosis.core.errors import BadSetting
from semiosis.core.item import BadRow, Candidate
from semiosis.core.kinds.pair import PairItem

METHODS = ("AdaIN", "DDIM", "DiffArtist")


@pytest.fixture
def folder(tmp_path: Path, png: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three results of one content in two styles; of the second style one picture is missing."""
    data = tmp_path / "FineArtBench" / "data"
    for name in ("human_annotation", "painting", "base"):
        (data / name).mkdir(parents=True)
    (data / "painting" / "content_style_combination.json").write_text(json.dumps({"5": [9, 2, 7]}))
    for at, method in enumerate(METHODS):
        (data / "painting" / method).mkdir()
        for style in (1, 2):
            if (method, style) != ("DDIM", 2):
                file = data / "painting" / method / f"content_5_style_{style}.jpg"
                file.write_bytes(png(("teal", "gold", "maroon")[at], (96, 60 + style)))
    winners = [("DiffArtist", "AdaIN", 9, "left"), ("DiffArtist", "DDIM", 9, None), ("AdaIN", "DDIM", 9, ""),
               ("AdaIN", "DDIM", 2, "right"), ("DiffArtist", "AdaIN", 2, "right"),
               ("DiffArtist", "AdaIN", 3, "right")]  # fmt: skip
    rows = [
        {"id": at, "content_index": 5, "style_index": style, "style_prompt": f"in style {style}",
         "method_left": a, "method_right": b, "winner": winner, "skipped": winner is None}
        for at, (a, b, style, winner) in enumerate(winners, 1)
    ]  # fmt: skip
    for name in ("global_annotation", "instance_annotation"):
        (data / "human_annotation" / f"{name}.json").write_text(json.dumps(rows))
    with gzip.open(data / "human_annotation" / "global_annotation_paper.json.gz", "wt") as file:
        json.dump(rows[:1], file)
    monkeypatch.setenv("SEMIOSIS_STYLEBENCH", str(tmp_path / "FineArtBench"))
    return data


def items(name: str) -> tuple[list[PairItem], list[str]]:
    rows = list(find(name).candidates())
    pairs = [each.make() for each in rows if isinstance(each, Candidate)]
    assert all(isinstance(item, PairItem) for item in pairs)
    return [item for item in pairs if isinstance(item, PairItem)], [
        each.reason for each in rows if isinstance(each, BadRow)
    ]


def test_decided_rows_become_pairs_and_nothing_else_is_paid_for(folder: Path) -> None:
    pairs, bad = items("stylebench")
    assert [item.id for item in pairs] == ["1", "5"]
    assert pairs[0].labels == {
        "model_a": "DiffArtist",
        "model_b": "AdaIN",
        "content": "5",
        "style": "9",
        "winner": "a",
    }
    assert pairs[1].labels["winner"] == "b"
    assert pairs[0].pair.prompt.text == "in style 9"
    assert pairs[0].pair.prompt.references == ()
    assert pairs[0].pair.a.name == "content_5_style_1.jpg"
    assert bad[0].startswith(f"There is no file {folder}/painting/DDIM/content_5_style_2.jpg")
    assert bad[1] == "content_style_combination.json has no style 3 for content 5."


def test_the_content_is_shown_where_it_was_downloaded(folder: Path, png: Callable[..., bytes]) -> None:
    (folder / "base" / "images").mkdir()
    (folder / "base" / "images" / "5.png").write_bytes(png("navy"))
    contents = {"5": {"image_path": "./images/5.png", "content_prompt": "A pier"}}
    (folder / "base" / "content_1k.json").write_text(json.dumps(contents))
    (folder / "base" / "style_1k.json").write_text("{}")
    pairs, _ = items("stylebench")
    assert [each.name for each in pairs[0].pair.prompt.references] == ["5.png"]


def test_instances_that_the_filters_drop_are_not_asked_about(folder: Path) -> None:
    assert items("stylebench/instance") == ([], [])
    assert [item.id for item in items("stylebench/paper")[0]] == ["1"]
    with pytest.raises(BadSetting, match=r"holds no instance_annotation_paper.json"):
        items("stylebench/paper-instance")


def test_the_list_of_styles_may_be_gzipped(folder: Path) -> None:
    listed = folder / "painting" / "content_style_combination.json"
    with gzip.open(f"{listed}.gz", "wb") as file:
        file.write(listed.read_bytes())
    listed.unlink()
    assert [item.id for item in items("stylebench")[0]] == ["1", "5"]


def test_without_paintings_it_says_where_they_belong(
    fineartbench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEMIOSIS_STYLEBENCH", str(fineartbench))
    with pytest.raises(
        BadSetting,
        match=r"holds no pictures, and stylebench is asked about pictures: .* put each method's folder "
        r"beside content_style_combination.json",
    ):
        items("stylebench")


def test_what_to_download_and_set_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEMIOSIS_STYLEBENCH", raising=False)
    with pytest.raises(
        BadSetting, match=r"stylebench needs FineArtBench: download it as .* set SEMIOSIS_STYLEBENCH to the"
    ):
        list(find("stylebench").candidates())


def test_its_names_are_listed_and_listing_them_loads_no_numpy() -> None:
    wanted = {"stylebench", "stylebench/instance", "stylebench/paper", "stylebench/paper-instance"}
    assert wanted <= set(names())
    code = (
        "import sys; from semiosis.benchmarks.registry import names; names();"
        "print(*sorted({'numpy', 'scipy', 'openai', 'PIL'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == ""


def test_predictions_are_read_against_the_rows_of_the_folder(folder: Path) -> None:
    from semiosis.benchmarks.stylebench.annotations import load

    rows = load(folder)
    assert read(folder / "human_annotation" / "global_annotation.json", rows)["5"] == "b"
