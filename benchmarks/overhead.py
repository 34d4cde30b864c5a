"""What semiosis adds to the calls it makes, in CPU time and memory: one run, one table.

    python benchmarks/overhead.py             about six minutes on two cores
    python benchmarks/overhead.py --quick     a smoke run of one, whose numbers mean little
    python benchmarks/overhead.py --json

Every client runs in a fresh process against a server on 127.0.0.1 that answers after 50 ms, 64 calls at once,
the clients taking turns so that a busy moment of the machine meets all of them alike.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
WORKER_TIMEOUT_S = 900
AT_ONCE = 64
LATENCY_S = 0.05
HELP_TIMES = 5
INSPECT_ROLES = ("generate", "eval")
LABELS = {
    "bare": "openai[aiohttp], the same bodies",
    "lean": "the same through extra_body, unchecked",
    "semjudge": "SemJudge.judge",
    "generate": "inspect_ai Model.generate",
    "eval": "inspect_ai eval(), a sample",
}


@dataclass(frozen=True)
class Plan:
    """How much is measured. `side` is the longest side of the pictures that are sent."""

    repeats: int = 3
    calls: int = 1200
    eval_calls: int = 400
    memory_pairs: int = 1000
    side: int = 1024


QUICK = Plan(repeats=1, calls=200, eval_calls=100, memory_pairs=40)


@dataclass(frozen=True)
class Row:
    """One client over all rounds: the median, and the least and the most."""

    label: str
    cpu_ms: float
    least_ms: float
    most_ms: float
    import_s: float
    calls_per_s: float
    failures: int


@dataclass(frozen=True)
class Target:
    what: str
    value: float
    limit: float
    spread: str = ""
    strict: bool = False
    unit: str = ""

    @property
    def met(self) -> bool:
        return self.value < self.limit if self.strict else self.value <= self.limit


@contextmanager
def serving(*options: str) -> Iterator[str]:
    command = [sys.executable, str(HERE / "canned.py"), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        finally:
            # Closing its input, on leaving this block, is what ends the server.
            server.stdout.close()


def measure(role: str, folder: Path, **job: Any) -> dict[str, Any]:
    command = [
        sys.executable,
        str(HERE / "clients.py"),
        json.dumps({"role": role, "folder": str(folder), **job}),
    ]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, timeout=WORKER_TIMEOUT_S, check=True, cwd=folder
    )
    return json.loads(done.stdout.splitlines()[-1])


Told = Callable[[str], None]


def rounds(plan: Plan, roles: list[str], folder: Path, tell: Told) -> dict[str, list[dict[str, Any]]]:
    """The clients one after another, as often as planned."""
    tell("recording what SemJudge sends")
    with serving("--latency-s", "0", "--record", str(folder)) as url:
        measure("semjudge", folder, url=url, calls=plan.calls, warm=0, side=plan.side)
    took: dict[str, list[dict[str, Any]]] = {role: [] for role in roles}
    with serving("--latency-s", str(LATENCY_S)) as url:
        for turn in range(plan.repeats):
            for role in roles:
                tell(f"round {turn + 1} of {plan.repeats}: {LABELS[role]}")
                calls = plan.eval_calls if role == "eval" else plan.calls
                took[role].append(
                    measure(role, folder, url=url, calls=calls, at_once=AT_ONCE, side=plan.side)
                )
    return took


def cpu_ms(took: dict[str, Any]) -> float:
    return 1000 * took["cpu_s"] / took["calls"]


def row(role: str, took: list[dict[str, Any]]) -> Row:
    times = [cpu_ms(one) for one in took]
    return Row(
        label=LABELS[role],
        cpu_ms=median(times),
        least_ms=min(times),
        most_ms=max(times),
        import_s=median(one["import_s"] for one in took),
        calls_per_s=median(one["calls"] / one["wall_s"] for one in took),
        failures=sum(one["failures"] for one in took),
    )


def ratio(took: dict[str, list[dict[str, Any]]], of: str, what: str, limit: float, strict: bool) -> Target:
    """The median over rounds; within a round both met the same machine."""
    values = [cpu_ms(ours) / cpu_ms(theirs) for ours, theirs in zip(took["semjudge"], took[of], strict=True)]
    return Target(what, median(values), limit, f"{min(values):.2f}-{max(values):.2f}", strict)


def ratios(took: dict[str, list[dict[str, Any]]]) -> list[Target]:
    found = [ratio(took, "bare", "SemJudge / bare client, a call", 1.5, strict=False)]
    if "generate" in took:
        found.append(ratio(took, "generate", "SemJudge / Model.generate, a call", 1.0, strict=True))
        found.append(ratio(took, "eval", "SemJudge, a call / eval(), a sample", 0.2, strict=False))
    return found


def help_target() -> Target:
    # What the installed `semiosis` script does, whichever environment this runs in.
    script = "import sys; from semiosis.cli import main; sys.argv = ['semiosis', '--help']; main()"
    times = sorted(_child_cpu_s([sys.executable, "-c", script]) for _ in range(HELP_TIMES))
    return Target(
        "semiosis --help, CPU", times[HELP_TIMES // 2], 0.3, f"{times[0]:.2f}-{times[-1]:.2f}", unit=" s"
    )


def _child_cpu_s(command: list[str]) -> float:
    import resource

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    subprocess.run(command, stdout=subprocess.DEVNULL, timeout=60, check=True)
    return spent() - before


def memory_target(plan: Plan, folder: Path, tell: Told) -> Target:
    tell(f"painting {2 * plan.memory_pairs:,} pictures")
    measure("paint", folder, calls=2 * plan.memory_pairs)
    tell(f"judging {plan.memory_pairs:,} pairs from disk")
    with serving("--latency-s", str(LATENCY_S)) as url:
        took = measure("memory", folder, url=url, at_once=AT_ONCE)
    if took["failures"]:
        raise SystemExit(f"{took['failures']} of {plan.memory_pairs} judgments failed in the memory run.")
    return Target(
        f"{plan.memory_pairs:,} pairs of 1024-pixel files, peak RSS",
        took["peak_mb"],
        400,
        f"{took['imported_mb']:.0f} MB after importing",
        unit=" MB",
    )


def table(rows: list[Row], targets: list[Target], picture_ms: float) -> str:
    lines = [
        f"{'CPU a call, 64 at once, 50 ms away':<48}{'median':>9}{'spread':>16}{'calls/s':>9}{'import':>9}"
    ]
    for one in rows:
        spread = f"{one.least_ms:.2f}-{one.most_ms:.2f} ms"
        failed = f"  {one.failures} failed" if one.failures else ""
        lines.append(
            f"{one.label:<48}{one.cpu_ms:>6.2f} ms{spread:>16}"
            f"{one.calls_per_s:>9.0f}{one.import_s:>7.2f} s{failed}"
        )
    lines += [f"{'preparing a bundled picture, apart':<48}{picture_ms:>6.2f} ms", ""]
    lines.append(f"{'target':<48}{'measured':>9}{'limit':>9}{'':>7}spread")
    for target in targets:
        sign = "<" if target.strict else "<="
        verdict = "pass" if target.met else "FAIL"
        lines.append(
            f"{target.what:<48}{target.value:>6.3g}{target.unit:<3}{sign:>4}{target.limit:>5g}  "
            f"{verdict}  {target.spread}"
        )
    return "\n".join(lines)


def run(plan: Plan, tell: Told) -> tuple[list[Row], list[Target], float]:
    roles = list(LABELS)
    if importlib.util.find_spec("inspect_ai") is None:
        tell("inspect_ai is not installed: its rows and the two ratios to them are skipped")
        roles = [role for role in roles if role not in INSPECT_ROLES]
    with tempfile.TemporaryDirectory(prefix="semiosis-overhead-") as folder:
        took = rounds(plan, roles, Path(folder), tell)
    targets = [*ratios(took), help_target()]
    with tempfile.TemporaryDirectory(prefix="semiosis-overhead-") as folder:
        targets.append(memory_target(plan, Path(folder), tell))
    picture_ms = 1000 * median(one["picture_s"] for one in took["semjudge"])
    return [row(role, took[role]) for role in roles], targets, picture_ms


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What semiosis adds to the calls it makes.")
    parser.add_argument("--quick", action="store_true", help="a smoke run, too short to judge by")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--side", type=int, default=1024, help="longest side of the pictures sent, in pixels")
    return parser.parse_args()


def main() -> int:
    chosen = options()
    plan = Plan(**{**asdict(QUICK if chosen.quick else Plan()), "side": chosen.side})
    rows, targets, picture_ms = run(plan, lambda text: print(text, file=sys.stderr, flush=True))
    if chosen.json:
        report = {
            "plan": asdict(plan),
            "rows": [asdict(one) for one in rows],
            "picture_ms": picture_ms,
            "targets": [{**asdict(target), "met": target.met} for target in targets],
        }
        print(json.dumps(report, indent=1))
    else:
        print(table(rows, targets, picture_ms))
    failed = any(one.failures for one in rows) or not all(target.met for target in targets)
    return 0 if chosen.quick else int(failed)


if __name__ == "__main__":
    sys.exit(main())
