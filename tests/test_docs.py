"""What the documents say is true: commands, options, code, links, file names."""

import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Self

import pytest

from command_line import commands
from semiosis import benchmarks
from semiosis.benchmarks.material import Material
from semiosis.benchmarks.registry import BENCHMARKS, BIAS_TESTS
from semiosis.core.item import RowParts, read_item
from semiosis.core.kinds import KINDS
from semiosis.core.kinds.pair import Judgment, PairItem
from semiosis.core.records import dump, load
from semiosis.core.settled import Settled
from semiosis.core.sign import Artifact, Pair
from semiosis.methods import contract as base
from semiosis.methods.contract import find, names
from semiosis.reports import page as pages
from semiosis.reports.tables import markdown

ROOT = Path(__file__).parents[1]
COMMANDS = (
    (),
    ("judge",),
    ("interpret",),
    ("rank",),
    ("run",),
    ("audit",),
    ("runs",),
    ("runs", "list"),
    ("runs", "show"),
    ("runs", "compare"),
    ("runs", "export"),
    ("runs", "import"),
    ("runs", "delete"),
    ("runs", "talk"),
    ("demo",),
    ("reward",),
    ("stats",),
    ("stats", "rate"),
    ("stats", "agree"),
    ("stats", "correlate"),
    ("stats", "certainty"),
    ("stylebench",),
    ("stylebench", "people"),
    ("stylebench", "score"),
    ("stylebench", "sample"),
    ("build",),
    ("build", "stylebench"),
    ("methods",),
    ("methods", "compare"),
    ("methods", "NAME"),
    ("models",),
    ("models", "pull"),
    ("schema",),
)


def help_page() -> str:
    """docs/cli.md as it should be. Rewrite it with: SEMIOSIS_WRITE_DOCS=1 pytest tests/test_docs.py"""
    lines = ["# The command line", "", "Each page is what `--help` prints.", ""]
    for command in COMMANDS:
        output = subprocess.run(
            [sys.executable, "-m", "semiosis", *command, "--help"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"},
        ).stdout
        text = output.replace("python -m semiosis", "semiosis").rstrip()
        lines += [f"## semiosis {' '.join(command)}".rstrip(), "", "```", text, "```", ""]
    return "\n".join(lines)


def test_every_command_has_a_page() -> None:
    assert {path for path, _ in commands()} == set(COMMANDS)


def test_the_page_of_the_command_line_is_what_help_prints() -> None:
    path = ROOT / "docs" / "cli.md"
    expected = help_page()
    if os.environ.get("SEMIOSIS_WRITE_DOCS"):
        path.write_text(expected)
    assert path.read_text() == expected


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / name).read_text(), re.S)


async def test_the_method_in_contributing_works_as_one_file(pair: Pair) -> None:
    code = next(block for block in blocks("CONTRIBUTING.md", "python") if "@method" in block)
    exec(code, {"__name__": "semiosis.methods.busiest", "__package__": "semiosis.methods"})
    assert "busiest" in names()
    judgment = await find("busiest").make().judge(pair)
    assert isinstance(judgment, Judgment)
    assert judgment.provenance.method == "busiest"
    base.METHODS.remove("busiest")


def test_the_backbone_in_contributing_registers_itself() -> None:
    from semiosis.backbones.providers import PROVIDERS, ProviderSettings

    code = next(block for block in blocks("CONTRIBUTING.md", "python") if "@provider" in block)
    exec(code, {"__name__": "semiosis.backbones.mine", "__package__": "semiosis.backbones"})
    backbone = PROVIDERS.remove("mine").make("model", ProviderSettings())
    assert backbone.name == "mine/model"


def as_module(block: str) -> str:
    """An example as a file: what awaits stands in a function, given the pair it speaks of."""
    if "await " not in block:
        return block
    return "import semiosis as sm\n\n\nasync def example(pair: sm.Pair) -> None:\n" + textwrap.indent(
        block, "    "
    )


