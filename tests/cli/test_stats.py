"""`semiosis stats` as a person uses it, over published and hostile tables."""

import csv
import gzip
import inspect
import json
import math
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from statsmodels.stats.inter_rater import cohens_kappa, to_table

from command_line import Done, RunHere
from semiosis.reports.measures import named
from stored import first_run

HOSTILE = "[bold]x[/bold]\x1b[2J\x9b31m\r\u2028OK"


RATED = ("1,2", "2,2", "3,3", "4,5", "5,4", "1,1")


@pytest.fixture
def run(run_here: RunHere) -> RunHere:
    return partial(run_here, "stats")


def told(done: Done) -> dict[str, Any]:
    assert done.code == 0, done.err
    return json.loads(done.out)


def write(path: Path, header: str, *rows: str) -> str:
    path.write_text("\n".join([header, *rows, ""]), "utf-8")
    return path.name


def lines(path: Path, *rows: object) -> str:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path.name


def cells(path: str | Path) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8") as text:
        return list(csv.DictReader(text))


def dropped(report: dict[str, Any]) -> dict[str, int]:
    return {each["why"]: each["rows"] for each in report["dropped"]}


def scores(report: dict[str, Any]) -> dict[str, float]:
    return {each["item"]: each["value"] for each in report["ratings"]}


@pytest.fixture
def food(shared_data: Path) -> str:
    return str(shared_data / "stats_reference" / "csv" / "evalica_food.csv")


@pytest.fixture
def cups(tmp_path: Path) -> str:
    """Three items, each of which won and lost."""
    rows = ["tea,cocoa,left", "cocoa,coffee,left", "coffee,tea,left", "tea,coffee,left", "coffee,tea,tie"]
    return write(tmp_path / "cups.csv", "left,right,winner", *rows * 4)


