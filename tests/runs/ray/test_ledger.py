"""The ledger of a run on Ray, without Ray: what it is told, it keeps."""

import pickle
from pathlib import Path

from semiosis.core.errors import BackboneError
from semiosis.runs.ray.ledger import Ledger
from semiosis.runs.store import Store
from stored import about


def test_an_error_goes_between_processes_with_all_it_says() -> None:
    error = BackboneError("timeout", "No reply.", reply="half", retry_after_s=2.0, billable=False)
    error.attempts, error.charged_usd = 3, 0.5
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again), again.retryable) == ("No reply.", vars(error), True)


async def test_money_held_by_a_worker_that_died_is_remembered_by_the_run(tmp_path: Path) -> None:
    path = tmp_path / "first.sqlite"
    with Store.create(path, about("first")):
        ledger = Ledger(path, budget_usd=10.0)
        worker = ledger.enlist("actor")
        assert await ledger.hold(worker, 2.5) == ""
        ledger.enlist("actor")
        later = Ledger(path, budget_usd=4.0)
        refusal = await later.hold(later.enlist("another"), 2.0)
    assert "spent $2.5000" in refusal
    with Store.look(path) as store:
        assert store.charged_usd == 2.5
