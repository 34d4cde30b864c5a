"""How a run stands, read from its store; every number by hand."""

import json
import math
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from semiosis.backbones.backbone import Request
from semiosis.core.certainty import Certainty
from semiosis.core.errors import BackboneError, BadPrompt, BadSetting, StoreError
from semiosis.core.item import LabelsBy
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.question import Answer, QuestionItem
from semiosis.core.kinds.rating import Score
from semiosis.core.records import dump
from semiosis.core.settled import UNDECIDED
from semiosis.core.sign import Question, Side
from semiosis.core.table import Share
from semiosis.runs.comparison import Disagreement, compare, disagreements
from semiosis.runs.costs import Line, Spent, account
from semiosis.runs.exports import export
from semiosis.runs.outcomes import outcomes, settled, stored
from semiosis.runs.store import Store
from semiosis.runs.summary import FailedItem, bad_rows, coin_flips, failures, flips, run_entry, summary
from semiosis.stats import bradley_terry
from stored import (
    MODEL,
    about,
    asked,
    first_run,
    judged,
    origin,
    pair_item,
    picture,
    second_run,
    settle,
    unanswered,
)


@pytest.fixture
def first(tmp_path: Path) -> Path:
    path = tmp_path / "first.sqlite"
    first_run(path)
    return path


def test_everything_is_counted_once(first: Path) -> None:
    with Store.look(first) as store:
        report = summary(store)
    assert report.about == about("first")
    assert (report.sessions.state, report.sessions.count, report.sessions.items) == ("stopped", 1, 20)
    assert (report.counts.settled, report.to_do) == (12, 8)
    assert [(each.kind, each.settled) for each in report.counts.kinds] == [
        ("answer", 3),
        ("judgment", 5),
        ("score", 2),
    ]
    judgments = report.counts.of("judgment")
    assert judgments.verdicts == {"a": 2, "b": 2, UNDECIDED: 1}
    assert (judgments.flips.count, judgments.flips.of) == (1, 5)
    assert report.counts.failures == {"refused": 1, "unparsable": 1}
    assert report.counts.unverified == 1
    assert (report.counts.of("score").values, report.counts.of("score").mean_value) == (2, 0.5)
    assert (judgments.values, judgments.mean_value) == (0, None)
    assert report.errors == {"timeout": 1}
    assert report.bad_rows == 1
    assert report.first_bad_rows[0].reason == "There is no picture b."


def test_people_agree_where_they_chose_a_side_and_the_run_decided(first: Path) -> None:
    with Store.look(first) as store:
        counts = summary(store).counts
    # Wilson (1927); the tie, the unlabelled and the failed pairs are no part of it. The undecided one agrees
    # with nobody.
    (agreement,) = counts.of("judgment").agreement
    assert agreement.labels_by == "people"
    assert (agreement.share.count, agreement.share.of) == (1, 3)
    assert agreement.decided == Share(
        1, 2, 0.5, pytest.approx(0.094531, abs=1e-6), pytest.approx(0.905469, abs=1e-6)
    )


def test_agreement_is_told_apart_by_who_gave_the_labels(tmp_path: Path) -> None:
    with Store.create(tmp_path / "x.sqlite", about("x")) as store:
        for number, (by, first) in enumerate(
            (("people", "a"), ("makers", "a"), ("makers", "b"), ("unknown", "b"))
        ):
            item = pair_item(number, {"winner": "a"}, by)
            settle(store, number, item, judged(item, first, first))
        agreement = summary(store).counts.of("judgment").agreement
        assert [(each.labels_by, each.share.count, each.share.of) for each in agreement] == [
            ("makers", 1, 2),
            ("people", 1, 1),
            ("unknown", 0, 1),
        ]


def test_an_answer_is_correct_by_the_label_or_else_by_the_question(first: Path) -> None:
    with Store.look(first) as store:
        (correct,) = summary(store).counts.of("answer").agreement
    assert (correct.share.count, correct.share.of) == (1, 2)


