"""A package's public names, each loaded when it is first used, so that importing the package costs nothing.

__getattr__, __dir__ = late(__name__, {"method": ("Judges", "method"), "..core.sign": ("Pair",)})
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """What a package's `__getattr__` and `__dir__` are, of the `homes` of its names by module."""
    home_of = {name: home for home, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = home_of[name]
        value = getattr(import_module(home if home.startswith(".") else f".{home}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(home_of)
