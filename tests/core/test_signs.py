"""Pictures shown together are told apart by what they are called; a stylization is a prompt."""

from collections.abc import Callable
from pathlib import Path

import pytest

from semiosis.core.errors import BadPrompt
from semiosis.core.sign import Artifact, Prompt, distinct_names


def saved(path: Path, content: bytes) -> Artifact:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return Artifact.of(str(path))


def test_pictures_are_distinct_names_by_file_names_then_paths_then_hashes(tmp_path: Path) -> None:
    one, two = saved(tmp_path / "x" / "out.png", b"1"), saved(tmp_path / "y" / "out.png", b"2")
    other, held = saved(tmp_path / "x" / "other.png", b"3"), Artifact.of(b"4")
    assert distinct_names([one, other]) == ["out.png", "other.png"]
    assert distinct_names([one, two]) == [f"{tmp_path}/x/out.png", f"{tmp_path}/y/out.png"]
    assert distinct_names([one, held]) == ["out.png", held.sha256[:8]]
    again = [Artifact.model_validate_json(each.model_dump_json()) for each in (one, two)]
    assert distinct_names(again) == [f"out.png {each.sha256[:8]}" for each in (one, two)]
    assert distinct_names([]) == []


def test_where_a_picture_was_read_from_is_kept_but_not_stored(tmp_path: Path) -> None:
    artifact = saved(tmp_path / "x" / "out.png", b"1")
    assert (artifact.name, artifact.place) == ("out.png", f"{tmp_path}/x/out.png")
    assert Artifact.of(artifact).place == artifact.place
    assert str(tmp_path) not in artifact.model_dump_json()
    assert (Artifact.of(b"1").place, artifact.with_bytes(lambda: b"1").place) == ("", artifact.place)


def test_a_stylization_says_its_task_in_words_and_keeps_style_and_content_apart(
    png: Callable[..., bytes],
) -> None:
    task = Prompt.stylization("painting by Georges Seurat", png("teal"))
    assert task.style == "painting by Georges Seurat"
    assert task.content == Artifact.of(png("teal"))
    assert task.text.endswith(": painting by Georges Seurat")
    assert "content picture" in task.text
    unseen = Prompt.stylization("painting by Georges Seurat")
    assert (unseen.content, unseen.references) == (None, ())
    assert "not shown" in unseen.text
    assert Prompt(text="a vase", references=(png("red"),)).content is None


def test_a_style_that_the_words_do_not_name_or_two_contents_are_refused(png: Callable[..., bytes]) -> None:
    with pytest.raises(BadPrompt, match="style"):
        Prompt(text="Paint it.", style="cubist")
    with pytest.raises(BadPrompt, match="style"):
        Prompt.stylization("  ")
    with pytest.raises(BadPrompt, match="One content picture"):
        Prompt(text="Paint it cubist.", style="cubist", references=(png("red"), png("blue")))