class TestRate:
    @pytest.mark.parametrize("name", ["global_annotation", "instance_annotation_paper"])
    def test_fineartbench_has_its_reference_scores(self, name: str, run: RunHere, shared_data: Path) -> None:
        folder = shared_data / "fineartbench"
        reference = json.loads((folder / "reference_rankings.json").read_text())[name]
        file = str(folder / f"{name}.json.gz")
        report = told(run("rate", file, "--resamples", "0", "--json"))
        assert scores(report) == pytest.approx(reference["bt_theta"], abs=1e-3)
        assert [each["item"] for each in report["ratings"]] == reference["bt_rank"]
        assert (report["comparisons"], report["rows"]) == (reference["n_decided"], reference["n_rows"])
        assert dropped(report) == {"without a winner": reference["n_rows"] - reference["n_decided"]}
        assert {each["item"]: each["comparisons"] for each in report["ratings"]} == reference["games"]
        by_elo = told(run("rate", file, "--model", "elo", "--json"))
        assert scores(by_elo) == pytest.approx(reference["elo_file_order"], abs=6e-3)

    def test_the_screen_tells_ranks_scores_and_what_was_left_out(
        self, run: RunHere, shared_data: Path
    ) -> None:
        file = shared_data / "fineartbench" / "global_annotation.json.gz"
        done = run("rate", str(file), "--side", "--resamples", "200")
        assert done.code == 0, done.err
        rows = [line.split() for line in done.out.splitlines()]
        assert rows[0][:2] == ["global_annotation.json.gz:", "Bradley-Terry,"]
        assert "2,884 without a winner, of 5,000 rows" in done.out
        assert "69.1% (67.1 to 71.0), 1,462 of 2,116 decided" in done.out
        assert "side effect  +0.199 (" in done.out
        best = next(row for row in rows if "ControlNet" in row)
        assert best[:6] == ["1", "(1", "to", "3)", "ControlNet", "1.800"]
        assert best[-1] == "464"
        assert "95% intervals: percentiles of 200 resamples." in done.out

    def test_evalica_s_elo_in_its_own_conventions(self, run: RunHere, food: str) -> None:
        golden = cells(food.replace(".csv", "-golden.csv"))
        expected = {row["item"]: float(row["score"]) for row in golden if row["algorithm"] == "elo"}
        report = told(run("rate", food, "--model", "elo", "--k", "4", "--start", "1000", "--json"))
        assert scores(report) == pytest.approx(expected, abs=1e-9)

    def test_bradley_terry_is_evalica_s_up_to_its_scale(self, run: RunHere, food: str) -> None:
        golden = cells(food.replace(".csv", "-golden.csv"))
        logs = {
            row["item"]: math.log(float(row["score"]))
            for row in golden
            if row["algorithm"] == "bradley_terry"
        }
        ratings = scores(told(run("rate", food, "--resamples", "0", "--json")))
        middle = sum(logs.values()) / len(logs)
        assert ratings == pytest.approx({item: value - middle for item, value in logs.items()}, abs=1e-4)

    def test_whole_groups_are_resampled_by_a_column(self, run: RunHere, shared_data: Path) -> None:
        file = str(shared_data / "stats_reference" / "csv" / "evalica_llmfao.csv.gz")
        alone = told(run("rate", file, "--resamples", "100", "--json"))
        grouped = told(run("rate", file, "--resamples", "100", "--cluster", "prompt", "--json"))
        assert alone["ratings"][0]["item"] == grouped["ratings"][0]["item"] == "GPT 4"
        assert alone["ratings"][0]["value"] == grouped["ratings"][0]["value"]
        assert alone["ratings"][0]["low"] != grouped["ratings"][0]["low"]
        assert grouped["columns"]["cluster"] == "prompt"
        assert grouped["intervals"] == "percentiles of 100 resamples of whole groups by prompt"

    def test_too_few_rows_to_resample_say_the_ways_out(self, run: RunHere, food: str) -> None:
        done = run("rate", food)
        assert done.code == 2
        assert "resamples have no finite fit" in done.err
        assert "--prior 0.1" in done.err
        assert "--resamples 0" in done.err
        with_prior = told(run("rate", food, "--prior", "0.1", "--json"))
        assert with_prior["unfitted"] == 0
        assert with_prior["settings"] == {"seed": 0, "side": False, "prior": 0.1, "resamples": 1000}
        assert with_prior["ratings"][0]["item"] == "Tacos"

    def test_an_unbeaten_item_is_named_with_the_way_out(self, run: RunHere, tmp_path: Path) -> None:
        file = write(tmp_path / "one-way.csv", "left,right,winner", "tea,cocoa,left", "cocoa,milk,tie")
        done = run("rate", file, "--resamples", "0")
        assert (done.code, done.out) == (2, "")
        assert "tea" in done.err
        assert "--prior 0.1" in done.err
        assert (
            told(run("rate", file, "--resamples", "0", "--prior", "1", "--json"))["ratings"][0]["item"]
            == "tea"
        )

    def test_elo_over_random_orders_has_a_spread(self, run: RunHere, cups: str) -> None:
        report = told(run("rate", cups, "--model", "elo", "--shuffles", "50", "--json"))
        assert all(each["low"] <= each["value"] <= each["high"] for each in report["ratings"])
        assert report["intervals"] == "over 50 random orders of the same comparisons"
        assert "see --shuffles" in run("rate", cups, "--model", "elo").out

    VOTES = {
        "sides": ("left", "right", "tie"),
        "letters": ("A", "B", "Tie"),
        "models": ("model_a", "model_b", "tie (bothbad)"),
        "GenAI-Bench": ("leftvote", "rightvote", "bothbad_vote"),
        "signs": ("-1", "1", "0"),
        "signs with a point": ("-1.0", "1.0", "0.0"),
        "names": ("tea", "cocoa", "draw"),
    }

    @pytest.mark.parametrize("kind", VOTES)
    def test_winners_in_every_vocabulary(self, kind: str, run: RunHere, tmp_path: Path) -> None:
        a, b, tie = self.VOTES[kind]
        rows = [f"tea,cocoa,{word}" for word in (a, a, a, b, tie, "")]
        report = told(
            run("rate", write(tmp_path / "v.csv", "left,right,winner", *rows), "--resamples", "0", "--json")
        )
        # 3.5 wins of 5: the difference of the two scores is the logit of that.
        assert scores(report) == pytest.approx(
            {"tea": math.log(3.5 / 1.5) / 2, "cocoa": -math.log(3.5 / 1.5) / 2}
        )
        assert dropped(report) == {"without a winner": 1}

    @pytest.mark.parametrize("mark", [",", ";", "\t"])
    @pytest.mark.parametrize("suffix", ["csv", "tsv"])
    def test_what_divides_the_columns_is_seen_from_the_first_line(
        self, mark: str, suffix: str, run: RunHere, tmp_path: Path
    ) -> None:
        rows = [
            ("left", "right", "winner"),
            ("tea, green", "co;coa", "left"),
            ("co;coa", "tea, green", "left"),
        ]
        quoted = (mark.join(f'"{cell}"' for cell in row) for row in rows)
        report = told(run("rate", write(tmp_path / f"v.{suffix}", *quoted), "--resamples", "0", "--json"))
        assert set(scores(report)) == {"tea, green", "co;coa"}

    @pytest.mark.parametrize(
        ("a", "b"),
        [("model_a", "model_b"), ("method_left", "method_right"), ("Left", "Right"), ("a", "b")],
    )
    def test_columns_are_known_by_their_usual_names(
        self, a: str, b: str, run: RunHere, tmp_path: Path
    ) -> None:
        file = write(tmp_path / "v.csv", f"{a},{b},vote_type", "x,y,leftvote", "x,y,rightvote")
        report = told(run("rate", file, "--resamples", "0", "--json"))
        assert report["columns"] == {"a": a, "b": b, "winner": "vote_type"}

    def test_columns_are_named_by_hand(self, run: RunHere, tmp_path: Path) -> None:
        rows = [{"p": "x", "q": "y", "r": 1}, {"p": "y", "q": "x", "r": 1}, {"p": "x", "q": "y", "r": -1}]
        report = told(
            run(
                *("rate", lines(tmp_path / "v.jsonl", *rows), "--a", "p", "--b", "q", "--winner", "r"),
                *("--resamples", "0", "--json"),
            )
        )
        assert scores(report) == pytest.approx({"x": math.log(2) / 2, "y": -math.log(2) / 2})

    def test_rows_that_say_nothing_are_counted_by_why(self, run: RunHere, tmp_path: Path) -> None:
        good = [{"left": "x", "right": "y", "winner": side} for side in ("left", "right", "tie")]
        odd = [
            {"left": "x", "right": "y", "winner": None},
            {"left": "x", "right": "y"},
            {"left": "x", "winner": "left"},
            {"left": "x", "right": "x", "winner": "tie"},
        ]
        (tmp_path / "v.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in good + odd) + "not json\n"
        )
        report = told(run("rate", "v.jsonl", "--resamples", "0", "--json"))
        assert dropped(report) == {
            "without two items": 1,
            "with one item on both sides": 1,
            "without a winner": 2,
        }
        assert (report["rows"], report["bad_rows"], report["comparisons"]) == (7, 1, 3)
        output = run("rate", "v.jsonl", "--resamples", "0").out
        assert "1 without two items, 1 with one item on both sides, 2 without a winner, of 7 rows" in output
        assert "1 rows; the first: v.jsonl line 8: The line is not JSON" in output

    def test_an_exported_run_is_rated_by_its_models(self, run: RunHere, tmp_path: Path) -> None:
        row = {"winner": "a", "label": "b", "labels": {"model_a": "x", "model_b": "y"}}
        other = {**row, "winner": "b"}
        file = lines(tmp_path / "first.jsonl", row, other)
        report = told(run("rate", file, "--resamples", "0", "--json"))
        assert scores(report) == pytest.approx({"x": 0, "y": 0}, abs=1e-9)
        as_text = [{**each, "labels": json.dumps(each["labels"])} for each in (row, other)]
        again = told(run("rate", lines(tmp_path / "again.jsonl", *as_text), "--resamples", "0", "--json"))
        assert again["ratings"] == report["ratings"]

    def test_equal_seeds_give_equal_numbers(self, run: RunHere, cups: str) -> None:
        args = ("rate", cups, "--resamples", "50", "--json")
        assert run(*args).out == run(*args).out
        assert run(*args).out != run(*args, "--seed", "1").out

    @pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
    def test_a_plot_is_written(self, suffix: str, run: RunHere, cups: str, tmp_path: Path) -> None:
        done = run("rate", cups, "--resamples", "0", "--plot", f"out.{suffix}")
        assert (done.code, done.err) == (0, f"plot: out.{suffix}\n")
        heads = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
        assert (tmp_path / f"out.{suffix}").read_bytes().startswith(heads[suffix])


FORMS = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")


