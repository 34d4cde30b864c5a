"""Rankings over real HTTP: few pairs, both orders, stopped, capped, resumed."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from chat import refuses
from critic import PROMPT, Critic, hang_up
from loopback import Loopback, Script
from semiosis.core.errors import BadPicture, BadPrompt, BadRecord, BadSetting, StoreError
from semiosis.methods.recipe import Recipe
from semiosis.runs import entrants
from semiosis.runs.conditions import Conditions
from semiosis.runs.ranking import Ranking, rank
from semiosis.runs.store import Store
from semiosis.runs.summary import summary

EIGHT = [4.0 * number for number in range(8)]
BEST_FIRST = [f"{number}.png" for number in reversed(range(8))]


def ranked(critic: Critic, folder: Path, count: int = 8, method: str = "direct", **settings: Any) -> Ranking:
    with Loopback(critic.app) as loopback:
        return at(loopback.url, folder, hang_up(folder, count), method, **settings)


def at(
    url: str,
    folder: Path,
    pictures: list[Path],
    method: str = "direct",
    *,
    repeats: int = 1,
    at_once: int = 2,
    budget_usd: float | None = None,
    **settings: Any,
) -> Ranking:
    recipe = Recipe(method, {"repeats": repeats}, model="m", base_url=f"{url}/v1")
    conditions = Conditions(at_once=at_once, budget_usd=budget_usd)
    return rank(PROMPT, pictures, recipe, "first", folder=folder / "runs", conditions=conditions, **settings)


def names(ranking: Ranking) -> list[str]:
    return [each.name for each in ranking.standings]


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with Store.look(folder / "runs" / "first.sqlite") as store:
        return list(store.rows(query))


def test_eight_pictures_are_ranked_by_fewer_pairs_than_there_are(tmp_path: Path) -> None:
    critic = Critic(EIGHT)
    ranking = ranked(critic, tmp_path)
    assert names(ranking) == BEST_FIRST
    assert [each.rank for each in ranking.standings] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert ranking.pairs == 28
    assert ranking.comparisons < 18
    assert (ranking.ended, ranking.failures, ranking.unranked) == ("settled", {}, ())
    assert all(each.low < each.score < each.high for each in ranking.standings)
    assert sum(each.score for each in ranking.standings) == pytest.approx(0, abs=1e-9)
    assert sum(each.comparisons for each in ranking.standings) == 2 * ranking.comparisons
    assert ranking.least_sure == min(each.above_next or 1.0 for each in ranking.standings) > 0.5
    assert ranking.standings[-1].above_next is None


def test_a_coin_flip_counts_as_a_draw_and_is_counted(tmp_path: Path) -> None:
    """Two of three are told apart only by verdicts that the judge itself calls coin flips."""
    critic = Critic([0.0, 0.0, 40.0], unsure=frozenset({frozenset({0, 1})}))
    ranking = ranked(critic, tmp_path, 3)
    best, *rest = ranking.standings
    assert best.name == "2.png"
    assert [each.rank for each in rest] == [2, 2]
    assert rest[0].score == pytest.approx(rest[1].score)
    assert (ranking.coin_flips, ranking.said_how_sure) == (1, ranking.comparisons)


def test_each_pair_is_asked_once_in_both_orders(tmp_path: Path) -> None:
    critic = Critic(EIGHT)
    ranking = ranked(critic, tmp_path)
    times = Counter(critic.shown)
    assert set(times.values()) == {1}
    assert all((b, a) in times for a, b in times)
    assert len(times) == 2 * ranking.comparisons == ranking.calls == ranking.both_orders * 2


def test_each_picture_was_compared_with_the_next_when_it_is_settled(tmp_path: Path) -> None:
    critic = Critic(EIGHT)
    ranking = ranked(critic, tmp_path)
    assert names(ranking) == BEST_FIRST
    assert {(number, number - 1) for number in range(1, 8)} <= set(critic.shown)


def test_repeats_make_the_order_surer_and_both_orders_do_not(tmp_path: Path) -> None:
    firm = [50.0 * number for number in range(8)]
    once = ranked(Critic(firm), tmp_path / "once")
    thrice = ranked(Critic(firm), tmp_path / "thrice", repeats=3)
    assert names(once) == names(thrice) == BEST_FIRST
    assert (once.least_sure or 0) < 0.75 < (thrice.least_sure or 0) + 0.05


def test_a_method_that_measures_each_picture_ranks_without_an_order(tmp_path: Path) -> None:
    with Loopback(Critic(None).app) as loopback:
        recipe = Recipe("gap", model="m", base_url=f"{loopback.url}/v1")
        ranking = rank(PROMPT, hang_up(tmp_path, 3), recipe, "first", folder=tmp_path / "runs")
    assert (ranking.ended, ranking.failures, ranking.unranked) == ("settled", {}, ())
    assert sorted(each.name for each in ranking.standings) == ["0.png", "1.png", "2.png"]
    assert (ranking.flips, ranking.both_orders) == (0, 0)


def test_a_lower_confidence_takes_fewer_comparisons(tmp_path: Path) -> None:
    firm = [2.0 * number for number in range(14)]
    sure = ranked(Critic(firm), tmp_path / "sure", count=14, confidence=0.95)
    quick = ranked(Critic(firm), tmp_path / "quick", count=14, confidence=0.51)
    assert (quick.ended, sure.ended) == ("settled", "settled")
    assert quick.comparisons < sure.comparisons


def test_a_wavering_judge_is_believed_less(tmp_path: Path) -> None:
    firm = ranked(Critic([4.0 * number for number in range(10)]), tmp_path / "firm", count=10)
    wavering = ranked(Critic([0.5 * number for number in range(10)], seed=1), tmp_path / "wavering", count=10)
    assert firm.flips < wavering.flips
    assert (wavering.least_sure or 1) < (firm.least_sure or 0)
    width = [max(each.high - each.low for each in ranking.standings) for ranking in (firm, wavering)]
    top_to_bottom = [ranking.standings[0].score - ranking.standings[-1].score for ranking in (firm, wavering)]
    assert top_to_bottom[0] / width[0] > top_to_bottom[1] / width[1]


def test_graphs_are_built_for_the_pairs_that_are_asked_and_no_others(tmp_path: Path) -> None:
    critic = Critic(EIGHT)
    ranking = ranked(critic, tmp_path, method="semjudge")
    assert names(ranking) == BEST_FIRST
    assert ranking.calls == critic.begun == 1 + 3 * ranking.comparisons


def test_how_many_are_judged_at_once_decides_what_is_asked_but_not_when_it_answers(tmp_path: Path) -> None:
    slow, fast = Critic(EIGHT, delay_s=0.01), Critic(EIGHT)
    one = ranked(slow, tmp_path / "slow", at_once=8)
    two = ranked(fast, tmp_path / "fast", at_once=8)
    assert one.model_dump(exclude={"calls"}) == two.model_dump(exclude={"calls"})
    assert names(one) == BEST_FIRST
    query = "select position, id from items order by position"
    assert rows(tmp_path / "slow", query) == rows(tmp_path / "fast", query)


def test_the_order_in_which_pictures_are_given_plays_no_part(tmp_path: Path) -> None:
    critic = Critic(EIGHT)
    with Loopback(critic.app) as loopback:
        one = at(loopback.url, tmp_path / "one", hang_up(tmp_path, 8))
        two = at(loopback.url, tmp_path / "two", hang_up(tmp_path, 8)[::-1])
    assert one == two


def test_verdicts_that_follow_the_place_are_draws_and_put_nobody_above(tmp_path: Path) -> None:
    ranking = ranked(Critic(None), tmp_path, count=5)
    assert (ranking.flips, ranking.both_orders) == (ranking.comparisons, ranking.comparisons)
    assert {each.rank for each in ranking.standings} == {1}
    assert all(each.won == each.lost == 0 for each in ranking.standings)
    assert ranking.least_sure == pytest.approx(0.5)
    assert [each.above_next for each in ranking.standings] == [pytest.approx(0.5)] * 4 + [None]


def test_so_many_comparisons_and_then_more(tmp_path: Path) -> None:
    critic = Critic(EIGHT)
    ranking = ranked(critic, tmp_path, most=5, at_once=8)
    assert (ranking.ended, ranking.comparisons, len(critic.shown)) == ("comparisons", 5, 10)
    assert len(ranking.standings) + len(ranking.unranked) == 8


def test_a_finished_ranking_is_told_again_without_a_call(tmp_path: Path) -> None:
    critic = Critic(EIGHT)
    with Loopback(critic.app) as loopback:
        pictures = hang_up(tmp_path, 8)
        first = at(loopback.url, tmp_path, pictures)
        calls = critic.begun
        assert at(loopback.url, tmp_path, pictures) == first
    assert critic.begun == calls


def test_going_on_after_a_stop_takes_the_same_way(tmp_path: Path) -> None:
    critic = Critic(EIGHT)
    with Loopback(critic.app) as loopback:
        pictures = hang_up(tmp_path, 8)
        whole = at(loopback.url, tmp_path / "whole", pictures)
        for most in range(1, whole.comparisons):
            assert at(loopback.url, tmp_path / "parts", pictures, most=most).comparisons == most
        assert at(loopback.url, tmp_path / "parts", pictures) == whole
    query = "select position, id from items order by position"
    assert rows(tmp_path / "parts", query) == rows(tmp_path / "whole", query)
    assert set(Counter(critic.shown).values()) == {2}


def test_a_picture_that_comes_later_joins_the_others(tmp_path: Path) -> None:
    critic = Critic(EIGHT)
    with Loopback(critic.app) as loopback:
        pictures = hang_up(tmp_path, 8)
        seven = at(loopback.url, tmp_path, pictures[:3] + pictures[4:])
        eight = at(loopback.url, tmp_path, pictures)
    assert names(eight) == BEST_FIRST
    assert 1 <= eight.comparisons - seven.comparisons <= 7
    assert set(Counter(critic.shown).values()) == {1}


def test_the_budget_stops_it_and_a_larger_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"m": [0.0, 100.0]}))
    monkeypatch.setenv("SEMIOSIS_PRICES", str(prices))
    critic = Critic(EIGHT)
    critic.usage = {"prompt_tokens": 1000, "completion_tokens": 1000, "total_tokens": 2000}
    with Loopback(critic.app) as loopback:
        pictures = hang_up(tmp_path, 8)
        whole = at(loopback.url, tmp_path / "whole", pictures)
        ranking = at(loopback.url, tmp_path, pictures, budget_usd=1.5)
        assert ranking.ended == "budget"
        assert "The budget of $1.5 does not cover the next call" in ranking.message
        assert 0 < ranking.comparisons < whole.comparisons
        assert ranking.cost_usd == pytest.approx(0.1 * ranking.calls)
        assert ranking.cost_usd <= 1.5
        assert ranking.failures == {}
        assert at(loopback.url, tmp_path, pictures, budget_usd=100) == whole
    assert set(Counter(critic.shown).values()) == {2}


def test_a_picture_that_is_refused_fails_and_has_no_place(tmp_path: Path) -> None:
    critic = Critic(EIGHT, refused=3)
    ranking = ranked(critic, tmp_path)
    assert names(ranking) == [name for name in BEST_FIRST if name != "3.png"]
    assert ranking.unranked == ("3.png",)
    assert ranking.failures == {"refused": 7}
    assert ranking.comparisons < 21
    again = Critic(EIGHT)
    with Loopback(again.app) as loopback:
        same = at(loopback.url, tmp_path / "again", hang_up(tmp_path, 8))
    assert names(same) == BEST_FIRST


def test_what_failed_is_asked_again_only_when_told(tmp_path: Path) -> None:
    critic = Critic(EIGHT, refused=3)
    with Loopback(critic.app) as loopback:
        pictures = hang_up(tmp_path, 8)
        first = at(loopback.url, tmp_path, pictures)
        calls = critic.begun
        assert at(loopback.url, tmp_path, pictures) == first
        assert critic.begun == calls
        critic.refused = None
        ranking = at(loopback.url, tmp_path, pictures, retry_failed=True)
    assert (names(ranking), ranking.failures, ranking.unranked) == (BEST_FIRST, {}, ())
    assert ranking.comparisons == first.comparisons + 7


def test_a_server_that_refuses_everybody_ends_it_without_a_standing(tmp_path: Path) -> None:
    with Loopback(Script(refuses(401, "wrong key")).app) as loopback:
        ranking = at(loopback.url, tmp_path, hang_up(tmp_path, 8))
    assert (ranking.ended, ranking.standings, ranking.comparisons) == ("unauthorised", (), 0)
    assert len(ranking.unranked) == 8
    with Loopback(Script(refuses(400, "no")).app) as loopback:
        ranking = at(loopback.url, tmp_path / "other", hang_up(tmp_path, 4))
    assert (ranking.ended, ranking.standings, ranking.failures) == ("exhausted", (), {"rejected": 6})


def test_a_prompt_that_cannot_be_read_is_not_asked_for_with_every_pair(tmp_path: Path) -> None:
    script = Script(refuses(400, "no"))
    with Loopback(script.app) as loopback:
        ranking = at(loopback.url, tmp_path, hang_up(tmp_path, 8), "semjudge")
    assert (ranking.ended, ranking.failures) == ("unreachable", {"rejected": 3})
    assert ranking.message.startswith("The same call failed for 3 pairs: ")


def test_the_store_reads_as_that_of_any_run(tmp_path: Path) -> None:
    ranking = ranked(Critic(EIGHT), tmp_path)
    with Store.look(tmp_path / "runs" / "first.sqlite") as store:
        report = summary(store)
    assert report.sessions.state == "done"
    assert (report.counts.settled, report.to_do) == (ranking.comparisons, 0)
    assert report.about.source.startswith("ranking A vanitas still life everything glows ")
    assert sum(report.counts.of("judgment").verdicts.values()) == ranking.comparisons
    assert (
        abs(report.counts.of("judgment").verdicts["a"] - report.counts.of("judgment").verdicts["b"])
        < ranking.comparisons / 2
    )


def test_another_prompt_is_another_ranking(tmp_path: Path) -> None:
    ranked(Critic(EIGHT), tmp_path, count=3)
    recipe = Recipe("direct", model="m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(StoreError, match="was begun with items from ranking A vanitas"):
        rank("Something else.", hang_up(tmp_path, 3), recipe, "first", folder=tmp_path / "runs")


def test_pictures_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    one, two, three = hang_up(tmp_path, 3)
    pictures = [tmp_path / folder / "vanitas.png" for folder in ("flux", "sdxl", "kandinsky")]
    for source, path in zip((one, two, three), pictures, strict=True):
        path.parent.mkdir()
        source.rename(path)
    with Loopback(Critic(EIGHT).app) as loopback:
        ranking = at(loopback.url, tmp_path, pictures)
    assert names(ranking) == [str(path) for path in reversed(pictures)]
    held = [path.read_bytes() for path in pictures]
    with Loopback(Critic(EIGHT).app) as loopback:
        ranking = at(loopback.url, tmp_path / "bytes", held)  # type: ignore[arg-type]
    assert names(ranking) == [each.sha256[:8] for each in ranking.standings]


def test_a_picture_that_changes_under_way_ends_it_in_a_sentence(tmp_path: Path) -> None:
    # Of a size of their own: a picture that was sent before is not read again.
    pictures = hang_up(tmp_path, 3, side=13)

    class Vandal(Critic):
        def reply(self, stage: str, body: dict[str, Any]) -> Any:
            for path in pictures:
                path.write_bytes(path.read_bytes() + b"x")
            return super().reply(stage, body)

    with (
        Loopback(Vandal(EIGHT).app) as loopback,
        pytest.raises(BadRecord, match="changed after it was first"),
    ):
        at(loopback.url, tmp_path, pictures)


RECIPE = Recipe("direct", model="m", base_url="http://127.0.0.1:9/v1")


def test_bad_input_is_refused_before_a_store_is_made(tmp_path: Path) -> None:
    pictures = hang_up(tmp_path, 3)
    (tmp_path / "copy.png").write_bytes(pictures[1].read_bytes())
    folder = tmp_path / "runs"

    def attempt(entries: list[Any], prompt: str = PROMPT, **settings: Any) -> None:
        rank(prompt, entries, RECIPE, "first", folder=folder, **settings)

    with pytest.raises(
        BadPicture, match=r"At least two pictures are ranked, and only one was given: 0\.png\."
    ):
        attempt(pictures[:1])
    with pytest.raises(BadPicture, match="none was given"):
        attempt([])
    with pytest.raises(BadPicture, match=r"1\.png and copy\.png are the same picture"):
        attempt([*pictures, tmp_path / "copy.png"])
    with pytest.raises(BadPicture, match=r"There is no file .*none\.png"):
        attempt([*pictures, tmp_path / "none.png"])
    with pytest.raises(BadPrompt, match="The prompt is empty"):
        attempt(pictures, " ")
    with pytest.raises(BadSetting, match="confidence of rank should be less than 1, not 1"):
        attempt(pictures, confidence=1)
    with pytest.raises(BadSetting, match="most of rank should be greater than or equal to 1, not 0"):
        attempt(pictures, most=0)
    with pytest.raises(BadSetting, match="no batches, no Ray, and no limit"):
        attempt(pictures, conditions=Conditions(batch=True))
    assert not folder.exists()


def test_a_folder_stands_for_the_pictures_in_it(tmp_path: Path) -> None:
    hang_up(tmp_path / "shown", 3)
    (tmp_path / "shown" / "notes.txt").touch()
    (other,) = hang_up(tmp_path / "other", 1, side=20)
    field = entrants.Entrants.of(PROMPT, [tmp_path / "shown", str(other)])
    assert sorted(each.name for each in field.pictures.values()) == [
        str(other),
        *(str(tmp_path / "shown" / f"{number}.png") for number in range(3)),
    ]
    assert field.left_out == (str(tmp_path / "shown" / "notes.txt"),)
