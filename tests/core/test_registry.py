"""Things found by name, from here and from other packages."""

from pathlib import Path

import pytest

from semiosis.core.errors import SetupError, UnknownName
from semiosis.core.registry import Registry


def installed(folder: Path, *entries: str) -> None:
    """Another package, as pip would leave it."""
    info = folder / "others-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(("[semiosis.benchmarks]", *entries)))


def test_a_name_is_found_and_a_typo_is_told_what_there_is() -> None:
    registry: Registry[int] = Registry("benchmark", "semiosis.benchmarks")
    registry.add("first", 1)
    assert (registry.find("first"), registry.names(), registry.values()) == (1, ("first",), (1,))
    with pytest.raises(UnknownName, match="first"):
        registry.find("frist")


def test_a_place_is_loaded_by_module_and_name() -> None:
    registry: Registry[int] = Registry("benchmark", "semiosis.benchmarks")
    assert registry.load("pathlib:Path") is Path
    with pytest.raises(UnknownName, match=r"The benchmark pathlib:Nothing cannot be loaded: .*'Nothing'\.$"):
        registry.load("pathlib:Nothing")
    with pytest.raises(UnknownName, match=r"cannot be loaded: No module named 'nowhere'; .*PYTHONPATH=\. "):
        registry.load("nowhere:Path")


def test_a_package_that_cannot_be_loaded_is_an_error_only_where_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_others.py").write_text("raise RuntimeError('half installed')")
    installed(tmp_path, "broken = broken_others:thing")
    monkeypatch.syspath_prepend(tmp_path)
    registry: Registry[int] = Registry("benchmark", "semiosis.benchmarks")
    registry.add("sound", 1)
    assert registry.find("sound") == 1
    with pytest.raises(UnknownName, match="benchmark broken cannot be loaded: RuntimeError: half installed"):
        registry.find("broken")


def test_a_name_that_is_taken_stays_what_it_is() -> None:
    registry: Registry[object] = Registry("thing", "semiosis.core.kinds", group="nobody.says.this")
    first = object()
    registry.add("one", first)
    registry.add("one", first)
    with pytest.raises(SetupError, match="There is a thing one already"):
        registry.add("one", object())
    assert registry.find("one") is first


def test_a_place_without_a_module_is_said_in_a_sentence() -> None:
    with pytest.raises(UnknownName, match="The thing :x cannot be loaded"):
        Registry("thing", "semiosis.core.kinds").load(":x")
