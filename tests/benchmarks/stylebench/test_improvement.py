"""The percentages the paper prints, from the numbers it prints."""

from pathlib import Path

import pytest

from semiosis.benchmarks.stylebench import catalogue
from semiosis.benchmarks.stylebench.annotations import first_annotated, load
from semiosis.benchmarks.stylebench.improvement import ablation, average, by_attribute, improvement
from semiosis.building.alignment import per_instance
from semiosis.building.baselines import always_a
from semiosis.core.errors import BadData

BASE = {
    "GPT-4o": (0.248, 0.284, 0.328, 0.331),
    "Gemini": (0.467, 0.552, 0.479, 0.353),
    "Claude": (-0.261, -0.321, 0.312, 0.367),
}
PRINTED = {
    ("GPT-4o", "zero-shot"): ((0.345, 13), (0.357, 10), (0.299, -4), (0.313, -3)),
    ("Gemini", "zero-shot"): ((0.018, -84), (0.236, -62), (0.376, -20), (0.327, -4)),
    ("Claude", "zero-shot"): ((-0.345, -7), (-0.309, 1), (0.108, -30), (0.081, -45)),
    ("GPT-4o", "ArtCoT"): ((0.576, 43), (0.721, 61), (0.591, 39), (0.548, 32)),
    ("Gemini", "ArtCoT"): ((0.697, 43), (0.782, 51), (0.624, 28), (0.577, 35)),
    ("Claude", "ArtCoT"): ((0.612, 69), (0.600, 70), (0.492, 26), (0.487, 19)),
}


def within_rounding(rho: float, base: float, printed: int) -> bool:
    """Whether some numbers that round to these three decimals give a number that rounds to this percentage."""
    ends = [
        100 * improvement(rho + up, base + down) for up in (-0.0005, 0.0005) for down in (-0.0005, 0.0005)
    ]
    return min(ends) <= printed + 0.5 and max(ends) >= printed - 0.5


def test_all_but_two_percentages_of_table_2_are_normalised_improvements() -> None:
    misfits = [
        (model, prompting, column, round(100 * improvement(rho, BASE[model][column])), printed)
        for (model, prompting), cells in PRINTED.items()
        for column, (rho, printed) in enumerate(cells)
        if not within_rounding(rho, BASE[model][column], printed)
    ]
    assert misfits == [("Gemini", "zero-shot", 1, -71, -62), ("GPT-4o", "ArtCoT", 0, 44, 43)]


def test_the_average_improvements_of_the_text_are_of_these_cells() -> None:
    gains = [improvement(rho, BASE[model][column]) for (model, how), cells in PRINTED.items() if how == "ArtCoT"
             for column, (rho, _) in enumerate(cells) if column < 2]  # fmt: skip
    assert round(100 * sum(gains) / len(gains)) == 56


@pytest.mark.parametrize(
    ("rhos", "printed"),
    [
        ({"1/4": 0.630, "1/8": 0.502, "neither": 0.476, "style": 0.678, "content": 0.557, "full": 0.739},
         {"1/4": -42, "1/8": -91, "neither": -100, "style": -23, "content": -69}),
        ({"1/4": 0.432, "1/8": 0.285, "neither": 0.416, "style": 0.465, "content": 0.521, "full": 0.607},
         {"1/4": -44, "1/8": -82, "neither": -49, "style": -36, "content": -22}),
    ],
)  # fmt: skip
def test_the_changes_of_table_5_are_improvements_over_the_full_method(
    rhos: dict[str, float], printed: dict[str, int]
) -> None:
    changes = {row.name: row.change for row in ablation(rhos, "full")}
    assert changes["full"] == 0
    assert all(within_rounding(rhos[name], rhos["full"], value) for name, value in printed.items())
    # A share of the way to the worst row, which -100% suggests, fits the other rows in neither column.
    worst = min(rhos.values())
    to_worst = {name: (rho - rhos["full"]) / (rhos["full"] - worst) for name, rho in rhos.items()}
    assert round(100 * to_worst["1/4"]) not in (-42, -44)


def test_table_4_averages_elo_and_bradley_terry_per_method_and_not_quite_per_instance() -> None:
    assert average(0.697, 0.782) == pytest.approx(0.739, abs=0.001)
    assert average(0.624, 0.577) == pytest.approx(0.6005)  # 0.607 is printed


def test_what_has_no_improvement_says_so() -> None:
    with pytest.raises(BadData, match=r"An improvement from 1 to 0.5 is not defined"):
        improvement(0.5, 1)
    with pytest.raises(BadData, match="There is no row 'all' to compare with; there are full"):
        ablation({"full": 0.5}, "all")


def test_figure_3_by_every_attribute_with_its_counts(fineartbench: Path) -> None:
    rows = first_annotated(load(fineartbench, "instance", edition="paper"))
    scored = per_instance(rows, always_a(rows))
    parts = by_attribute(scored, catalogue.load(fineartbench))
    by_value = {(part.attribute, part.value): part for part in parts}
    lengths = {
        value: part.instances for (name, value), part in by_value.items() if name == "style.prompt_length"
    }
    assert sum(lengths.values()) == 35
    density = [by_value["content.element_density", value] for value in ("High", "Low")]
    weighted = sum(part.instances * part.elo.value for part in density if part.elo) / 35
    assert weighted == pytest.approx(scored.elo.value)
    assert [(part.attribute, part.value) for part in parts] == sorted(by_value)
    alone = next(part for part in parts if part.instances == 1)
    assert alone.elo is not None
    assert (alone.elo.low, alone.elo.high) == (None, None)
    with pytest.raises(BadData, match="it is of another benchmark"):
        by_attribute(scored, catalogue.Catalogue(contents={}, styles={}))
