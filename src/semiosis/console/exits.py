"""What an exit code says: the same for every command.

0    done
1    a threshold that was set was not reached (--fail-under, --min-agreement)
2    the input or the setup is at fault
3    the model cannot be asked, or too much failed for a result
4    the budget is spent
130  interrupted
"""

BELOW, USAGE, NO_RESULT, BUDGET, INTERRUPTED = 1, 2, 3, 4, 130
# How a run ended, where it did not come to its end.
ENDINGS = {"unauthorised": NO_RESULT, "unreachable": NO_RESULT, "budget": BUDGET, "stopped": INTERRUPTED}
