"""The terminal: where tables go, and a spinner while something is waited for."""

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console


def console(*, stderr: bool = False) -> Console:

    # Names and models come from outside: nothing in them is markup.
    return Console(stderr=stderr, markup=False, highlight=False)


@contextmanager
def waiting(text: str) -> Generator[None]:
    """A spinner on a terminal; nothing elsewhere."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield
        return
    with err.status(text):
        yield
