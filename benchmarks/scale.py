"""Large runs: 100,000 stored outcomes resumed and shown, a thousand and a million items planned and streamed.

    python benchmarks/scale.py [--outcomes 100000] [--items 1000000]

Everything is timed as a person meets it: a process of its own, from its start to its end. No model is asked:
the method says at once which picture's file name is longer, so that what is measured is the run itself.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PICTURES, PROMPTS = 200, 500


@dataclass(frozen=True)
class Took:
    wall_s: float
    peak_mb: float
    out: str


def command(*words: str, folder: Path) -> Took:
    """`semiosis ...` in its own process; the peak is of that process alone."""
    code = (
        "import resource, sys\n"
        "from semiosis.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\n"
    )
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )
    wall_s = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"semiosis {' '.join(words)} ended with {done.returncode}: {done.stderr[-500:]}")
    return Took(wall_s, int(done.stderr.split()[-1]) / 1024, done.stdout)


def write_pairs(folder: Path, rows: int) -> Path:
    from PIL import Image

    for number in range(PICTURES):
        path = folder / f"{number}.png"
        if not path.exists():
            Image.new("RGB", (32, 32), (number, 255 - number, number * 7 % 256)).save(path)
    path = folder / f"pairs-{rows}.jsonl"
    with path.open("w") as file:
        for number in range(rows):
            a = number % PICTURES
            b = (a + 1 + number // PICTURES % (PICTURES - 1)) % PICTURES
            row: dict[str, Any] = {
                "id": str(number),
                "prompt": f"Prompt {number % PROMPTS}: everything glows, and nothing of it lasts.",
                "a": f"{a}.png",
                "b": f"{b}.png",
                "winner": "a" if number % 3 else "b",
            }
            file.write(json.dumps(row) + "\n")
    return path


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--outcomes", type=int, default=100_000)
    options.add_argument("--items", type=int, default=1_000_000)
    given = options.parse_args()
    results: list[tuple[str, float, str, float]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        few, many = write_pairs(folder, given.outcomes), write_pairs(folder, given.items)
        words = ("run", str(few), "--method", "lengths:Lengths", "--name", "few", "--quiet")
        print(f"storing {given.outcomes:,} outcomes")
        stored = command(*words, folder=folder)
        print(f"  {stored.wall_s:.0f} s, peak {stored.peak_mb:.0f} MB", flush=True)
        resumed = command(*words, "--resume", folder=folder)
        shown = command("runs", "show", "few", "--json", folder=folder)
        results.append((f"resume with {given.outcomes:,} outcomes, nothing to do", resumed.wall_s, "s", 5))
        results.append((f"runs show with {given.outcomes:,} outcomes", shown.wall_s, "s", 2))
        print(f"planning {given.items:,} items")
        planned = command("run", str(many), "--model", "openai/gpt-5", "--dry-run", "--json", folder=folder)
        print(f"  {planned.wall_s:.0f} s, peak {planned.peak_mb:.0f} MB", flush=True)
        small = write_pairs(folder, 1000)
        thousand = command("run", str(small), "--model", "openai/gpt-5", "--dry-run", "--json", folder=folder)
        print(f"streaming {given.items:,} items")
        streamed = command(
            "run", str(many), "--method", "lengths:Lengths", "--name", "many", "--quiet", folder=folder
        )
        print(f"  {streamed.wall_s:.0f} s, {given.items / streamed.wall_s:,.0f} items a second")
        print(f"  peak {streamed.peak_mb:.0f} MB", flush=True)
        results.append((f"{given.items:,} items planned, peak", planned.peak_mb, "MB", 300))
        results.append((f"{given.items:,} items planned", planned.wall_s, "s", 60))
        results.append(("1,000 items planned", thousand.wall_s, "s", 3))
        results.append((f"{given.items:,} items streamed, peak", streamed.peak_mb, "MB", 300))
    for name, value, unit, limit in results:
        verdict = "pass" if value <= limit else "FAIL"
        print(f"{name:<55}{value:>9.2f} {unit:<3} <= {limit:<5} {verdict}")
    print(f"the benchmark itself: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