def test_the_account_is_by_task_and_model(first: Path) -> None:
    with Store.look(first) as store:
        lines = account(store)
        total = summary(store).total
    assert lines == (
        Line("answer", MODEL, 3, 0, 3, 30, 9, 1.5, 0),
        Line("prompt-graph-standard", MODEL, 1, 0, 1, 10, 3, 0.0, 1),
        Line("verdict-standard", MODEL, 5, 1, 7, 50, 15, 2.5, 0),
    )
    assert total == Line("together", "", 9, 1, 11, 90, 27, 4.0, 1)


def test_an_empty_run_has_no_shares(tmp_path: Path) -> None:
    with Store.create(tmp_path / "new.sqlite", about("new")) as store:
        report = summary(store)
    assert report.counts.settled == 0
    assert report.to_do is None
    assert report.counts.kinds == ()
    assert report.counts.of("judgment").flips == Share(0, 0)
    assert report.account == ()


def test_the_summary_is_json(first: Path) -> None:
    with Store.look(first) as store:
        record = json.loads(json.dumps(asdict(summary(store))))
    assert record["counts"]["kinds"][1]["agreement"][0]["share"]["of"] == 3
    assert record["total"]["cost_usd"] == 4.0


def test_it_is_read_while_the_run_writes(tmp_path: Path) -> None:
    path = tmp_path / "live.sqlite"
    item = pair_item(1, {})
    with Store.create(path, about("live")) as writer:
        with Store.look(path) as store:
            assert summary(store).sessions.state == "running"
        writer.begin(2)
        with Store.look(path) as store:
            assert summary(store).to_do == 2
            settle(writer, 1, item, judged(item, "a", "a"))
            report = summary(store)
        assert (report.sessions.state, report.counts.settled, report.to_do) == ("running", 1, 1)
        writer.end("done")
        assert summary(writer).sessions.state == "done"


def test_a_session_that_an_error_ended_is_broken_off(tmp_path: Path) -> None:
    with Store.create(tmp_path / "x.sqlite", about("x")) as store:
        store.begin(1)
    with Store.look(tmp_path / "x.sqlite") as store:
        assert summary(store).sessions.state == "broken off"