class TestAgree:
    def test_krippendorff_s_example_with_gaps(self, run: RunHere, shared_data: Path) -> None:
        file = str(shared_data / "stats_reference" / "csv" / "cac.raw4raters.csv")
        published = {"nominal": 0.7434210526, "ordinal": 0.8153875038, "interval": 0.8491071429}
        for level, value in published.items():
            report = told(run("agree", file, "--level", level, "--json"))
            assert report["alpha"]["value"] == pytest.approx(value)
            assert report["raters"] == ["Rater1", "Rater2", "Rater3", "Rater4"]
            assert (report["units"], report["missing"], report["level"]) == (12, 7, level)
        output = run("agree", file).out
        assert "interval, by what the ratings are; --level says otherwise" in output
        assert "Krippendorff's alpha, interval  0.8491" in output
        assert "ICC: It needs every rating, and 7 are missing." in output

    @pytest.mark.parametrize("rows", [2, 3, 4])
    def test_intervals_of_few_rows_are_those_a_coefficient_can_have(
        self, rows: int, run: RunHere, tmp_path: Path
    ) -> None:
        cells = ("1,2,3", "2,1,3", "3,3,1", "1,3,2")
        report = told(run("agree", write(tmp_path / "few.csv", "ann,bea,cy", *cells[:rows]), "--json"))
        kappas = [pair[name] for pair in report["pairs"] for name in ("kappa", "linear", "quadratic")]
        estimates = [report["alpha"], *report["icc"].values(), *filter(None, kappas)]
        assert all(-1 <= each["low"] <= each["high"] <= 1 for each in estimates)
        for form in FORMS:
            assert form in report["icc"] or f"ICC({form})" in report["left_out"]["icc"]

    def test_a_coefficient_that_comes_out_below_minus_one_is_left_out_with_the_reason(
        self, run: RunHere, tmp_path: Path
    ) -> None:
        done = run("agree", write(tmp_path / "few.csv", "ann,bea,cy", "1,2,3", "2,1,3", "3,3,1"))
        assert "ICC(1,k) comes out as -9 of 3 units, and no correlation is below -1" in done.out
        assert "-71" not in done.out

    def test_shrout_and_fleiss_in_all_six_forms(
        self, run: RunHere, shared_data: Path, tmp_path: Path
    ) -> None:
        cases = json.loads((shared_data / "stats_reference" / "stats_reference.json").read_text())
        case = next(each for each in cases if each["id"] == "shrout_fleiss_1979")
        file = write(
            tmp_path / "sf.csv",
            "id,a,b,c,d",
            *(f"{at},{','.join(map(str, row))}" for at, row in enumerate(case["data"])),
        )
        forms = told(run("agree", file, "--json"))["icc"]
        for form, value in case["recomputed_pingouin"].items():
            assert forms[form[4:-1].replace("4", "k")]["value"] == pytest.approx(value, abs=1e-9)
        output = run("agree", file).out
        assert "ICC(2,1), raters are a sample" in output
        assert "0.2898" in output

    def test_fleiss_of_gwet_s_six_raters(self, run: RunHere, shared_data: Path, tmp_path: Path) -> None:
        counted = cells(shared_data / "stats_reference" / "csv" / "distrib.6raters.csv")
        rows: list[str] = []
        for row in counted:
            ratings = [name for name, count in row.items() if name != "Subject" for _ in range(int(count))]
            rows.append(",".join(ratings))
        report = told(run("agree", write(tmp_path / "six.csv", "r1,r2,r3,r4,r5,r6", *rows), "--json"))
        assert report["level"] == "nominal"
        assert report["fleiss"]["value"] == pytest.approx(0.413926499)
        assert report["alpha"]["value"] == pytest.approx(0.4204384, abs=1e-6)

    def test_kappa_of_genai_bench_s_judges_is_statsmodels(self, run: RunHere, shared_data: Path) -> None:
        file = shared_data / "genai_bench" / "image_generation.csv"
        judges = "vote_gpt4o", "vote_gemini-1.5-pro"
        report = told(run("agree", str(file), "--columns", ",".join(judges), "--json"))
        both = [[row[name] for name in judges] for row in cells(file)]
        both = [row for row in both if all(row)]
        expected = cohens_kappa(to_table(both)[0], return_results=True)
        kappa = report["pairs"][0]["kappa"]
        assert report["pairs"][0]["n"] == len(both)
        assert kappa["value"] == pytest.approx(expected.kappa)
        assert (kappa["low"], kappa["high"]) == pytest.approx((expected.kappa_low, expected.kappa_upp))

    def test_weighted_kappas_are_given_for_numbers_alone(self, run: RunHere, tmp_path: Path) -> None:
        rows = ["1,1", "2,3", "3,3", "4,4", "5,4", "2,2"]
        pair = told(run("agree", write(tmp_path / "n.csv", "ann,bea", *rows), "--json"))["pairs"][0]
        table = to_table([[int(each) for each in row.split(",")] for row in rows], bins=range(1, 7))[0]
        for name, weights in (("linear", "linear"), ("quadratic", "fc")):
            expected = cohens_kappa(table, wt=weights, return_results=True).kappa
            assert pair[name]["value"] == pytest.approx(expected)
        named = [
            row.replace("1", "one").replace("2", "two").replace("3", "x").replace("4", "y").replace("5", "z")
            for row in rows
        ]
        texts = told(run("agree", write(tmp_path / "t.csv", "ann,bea", *named), "--json"))["pairs"][0]
        assert texts["linear"] is None
        assert texts["kappa"]["value"] == pytest.approx(pair["kappa"]["value"])

    def test_a_row_a_rating_is_the_same_table(self, run: RunHere, shared_data: Path, tmp_path: Path) -> None:
        wide = shared_data / "stats_reference" / "csv" / "cac.raw4raters.csv"
        rows = [
            {"unit": row["Units"], "who": name, "stars": row[name]}
            for row in cells(wide)
            for name in row
            if name != "Units"
        ]
        long = lines(tmp_path / "long.jsonl", *rows)
        report = told(run("agree", long, "--unit", "unit", "--rater", "who", "--value", "stars", "--json"))
        assert report["alpha"]["value"] == pytest.approx(0.8491071429)
        assert dropped(report) == {"without unit, rater or value": 7}
        again = lines(tmp_path / "twice.jsonl", *rows, rows[0])
        done = run("agree", again, "--unit", "unit", "--rater", "who", "--value", "stars")
        assert done.code == 2
        assert "twice.jsonl line 49: 'Rater1' has rated '1' before; keep one of the two." in done.err

    def test_a_run_is_compared_with_people(self, run: RunHere, tmp_path: Path) -> None:
        from semiosis.runs.exports import export
        from semiosis.runs.store import Store

        first_run(tmp_path / "first.sqlite")
        with Store.look(tmp_path / "first.sqlite") as store:
            export(store, tmp_path / "first.jsonl")
        (pair,) = told(run("agree", "first.jsonl", "--columns", "verdict,label", "--json"))["pairs"]
        # Of four labelled pairs and two questions the judge is right in two: 12/36 against 7/36 by chance.
        assert (pair["n"], pair["kappa"]["value"]) == (6, pytest.approx(5 / 29))

    def test_a_pair_that_never_varies_is_left_out_with_its_reason(self, run: RunHere, tmp_path: Path) -> None:
        file = write(tmp_path / "c.csv", "ann,bea,cid", *["x,x,x", "x,y,y", "x,x,x", "x,y,x"])
        done = run("agree", file)
        assert done.code == 0, done.err
        assert "ann is 'x' in every row, so kappa says nothing" in done.out
        pairs = told(run("agree", file, "--json"))["pairs"]
        assert [pair["kappa"] is None for pair in pairs] == [True, True, False]

    def test_measurements_have_no_kappa_and_say_so(self, run: RunHere, tmp_path: Path) -> None:
        file = write(tmp_path / "m.csv", "a,b", *(f"{at}.5,{at}.25" for at in range(60)))
        done = run("agree", file)
        assert "Cohen's kappa: 120 different ratings are no categories." in done.out
        assert told(run("agree", file, "--json"))["icc"]["2,1"]["value"] > 0.99
        drawn = run("agree", file, "--plot", "x.svg")
        assert (drawn.code, "There is no kappa to draw" in drawn.err) == (2, True)

    def test_a_plot_names_the_raters(self, run: RunHere, shared_data: Path, tmp_path: Path) -> None:
        file = str(shared_data / "stats_reference" / "csv" / "cac.raw4raters.csv")
        assert run("agree", file, "--plot", "out.svg").code == 0
        drawn = (tmp_path / "out.svg").read_text("utf-8")
        assert all(f">{name}</text>" in drawn for name in ("Rater1", "Rater4", "0.94"))

    NAMED = [f"{name},{row}" for name, row in zip("pqrstu", RATED, strict=True)]

    @pytest.mark.parametrize("title", ["picture", "image", "file", "name", "scan"])
    def test_a_column_of_file_names_is_no_rater(self, title: str, run: RunHere, tmp_path: Path) -> None:
        named = told(run("agree", write(tmp_path / "n.csv", f"{title},ann,bea", *self.NAMED), "--json"))
        bare = [row.split(",", 1)[1] for row in self.NAMED]
        plain = told(run("agree", write(tmp_path / "p.csv", "ann,bea", *bare), "--json"))
        assert named["raters"] == plain["raters"] == ["ann", "bea"]
        assert named["alpha"] == plain["alpha"]
        assert (named["level"], named["columns_left_out"]) == (
            "interval",
            [f"column {title}, whose values all differ"],
        )
        assert plain["columns_left_out"] == []
        output = run("agree", "n.csv").out.splitlines()
        assert output[0] == "n.csv: 2 raters, 6 units"
        assert output[1].split() == ["raters", "ann,", "bea"]
        assert f"left out  column {title}, whose values all differ" in output[3]

    def test_nearly_all_is_enough_and_an_id_goes_by_its_title(self, run: RunHere, tmp_path: Path) -> None:
        rows = [f"f{max(1, at)}.png,{at},{at % 3},{at % 2}" for at in range(20)]
        report = told(run("agree", write(tmp_path / "n.csv", "scan,image_id,ann,bea", *rows), "--json"))
        assert report["raters"] == ["ann", "bea"]
        assert report["columns_left_out"] == [
            "column image_id, which by its title names the row",
            "column scan, whose values nearly all differ",
        ]

    def test_raters_whose_few_ratings_all_differ_stay(self, run: RunHere, tmp_path: Path) -> None:
        file = write(tmp_path / "r.csv", "ann,bea,cid", "x,x,x", "y,y,x", "z,z,y", "w,y,w", "v,v,v")
        report = told(run("agree", file, "--json"))
        assert (report["raters"], report["columns_left_out"]) == (["ann", "bea", "cid"], [])

    def test_the_text_among_numbers_is_the_one_that_is_named(self, run: RunHere, tmp_path: Path) -> None:
        file = write(tmp_path / "r.csv", "ann,bea", "1,2", "2,high", "3,1")
        done = run("agree", file, "--level", "ordinal")
        assert done.code == 2
        assert "Column bea: the rating 'high' is no number" in done.err
        assert "--columns" in done.err


