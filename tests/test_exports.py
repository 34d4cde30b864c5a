"""The public names, locked and explained; what importing them loads."""

import dataclasses
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

import pytest

import semiosis
from semiosis import stats

STATS = """
Estimate balance bootstrap bootstrap_ratings bradley_terry by_certainty calibration_error cohen_kappa cohens_d concordance_within
cross_validated degree_uniform_pairs elo feedback_arc_set fisher_combine fit_isotonic fit_sigmoid fleiss_kappa held_out
holm icc iconicity_bias iconicity_bias_by_group kendall_tau_b kendall_within krippendorff_alpha lin_ccc mcnemar mean_absolute_error net_iconicity
next_best_pair paired_bootstrap pearson permutation_test rating_counts separation spearman tau_within wilcoxon wilson
"""
PUBLIC = """
HSG Answer Artifact Box Budgeted Cached Cascade CascadeReading Conditions Direct Evidence Failure Gap Given Ground Interpretation
Judgment Limited MiniLM Pair Prompt Question Ranking Reading Recipe Record RemoteReward Replay Retrying Rounds Score SemJudge
Semiosis SemiosisError Store SubSemiosis TextSpan Vote backbone dump iconicity load mismatch mismatches open_items
outcomes rank reward run run_together save_html semiosis_gap semiosis_gaps
"""


EXTENSION = {
    "semiosis.methods": """
Answer Answers Artifact Backbone Card Evidence Exchange Failure Interpretation Interprets Item Judges Judgment LongWords Measurement Measurer Method Orders
Pair PairItem Prompt Provenance Query Question QuestionItem RatingItem Repeats Score ScorePart Scorer Scores
Temperature Template VerdictShape Vote Words ask method prompt_file sent
""",
    "semiosis.benchmarks": """
Answer Artifact BadRow Benchmark BiasFinding BiasTest Candidate Column Copies CopyTest Failure Finding FinishTest
Interval Item Judgment Labels LabelsBy Leanings Material Outcome Page Pair PairBiasTest PairItem PictureFile Prompt
PromptedPicture Provenance Question QuestionItem RatingItem RowParts Ruling Score Settled Share Table Value
benchmark bias_test by_unit candidate facts fill_outcome key_of kind line numbers page sound words
""",
    "semiosis.backbones": """
Backbone BackboneError Message Prepared ProviderSettings Reply Request TokenLogprob Traits Wrapper provider
""",
    "semiosis.errors": """
BackboneError BadData BadGraph BadPicture BadPrompt BadRecord BadSetting FailureKind InputError MissingExtra NoFit
NoModel SemiosisError SetupError StoreError UnknownName
""",
}


@pytest.mark.parametrize("package", EXTENSION)
def test_what_another_package_builds_on_is_this(package: str) -> None:
    module = import_module(package)
    assert module.__all__ == EXTENSION[package].split()
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_the_public_names_are_these() -> None:
    assert semiosis.__all__ == PUBLIC.split()
    for name in PUBLIC.split():
        assert getattr(semiosis, name) is not None


def test_the_public_statistics_are_these() -> None:
    assert stats.__all__ == STATS.split()
    for name in STATS.split():
        assert getattr(stats, name).__module__.startswith("semiosis.stats.")


def parameters(public: Any) -> list[str]:
    """What a caller gives: a function's parameters, or a class's fields."""
    if not inspect.isclass(public):
        return list(inspect.signature(public).parameters)
    if hasattr(public, "model_fields"):
        return [name for name, field in public.model_fields.items() if not is_constant(field.annotation)]
    if dataclasses.is_dataclass(public):
        return [field.name for field in dataclasses.fields(public) if field.init]
    return [] if issubclass(public, Exception) else list(inspect.signature(public).parameters)


def is_constant(annotation: Any) -> bool:
    """The `kind` of an outcome can be nothing else."""
    return get_origin(annotation) is Literal and len(get_args(annotation)) == 1