def test_a_killed_run_is_running_until_it_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    script = (
        "import sys; from pathlib import Path; from semiosis.runs.store import About, Store\n"
        "store = Store.create(Path(sys.argv[1]), About('x', 'b', 'm', '1', '1', {})); store.begin(3)\n"
        "print('begun', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        with Store.look(path) as store:
            assert summary(store).sessions.state == "running"
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    with Store.look(path) as store:
        assert summary(store).sessions.state == "killed"
    with Store.resume(path) as store:
        store.begin(3)
        store.end("done")
        assert (summary(store).sessions.state, summary(store).sessions.count) == ("done", 2)


def test_a_run_in_a_list(first: Path) -> None:
    with Store.look(first) as store:
        entry = run_entry(store)
    assert (entry.name, entry.method, entry.models, entry.state) == (
        "first",
        "semjudge",
        (MODEL,),
        "stopped",
    )
    assert (entry.settled, entry.items, entry.failed) == (12, 20, 2)
    assert (entry.calls, entry.cost_usd, entry.unpriced) == (9, 4.0, 1)


def test_failures_and_bad_rows_are_listed(first: Path) -> None:
    with Store.look(first) as store:
        assert list(failures(store)) == [
            FailedItem("pair/6", "refused", "The model declined to answer."),
            FailedItem("pair/7", "unparsable", "The reply is not JSON."),
        ]
        assert [row.where for row in bad_rows(store)] == ["pairs.jsonl line 9"]


def test_two_runs_are_compared_on_the_items_of_both(first: Path, tmp_path: Path) -> None:
    second_run(tmp_path / "second.sqlite")
    with Store.look(first) as one, Store.look(tmp_path / "second.sqlite") as two:
        comparison = compare(one, two)
        again = compare(one, two)
        apart = list(disagreements(one, two))
    assert comparison == again
    assert comparison.items == 6
    assert (comparison.agree.count, comparison.agree.of, comparison.disagree) == (1, 2, 1)
    assert (comparison.one_failed, comparison.both_failed, comparison.undecided) == (1, 1, 2)
    # Of the two items that both decided, people chose a side in both.
    assert (comparison.first.decided.count, comparison.first.decided.of) == (1, 2)
    assert (comparison.second.decided.count, comparison.second.decided.of) == (2, 2)
    # And in one more that the first left undecided, which then agrees with nobody.
    assert (comparison.first.agreement.count, comparison.first.agreement.of) == (1, 3)
    assert (comparison.second.agreement.count, comparison.second.agreement.of) == (3, 3)
    assert (comparison.first.alone, comparison.second.alone) == (0, 1)
    assert comparison.labels_by == "people"
    assert (comparison.first.flips.count, comparison.first.flips.of) == (1, 5)
    assert (comparison.second.flips.count, comparison.second.flips.of) == (1, 4)
    assert (comparison.first.failed, comparison.second.failed) == (1, 2)
    assert comparison.second.spent == Spent(6, 60, 18, 3.0, 0)
    assert apart == [Disagreement("pair/2", "b", "a", "a")]


def test_answers_and_scores_are_compared_too(first: Path, tmp_path: Path) -> None:
    first_run(tmp_path / "same.sqlite", "same")
    with Store.look(first) as one, Store.look(tmp_path / "same.sqlite") as two:
        comparison = compare(one, two)
    assert (comparison.items, comparison.agree.count, comparison.agree.of) == (12, 7, 7)
    assert (comparison.first.decided.count, comparison.first.decided.of) == (2, 4)
    assert comparison.first.mean_value == comparison.second.mean_value == 0.5


def test_runs_without_a_common_item_are_not_compared(first: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    item = pair_item(50, {})
    with Store.create(other, about("other")) as store:
        settle(store, 1, item, judged(item, "a", "a"))
    with (
        Store.look(first) as one,
        Store.look(other) as two,
        pytest.raises(
            BadSetting,
            match=r"first and other have no settled item in common: .* `semiosis methods compare first other`",
        ),
    ):
        compare(one, two)


def test_generators_stand_by_the_verdicts_on_their_pictures(tmp_path: Path) -> None:
    meetings = [
        ("x", "y", "a"),
        ("y", "x", "a"),
        ("y", "z", "a"),
        ("x", "z", "a"),
        ("z", "x", "a"),
        ("x", "y", "b"),
    ]
    with Store.create(tmp_path / "x.sqlite", about("x")) as store:
        for number, (a, b, winner) in enumerate(meetings):
            item = pair_item(number, {"model_a": a, "model_b": b})
            settle(store, number, item, judged(item, winner, winner))
        split = pair_item(90, {"model_a": "z", "model_b": "y"})
        settle(store, 90, split, judged(split, "a", "b"))
        generators = summary(store).generators
    assert generators.unscored == ""
    expected = bradley_terry(
        [a for a, _, _ in meetings] + ["z"],
        [b for _, b, _ in meetings] + ["y"],
        [winner for *_, winner in meetings] + ["tie"],
    )
    assert [(each.name, each.score) for each in generators.standings] == [
        (rating.item, pytest.approx(rating.value)) for rating in expected.ratings
    ]
    assert generators.standings[0].low == pytest.approx(expected.ratings[0].low)
    by_name = {each.name: (each.won, each.drawn, each.lost) for each in generators.standings}
    assert by_name == {"x": (2, 0, 3), "y": (3, 1, 1), "z": (1, 1, 2)}


def test_a_meeting_weighs_as_often_as_it_was_judged(tmp_path: Path) -> None:
    with Store.create(tmp_path / "x.sqlite", about("x")) as store:
        for number, winner in enumerate(("a", "a", "a", "b")):
            item = pair_item(number, {"model_a": "x", "model_b": "y"})
            settle(store, number, item, judged(item, winner, winner))
        first, second = summary(store).generators.standings
    assert (first.name, first.won, first.lost) == ("x", 3, 1)
    # Three to one are odds of 3, of which the logit is ln 3.
    assert first.score is not None
    assert second.score is not None
    assert first.score - second.score == pytest.approx(math.log(3))


def test_a_verdict_counts_as_far_as_it_is_sure_in_the_score_of_generators(tmp_path: Path) -> None:
    certainties: list[tuple[Side, Certainty | None]] = [("a", 5), ("a", 3), ("b", 1), ("b", 4), ("a", None)]
    with Store.create(tmp_path / "x.sqlite", about("x")) as store:
        for number, (winner, certainty) in enumerate(certainties):
            item = pair_item(number, {"model_a": "x", "model_b": "y"})
            settle(store, number, item, judged(item, winner, winner, certainty=certainty))
        first, second = summary(store).generators.standings
    won, lost = 1 + 0.75 + 0.5 + 0.125 + 1, 0.25 + 0.5 + 0.875
    assert first.score is not None
    assert second.score is not None
    assert first.score - second.score == pytest.approx(math.log(won / lost))
    assert (first.name, first.won, first.lost, first.coin_flips) == ("x", 3, 2, 1)


def test_coin_flips_and_flips_are_listed_in_the_order_of_the_benchmark(tmp_path: Path) -> None:
    with Store.create(tmp_path / "x.sqlite", about("x")) as store:
        cases: list[tuple[Side, Side, Certainty | None]] = [
            ("a", "b", 5),
            ("a", "a", 5),
            ("b", "b", 1),
            ("a", "a", 2),
            ("a", "a", None),
            ("a", "b", 1),
        ]
        for number, (first, second, certainty) in enumerate(cases):
            item = pair_item(number, {"winner": "a"})
            settle(store, number, item, judged(item, first, second, certainty=certainty))
        listed = [(each.verdict, each.certainty, each.flipped, each.label) for each in coin_flips(store)]
        turned = [(each.verdict, each.certainty) for each in flips(store)]
    assert listed == [("b", 1.0, False, "a"), (UNDECIDED, 1.0, True, "a")]
    # A judge may be sure both ways round: that is a flip, and no coin flip.
    assert turned == [(UNDECIDED, 5.0), (UNDECIDED, 1.0)]


def test_generators_whose_judge_does_not_say_how_sure_it_is_have_no_coin_flips(tmp_path: Path) -> None:
    with Store.create(tmp_path / "x.sqlite", about("x")) as store:
        item = pair_item(1, {"model_a": "x", "model_b": "y"})
        settle(store, 1, item, judged(item, "a", "b"))
        assert [each.coin_flips for each in summary(store).generators.standings] == [None, None]


def test_generators_without_finite_scores_are_counted_and_not_scored(tmp_path: Path) -> None:
    with Store.create(tmp_path / "x.sqlite", about("x")) as store:
        item = pair_item(1, {"model_a": "x", "model_b": "y"})
        settle(store, 1, item, judged(item, "b", "b"))
        generators = summary(store).generators
    assert "never lost" in generators.unscored
    assert [(each.name, each.score, each.won) for each in generators.standings] == [
        ("y", None, 1),
        ("x", None, 0),
    ]


def test_a_run_of_an_earlier_release_is_brought_up_to_date_when_it_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    script = files("semiosis.runs").joinpath("migrations/0001_first.sql").read_text()
    item = pair_item(1, {"winner": "a"})
    with closing(sqlite3.connect(path)) as old:
        old.executescript(script)
        old.execute(
            "insert into run values ('old', 'pairs.jsonl', 'semjudge', '1', '0.1.0', ?, '2026-01-01')",
            ('{"builder": "openai/gpt-5", "judge": null, "joint": true, "backbone at": "host:1 #ab"}',),
        )
        text = item.model_dump_json(exclude={"labels_by"})
        old.execute("insert into items values (?, 1, ?, 'pair', '{}', ?)", (item.key, item.id, text))
        record = dump(judged(item, "a", "a"))
        old.execute(
            "insert into outcomes values (?, 'judgment', 'a', 1.0, 0, 0, null, null, null, 'a', '', '[]', ?)",
            (item.key, record),
        )
        old.execute("pragma user_version = 1")
        old.commit()
    before = path.read_bytes()
    with Store.look(path, as_it_is=True) as store:
        assert store.about.models == {"builder": "openai/gpt-5"}
    assert path.read_bytes() == before
    with Store.look(path) as store:
        report = summary(store)
        assert report.about.models == {"builder": "openai/gpt-5"}
        assert (report.about.configuration["joint"], report.about.configuration["backbone_at"]) == (
            True,
            "host:1 #ab",
        )
        assert [(each.labels_by, each.share.count) for each in report.counts.of("judgment").agreement] == [
            ("unknown", 1)
        ]
        assert [row.labels_by for row, _ in outcomes(store)] == ["unknown"]


@pytest.mark.parametrize("content", [b"", b"just text, and no database at all"])
def test_a_file_that_is_no_store_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="cannot be read as a run"):
        Store.look(path)


def test_a_comparison_says_whose_labels_it_is_with(tmp_path: Path) -> None:
    def written(name: str, by: LabelsBy) -> Path:
        path = tmp_path / f"{name}.sqlite"
        item = pair_item(1, {"winner": "a"}, by)
        with Store.create(path, about(name)) as store:
            settle(store, 1, item, judged(item, "a", "a"))
        return path

    makers, people, again = written("x", "makers"), written("y", "people"), written("z", "makers")
    with Store.look(makers) as one, Store.look(again) as same, Store.look(people) as other:
        assert compare(one, same).labels_by == "makers"
        assert compare(one, other).labels_by == compare(other, one).labels_by == "unknown"


@pytest.mark.parametrize(
    ("items", "by"),
    [
        ([("a", "makers"), ("b", "people")], "unknown"),
        ([("a", "makers"), (None, "people")], "makers"),
        ([(None, "makers")], None),
    ],
)
def test_a_comparison_with_labels_of_several_is_with_nobody_in_particular(
    items: list[tuple[str | None, LabelsBy]], by: LabelsBy | None, tmp_path: Path
) -> None:
    for name in ("x", "y"):
        with Store.create(tmp_path / f"{name}.sqlite", about(name)) as store:
            for number, (winner, labels_by) in enumerate(items):
                item = pair_item(number, {"winner": winner}, labels_by)
                settle(store, number, item, judged(item, "a", "a"))
    with Store.look(tmp_path / "x.sqlite") as one, Store.look(tmp_path / "y.sqlite") as other:
        assert compare(one, other).labels_by == by


def test_a_database_of_somebody_else_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(path)) as theirs:
        theirs.execute("create table diary (day text)")
        theirs.execute("pragma user_version = 1")
        theirs.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="cannot be read as a run"):
        Store.look(path)
    assert (path.read_bytes(), [each.name for each in tmp_path.iterdir()]) == (before, ["theirs.sqlite"])