class TestCorrelate:
    def test_zou_s_repeated_measures(self, run: RunHere, shared_data: Path) -> None:
        file = str(shared_data / "stats_reference" / "csv" / "SimplyAgree_reps.csv")
        report = told(run("correlate", file, "--x", "x", "--y", "y", "--within", "id", "--json"))
        assert report["pooled"]["lin"]["value"] == pytest.approx(0.4790782662)
        assert (report["n"], report["missing"], report["rows"]) == (18, 2, 20)
        assert report["within"]["spearman"]["groups"] == 4
        output = run("correlate", file, "--x", "x", "--y", "y").out
        assert "2 rows without a number in one of the columns" in output
        assert "Lin's CCC        0.4791" in output

    def test_coefficients_are_scipy_s(self, run: RunHere, shared_data: Path) -> None:
        from scipy import stats

        file = shared_data / "stats_reference" / "csv" / "SimplyAgree_reps.csv"
        rows = [row for row in cells(file) if "NA" not in row.values()]
        x, y = ([float(row[name]) for row in rows] for name in "xy")
        coefficients = told(run("correlate", str(file), "--x", "x", "--y", "y", "--json"))["pooled"]
        for name, expected in (
            ("pearson", stats.pearsonr(x, y)),
            ("spearman", stats.spearmanr(x, y)),
            ("kendall", stats.kendalltau(x, y)),
        ):
            assert coefficients[name]["value"] == pytest.approx(expected.statistic)
            assert coefficients[name]["p"] == pytest.approx(expected.pvalue, rel=1e-6)

    def test_within_averages_groups_and_counts_the_undefined(self, run: RunHere, tmp_path: Path) -> None:
        rows = ["p,1,1", "p,2,2", "p,3,3", "q,1,3", "q,2,2", "q,3,1", "r,1,1", ",5,5", "p,,1"]
        file = write(tmp_path / "w.csv", "prompt,judge,people", *rows)
        report = told(run("correlate", file, "--x", "judge", "--y", "people", "--within", "prompt", "--json"))
        rho = report["within"]["spearman"]
        assert (rho["value"], rho["low"], rho["high"]) == (0, -1, 1)
        assert (rho["groups"], rho["undefined"]) == (2, 1)
        # One of six orders is as good as the first group's, all are as good as the second's.
        assert rho["p"] == pytest.approx(1 / 6 * (1 - math.log(1 / 6)))
        assert dropped(report) == {"without a group": 1}
        assert report["missing"] == 1

    def test_within_has_student_s_interval_over_groups(self, run: RunHere, shared_data: Path) -> None:
        from scipy import stats

        file = shared_data / "stats_reference" / "csv" / "SimplyAgree_reps.csv"
        coefficients = told(run("correlate", str(file), "--x", "x", "--y", "y", "--within", "id", "--json"))[
            "within"
        ]
        rows = [row for row in cells(file) if "NA" not in row.values()]
        groups = {row["id"]: [each for each in rows if each["id"] == row["id"]] for row in rows}
        pairs = [[[float(row[name]) for row in group] for name in "xy"] for group in groups.values()]
        taus = [
            stats.kendalltau(*pair).statistic for pair in pairs if len(set(pair[0])) > 1 < len(set(pair[1]))
        ]
        mean = sum(taus) / len(taus)
        low, high = stats.t.interval(0.95, len(taus) - 1, mean, stats.sem(taus))
        tau = coefficients["kendall"]
        assert tau["groups"] == len(taus)
        assert (tau["value"], tau["low"], tau["high"]) == pytest.approx((mean, max(-1, low), min(1, high)))

    def test_a_p_of_nought_is_told_and_leaves_the_other_coefficients_theirs(
        self, run: RunHere, tmp_path: Path
    ) -> None:
        rows = ["p,1,1", "p,2,2", "p,3,3", "p,4,4", "q,1,3", "q,2,2", "q,3,1", "q,4,5"]
        file = write(tmp_path / "w.csv", "prompt,judge,people", *rows)
        args = ("correlate", file, "--x", "judge", "--y", "people", "--within", "prompt")
        coefficients = told(run(*args, "--json"))["within"]
        why = "p is 0 in 1 of 2 groups, which Fisher's method cannot combine."
        assert (coefficients["pearson"]["p"], coefficients["pearson"]["why"]) == (None, why)
        assert 0 < coefficients["spearman"]["p"] < 1
        assert (coefficients["lin"]["p"], coefficients["lin"]["why"]) == (None, None)
        assert f"Pearson's r, within: {why}" in run(*args).out

    def test_a_plot_tells_what_is_within_groups_too(self, run: RunHere, tmp_path: Path) -> None:
        """Rising over all rows, falling in every group."""
        rows = [f"{group},{10 * group + at},{10 * group - at}" for group in range(1, 5) for at in range(4)]
        file = write(tmp_path / "s.csv", "prompt,judge,people", *rows)
        args = ("correlate", file, "--x", "judge", "--y", "people", "--plot", "s.svg")
        assert run(*args, "--within", "prompt").code == 0
        drawn = (tmp_path / "s.svg").read_text("utf-8")
        assert "·  within groups −1.00 (−1.00 to −1.00)  ·  16 rows</text>" in drawn
        assert run(*args).code == 0
        assert "within" not in (tmp_path / "s.svg").read_text("utf-8")

    def test_several_columns_make_a_matrix(self, run: RunHere, tmp_path: Path) -> None:
        rows = ["1,1,4", "2,3,3", "3,2,2", "4,4,1", "5,,0"]
        file = write(tmp_path / "m.csv", '"a, b",c,d', *rows)
        report = told(run("correlate", file, "--columns", '"a, b",c,d', "--json", "--plot", "out.svg"))
        values = {(each["x"], each["y"]): each["spearman"]["value"] for each in report["spearman"]}
        assert values == {
            ("a, b", "c"): pytest.approx(0.8),
            ("a, b", "d"): -1,
            ("c", "d"): pytest.approx(-0.8),
        }
        assert [each["spearman"]["n"] for each in report["spearman"]] == [4, 5, 4]
        assert "−0.80" in (tmp_path / "out.svg").read_text("utf-8")
        assert "a, b" in run("correlate", file, "--columns", '"a, b",c,d').out

    def test_a_constant_column_of_a_matrix_leaves_the_others(self, run: RunHere, tmp_path: Path) -> None:
        file = write(tmp_path / "m.csv", "a,b,c", "1,1,7", "2,3,7", "3,2,7")
        done = run("correlate", file, "--columns", "a,b,c")
        assert done.code == 0, done.err
        assert "c is constant (7 in every row)" in done.out

    def test_a_plot_has_both_names(self, run: RunHere, tmp_path: Path) -> None:
        file = write(tmp_path / "s.csv", "judge,people", "1,2", "2,1", "3,4", "5,5")
        assert run("correlate", file, "--x", "judge", "--y", "people", "--plot", "s.svg").code == 0
        drawn = (tmp_path / "s.svg").read_text("utf-8")
        assert ">judge</text>" in drawn
        assert ">equal</text>" in drawn