def test_the_readme_s_python_passes_a_strict_type_checker(tmp_path: Path) -> None:
    examples = blocks("README.md", "python")
    for number, block in enumerate(examples):
        (tmp_path / f"example_{number}.py").write_text(as_module(block))
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT / "src")], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    # About 5 s on 2 cores.
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pyright",
            "--pythonpath",
            sys.executable,
            "--outputjson",
            "-p",
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
    )
    report = json.loads(done.stdout)
    assert [(each["file"][-12:], each["message"]) for each in report["generalDiagnostics"]] == []
    assert report["summary"]["filesAnalyzed"] == len(examples) > 1


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert target.startswith("http") or (page.parent / target).exists(), target


def test_the_readme_has_exactly_two_set_up_commands() -> None:
    section = (ROOT / "README.md").read_text().split("## Two commands")[1].split("```")[1]
    assert [line.split("#")[0].strip() for line in section.strip().splitlines()] == ["make demo", "make test"]


def test_the_options_the_documents_name_exist() -> None:
    options = set(re.findall(r"--[a-z][a-z-]+", help_page()))
    for page in PAGES:
        if page.name in ("README.md", "semjudge.md", "backbones.md", "privacy.md", "theory.md"):
            used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text()))
            assert used - options <= {"--no-deps"}, page.name


def of_contributing(mark: str) -> dict[str, Any]:
    """What a block of CONTRIBUTING.md defines, given the names that another package would import."""
    code = next(block for block in blocks("CONTRIBUTING.md", "python") if mark in block)
    namespace = {name: getattr(benchmarks, name) for name in benchmarks.__all__}
    names = namespace | {
        "Iterable": Iterable,
        "Iterator": Iterator,
        "Literal": Literal,
        "Mapping": Mapping,
        "Self": Self,
        "__name__": "mine",
    }
    exec(code, names)
    return names


def test_the_benchmark_in_contributing_supplies_items_and_sums_up(
    tmp_path: Path, png: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, colour in (("a.png", "teal"), ("b.png", "maroon")):
        (tmp_path / name).write_bytes(png(colour))
    monkeypatch.chdir(tmp_path)
    try:
        mine = of_contributing("@benchmark")["Mine"]()
        (candidate,) = mine.candidates()
        item = candidate.make()
        row = Settled(
            item.key, 1, item.id, item.kind, item.labels, "a", "unknown", "judgment", "a", agrees=True
        )
        (table,) = mine.summarise([row])
        assert table.rows == (("as labelled", 1),)
        assert "| as labelled | 1 |" in markdown(table)
    finally:
        BENCHMARKS.remove("mine")


def test_the_bias_test_in_contributing_is_found_and_plants_in_every_picture() -> None:
    code = next(block for block in blocks("CONTRIBUTING.md", "python") if "@bias_test" in block)
    exec(code, {"__name__": "mine"})
    try:
        sepia = BIAS_TESTS.find("sepia")
        rows = list(sepia.items(Material.bundled(limit=2)))
        assert [row.id for row in rows if isinstance(row, PairItem)] == [
            "annunciation-geometry/meaning/literal/a",
            "annunciation-geometry/meaning/literal/b",
            "annunciation-geometry/meaning/drift/b",
        ]
    finally:
        BIAS_TESTS.remove("sepia")


def test_the_kind_in_contributing_is_recorded_and_paged(tmp_path: Path, png: Any) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(png("teal"))
    try:
        names = of_contributing("@kind")
        row = RowParts("1", {"era": "late"}, "people", lambda cell: Artifact.of(str(cell)))
        plate = names["Plate"].of_row({"plate": str(picture), "title": "Vanitas"}, row)
        assert (plate.id, plate.title, plate.labels) == ("1", "Vanitas", {"era": "late"})
        assert read_item(plate.model_dump_json()) == plate
        assert names["Plate"].of_row({"image": str(picture)}, row) is None
        origin = names["Provenance"](method="m", method_version="1", package_version="0")
        critique = names["Critique"](points=7, provenance=origin)
        assert load(dump(critique)) == critique
        assert critique.finding.value == 7.0
        assert isinstance(pages.page_of(critique), names["CritiquePage"])
    finally:
        KINDS.remove("critique")
        KINDS.remove("plate")
        pages.PAGES.remove("critique")
    assert type(pages.page_of(critique)) is pages.Page
    assert '<dd dir="auto">7</dd>' in pages.page_of(critique).html(critique)
