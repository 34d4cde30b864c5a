"""What `semiosis --help` costs in a fresh process, with ten benchmarks more than ours.

    python benchmarks/help.py

Ten folders with StyleBench's modules of commands stand beside ours for the time of it, so that help lists
twelve slices. CPU is user and system time of the process, the least of ten.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import semiosis.benchmarks

SLICES, TIMES, LIMIT_S = 10, 10, 0.15
HEAVY = ("pydantic", "numpy")
SCRIPT = """
import os, resource, sys
import semiosis.benchmarks
semiosis.benchmarks.__path__.append(os.environ["SLICES"])
from semiosis.cli import main
sys.argv = ["semiosis", "--help"]
try:
    main()
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(used.ru_utime + used.ru_stime, *sys.modules, file=sys.stderr)
"""


def copy_slices(folder: Path) -> None:
    """StyleBench's modules of commands under ten names, their commands renamed alike."""
    ours = Path(semiosis.benchmarks.__path__[0]) / "stylebench"
    for number in range(SLICES):
        slice_ = folder / f"slice{number}"
        slice_.mkdir()
        for path in ours.glob("*commands.py"):
            source = re.sub(
                r'"(build )?stylebench( \w+)?":', rf'"\1slice{number}\2":', path.read_text("utf-8")
            )
            (slice_ / path.name).write_text(source, "utf-8")


def measure(folder: Path) -> tuple[float, set[str], str]:
    """CPU seconds, what was loaded, what was printed."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "SLICES": str(folder)},
    )
    cpu_s, *loaded = done.stderr.split()
    return float(cpu_s), set(loaded), done.stdout


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="semiosis-help-") as folder:
        copy_slices(Path(folder))
        took = [measure(Path(folder)) for _ in range(TIMES)]
    cpu_s, most_s = min(each[0] for each in took), max(each[0] for each in took)
    _, loaded, page = took[0]
    heavy = [name for name in HEAVY if name in loaded]
    listed = len(re.findall(r"^  slice\d ", page, re.M))
    met = cpu_s <= LIMIT_S and not heavy and listed == SLICES
    verdict = "pass" if met else "FAIL"
    print(
        f"semiosis --help, {listed} slices beside ours, CPU "
        f"{cpu_s:.3f} s (most {most_s:.3f})  <= {LIMIT_S}  {verdict}"
    )
    print(f"loaded of {', '.join(HEAVY)}: {', '.join(heavy) or 'none'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