def test_money_that_was_charged_keeps_a_run_from_being_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    error = BackboneError("timeout", "No reply.")
    error.charged_usd = 0.6
    with Store.create(path, about("x")) as store:
        store.note_error("key", MODEL, Request(messages=(), task="verdict"), error)
    with pytest.raises(StoreError, match="The run x exists"):
        Store.create(path, about("x"))


def earlier(path: Path, old: Path) -> None:
    """The run at `path` as the release before stored it: version 2, a column for each kind's own."""
    scripts = [files("semiosis.runs").joinpath(f"migrations/{name}") for name in OLD_SCRIPTS]
    with Store.look(path) as store, closing(sqlite3.connect(old)) as database:
        for script in scripts:
            database.executescript(script.read_text())
        run = store.about
        database.execute(
            "insert into run values (?, 'samples', ?, ?, ?, ?, '2026-01-01', ?)",
            (run.name, run.method, run.method_version, run.package_version, "{}", "{}"),
        )
        for key, position, id, kind, labels, item, *_ in store.rows("select * from items"):
            database.execute(
                "insert into items values (?, ?, ?, ?, ?, ?)", (key, position, id, kind, labels, item)
            )
        for row in stored(store):
            outcome, judgment = row.outcome, row.outcome if isinstance(row.outcome, Judgment) else None
            database.execute(
                f"insert into outcomes values ({', '.join('?' * 14)})",
                (
                    *(row.row.key, outcome.kind),
                    *((judgment.winner, judgment.preference, judgment.flipped) if judgment else (None,) * 3),
                    judgment.unverified if judgment else None,
                    outcome.value if isinstance(outcome, Score) else None,
                    outcome.choice if isinstance(outcome, Answer) else None,
                    *(
                        row.row.reason,
                        row.row.label,
                        row.finished_at,
                        row.links,
                        row.record,
                        row.row.labels_by,
                    ),
                ),
            )
        database.execute("pragma user_version = 2")
        database.commit()


