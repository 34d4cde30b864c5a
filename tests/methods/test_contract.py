"""What another package's method does wrong fails its item; the run goes on, and asks it again when told to."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from command_line import run_in
from counting import write_pairs
from semiosis.backbones.adaptive_limit import Stopped
from semiosis.core.errors import BackboneError, BadPicture, BadSetting, StoreError
from semiosis.core.kinds.pair import PairItem
from semiosis.core.outcome import Failure
from semiosis.core.sign import Pair
from semiosis.methods.contract import Judges, perform
from stored import picture

BROKEN = """
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from semiosis.core.kinds import kind
from semiosis.core.outcome import Finding, Outcome, Provenance
from semiosis.core.vote import Vote
from semiosis.methods import Judges, Judgment, Pair


@kind
class Muddle(Outcome):
    kind: Literal["muddle"] = "muddle"
    provenance: Provenance

    @property
    def finding(self) -> Finding:
        raise ZeroDivisionError("nothing was found")


@kind
class Riddle(Outcome):
    kind: Literal["riddle"] = "riddle"
    provenance: Provenance

    @property
    def finding(self) -> Finding:
        return Finding(verdict="a")

    def agrees(self, label):
        raise LookupError("who knows")


@dataclass(frozen=True)
class Broken(Judges):
    async def judge(self, pair):
        if not Path("mended").exists():
            match pair.prompt.text.partition(":")[0]:
                case "Prompt 1":
                    return {}["winner"]
                case "Prompt 2":
                    return Muddle(provenance=self.provenance([]))
                case "Prompt 3":
                    return None
                case "Prompt 4":
                    return Riddle(provenance=self.provenance([]))
        return Judgment(pair=pair, votes=(Vote(winner="a"),), provenance=self.provenance([]))
"""


def test_a_run_counts_what_a_plugin_breaks_goes_on_and_asks_it_again(tmp_path: Path) -> None:
    write_pairs(tmp_path, 6)
    (tmp_path / "broken.py").write_text(BROKEN)
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    semiosis = run_in(tmp_path)

    def counts(*args: str) -> dict[str, Any]:
        options = ("--method", "broken:Broken", "--name", "one", "--json", *args)
        done = semiosis("run", "pairs.jsonl", *options, PYTHONPATH=path)
        assert "Traceback" not in done.stderr
        return json.loads(done.stdout)["counts"]

    first = counts()
    assert (first["settled"], first["failures"]) == (6, {"error": 4})
    output = semiosis("runs", "show", "one", "--failures", PYTHONPATH=path).stdout
    (tmp_path / "mended").touch()
    assert counts("--resume")["failures"] == {"error": 4}
    assert counts("--resume", "--retry-failed")["failures"] == {}
    for cause in (
        "KeyError: 'winner'",
        "ZeroDivisionError: nothing was",
        "TypeError: a NoneType is no",
        "LookupError: who knows",
    ):
        assert cause in output


class Raising(Judges):
    name = "raising"

    def __init__(self, error: BaseException) -> None:
        self.error = error

    async def judge(self, pair: Pair) -> Any:
        raise self.error


ITEM = PairItem(id="p", pair=Pair("Nothing lasts.", picture(1), picture(2)))


@pytest.mark.parametrize(
    "error",
    [
        KeyboardInterrupt(),
        asyncio.CancelledError(),
        Stopped(),
        BadSetting("no"),
        BadPicture("no"),
        StoreError("full"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_what_stops_a_run_and_what_is_wrong_with_an_item_is_passed_on(error: BaseException) -> None:
    with pytest.raises(type(error)):
        await perform(Raising(error), ITEM)


async def test_a_call_that_failed_and_was_let_through_is_a_failure_of_its_kind() -> None:
    outcome = await perform(Raising(BackboneError("refused", "no", reply="I would rather not.")), ITEM)
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.message, outcome.reply) == ("refused", "no", "I would rather not.")
    assert outcome.provenance is not None
    assert outcome.provenance.method == "raising"


async def test_a_method_that_would_leave_python_fails_its_item() -> None:
    outcome = await perform(Raising(SystemExit(3)), ITEM)
    assert isinstance(outcome, Failure)
    assert outcome.reason == "error"
    assert outcome.message.startswith("The method raising broke: SystemExit: 3")
