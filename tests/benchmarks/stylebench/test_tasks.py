"""Tasks for a study, as the authors write them."""

from pathlib import Path

import pytest

from semiosis.benchmarks.stylebench import catalogue
from semiosis.benchmarks.stylebench.annotations import as_row, load
from semiosis.benchmarks.stylebench.tasks import draw, prompts_by_group, write
from semiosis.building.sampling import everywhere, globally
from semiosis.core.errors import BadSetting

METHODS = ["AdaIN", "ArtFlow", "ControlNet", "DDIM", "DiffArtist", "StyleID"]


def test_tasks_are_written_in_the_authors_format(fineartbench: Path, tmp_path: Path) -> None:
    listed = catalogue.load(fineartbench)
    rivals = everywhere(listed.groups, METHODS)
    styles = {id: style.prompt for id, style in listed.styles.items()}
    tasks = globally(rivals, 20, prompts=prompts_by_group(rivals, styles), seed=9)
    write(tasks, tmp_path / "tasks.json")
    assert load(tmp_path / "tasks.json") == tasks
    row = as_row(tasks[0])
    assert list(row) == [
        "id",
        "content_index",
        "style_index",
        "style_prompt",
        "method_left",
        "method_right",
        "winner",
    ]
    assert (row["id"], row["winner"]) == (1, "")
    assert row["style_prompt"] == styles[tasks[0].group[1]]
    assert isinstance(row["content_index"], int)


def test_without_pictures_the_methods_are_to_be_named(fineartbench: Path) -> None:
    with pytest.raises(BadSetting, match="no folder of pictures for any method: name each with --method"):
        draw(fineartbench, "global", 5)
    assert len(draw(fineartbench, "global", 5, methods=METHODS)) == 5