OLD_SCRIPTS = ("0001_first.sql", "0002_labels_by.sql")


def test_every_column_of_a_run_of_the_release_before_is_carried_over(first: Path, tmp_path: Path) -> None:
    earlier(first, tmp_path / "old.sqlite")
    with Store.look(first) as now, Store.look(tmp_path / "old.sqlite") as old:
        assert old.about.benchmark == old.about.source == "samples"
        assert [replace(row, unverified=0) for row in settled(old)] == [
            replace(row, unverified=0) for row in settled(now)
        ]
        assert [row.unverified for row in settled(old) if row.item_kind == "pair"] == [
            row.unverified for row in settled(now) if row.item_kind == "pair"
        ]
        columns = "select item, failures from outcomes order by 1"
        assert list(old.rows(columns)) == list(now.rows(columns))
        assert {
            row[0] for row in old.rows("select distinct verdict from outcomes where kind = 'judgment'")
        } == {
            "a",
            "b",
            UNDECIDED,
        }
        assert summary(old).counts.kinds == summary(now).counts.kinds


def test_an_old_run_is_looked_at_while_another_process_writes_it(first: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    earlier(first, path)
    script = (
        "import sqlite3, sys\n"
        "lock, store = (sqlite3.connect(name, isolation_level=None) for name in sys.argv[1:])\n"
        "lock.execute('begin exclusive'); store.execute('pragma journal_mode = wal')\n"
        "store.execute('insert into sessions (started_at, items) values (1, 20)')\n"
        "store.execute('begin immediate'); store.execute('delete from outcomes')\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    arguments = [sys.executable, "-c", script, str(path.with_suffix(".lock")), str(path)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        with Store.look(path) as old, Store.look(path) as again, Store.look(first) as now:
            assert (summary(old).sessions.state, run_entry(old).settled) == ("running", 12)
            assert summary(old).counts.kinds == summary(now).counts.kinds
            assert [row.id for row, _ in outcomes(old)] == [row.id for row, _ in outcomes(now)]
            assert export(old, tmp_path / "old.jsonl") == 12
            for one, other in ((old, now), (now, old), (old, again)):
                assert (compare(one, other).items, compare(one, other).disagree) == (12, 0)
        process.kill()
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("pragma user_version").fetchone() == (2,)


def before(path: Path) -> None:
    """The run at `path` as version 3 stored it: nobody said who paid for a call, and a draw was a plain word."""
    with Store.resume(path) as store:
        store.execute("update outcomes set calls = replace(calls, ', \"cached\": true', '')")
        store.execute("update outcomes set verdict = 'undecided' where verdict = ?", (UNDECIDED,))
        store.execute("alter table outcomes drop column graded")
        store.execute("pragma user_version = 3")


def test_a_call_that_outcomes_of_an_earlier_release_share_is_paid_for_by_the_first(tmp_path: Path) -> None:
    path, items = tmp_path / "x.sqlite", [pair_item(number, {}) for number in range(3)]
    with Store.create(path, about("x")) as store:
        shared, lost = asked(store, "shared", cost_usd=2.0), unanswered()
        for number, item in enumerate(items):
            own = asked(store, f"v{number}")
            settle(store, 9 - number, item, judged(item, "a", "b", shared, own, own, lost))
        store.execute("update outcomes set calls = 'none' where item = ?", (items[2].key,))
    before(path)
    with Store.look(path) as store:
        links = [json.loads(row[0]) for row in store.rows("select calls from outcomes where calls <> 'none'")]
        assert [[link.get("cached", False) for link in each] for each in links] == [
            [False, False, True, False],
            [True, False, True, False],
        ]
        assert [link["call"] for link in links[1]] == ["shared", "v1", "v1", "lost"]
        assert links[0][0]["prompts"] == {"verdict.txt": "0" * 64}
        assert summary(store).counts.of("judgment").verdicts == {UNDECIDED: 3}


def test_a_choice_called_undecided_is_a_choice(tmp_path: Path) -> None:
    question = Question(question="Who?", choices={"A": "she", "undecided": "nobody can tell"}, answer="A")
    for name, choice in (("x", "undecided"), ("y", "A")):
        item = QuestionItem(id="q", question=question, artifacts=(picture(1),))
        pair = pair_item(1, {})
        with Store.create(tmp_path / f"{name}.sqlite", about(name)) as store:
            answer = Answer(
                question=question,
                artifacts=item.artifacts,
                choice=choice,
                reasoning="It is dark.",
                provenance=origin(),
            )
            settle(store, 1, item, answer)
            settle(store, 2, pair, judged(pair, "a", "b"))
    before(tmp_path / "x.sqlite")
    with Store.look(tmp_path / "x.sqlite") as one, Store.look(tmp_path / "y.sqlite") as other:
        counts = summary(one).counts
        assert counts.of("answer").verdicts == {"undecided": 1}
        assert counts.of("answer").agreement[0].decided == counts.of("answer").agreement[0].share
        assert counts.of("judgment").verdicts == {UNDECIDED: 1}
        both = compare(one, other)
        assert (both.disagree, both.undecided, both.first.undecided) == (1, 1, 1)
        assert list(disagreements(one, other)) == [Disagreement("q", "undecided", "A", "A")]
    named = question.model_copy(update={"choices": {"A": "she", UNDECIDED: "nobody"}})
    with pytest.raises(BadPrompt, match="call the choice"):
        QuestionItem(id="q", question=named, artifacts=(picture(1),))


def test_labels_that_are_no_json_do_not_keep_an_old_run_from_being_shown(first: Path, tmp_path: Path) -> None:
    earlier(first, tmp_path / "old.sqlite")
    with closing(sqlite3.connect(tmp_path / "old.sqlite")) as database:
        database.execute("update items set labels = '{\"x\": NaN}' where id = 'pair/1'")
        database.commit()
    with Store.look(tmp_path / "old.sqlite") as old:
        assert summary(old).counts.settled == 12
        assert len(list(settled(old))) == 12


def test_two_runs_are_held_against_the_labels_of_the_first(tmp_path: Path) -> None:
    def stored_run(name: str, labels: list[dict[str, Any]]) -> Path:
        path = tmp_path / f"{name}.sqlite"
        with Store.create(path, about(name)) as store:
            for number, label in enumerate(labels, 1):
                item = pair_item(number, label)
                settle(store, number, item, judged(item, "a", "a"))
        return path

    labelled = stored_run("labelled", [{"winner": "a"}, {"winner": "b"}])
    bare = stored_run("bare", [{}, {}])
    swapped = stored_run("swapped", [{"winner": "b"}, {"winner": "a"}])
    with Store.look(labelled) as one, Store.look(bare) as other, Store.look(swapped) as third:
        both = compare(one, other)
        assert (both.first.agreement.count, both.first.agreement.of) == (1, 2)
        assert (both.second.agreement.count, both.second.agreement.of) == (1, 2)
        assert compare(other, one).second.agreement.of == 0
        turned = compare(one, third)
        assert (turned.disagree, turned.first.alone, turned.second.alone) == (0, 0, 0)


def test_verdicts_are_counted_by_how_sure_they_are(tmp_path: Path) -> None:
    levels: list[tuple[Certainty, Certainty, str]] = [
        (5, 5, "a"),
        (5, 4, "b"),
        (1, 1, "a"),
        (2, 1, "a"),
        (3, 3, "b"),
    ]
    with Store.create(tmp_path / "x.sqlite", about("x")) as store:
        for number, (one, other, label) in enumerate(levels):
            item = pair_item(number, {"winner": label})
            judgment = judged(item, "a", "a")
            votes = [
                vote.model_copy(update={"certainty": sure})
                for vote, sure in zip(judgment.votes, (one, other), strict=True)
            ]
            settle(store, number, item, judgment.model_copy(update={"votes": tuple(votes)}))
        counts = summary(store).counts.of("judgment")
    assert [
        (each.level, each.settled, each.right.count, each.flips.count) for each in counts.certainties
    ] == [
        (5, 2, 1, 0),
        (3, 1, 0, 0),
        (2, 1, 1, 0),
        (1, 1, 1, 0),
    ]
    assert counts.coin_flips == 2
