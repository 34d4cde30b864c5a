"""What is told of a method before it is chosen is what it is: settings, prompts that it sends, what is missing."""

import json
from pathlib import Path

import pytest

from command_line import RunHere
from semiosis.methods.contract import find, names
from semiosis.methods.sheet import A_MODEL, sheet_of


@pytest.mark.parametrize("name", names())
def test_every_method_says_what_it_is(name: str) -> None:
    sheet = sheet_of(name)
    assert sheet.does
    assert sheet.about.endswith(".")
    assert sheet.needs, "a card says what a method needs"
    registered = find(name)
    assert {each.name for each in sheet.settings} == registered.settings - {"backbone", "judge_with"}
    assert all(each.about for each in sheet.settings), "a docstring tells every setting"
    if "scores" in sheet.does:
        assert sheet.scale
    if sheet.missing == A_MODEL:
        assert sheet.prompts
        assert all(prompt.text for prompt in sheet.prompts)
        assert sheet_of(name, model_at_hand=True, whole=False).missing is None


def test_prompts_are_those_that_are_sent_by_any_setting() -> None:
    names = {prompt.name for prompt in sheet_of("artcot").prompts}
    assert {"analysis", "critique", "summary", "alone-analysis", "task-stylization", "task-prompt"} <= names
    assert {"task-style-only", "task-content-only", "task-neither", "composed-results", "apart"} <= names


def test_a_variant_of_other_weights_says_so() -> None:
    fit, quality = sheet_of("lmm4lmm"), sheet_of("lmm4lmm/perception")
    assert (fit.sees_prompt, quality.sees_prompt) == (True, False)
    assert "IntMeGroup/LMM4LMM-Perception" in str(quality.missing)


OTHERS = '''
from dataclasses import dataclass
from semiosis.core.outcome import Exchange
from semiosis.methods import Card, Scorer

@dataclass(frozen=True)
class Own(Scorer):
    """Scores by a prompt of its own."""
    card = Card(needs="nothing", scale="1")

    async def value(self, prompt, artifact, log):
        if prompt.style is not None:
            raise ZeroDivisionError("no stylizations")
        log.append(Exchange(stage="own", asked="m", prompts={"own": "f" * 64}, reply=""))
        return 1.0
'''


def test_a_prompt_of_another_package_is_named_without_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "others_own_prompt.py").write_text(OTHERS)
    monkeypatch.syspath_prepend(str(tmp_path))
    (prompt,) = sheet_of("others_own_prompt:Own").prompts
    assert (prompt.name, prompt.sha256, prompt.text) == ("own", "f" * 64, "")


def test_the_list_and_one_method_by_the_command_line(run_here: RunHere) -> None:
    listed = run_here("methods")
    assert listed.code == 0
    assert "viescore" in listed.out
    assert "ready once a model is named" in listed.out
    one = run_here("methods", "viescore", "--prompts")
    assert "arXiv 2312.14867" in one.out
    assert "--- viescore-perception" in one.out
    rows = json.loads(run_here("methods", "--json").out)
    assert {row["name"] for row in rows} == set(names())
    assert next(row for row in rows if row["name"] == "deqa")["sees_prompt"] is False
    unknown = run_here("methods", "viescor")
    assert unknown.code == 2
    assert "did you mean viescore" in unknown.err
