"""What an exit code says: the same for every command.

0    done
1    a threshold that was set was not reached (--fail-under, --min-agreement)
2    the input or the setup is at fault
3    the model cannot be asked, or too much failed for a result
4    the budget is spent
130  interrupted
"""

import sys
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from ..core.outcome import Failure

BELOW, USAGE, NO_RESULT, BUDGET, INTERRUPTED = 1, 2, 3, 4, 130
# How a run ended, where it did not come to its end.
ENDINGS = {"unauthorised": NO_RESULT, "unreachable": NO_RESULT, "budget": BUDGET, "stopped": INTERRUPTED}


def leave_by(failure: "Failure") -> NoReturn:
    """Say the cause on standard error, and end the command."""
    from ..core.text import plain

    print(f"semiosis: {failure.reason}: {plain(failure.message)}", file=sys.stderr)
    raise typer.Exit(BUDGET if failure.reason == "budget" else NO_RESULT)
