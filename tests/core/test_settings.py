"""What is set in Python is checked as it is on the command line: one sentence, before anything is asked."""

import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

import pytest
from annotated_types import Interval

import semiosis as sm
from semiosis.backbones.adaptive_limit import Pace
from semiosis.backbones.backbone import Backbone
from semiosis.backbones.openai import OpenAI
from semiosis.core.errors import BadSetting
from semiosis.core.settings import Checked, checked
from semiosis.methods.contract import Judges, find, method

MODEL = OpenAI("m", base_url="http://127.0.0.1:9/v1", api_key="k")

REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "graphs": (lambda: sm.SemJudge(MODEL, graphs="both"), "graphs of SemJudge .* 'joint' or 'solo', not 'both'"),
    "size": (lambda: sm.SemJudge(MODEL, size="big"), "'standard' or 'complex', not 'big'"),
    "rebuild": (lambda: sm.SemJudge(MODEL, rebuild="x"), "rebuild .* 'never' or 'per-order', not 'x'"),
    "keep": (lambda: sm.SemJudge(MODEL, keep="x"), "keep .* 'all' or 'roots', not 'x'"),
    "orders": (lambda: sm.SemJudge(MODEL, orders="x"), "orders .* 'both', 'ab' or 'ba', not 'x'"),
    "hot": (lambda: sm.SemJudge(MODEL, temperature="hot"), "temperature .* number, not 'hot'"),
    "cold": (lambda: sm.SemJudge(MODEL, temperature=-0.1), "greater than or equal to 0, not -0.1"),
    "endless": (lambda: sm.SemJudge(MODEL, temperature=math.inf), "finite number, not inf"),
    "no votes": (lambda: sm.SemJudge(MODEL, repeats=0), "repeats .* equal to 1, not 0"),
    "too many votes": (lambda: sm.SemJudge(MODEL, repeats=100), "repeats .* equal to 99, not 100"),
    "seed": (lambda: sm.SemJudge(MODEL, seed="x"), "seed .* integer, not 'x'"),
    "true": (lambda: sm.SemJudge(MODEL, seed=True), "seed .* integer, not True"),
    "no backbone": (lambda: sm.SemJudge("openai/gpt-5"), "backbone .* Backbone, not 'openai/gpt-5'"),
    "no judge": (lambda: sm.SemJudge(MODEL, judge_with="openai/gpt-5"), "judge_with .* Backbone"),
    "direct": (lambda: sm.Direct(MODEL, repeats="two"), "repeats of Direct .* integer, not 'two'"),
    "gap": (lambda: sm.Gap(MODEL, size="big"), "size of Gap"),
    "embedding": (lambda: sm.Gap(MODEL, embed=3), "embed of Gap should be callable, not 3"),
    "by name": (lambda: find("semjudge").make(MODEL, graphs="both"), "'joint' or 'solo'"),
    "timeout": (lambda: sm.backbone("openai/gpt-5", timeout_s=0), "timeout_s of backbone .* than 0, not 0"),
    "timeout of a recipe": (lambda: sm.Recipe("gap", timeout_s=math.nan), "timeout_s of Recipe .* not nan"),
    "no method": (lambda: sm.Recipe(3), "method of Recipe .* string, not 3"),
    "nothing at once": (lambda: sm.Conditions(at_once=0), "at_once of Conditions .* equal to 1, not 0"),
    "half at once": (lambda: sm.Conditions(at_once=1.5), "at_once of Conditions .* integer, not 1.5"),
    "budget": (lambda: sm.Conditions(budget_usd=math.nan), "budget_usd of Conditions .* not nan"),
    "less than nothing": (lambda: sm.Conditions(budget_usd=-1), "budget_usd .* equal to 0, not -1"),
    "limit": (lambda: sm.Conditions(limit=0), "limit of Conditions"),
    "a minute": (lambda: sm.Conditions(requests_per_minute=0), "requests_per_minute .* than 0, not 0"),
    "engine": (lambda: sm.Conditions(engine="spark"), "engine .* 'here' or 'ray', not 'spark'"),
    "pace": (lambda: Pace(at_once="many"), "at_once of Pace"),
    "rank": (lambda: sm.rank("x", [], sm.Recipe("gap"), "n", confidence=1), "confidence of rank .* than 1, not 1"),
    "most": (lambda: sm.rank("x", [], sm.Recipe("gap"), "n", most=0), "most of rank .* equal to 1, not 0"),
    "recipe": (lambda: sm.run("pairs.jsonl", sm.SemJudge(MODEL), "n"), "recipe of run should be an instance of Recipe"),
    "name": (lambda: sm.run("pairs.jsonl", sm.Recipe("gap"), 3), "name of run .* string, not 3"),
    "conditions": (lambda: sm.run("p", sm.Recipe("gap"), "n", conditions={"limit": 1}), "conditions of run"),
    "reward": (lambda: sm.reward(sm.Direct(MODEL), at_once=0), "at_once of reward .* equal to 1, not 0"),
    "by": (lambda: sm.reward(sm.Direct(MODEL), by="vote"), "by of reward .* 'tournament' or 'score', not 'vote'"),
    "limited": (lambda: sm.Limited(MODEL, at_once=0), "at_once of Limited"),
    "retrying": (lambda: sm.Retrying(MODEL, tries=0), "tries of Retrying"),
    "budgeted": (lambda: sm.Budgeted(MODEL, usd=math.nan), "usd of Budgeted"),
    "remote": (lambda: sm.RemoteReward("http://127.0.0.1:9", timeout_s=-1), "timeout_s of RemoteReward"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_setting_that_is_not_allowed_is_refused_in_a_sentence(case: str) -> None:
    make, words = REFUSED[case]
    with pytest.raises(BadSetting, match=words):
        make()


def test_what_is_allowed_is_taken_as_it_is(tmp_path: Path) -> None:
    judge = sm.SemJudge(MODEL, temperature=1, seed=None, repeats=99)
    assert (judge.temperature, judge.seed, judge.repeats) == (1, None, 99)
    assert sm.SemJudge(MODEL, temperature=None).configuration()["temperature"] is None
    assert pickle.loads(pickle.dumps(sm.Conditions(at_once=3))) == sm.Conditions(at_once=3)
    assert sm.Cached(MODEL, str(tmp_path / "replies.sqlite")).name == "openai/m"


class Plugged(Judges):
    async def judge(self, pair: sm.Pair) -> sm.Failure:
        return sm.Failure(reason="refused", message="no")


def test_the_method_of_a_plugin_is_checked_by_its_annotations_whatever_else_it_does() -> None:
    @method("plugged-settings")
    @dataclass(frozen=True)
    class Mine(Plugged):
        backbone: Backbone
        mode: Literal["fast", "slow"] = "fast"
        share: Annotated[float, Interval(ge=0, le=1)] = None  # type: ignore[assignment] # its own default
        extra: "Unknown" = 3  # type: ignore[name-defined] # noqa: F821

        def __post_init__(self) -> None:
            assert self.mode in ("fast", "slow"), "the check comes first"

    assert Mine(MODEL, extra="anything").share is None
    with pytest.raises(BadSetting, match="mode of Mine should be 'fast' or 'slow', not 'medium'"):
        Mine(MODEL, mode="medium")  # type: ignore[arg-type]
    with pytest.raises(BadSetting, match="share of Mine should be less than or equal to 1, not 2"):
        Mine(MODEL, share=2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        Mine(MODEL, colour="red")  # type: ignore[call-arg]


def test_what_inherits_its_constructor_is_checked_too() -> None:
    class Own(sm.SemJudge):
        pass

    with pytest.raises(BadSetting, match="graphs of Own should be 'joint' or 'solo', not 'both'"):
        Own(MODEL, graphs="both")  # type: ignore[arg-type]


def test_a_plain_constructor_is_checked_too() -> None:
    class Bare(Plugged):
        name = "bare"

        def __init__(self, votes: Annotated[int, Interval(ge=1)] = 1, *more: int, **rest: int) -> None:
            self.votes = votes

    assert Bare(3, 4, five=5).votes == 3
    with pytest.raises(BadSetting, match="votes of Bare"):
        Bare(0)


FUTURE = '''
from __future__ import annotations
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from semiosis.core.settings import Checked
if TYPE_CHECKING:
    from nowhere import Nothing

@dataclass(frozen=True)
class Late(Checked):
    nothing: Nothing
    mode: Literal["fast", "slow"] = "fast"
'''  # fmt: skip


def test_annotations_that_are_read_later_are_checked_as_far_as_they_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "late_settings.py").write_text(FUTURE)
    monkeypatch.syspath_prepend(tmp_path)
    from late_settings import Late  # type: ignore[import-not-found]

    assert Late(object()).mode == "fast"
    with pytest.raises(BadSetting, match="mode of Late"):
        Late(1, mode="x")


def test_a_checked_function_keeps_its_name_and_what_it_gives() -> None:
    @checked
    def doubled(number: int, *, times: Annotated[int, Interval(ge=1)] = 2) -> int:
        """Twice."""
        return number * times

    assert (doubled(3), doubled(3, times=3), doubled.__name__, doubled.__doc__) == (6, 9, "doubled", "Twice.")
    with pytest.raises(BadSetting, match="times of doubled"):
        doubled(3, times=0)


def test_declaring_what_is_checked_loads_no_pydantic() -> None:
    code = "import semiosis.core.settings, semiosis.methods.settings, sys; print('pydantic' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output == "False\n"


def test_a_class_without_settings_stays_as_it_was() -> None:
    class Nothing(Checked):
        pass

    assert isinstance(Nothing(), Nothing)


def test_numbers_that_could_not_be_written_down_are_refused() -> None:
    import numpy as np

    for value in (np.float32(0.5), np.int64(1), Decimal("0.5")):
        with pytest.raises(BadSetting, match="should be a plain int or float"):
            sm.Conditions(requests_per_minute=value)  # type: ignore[arg-type]
    assert sm.Conditions(requests_per_minute=np.float64(5)).requests_per_minute == 5