def says(docstring: str, parameter: str) -> bool:
    """In backticks, or at the beginning of a line, since "a" alone is an article too."""
    return re.search(rf"`[^`\n]*\b{parameter}\b[^`\n]*`|^ *{parameter}\b", docstring, re.M) is not None


def methods(public: type) -> Iterator[str]:
    """The public ones that are ours."""
    for name, _ in inspect.getmembers(public):
        home = next((each for each in public.__mro__ if name in vars(each)), object)
        held = vars(home).get(name)
        ours = home.__module__.startswith("semiosis.") and (not name.startswith("_") or name == "__call__")
        if ours and (inspect.isroutine(held) or isinstance(held, property | classmethod | staticmethod)):
            yield name


@pytest.mark.parametrize(
    ("module", "name"),
    [(module, name) for module in (semiosis, stats) for name in module.__all__],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)
def test_every_public_name_says_what_it_takes(module: ModuleType, name: str) -> None:
    public = getattr(module, name)
    docstring = inspect.cleandoc(public.__doc__ or "")
    assert docstring
    assert [each for each in parameters(public) if not says(docstring, each)] == []
    if inspect.isclass(public):
        assert [each for each in methods(public) if not inspect.getdoc(getattr(public, each))] == []


def loaded_by(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(*sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    return {name.split(".")[0] for name in out.split()}


HEAVY = {
    "numpy",
    "scipy",
    "matplotlib",
    "torch",
    "openai",
    "anthropic",
    "google",
    "transformers",
    "xllamacpp",
    "PIL",
    "aiohttp",
    "jinja2",
}


def test_importing_the_package_loads_almost_nothing() -> None:
    assert loaded_by("import semiosis, semiosis.stats") & (HEAVY | {"pydantic"}) == set()


def test_importing_every_method_backbone_and_report_loads_nothing_heavy() -> None:
    code = (
        "import semiosis.methods.contract as m; m.names()\n"
        "import semiosis.backbones.providers as p; p.providers()\n"
        "import semiosis.reports.page, semiosis.reports.terminal, semiosis.benchmarks.samples.items\n"
        "import semiosis.benchmarks.registry as b; b.names()\n"
        "import semiosis.runs.run, semiosis.runs.summary"
    )
    assert loaded_by(code) & HEAVY == set()


def test_help_does_not_load_the_library() -> None:
    code = (
        "import sys; sys.argv = ['semiosis', '--help']\n"
        "from semiosis.cli import main\n"
        "try: main()\nexcept SystemExit: pass"
    )
    assert loaded_by(code) & (HEAVY | {"pydantic"}) == set()


def test_help_with_ten_more_benchmarks_does_not_load_the_library(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"slice{number}").mkdir()
        (tmp_path / f"slice{number}" / "commands.py").write_text(
            f"import numpy, pydantic\n\nCOMMANDS = {{'slice{number}': 'score'}}\n\n"
            "def score() -> None:\n    'Score judges.'\n"
        )
    code = (
        "import sys; sys.argv = ['semiosis', '--help']\n"
        f"import semiosis.benchmarks; semiosis.benchmarks.__path__.append({str(tmp_path)!r})\n"
        "from semiosis.cli import main\n"
        "try: main()\nexcept SystemExit: pass"
    )
    loaded = loaded_by(code)
    assert loaded & (HEAVY | {"pydantic"}) == set()
    assert {f"slice{number}" for number in range(10)} < loaded, "help lists them"


def test_a_judgment_shows_itself_in_a_notebook() -> None:
    code = (
        "import semiosis as sm\n"
        "from semiosis.benchmarks.samples.items import load\n"
        "item = load()[0]\n"
        "method = sm.SemJudge(item.recording(), graphs='solo', size='complex')\n"
        "page = method.judge_sync(item.pair('meaning', 'drift'))._repr_html_()\n"
        "assert page.startswith('<iframe'), page[:80]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
