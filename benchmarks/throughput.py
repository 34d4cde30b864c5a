"""How many calls a second a run gets through, and how near it keeps to a server's limit: one run, one table.

    python benchmarks/throughput.py             about nine minutes on two cores
    python benchmarks/throughput.py --quick     a smoke run, whose numbers mean little

The server on 127.0.0.1 answers after 250 ms, 64 calls at once. `semiosis run` is measured whole: store,
journal, pace, judgments. The second part asks a server that allows N requests in any minute, once told of N,
once left to find out.
"""

import argparse
import importlib.util
import json
import sys
import tempfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from overhead import measure, serving

AT_ONCE = 64
LATENCY_S = 0.25
LABELS = {
    "bare": "openai[aiohttp], the same bodies",
    "run": "semiosis run",
    "generate": "inspect_ai Model.generate",
}


@dataclass(frozen=True)
class Plan:
    repeats: int = 3
    calls: int = 3000
    per_minute: int = 1200
    minutes_told: int = 2
    minutes_untold: int = 3


QUICK = Plan(repeats=1, calls=400, per_minute=300, minutes_told=1, minutes_untold=1)


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def rates(plan: Plan, folder: Path) -> dict[str, list[float]]:
    """Calls a second by client, a number for each round."""
    roles = [role for role in LABELS if role != "generate" or importlib.util.find_spec("inspect_ai")]
    tell("recording what SemJudge sends")
    with serving("--latency-s", "0", "--record", str(folder)) as url:
        measure("semjudge", folder, url=url, calls=plan.calls, warm=0)
    found: dict[str, list[float]] = {role: [] for role in roles}
    with serving("--latency-s", str(LATENCY_S)) as url:
        for turn in range(plan.repeats):
            for role in roles:
                took = measure(role, folder, url=url, calls=plan.calls, at_once=AT_ONCE)
                if took["failures"]:
                    raise SystemExit(f"{LABELS[role]}: {took['failures']} failed.")
                found[role].append(took["calls"] / took["wall_s"])
                tell(f"round {turn + 1} of {plan.repeats}: {LABELS[role]}: {found[role][-1]:.0f} calls/s")
    return found


def limited(plan: Plan, folder: Path, minutes: int, *, told: bool) -> tuple[float, float]:
    """Share of N that was reached, and share of calls that were refused."""
    with serving("--latency-s", str(LATENCY_S), "--per-minute", str(plan.per_minute)) as url:
        job: dict[str, Any] = {"per_minute": plan.per_minute} if told else {}
        calls = plan.per_minute * minutes
        took = measure("run", folder, url=url, calls=calls, at_once=AT_ONCE, **job)
        with urllib.request.urlopen(f"{url}/counts") as response:
            counts = json.load(response)
    if took["failures"]:
        raise SystemExit(f"{took['failures']} judgments failed at the server with a limit.")
    # The server lets N through at once and then makes everybody wait: the last minute need not be waited out.
    reached = took["calls"] / max(took["wall_s"], 60 * (minutes - 1)) * 60 / plan.per_minute
    refused = counts["refused"] / (counts["refused"] + counts["answered"])
    tell(f"{'told' if told else 'not told'}: {took['wall_s']:.0f} s, {counts['refused']} refused")
    return reached, refused


def main() -> int:
    options = argparse.ArgumentParser(description="How many calls a second a run gets through.")
    options.add_argument("--quick", action="store_true", help="a smoke run, too short to judge by")
    plan = QUICK if options.parse_args().quick else Plan()
    with tempfile.TemporaryDirectory(prefix="semiosis-throughput-") as temporary:
        folder = Path(temporary)
        found = rates(plan, folder)
        told = limited(plan, folder, plan.minutes_told, told=True)
        untold = limited(plan, folder, plan.minutes_untold, told=False)
    print(f"{'calls a second, 64 at once, 250 ms away':<52}{'median':>8}   spread")
    for role, values in found.items():
        print(f"{LABELS[role]:<52}{median(values):>8.0f}   {min(values):.0f}-{max(values):.0f}")
    shares = [ours / theirs for ours, theirs in zip(found["run"], found["bare"], strict=True)]
    targets = [
        ("semiosis run / bare client, calls a second", median(shares), ">=", 0.95),
        (f"{plan.per_minute} a minute, told: share of it reached", told[0], ">=", 0.9),
        (f"{plan.per_minute} a minute, told: share refused", told[1], "<=", 0.02),
        (f"{plan.per_minute} a minute, not told: share of it reached", untold[0], ">=", 0.9),
        (f"{plan.per_minute} a minute, not told: share refused", untold[1], "<=", 0.02),
    ]
    print(f"\n{'target':<52}{'measured':>8}   limit")
    met = True
    for what, value, sign, limit in targets:
        passed = value >= limit if sign == ">=" else value <= limit
        met &= passed
        print(f"{what:<52}{value:>8.3f}   {sign} {limit:g}  {'pass' if passed else 'FAIL'}")
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