V = ("left,right,winner", "x,y,left", "y,x,left")
R = ("a,b", "1,2", "2,2", "3,1")
BAD: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "no such file": (V, ("rate", "none.csv"), "There is no file or folder none.csv."),
    "a format of its own": (V, ("rate", "t.xlsx"), "t.xlsx is in no format that is read here"),
    "a folder of nothing": (V, ("rate", "."), "is a folder without a table in it"),
    "an empty file": ((), ("rate", "t.csv"), "t.csv"),
    "no rows": (("left,right,winner",), ("rate", "t.csv"), "t.csv has a header and no rows."),
    "an empty file to rate": ((), ("rate", "t.csv"), "t.csv is empty."),
    "an empty file to agree on": ((), ("agree", "t.csv"), "t.csv is empty."),
    "an empty file to correlate": ((), ("correlate", "t.csv", "--x", "p", "--y", "q"), "t.csv is empty."),
    "a header to agree on": (("ann,bea",), ("agree", "t.csv"), "t.csv has a header and no rows."),
    "a header to correlate": (
        ("p,q",),
        ("correlate", "t.csv", "--x", "p", "--y", "q"),
        "t.csv has a header and no rows.",
    ),
    "no known columns": (("p,q", "1,2"), ("rate", "t.csv"), "say which with --a, --b, --winner."),
    "no such column": (
        V,
        ("rate", "t.csv", "--cluster", "prompt"),
        "t.csv has no column 'prompt' (--cluster)",
    ),
    "sides turned round": (V, ("rate", "t.csv", "--a", "right", "--b", "left"), "the wrong way round"),
    "a winner in no words": ((*V, "x,y,perhaps"), ("rate", "t.csv"), "t.csv line 4: The winner 'perhaps'"),
    "0 and 1 alone": (
        ("left,right,winner", "x,y,0", "x,y,1"),
        ("rate", "t.csv"),
        "0 may be a draw or a side",
    ),
    "a side and a name": (
        ("left,right,winner", "a,b,b", "b,a,b"),
        ("rate", "t.csv"),
        "t.csv line 2: the winner 'b' is the name of a side and of an item",
    ),
    "one item": (("left,right,winner", "x,x,left"), ("rate", "t.csv"), "There are no comparisons."),
    "no winner at all": (("left,right,winner", "x,y,"), ("rate", "t.csv"), "There are no comparisons."),
    "a side effect of Elo": (V, ("rate", "t.csv", "--model", "elo", "--side"), "--side can do nothing with"),
    "shuffles of a fit": (
        V,
        ("rate", "t.csv", "--shuffles", "9"),
        "--shuffles can do nothing with --model bradley",
    ),
    "clusters unsampled": (
        ("left,right,winner,p", "x,y,left,1"),
        ("rate", "t.csv", "--cluster", "p", "--resamples", "0"),
        "leave one out",
    ),
    "a prior below 0": (V, ("rate", "t.csv", "--prior", "-1"), "--prior"),
    "a k that is none": (V, ("rate", "t.csv", "--model", "elo", "--k", "nan"), "k is nan"),
    "a plot of no kind": (
        V,
        ("rate", "t.csv", "--plot", "x.gif"),
        "A plot is a .svg, .png or .pdf file, not x.gif.",
    ),
    "a plot into no folder": (
        V,
        ("rate", "t.csv", "--resamples", "0", "--plot", "no/x.svg"),
        "there is no folder no.",
    ),
    "one rater": (("a", "1"), ("agree", "t.csv"), "Agreement needs two raters or more"),
    "a rater twice": (R, ("agree", "t.csv", "--columns", "a,a"), "Agreement needs two raters or more"),
    "half a long table": (R, ("agree", "t.csv", "--unit", "a"), "--unit, --rater and --value, all three"),
    "texts in order": (
        ("a,b", "x,y", "y,x"),
        ("agree", "t.csv", "--level", "ordinal"),
        "Column a: the rating 'x' is no number",
    ),
    "a long table as a wide one": (
        ("item,who,stars", "p,ann,1", "p,bea,2", "q,ann,3", "q,bea,3"),
        ("agree", "t.csv"),
        "Column who of t.csv (ann, bea) shares no value with the others, so it is no rater's: say --unit, "
        "--rater and --value",
    ),
    "a file name and one rater": (
        ("picture,stars", "p.png,1", "q.png,2", "r.png,2"),
        ("agree", "t.csv"),
        "Column picture of t.csv",
    ),
    "one rating throughout": (
        ("a,b", "1,1", "1,1"),
        ("agree", "t.csv"),
        "All ratings are 1.0, so alpha is not",
    ),
    "no ratings": (("a,b", ",", ","), ("agree", "t.csv"), "The columns a, b hold no ratings."),
    "an endless rating": (
        ("a,b", "1,inf", "2,2"),
        ("agree", "t.csv"),
        "A rating is inf, too large to be measured.",
    ),
    "no columns": (R, ("correlate", "t.csv"), "name them with --x and --y"),
    "a column with itself": (R, ("correlate", "t.csv", "--x", "a", "--y", "a"), "name them with --x and --y"),
    "columns and x": (R, ("correlate", "t.csv", "--columns", "a,b", "--x", "a"), "goes without --x"),
    "columns of no kind": (R, ("agree", "t.csv", "--columns", "a\rb"), "--columns is no list of names"),
    "no such x": (
        R,
        ("correlate", "t.csv", "--x", "z", "--y", "b"),
        "t.csv has no column 'z' (--x); it has a, b.",
    ),
    "a text": (
        ("a,b", "1,2", "2,high"),
        ("correlate", "t.csv", "--x", "a", "--y", "b"),
        "t.csv line 3: 'b' is 'high', which is no number.",
    ),
    "a number in underscores": (
        ("a,b", "1,2", "1_0,3"),
        ("correlate", "t.csv", "--x", "a", "--y", "b"),
        "t.csv line 3: 'a' is '1_0', which is no number.",
    ),
    "infinity": (
        ("a,b", "1,2", "-inf,3"),
        ("correlate", "t.csv", "--x", "a", "--y", "b"),
        "t.csv line 3: 'a' is '-inf', too large to be measured.",
    ),
    "a huge number": (
        ("a,b", "1,2", "1e400,3"),
        ("correlate", "t.csv", "--x", "a", "--y", "b"),
        "t.csv line 3: 'a' is '1e400', too large to be measured.",
    ),
    "a constant": (
        ("a,b", "1,7", "2,7"),
        ("correlate", "t.csv", "--x", "a", "--y", "b"),
        "b is constant (7 in",
    ),
    "one row": (("a,b", "1,7", ",7"), ("correlate", "t.csv", "--x", "a", "--y", "b"), "a holds 1 numbers"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence_and_exit_2(name: str, run: RunHere, tmp_path: Path) -> None:
    rows, args, words = BAD[name]
    (tmp_path / "t.csv").write_text("\n".join((*rows, "")) if rows else "")
    (tmp_path / "t.xlsx").write_text("PK")
    done = run(*args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert "Traceback" not in done.err


def test_nothing_of_a_table_can_steer_the_terminal(run: RunHere, tmp_path: Path) -> None:
    row = {"left": HOSTILE, "right": "y\ud800", "winner": "left", HOSTILE: 1, "n": 2}
    other = {**row, "winner": "right", HOSTILE: 2, "n": 1}
    third = {**row, "winner": "tie", HOSTILE: 3, "n": 4}
    file = lines(tmp_path / "h.jsonl", row, other, third)
    broken = lines(tmp_path / "b.jsonl", {**row, "winner": HOSTILE})
    fine = (
        ("rate", file, "--resamples", "0", "--plot", "h.svg"),
        ("rate", file, "--resamples", "0", "--json"),
        ("agree", file, "--columns", f'"{HOSTILE}",n', "--plot", "h.pdf"),
        ("correlate", file, "--x", HOSTILE, "--y", "n", "--plot", "h.png"),
        ("correlate", file, "--columns", f'"{HOSTILE}",n'),
    )
    refused = (
        ("rate", broken),
        ("correlate", file, "--x", "left", "--y", "n"),
        ("rate", file, "--cluster", HOSTILE + "!"),
    )
    for args in fine + refused:
        done = run(*args)
        assert not {"\x1b", "\x9b", "\r", "\u2028"} & set(done.out + done.err), args
        assert done.code == (0 if args in fine else 2), done.err
    assert "[bold]x[/bold]" in run("rate", file, "--resamples", "0").out


def test_huge_numbers_that_are_numbers_are_measured(run: RunHere, tmp_path: Path) -> None:
    file = lines(tmp_path / "n.jsonl", *({"a": 10**60 * at, "b": at * 1e-60} for at in range(1, 6)))
    report = told(run("correlate", file, "--x", "a", "--y", "b", "--json"))
    assert report["pooled"]["pearson"]["value"] == pytest.approx(1)
    beyond = lines(tmp_path / "m.jsonl", {"a": 10**400, "b": 1}, {"a": 1, "b": 2})
    assert "too large to be measured" in run("correlate", beyond, "--x", "a", "--y", "b").err


def test_nan_is_a_missing_number(run: RunHere, tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text(
        '{"a": NaN, "b": 1}\n{"a": 1, "b": 1}\n{"a": 2, "b": 3}\n{"a": null, "b": 3}\n'
    )
    report = told(run("correlate", "n.jsonl", "--x", "a", "--y", "b", "--json"))
    assert (report["n"], report["missing"]) == (2, 2)


def test_an_infinite_f_is_null(run: RunHere, tmp_path: Path) -> None:
    done = run("agree", write(tmp_path / "r.csv", "ann,bea", "1,1", "2,2", "3,3", "4,4", "5,5"), "--json")
    assert "Infinity" not in done.out
    assert told(done)["icc"]["2,1"]["f"] is None


def test_json_has_no_infinity(capsys: pytest.CaptureFixture[str]) -> None:
    from semiosis.console.results import print_json

    print_json({"low": -math.inf, "ends": [math.nan, (1.5, math.inf)], "n": 3, "name": "x", "none": None})
    output = capsys.readouterr().out
    assert json.loads(output) == {"low": None, "ends": [None, [1.5, None]], "n": 3, "name": "x", "none": None}


def test_nought_has_no_minus(run: RunHere, tmp_path: Path) -> None:
    # Whoever is in the middle has a score of -1e-16 or so.
    file = write(tmp_path / "v.csv", "left,right,winner", "cat,dog,left", "cow,cat,tie", "dog,cow,left")
    middle = told(run("rate", file, "--resamples", "0", "--json"))["ratings"][1]
    assert -1e-9 < middle["value"] < 0
    output = run("rate", file, "--resamples", "0").out
    assert " 0.000 (-1.982 to 1.982)" in output
    assert "-0.000" not in output


def test_the_python_of_the_page_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "stats.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    alpha = names["alpha"]
    assert f"# {alpha.value:.2f}, {alpha.low:.2f}, {alpha.high:.2f}\n" in code
    assert names["fit"]([2.5, 3.0]).shape == (2,)


def test_the_page_calls_every_function_as_it_is() -> None:
    from semiosis import stats

    page = (Path(__file__).parents[2] / "docs" / "stats.md").read_text("utf-8")
    for name in set(stats.__all__) - {"Estimate"}:
        (signature,) = re.findall(rf"^{name}\((.*)\)$", page, re.M)
        named = [each.split("=")[0].strip("* ") for each in signature.split(", ")]
        assert [each for each in named if each] == list(inspect.signature(getattr(stats, name)).parameters)


def test_tables_come_in_every_format(run: RunHere, tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    rows = [{"left": "x", "right": "y", "winner": side} for side in ("left", "left", "right")]
    text = "left\tright\twinner\n" + "".join("\t".join(row.values()) + "\n" for row in rows)
    (tmp_path / "t.tsv").write_text(text)
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "t.json").write_text(json.dumps(rows))
    (tmp_path / "folder").mkdir()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "folder" / "t.parquet")
    for file in ("t.tsv", "t.tsv.gz", "t.json", "folder/t.parquet", "folder"):
        report = told(run("rate", file, "--resamples", "0", "--json"))
        assert scores(report) == pytest.approx({"x": math.log(2) / 2, "y": -math.log(2) / 2}), file


def test_a_missing_extra_is_said_before_anything_is_read(
    run: RunHere, cups: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("semiosis.reports.figure.find_spec", lambda name: None)
    done = run("rate", "none.csv", "--plot", "x.svg")
    assert (done.code, done.err) == (
        2,
        "semiosis: Drawing a plot needs an optional part: pip install 'semiosis[plots]'.\n",
    )


def test_characters_that_no_font_has_are_told(run: RunHere, tmp_path: Path) -> None:
    rows = ["\U000f0001,y,left", "\U000f0001,y,right"]
    file = write(tmp_path / "v.csv", "left,right,winner", *rows)
    assert "No font here has \U000f0001" in run("rate", file, "--resamples", "0", "--plot", "x.png").err
    assert run("rate", file, "--resamples", "0", "--plot", "x.svg").err == "plot: x.svg\n"


@pytest.mark.parametrize("command", [(), ("rate",), ("agree",), ("correlate",), ("certainty",)])
def test_help_has_an_example(command: tuple[str, ...], run: RunHere) -> None:
    done = run(*command, "--help")
    assert done.code == 0
    assert "semiosis stats" in done.out.split("Example:")[1]


class TestCertainty:
    ROWS = (
        *["5,true,false"] * 8,
        *["4,true,false"] * 3,
        "4,false,false",
        "1,true,true",
        "1,false,false",
        ",true,",
    )

    def test_surer_verdicts_are_right_more_often(self, run: RunHere, tmp_path: Path) -> None:
        file = write(tmp_path / "v.csv", "certainty,agrees,flipped", *self.ROWS * 5)
        report = told(run("certainty", file, "--json"))
        levels = {
            each["level"]: (each["count"], each["share"] and each["share"]["value"])
            for each in report["levels"]
        }
        assert levels == {1: (10, 0.5), 2: (0, None), 3: (0, None), 4: (20, 0.75), 5: (40, 1.0)}
        # Of 24 pairs of a right with a wrong one, 19 have the right one surer, 1 has it less sure, 4 tie.
        assert report["trend"]["value"] == pytest.approx((19 - 1) / (19 + 1))
        assert report["kept"][3] == {
            "least": 4,
            "count": 60,
            "coverage": pytest.approx(12 / 14),
            "share": report["kept"][3]["share"],
        }
        assert dropped(report) == {"without certainty": 5}
        assert report["columns"] == {"certainty": "certainty", "against": "agrees"}

    def test_an_exported_run_says_whether_sure_verdicts_flip_less(self, run: RunHere, tmp_path: Path) -> None:
        rows = [{"certainty": 5, "flipped": False}, {"certainty": 1, "flipped": True}] * 4
        report = told(run("certainty", lines(tmp_path / "x.jsonl", *rows), "--against", "flipped", "--json"))
        assert report["trend"]["value"] == -1.0

    def test_an_exported_run_is_grouped_by_its_prompts(self, run: RunHere, tmp_path: Path) -> None:
        rows = [
            {
                "certainty": 5 - number % 4,
                "agrees": number % 4 < 2,
                "labels": {},
                "item": {"pair": {"prompt": {"text": f"Prompt {number % 8}"}}},
            }
            for number in range(40)
        ]
        file = lines(tmp_path / "x.jsonl", *rows)
        report = told(run("certainty", file, "--cluster", "prompt", "--json"))
        assert report["trend"]["value"] == 1.0
        assert report["columns"]["cluster"] == "prompt"

    def test_the_table_and_the_plot_say_the_same(self, run: RunHere, tmp_path: Path) -> None:
        file = write(tmp_path / "v.csv", "certainty,agrees,flipped", *self.ROWS)
        done = run("certainty", file, "--plot", "x.svg")
        assert done.code == 0, done.err
        assert "4 clear" in done.out
        assert "75 (30 to 95)" in done.out
        svg = (tmp_path / "x.svg").read_text()
        assert "beyond doubt" in svg
        assert "75%" in svg

    @pytest.mark.parametrize(
        ("rows", "options", "sentence"),
        [
            (["6,true"], (), "outside the scale from 1"),
            (["5,maybe"], (), "neither true nor false"),
            (["5,"], (), "No row of v.csv has both"),
            (["5,true"], ("--against", "right"), "has no column 'right'"),
        ],
    )
    def test_what_cannot_be_read_is_said(
        self, rows: list[str], options: tuple[str, ...], sentence: str, run: RunHere, tmp_path: Path
    ) -> None:
        done = run("certainty", write(tmp_path / "v.csv", "certainty,agrees", *rows), *options)
        assert done.code == 2
        assert sentence in " ".join(done.err.split())


@pytest.mark.parametrize("width", [60, 80, 120])
class TestWidths:
    """Every name and every number stands whole on a line, whatever the width of the terminal or of a pipe."""

    NAMES = ("gemini-3.1-flash-lite-artcot-solo", "gemini-3.1-flash-lite-artcot-joint", "people")

    @staticmethod
    def check(output: str, width: int, *whole: str) -> None:
        rows = output.splitlines()
        assert [each for each in whole if not any(each in line for line in rows)] == []
        assert [line for line in rows if len(line.rstrip()) > width] == []
        assert "…" not in output
        assert not re.search(r"-0\.0+(?![0-9])", output)

    def test_rate(self, width: int, run: RunHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", str(width))
        one, two, three = self.NAMES
        rows = [f"{one},{two},left", f"{two},{one},left", f"{three},{one},tie", f"{two},{three},tie"] * 30
        for options in ((), ("--resamples", "0", "--side"), ("--model", "elo", "--shuffles", "20")):
            file = write(tmp_path / "v.csv", "left,right,winner", *rows)
            report = told(run("rate", file, *options, "--json"))
            digits = 1 if "elo" in options else 3
            ratings = [
                f"{each['value']:z,.{digits}f} ({each['low']:z,.{digits}f} to {each['high']:z,.{digits}f})"
                for each in report["ratings"]
            ]
            self.check(run("rate", file, *options).out, width, *self.NAMES, *ratings, "comparisons", "60")

    def test_agree(self, width: int, run: RunHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", str(width))
        rows = [f"{at % 4},{(at * 7) % 5},{(at + at // 3) % 4}" for at in range(40)]
        file = write(tmp_path / "r.csv", ",".join(self.NAMES), *rows)
        report = told(run("agree", file, "--json"))
        overall = [
            f"{each['low']:z.4f} to {each['high']:z.4f}"
            for each in (report["alpha"], *report["icc"].values())
        ]
        kappas = [
            f"{each['value']:z.3f} ({each['low']:z.3f} to {each['high']:z.3f})"
            for pair in report["pairs"]
            for each in (pair["kappa"], pair["quadratic"])
        ]
        names = ("over all raters", "Krippendorff's alpha, interval", "Cohen's kappa", "linear", "quadratic")
        self.check(run("agree", file).out, width, *self.NAMES, *names, *overall, *kappas)

    def test_correlate(
        self, width: int, run: RunHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", str(width))
        rows = [f"{(at * 7) % 11},{(at * 5) % 13},{at % 3},{at % 2}" for at in range(44)]
        file = write(tmp_path / "c.csv", f"{','.join(self.NAMES)},prompt", *rows)
        pair = ("--x", self.NAMES[0], "--y", self.NAMES[2], "--within", "prompt")
        report = told(run("correlate", file, *pair, "--json"))
        ends = [
            f"{each['low']:z.4f} to {each['high']:z.4f}"
            for part in ("pooled", "within")
            for each in report[part].values()
        ]
        titles = ("over all rows", "within prompt", "groups", "undefined", *map(named, report["pooled"]))
        self.check(run("correlate", file, *pair).out, width, *titles, *ends)
        several = ("--columns", ",".join(self.NAMES))
        rhos = [each["spearman"] for each in told(run("correlate", file, *several, "--json"))["spearman"]]
        ends = [f"{each['low']:z.4f} to {each['high']:z.4f}" for each in rhos]
        self.check(run("correlate", file, *several).out, width, *self.NAMES, "Spearman's rho", "rows", *ends)
