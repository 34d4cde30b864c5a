"""Things found by name, from here and from other packages."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

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


def package(folder: Path, name: str, **files: str) -> str:
    """A package of slices: each file by its place, with dots for folders."""
    root = folder / name
    root.mkdir()
    (root / "__init__.py").write_text("")
    for place, text in files.items():
        path = root.joinpath(*place.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        for above in (path.parent, *path.parent.parents):
            if above == root:
                break
            (above / "__init__.py").touch()
        path.write_text(text)
    return name


ADDS = "import slices_registry\nslices_registry.REGISTRY.add({name!r}, {name!r})\n"


@pytest.fixture
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Registry[str]]]:
    """A registry of what is inside `bias` in the slices of a package that is written for it."""
    before = set(sys.modules)

    def make(**files: str) -> Registry[str]:
        monkeypatch.syspath_prepend(tmp_path)
        registry: Registry[str] = Registry(
            "test", package(tmp_path, "slices", **files), group="nobody.says.this", inside="bias"
        )
        monkeypatch.setitem(sys.modules, "slices_registry", SimpleNamespace(REGISTRY=registry))  # type: ignore[arg-type]
        return registry

    yield make
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == "slices":
            del sys.modules[name]


def test_a_slice_has_what_is_looked_for_in_a_module_or_in_a_folder_or_not_at_all(
    registered: Callable[..., Registry[str]],
) -> None:
    registry = registered(
        one__bias=ADDS.format(name="first"),
        two__bias__left=ADDS.format(name="second"),
        two__bias__right=ADDS.format(name="third"),
        three__items="raise RuntimeError('nobody looks for this')",
    )
    assert registry.names() == ("first", "second", "third")


def test_a_slice_whose_module_cannot_import_something_says_so(
    registered: Callable[..., Registry[str]],
) -> None:
    registry = registered(one__bias="import slices.one.bias_that_is_not_there")
    with pytest.raises(ModuleNotFoundError, match="bias_that_is_not_there"):
        registry.names()
