"""What can go wrong before there is an outcome.

    SemiosisError
    ├── InputError            what the caller gave cannot be used
    │   ├── BadPrompt         empty, or too long
    │   ├── BadPicture        missing, not a picture, damaged, too large
    │   ├── BadGraph          a graph that breaks its own rules
    │   ├── BadSetting        settings that contradict each other
    │   ├── BadRecord         a stored record that cannot be read
    │   └── BadData           numbers or labels that a statistic is not defined on
    │       └── NoFit         a model that these data do not determine, or that did not converge
    ├── SetupError            the machine is not ready for what was asked
    │   ├── NoModel           no model named, and none found
    │   ├── UnknownName       no such provider, method or sample
    │   ├── MissingExtra      an optional part is not installed
    │   └── StoreError        a run's store is missing, in use, full, or of another release
    └── BackboneError         a call that gave no usable reply; becomes a Failure

An error's message is one sentence that names the thing, the value and the way out.
"""

import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import ClassVar, Literal, Self

FailureKind = Literal[
    "refused",
    "filtered",
    "truncated",
    "unparsable",
    "invalid",
    "rate-limited",
    "timeout",
    "unreachable",
    "unauthorised",
    "rejected",
    "budget",
    "error",
]


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """What follows a name that is not known, where one that is known looks like it; else nothing."""
    return "".join(f" (did you mean {each}?)" for each in get_close_matches(name, list(names), n=1))


def whereabouts(error: BaseException) -> str:
    """What was raised, with its words, and the line that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    line = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{line}"


class SemiosisError(Exception):
    """The root of the tree."""


class InputError(SemiosisError):
    """What the caller gave cannot be used."""


class BadPrompt(InputError):
    """The prompt is empty or too long."""


class BadPicture(InputError):
    """A picture is missing, damaged, too large, or not a picture."""


class BadGraph(InputError):
    """A graph breaks its own rules."""


class BadSetting(InputError):
    """Settings contradict each other, or make no sense."""


class BadRecord(InputError):
    """A stored record cannot be read."""


class BadData(InputError, ValueError):
    """A statistic is not defined on these numbers or labels."""


class NoFit(BadData):
    """The data do not determine the model, or the fit did not converge."""


class SetupError(SemiosisError):
    """The machine is not ready for what was asked."""


class NoModel(SetupError):
    """No model was named and none was found."""


class UnknownName(SetupError):
    """No such provider, method or sample."""

    @classmethod
    def among(cls, what: str, name: str, names: Iterable[str]) -> Self:
        """There is no method 'semjuge' (did you mean semjudge?); there are direct, gap, semjudge."""
        names = list(names)
        return cls(f"There is no {what} {name!r}{did_you_mean(name, names)}; there are {', '.join(names)}.")


class MissingExtra(SetupError):
    """An optional part is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part: pip install 'semiosis[{extra}]'.")


class StoreError(SetupError):
    """A run's store is missing, in use, full, or of another release."""


class BackboneError(SemiosisError):
    """A call that gave no usable reply. `billable` says whether it may have been charged for all the same."""

    transient: ClassVar[frozenset[FailureKind]] = frozenset({"rate-limited", "timeout", "unreachable"})
    unbilled: ClassVar[frozenset[FailureKind]] = frozenset(
        {"rate-limited", "unauthorised", "rejected", "budget"}
    )

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        retry_after_s: float | None = None,
        reply: str = "",
        billable: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.retry_after_s = retry_after_s
        self.reply = reply
        self.billable = kind not in self.unbilled if billable is None else billable
        self.attempts = 1
        self.charged_usd: float | None = None

    def __reduce__(self) -> "tuple[type[Self], tuple[str, str], dict[str, object]]":
        # Between processes; by default it would be made anew from its message alone.
        return type(self), (self.kind, str(self)), vars(self)

    @property
    def retryable(self) -> bool:
        return self.kind in self.transient
