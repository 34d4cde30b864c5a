"""Things found by name: methods, benchmarks, providers, kinds, pages.

    METHODS: Registry[RegisteredMethod] = Registry("method", "semiosis.methods")
    METHODS.add("mine", entry)          by a decorator, in a module of that package
    METHODS.find("mine")
    METHODS.load("package.module:Mine") by its place, whatever package it is in

Another package is heard through an entry-point group: of the entry's own name when that is looked for, of all
when names are listed. One that cannot be loaded is an error only where it is named.
"""

import importlib
import pkgutil
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

from .errors import SetupError, UnknownName, whereabouts

T = TypeVar("T")


class Registry(Generic[T]):
    """What registers itself in the modules of `package`; of a folder in it, in all or in its `inside`.

    `inside` is a module or a folder of modules; a folder that has none registers nothing.
    """

    def __init__(self, what: str, package: str, *, group: str = "", inside: str = "") -> None:
        self._what = what
        self._package = package
        self._group = group or package
        self._inside = inside
        self._entries: dict[str, T] = {}
        self._broken: dict[str, str] = {}
        self._has_own = False
        self._has_all = False

    def add(self, name: str, entry: T) -> None:
        """Under a name that nothing else has."""
        if self._entries.get(name, entry) != entry:
            raise SetupError(f"There is a {self._what} {name} already: another one needs another name.")
        self._entries[name] = entry

    def remove(self, name: str) -> T:
        return self._entries.pop(name)

    def find(self, name: str) -> T:
        """What has that `name`; raises UnknownName."""
        self._import_own()
        if name not in self._entries:
            self._load_named(name)
        if name not in self._entries:
            self._load_all()
        if name in self._entries:
            return self._entries[name]
        if name in self._broken:
            raise UnknownName(f"The {self._what} {name} cannot be loaded: {self._broken[name]}.")
        raise UnknownName.among(self._what, name, self.names())

    def fault(self, name: str) -> str | None:
        """Why what an entry point of that name stands for could not be loaded, where it could not."""
        return self._broken.get(name)

    def names(self) -> tuple[str, ...]:
        """All there are, those of other packages too."""
        self._load_all()
        return tuple(sorted(self._entries))

    def values(self) -> tuple[T, ...]:
        self._load_all()
        return tuple(self._entries.values())

    def load(self, place: str) -> Any:
        """What stands at `module:name`."""
        module, _, attribute = place.partition(":")
        try:
            return getattr(importlib.import_module(module), attribute)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever another package does
            missing = isinstance(error, ModuleNotFoundError)
            known = isinstance(error, ImportError | AttributeError | ValueError)
            why = error if known else whereabouts(error)
            hint = "; its folder must be on PYTHONPATH (PYTHONPATH=. for the current one)" if missing else ""
            raise UnknownName(f"The {self._what} {place} cannot be loaded: {why}{hint}.") from None

    def _import_own(self) -> None:
        if self._has_own:
            return
        self._has_own = True
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            self._import(f"{self._package}.{module.name}", folder=module.ispkg)

    def _import(self, name: str, *, folder: bool) -> None:
        if folder and self._inside:
            name = f"{name}.{self._inside}"
            spec = find_spec(name)
            if spec is None:
                return
            folder = spec.submodule_search_locations is not None
        module = importlib.import_module(name)
        for each in pkgutil.iter_modules(module.__path__) if folder else ():
            importlib.import_module(f"{name}.{each.name}")

    def _load_named(self, name: str) -> None:
        """A variant, as `name/variant`, is registered with what it is a variant of."""
        if not self._has_all:
            for entry in entry_points(group=self._group):
                if entry.name in (name, name.partition("/")[0]):
                    self._load_entry(entry)

    def _load_all(self) -> None:
        self._import_own()
        if self._has_all:
            return
        self._has_all = True
        for entry in entry_points(group=self._group):
            self._load_entry(entry)

    def _load_entry(self, entry: EntryPoint) -> None:
        try:
            entry.load()
        except Exception as error:  # noqa: BLE001 - whatever another package does as it is imported
            self._broken[entry.name] = f"{type(error).__name__}: {error}".rstrip(".")
