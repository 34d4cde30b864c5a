"""Preferences, ratings and agreement: arrays in, frozen values with intervals out.

    from semiosis import stats
    ratings = stats.bradley_terry(a, b, winner)             # winner: "a", "b" or "tie"
    ratings["gpt-image-2"].value, ratings["gpt-image-2"].low, ratings["gpt-image-2"].high

What a statistic is not defined on raises a sentence (BadData, NoFit); no NaN comes out. Names are loaded when
they are first used: this package imports numpy, the rest of semiosis does not.
"""

from typing import TYPE_CHECKING

from ..core.exports import late

if TYPE_CHECKING:
    from .agreement import cohen_kappa, fleiss_kappa, icc, krippendorff_alpha, rating_counts
    from .arcs import feedback_arc_set
    from .calibration import (
        calibration_error,
        cross_validated,
        fit_isotonic,
        fit_sigmoid,
        held_out,
        mean_absolute_error,
    )
    from .certainty import by_certainty
    from .choices import balance
    from .correlation import fisher_combine, kendall_tau_b, lin_ccc, pearson, spearman
    from .detection import separation
    from .effects import cohens_d
    from .estimate import Estimate, wilson
    from .families import holm
    from .iconicity import iconicity_bias, iconicity_bias_by_group, net_iconicity
    from .matched import mcnemar, paired_bootstrap
    from .ratings import bootstrap_ratings, bradley_terry, elo
    from .significance import bootstrap, permutation_test, wilcoxon
    from .tournament import degree_uniform_pairs, next_best_pair
    from .within import concordance_within, kendall_within, tau_within

_HOMES = {
    "agreement": ("cohen_kappa", "fleiss_kappa", "icc", "krippendorff_alpha", "rating_counts"),
    "arcs": ("feedback_arc_set",),
    "calibration": (
        "calibration_error",
        "cross_validated",
        "fit_isotonic",
        "fit_sigmoid",
        "held_out",
        "mean_absolute_error",
    ),
    "certainty": ("by_certainty",),
    "choices": ("balance",),
    "correlation": ("fisher_combine", "kendall_tau_b", "lin_ccc", "pearson", "spearman"),
    "effects": ("cohens_d",),
    "estimate": ("Estimate", "wilson"),
    "families": ("holm",),
    "iconicity": ("iconicity_bias", "iconicity_bias_by_group", "net_iconicity"),
    "matched": ("mcnemar", "paired_bootstrap"),
    "ratings": ("bootstrap_ratings", "bradley_terry", "elo"),
    "detection": ("separation",),
    "significance": ("bootstrap", "permutation_test", "wilcoxon"),
    "tournament": ("degree_uniform_pairs", "next_best_pair"),
    "within": ("concordance_within", "kendall_within", "tau_within"),
}

__all__ = [
    "Estimate",
    "balance",
    "bootstrap",
    "bootstrap_ratings",
    "bradley_terry",
    "by_certainty",
    "calibration_error",
    "cohen_kappa",
    "cohens_d",
    "concordance_within",
    "cross_validated",
    "degree_uniform_pairs",
    "elo",
    "feedback_arc_set",
    "fisher_combine",
    "fit_isotonic",
    "fit_sigmoid",
    "fleiss_kappa",
    "held_out",
    "holm",
    "icc",
    "iconicity_bias",
    "iconicity_bias_by_group",
    "kendall_tau_b",
    "kendall_within",
    "krippendorff_alpha",
    "lin_ccc",
    "mcnemar",
    "mean_absolute_error",
    "net_iconicity",
    "next_best_pair",
    "paired_bootstrap",
    "pearson",
    "permutation_test",
    "rating_counts",
    "separation",
    "spearman",
    "tau_within",
    "wilcoxon",
    "wilson",
]

__getattr__, __dir__ = late(__name__, _HOMES)
