"""What the package imports is what pyproject.toml declares: the core's dependencies, and each extra's."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SOURCES = sorted((ROOT / "src" / "semiosis").rglob("*.py"))
DISTRIBUTIONS = packages_distributions()


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(requirements: list[str]) -> set[str]:
    return {normal(re.split(r"[\s\[<>=!~;]", each, maxsplit=1)[0]) for each in requirements}


CORE = declared(PROJECT["dependencies"])
EXTRAS = {name: declared(needed) for name, needed in PROJECT["optional-dependencies"].items()}


def imported(source: Path) -> set[str]:
    """Modules of others that a file imports anywhere in it, those by name too; not those for types only."""
    tree = ast.parse(source.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    modules: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                modules |= {alias.name for alias in node.names}
            case ast.ImportFrom(level=0, module=str(module)):
                modules |= {f"{module}.{alias.name}" for alias in node.names}
            case ast.Call(func=ast.Name(id="import_module"), args=[ast.Constant(value=str(name))]):
                modules.add(name)
            case _:
                pass
    tops = {name.partition(".")[0] for name in modules}
    return {
        name for name in modules if name.partition(".")[0] in tops - sys.stdlib_module_names - {"semiosis"}
    }


def distributions(module: str) -> set[str]:
    """What may have installed the module; its own name where nothing has."""
    for name in (".".join(module.split(".")[:2]), module.partition(".")[0]):
        if name in DISTRIBUTIONS:
            return {normal(each) for each in DISTRIBUTIONS[name]}
    return {normal(module.partition(".")[0])}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_every_import_is_declared(source: Path) -> None:
    packages = CORE.union(*EXTRAS.values())
    undeclared = {name for name in imported(source) if not distributions(name) & packages}
    assert undeclared == set()


def test_every_dependency_is_imported() -> None:
    used = {each for source in SOURCES for name in imported(source) for each in distributions(name)}
    assert CORE - used == set()


def test_what_a_module_imports_as_it_loads_is_of_the_core() -> None:
    for source in SOURCES:
        tree = ast.parse(source.read_text("utf-8"))
        modules = {
            name
            for node in tree.body
            if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0)
            for name in (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
            )
        }
        outside = {
            name for name in modules if name.partition(".")[0] not in {*sys.stdlib_module_names, "semiosis"}
        }
        assert {name for name in outside if not distributions(name) & CORE} == set(), source
