"""Models of torch in this process: loaded when they are first needed, shared by all who need them.

model = shared(("clip", folder, device), lambda: TorchModel("clip", load, device))
model.run(lambda parts: ...)            off the event loop, without gradients, one at a time on a device
"""

import threading
import weakref
from collections import defaultdict
from collections.abc import Callable, Hashable
from importlib.util import find_spec
from typing import Any, Generic, TypeVar, cast

from ..core.errors import SetupError
from .inprocess import answering

P = TypeVar("P")
V = TypeVar("V")
M = TypeVar("M")

PACKAGES = ("torch", "transformers", "huggingface_hub")

_turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
_shared: "weakref.WeakValueDictionary[Hashable, Any]" = weakref.WeakValueDictionary()
_sharing = threading.Lock()


def is_installed() -> bool:
    """Whether the extra `transformers` is."""
    return all(find_spec(package) for package in PACKAGES)


def shared(key: Hashable, make: Callable[[], M]) -> M:
    """The one of this process under that key; it goes with the last of those who hold it."""
    with _sharing:
        model = _shared.get(key)
        if model is None:
            model = _shared[key] = make()
        return model


def chosen_device(named: str | None) -> str:
    """The device that was named, if it is there; else a graphics card, if one is."""
    import torch

    backends: Any = torch.backends
    there = {"cuda": torch.cuda.is_available(), "mps": backends.mps.is_available(), "cpu": True}
    if named is None:
        return next(kind for kind, is_there in there.items() if is_there)
    try:
        kind = torch.device(named).type
    except RuntimeError:
        raise SetupError(f"{named!r} is no device: name one as torch does, as cuda, cuda:1 or cpu.") from None
    if not there.get(kind, True):
        others = ", ".join(each for each, is_there in there.items() if is_there)
        raise SetupError(f"The device {named} is not on this machine, which has {others}.")
    return named


class TorchModel(Generic[P]):
    """Whatever `load` gives for a device, loaded once and run off the event loop."""

    def __init__(self, name: str, load: Callable[[str], P], device: str | None) -> None:
        self.name = name
        self._load = load
        self._device = device
        self._loading = threading.Lock()
        self._on: tuple[P, str] | None = None

    def parts(self) -> P:
        """What was loaded, and now is if it was not."""
        return self._loaded()[0]

    def run(self, work: Callable[[P, str], V]) -> V:
        """What `work` makes of the loaded parts and their device."""
        parts, device = self._loaded()
        import torch

        with answering(self.name), _turns[device], cast(Any, torch).inference_mode():
            return work(parts, device)

    def _loaded(self) -> tuple[P, str]:
        with self._loading:
            if self._on is None:
                device = chosen_device(self._device)
                with answering(self.name):
                    self._on = (self._load(device), device)
            return self._on
