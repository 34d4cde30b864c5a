"""Things found by name: methods, benchmarks, providers.

    METHODS: Registry[NamedMethod] = Registry("method", "semiosis.methods")
    METHODS.add("mine", entry)          by a decorator, in a module of that package
    METHODS.find("mine")
    METHODS.load("package.module:Mine") by its place, whatever package it is in

Another package is heard through the entry-point group of the same name. One that cannot be loaded is an error
only where it is named.
"""

import importlib
import pkgutil
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from .errors import UnknownName

T = TypeVar("T")


class Registry(Generic[T]):
    """What registers itself in the modules of `package`; of a folder in it, in all or in its `inside`."""

    def __init__(self, what: str, package: str, *, inside: str = "") -> None:
        self._what = what
        self._package = package
        self._inside = inside
        self._known: dict[str, T] = {}
        self._broken: dict[str, str] = {}
        self._discovered = False

    def add(self, name: str, thing: T) -> None:
        self._known[name] = thing

    def remove(self, name: str) -> T:
        return self._known.pop(name)

    def find(self, name: str) -> T:
        self._discover()
        if name in self._broken:
            raise UnknownName(f"The {self._what} {name} cannot be loaded: {self._broken[name]}.")
        if name not in self._known:
            raise UnknownName.among(self._what, name, self.names())
        return self._known[name]

    def names(self) -> tuple[str, ...]:
        self._discover()
        return tuple(sorted(self._known))

    def values(self) -> tuple[T, ...]:
        self._discover()
        return tuple(self._known.values())

    def load(self, place: str) -> Any:
        """What stands at `module:name`."""
        module, _, attribute = place.partition(":")
        try:
            return getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise UnknownName(f"The {self._what} {place} cannot be loaded: {error}.") from None

    def _discover(self) -> None:
        if self._discovered:
            return
        self._discovered = True
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            self._import(f"{self._package}.{module.name}", folder=module.ispkg)
        for entry in entry_points(group=self._package):
            try:
                entry.load()
            except Exception as error:  # noqa: BLE001 - whatever another package does as it is imported
                self._broken[entry.name] = f"{type(error).__name__}: {error}".rstrip(".")

    def _import(self, name: str, *, folder: bool) -> None:
        if folder and self._inside:
            importlib.import_module(f"{name}.{self._inside}")
            return
        module = importlib.import_module(name)
        for each in pkgutil.iter_modules(module.__path__) if folder else ():
            importlib.import_module(f"{name}.{each.name}")
