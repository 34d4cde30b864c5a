"""The public names, locked; what importing them loads."""

import subprocess
import sys

import semiosis
from semiosis import stats

STATS = """
Estimate bootstrap bootstrap_ratings bradley_terry calibration_error cohen_kappa cohens_d concordance_within
cross_validated degree_uniform_pairs elo feedback_arc_set fisher_combine fit_isotonic fit_sigmoid fleiss_kappa held_out
icc iconicity_bias kendall_tau_b kendall_within krippendorff_alpha lin_ccc mean_absolute_error net_iconicity
next_best_pair pearson permutation_test rating_counts spearman wilcoxon wilson
"""
PUBLIC = """
HSG Answer Artifact Box Budgeted Cached Cascade Conditions Direct Evidence Failure Gap Given Ground Interpretation
Judgment Limited MiniLM Pair Prompt Question Ranking Reading Recipe Record RemoteReward Replay Retrying Score SemJudge
Semiosis SemiosisError Store SubSemiosis TextSpan Vote backbone dump iconicity load mismatch open_items outcomes
rank reward run save_html semiosis_gap
"""


def test_the_public_names_are_these() -> None:
    assert semiosis.__all__ == PUBLIC.split()
    for name in PUBLIC.split():
        assert getattr(semiosis, name) is not None


def test_the_public_statistics_are_these() -> None:
    assert stats.__all__ == STATS.split()
    for name in STATS.split():
        assert getattr(stats, name).__module__.startswith("semiosis.stats.")


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
        "import semiosis.methods.base as m; m.names()\n"
        "import semiosis.backbones.providers as p; p.providers()\n"
        "import semiosis.reports.html, semiosis.reports.terminal, semiosis.benchmarks.samples\n"
        "import semiosis.benchmarks.base as b; b.names()\n"
        "import semiosis.runs.conduct, semiosis.runs.summary"
    )
    assert loaded_by(code) & HEAVY == set()


def test_help_does_not_load_the_library() -> None:
    code = (
        "import sys; sys.argv = ['semiosis', '--help']\n"
        "from semiosis.cli import app\n"
        "try: app()\nexcept SystemExit: pass"
    )
    assert loaded_by(code) & (HEAVY | {"pydantic"}) == set()


def test_a_judgment_shows_itself_in_a_notebook() -> None:
    code = (
        "import semiosis as sm\n"
        "from semiosis.benchmarks.samples import load\n"
        "item = load()[0]\n"
        "method = sm.SemJudge(item.recording(), graphs='solo', size='complex')\n"
        "page = method.judge_sync(item.pair('meaning', 'drift'))._repr_html_()\n"
        "assert page.startswith('<iframe'), page[:80]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
