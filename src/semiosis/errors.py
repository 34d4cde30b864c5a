"""What can go wrong before there is an outcome; the tree is drawn in `semiosis.core.errors`."""

from .core.errors import (
    BackboneError,
    BadData,
    BadGraph,
    BadPicture,
    BadPrompt,
    BadRecord,
    BadSetting,
    FailureKind,
    InputError,
    MissingExtra,
    NoFit,
    NoModel,
    SemiosisError,
    SetupError,
    StoreError,
    UnknownName,
)

__all__ = [
    "BackboneError",
    "BadData",
    "BadGraph",
    "BadPicture",
    "BadPrompt",
    "BadRecord",
    "BadSetting",
    "FailureKind",
    "InputError",
    "MissingExtra",
    "NoFit",
    "NoModel",
    "SemiosisError",
    "SetupError",
    "StoreError",
    "UnknownName",
]
