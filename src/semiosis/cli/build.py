"""`semiosis build`: the group of what builds benchmarks."""

COMMANDS = {"build": "build"}


def build() -> None:
    """Build a benchmark of your own, laid out as its authors do.

    Example:

      semiosis build stylebench mine --contents photos --keywords keywords.txt --model openai/gpt-5 --dry-run
    """
