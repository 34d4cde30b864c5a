"""StyleBench as a benchmark for a run: only rows that count, with their pictures."""

import gzip
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import Run
from semiosis.benchmarks.registry import find, names
from semiosis.benchmarks.stylebench.predictions import read
from semiosis.core.errors import BadSetting
from semiosis.core.item import BadRow, Candidate
from semiosis.core.kinds.pair import PairItem
from semiosis.core.sign import Prompt

METHODS = ("AdaIN", "DDIM", "DiffArtist")
FIRST_WINS = """
from dataclasses import dataclass

from semiosis.core.kinds.pair import Judgment
from semiosis.core.vote import Vote
from semiosis.methods import Judges


@dataclass(frozen=True)
class FirstWins(Judges):
    name = "first-wins"

    async def judge(self, pair):
        return Judgment(pair=pair, votes=(Vote(winner="a"),), provenance=self.provenance([]))
"""


@pytest.fixture
def folder(tmp_path: Path, png: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three results of one content in two styles; of the second style one picture is missing."""
    data = tmp_path / "FineArtBench" / "data"
    for name in ("human_annotation", "painting", "base/images"):
        (data / name).mkdir(parents=True)
    (data / "base" / "images" / "5.png").write_bytes(png("navy"))
    (data / "base" / "content_1k.json").write_text('{"5": {"image_path": "./images/5.png"}}')
    (data / "base" / "style_1k.json").write_text("{}")
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
        "content_shown": True,
        "winner": "a",
    }
    assert (pairs[1].labels["winner"], pairs[1].labels_by) == ("b", "people")
    assert pairs[0].pair.prompt == Prompt.stylization("in style 9", folder / "base/images/5.png")
    assert pairs[0].pair.a.name == "content_5_style_1.jpg"
    assert bad[0].startswith(f"There is no file {folder}/painting/DDIM/content_5_style_2.jpg")
    assert bad[1] == "content_style_combination.json has no style 3 for content 5."


def test_without_the_contents_it_says_what_to_download_or_to_run_on_purpose(folder: Path) -> None:
    shutil.rmtree(folder / "base" / "images")
    with pytest.raises(BadSetting) as caught:
        items("stylebench/paper")
    assert str(caught.value) == (
        f"{folder.parent} holds no content pictures, and stylebench/paper shows what was painted: download "
        "FineArtBench's base/images as github.com/songrise/MLLM4Art says, and put it beside content_1k.json; "
        "stylebench/paper-without-content asks without them on purpose."
    )


def test_a_row_whose_content_is_missing_is_a_bad_row(folder: Path) -> None:
    (folder / "base" / "images" / "5.png").unlink()
    pairs, bad = items("stylebench")
    assert (pairs, len(bad)) == ([], 4)
    assert bad[0] == (
        f"There is no content picture ./images/5.png in {folder}/base, and nobody is asked without it: download "
        "FineArtBench's base/images whole, or run stylebench/without-content."
    )
    (folder / "base" / "content_1k.json").write_text("{}")
    assert items("stylebench")[1][0] == "The list of contents has no content 5."


def test_the_row_of_table_5_without_the_content_says_so_in_prompt_labels_and_name(folder: Path) -> None:
    shutil.rmtree(folder / "base")
    pairs, _ = items("stylebench/without-content")
    assert [item.id for item in pairs] == ["1", "5"]
    assert pairs[0].pair.prompt == Prompt.stylization("in style 9")
    assert pairs[0].labels["content_shown"] is False
    assert find("stylebench/without-content").name == "stylebench/without-content"


def test_a_row_without_the_words_of_its_style_is_a_bad_row(folder: Path) -> None:
    path = folder / "human_annotation" / "global_annotation.json"
    rows = json.loads(path.read_text())
    rows[0]["style_prompt"] = " "
    path.write_text(json.dumps(rows))
    assert items("stylebench")[1][0] == "The row has no style_prompt: there is no style to judge by."


def test_what_was_asked_under_other_prompts_is_not_gone_on_with(
    run: Run, drawn_fineartbench: Path, tmp_path: Path
) -> None:
    (tmp_path / "artless.py").write_text(FIRST_WINS)
    words = ("run", "stylebench", "--method", "artless:FirstWins", "--name", "first", "--quiet")
    assert run(*words).returncode == 0
    with sqlite3.connect(tmp_path / "semiosis-runs" / "first.sqlite") as store:
        # As releases wrote it whose prompts were the words of the style alone.
        store.execute("update run set configuration = json_remove(configuration, '$.items_version')")
    done = run(*words, "--resume")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "semiosis: The run first was begun with items version 1, not 2: go on as it was begun, or give another "
        "--name.\n"
    )


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
    shown = {"stylebench", "stylebench/instance", "stylebench/paper", "stylebench/paper-instance"}
    without = {"stylebench/without-content", *(f"{name}-without-content" for name in shown - {"stylebench"})}
    assert {name for name in names() if name.startswith("stylebench")} == shown | without
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
