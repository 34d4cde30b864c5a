"""Providers by name: "provider/model" is looked up here.

    @provider("mine", keys=("MINE_API_KEY",))
    def mine(model: str, settings: ProviderSettings) -> Backbone: ...

A provider is one file in this folder, or a function that another package names in the entry-point group
`semiosis.backbones`.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, cast

from ..core.errors import UnknownName
from ..core.registry import Registry
from .backbone import Backbone


@dataclass(frozen=True)
class ProviderSettings:
    """What the caller says about reaching a model, whatever the provider."""

    base_url: str | None = None
    timeout_s: float = 120.0


Make = Callable[[str, ProviderSettings], Backbone]


@dataclass(frozen=True)
class Provider:
    """How a provider is reached, and what `semiosis models` says of it.

    keys            environment variables that hold a key; the first one set is used
    default_model   taken when nothing was named and a key is found
    server          where a local server of this kind usually listens; $NAME for the variable that says where
    needs           a package this provider needs, and the extra that installs it
    rank            the lower, the earlier it is tried when nothing was named
    """

    name: str
    make: Make
    about: str = ""
    keys: tuple[str, ...] = ()
    default_model: str = ""
    server: str = ""
    needs: tuple[str, str] | None = None
    rank: int = 9

    @property
    def listing(self) -> str:
        """The address of a server that can be asked for its models; empty where there is none."""
        return os.environ.get(self.server[1:], "") if self.server.startswith("$") else self.server

    @property
    def key(self) -> str | None:
        return next((value for name in self.keys if (value := os.environ.get(name))), None)

    @property
    def installed(self) -> bool:
        try:
            return self.needs is None or find_spec(self.needs[0]) is not None
        except ModuleNotFoundError:
            return False


PROVIDERS: Registry[Provider] = Registry("provider", "semiosis.backbones")


def provider(
    name: str,
    *,
    about: str = "",
    keys: tuple[str, ...] = (),
    default_model: str = "",
    server: str = "",
    needs: tuple[str, str] | None = None,
    rank: int = 9,
) -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        PROVIDERS.add(name, Provider(name, make, about, keys, default_model, server, needs, rank))
        return make

    return register


def find(name: str) -> Provider:
    return PROVIDERS.find(name)


def load(name: str) -> Make:
    """A maker of backbones named as `module:function`."""
    make: Any = PROVIDERS.load(name)
    if not callable(make):
        raise UnknownName(f"{name} makes no backbone: it must take a model name and settings.")
    return cast("Make", make)


def key_of(name: str) -> str | None:
    return find(name).key


def providers() -> tuple[Provider, ...]:
    return tuple(sorted(PROVIDERS.values(), key=lambda each: (each.rank, each.name)))
