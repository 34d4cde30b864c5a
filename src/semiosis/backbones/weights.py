"""Weights by name: where they lie on this machine, and which ones they are.

    clip = Weights("openai/clip-vit-base-patch32", CLIP_FILES)
    check("clipscore", clip)                one sentence that names all that is missing
    folder = at_hand(clip)

A name is a folder or a hub id. A hub id is looked for under its last part in the folder that SEMIOSIS_WEIGHTS
names, then in the cache of the hub's own client; it is fetched only where a person named it.
"""

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..core.errors import SetupError
from .embeddings import Embeddings
from .hub import hub_client, one_sentence
from .torch_models import is_installed

PLACE = "SEMIOSIS_WEIGHTS"
EXTRA = "pip install 'semiosis[transformers]'"

# Of each choice, one must be there.
Files = tuple[tuple[str, ...], ...]
TENSORS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
TOKENIZER = ("tokenizer.json", "vocab.json", "vocab.txt", "spiece.model")
PROCESSOR = ("preprocessor_config.json", "processor_config.json")
MODEL: Files = (("config.json",), TENSORS)

_HUB_ID = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_COMMIT = re.compile(r"[0-9a-f]{40}")
# What is read beside tensors: configurations and vocabularies.
_WORDS = ("*.json", "*.txt", "*.model")


@dataclass(frozen=True)
class Weights:
    """What a model is loaded from.

    name    a hub id or a folder
    files   what must be there, a choice of names each
    named   whether a person named it, so that it may be fetched
    option  the setting that names it, for messages
    """

    name: str
    files: Files = MODEL
    named: bool = False
    option: str = "weights"

    @property
    def label(self) -> str:
        """The hub id, or the folder's own name: the same on every machine."""
        return self.name if _HUB_ID.fullmatch(self.name) else Path(self.name).name


def found(weights: Weights) -> Path | None:
    """The folder on this machine, without a look at the network; raises where a folder named lacks a file."""
    named = Path(weights.name).expanduser()
    if named.is_dir():
        lacking = _lacking(_names(named), weights.files)
        if lacking:
            raise SetupError(f"The folder {named} has no {lacking}.")
        return named
    if not _HUB_ID.fullmatch(weights.name):
        raise SetupError(f"{weights.name!r} is neither a folder nor a hub id, as owner/name.")
    folders = [_beside(weights.name), _cached(weights)]
    return next((each for each in folders if each and holds(each, weights.files)), None)


def check(what: str, *wanted: Weights) -> None:
    """Raise one sentence that names all that `what` lacks; what a person named is fetched, if that is all."""
    lacking = [] if is_installed() else [EXTRA]
    absent = [each for each in wanted if found(each) is None]
    lacking += [_how_to_get(each) for each in absent if lacking or not each.named]
    if lacking:
        raise SetupError(f"{what} needs what is not on this machine: {'; and '.join(lacking)}.")
    for each in absent:
        _fetch(each)


def at_hand(weights: Weights) -> Path:
    """The folder, fetched if a person named it."""
    folder = found(weights)
    if folder is None and not weights.named:
        raise SetupError(f"{weights.name} is not on this machine: {_how_to_get(weights)}.")
    return folder or _fetch(weights)


def fingerprint(folder: Path, files: Files, embeddings: Embeddings) -> str:
    """What tells these weights from others: the hub's commit, else a hash of the files that decide."""
    if folder.parent.name == "snapshots" and _COMMIT.fullmatch(folder.name):
        return f"{folder.parent.parent.name} {folder.name} {files}"
    hashes = [f"{name} {embeddings.hash_of(folder / name)}" for name in wanted_of(_names(folder), files)]
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def holds(folder: Path, files: Files) -> bool:
    """Whether a folder has one of each choice."""
    return not _lacking(_names(folder), files)


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.is_file()]


def _lacking(listed: Sequence[str], files: Files) -> str:
    return " and no ".join(" or ".join(choice) for choice in files if not set(choice).intersection(listed))


def _beside(name: str) -> Path | None:
    place = os.environ.get(PLACE)
    folder = Path(place).expanduser() / name.rpartition("/")[2] if place else None
    return folder if folder and folder.is_dir() else None


def _cached(weights: Weights) -> Path | None:
    if find_spec("huggingface_hub") is None:
        return None
    import huggingface_hub

    hub: Any = huggingface_hub
    for choice in weights.files:
        for name in choice:
            path = hub.try_to_load_from_cache(weights.name, name, cache_dir=hub.constants.HF_HUB_CACHE)
            if isinstance(path, str):
                return Path(path).parent
    return None


def _fetch(weights: Weights) -> Path:
    """By the hub's own client: of tensors the safe form where there is one, and what is read beside them."""
    hub = hub_client("transformers")
    api = hub.HfApi(endpoint=os.environ.get("HF_ENDPOINT"), library_name="semiosis")
    cache = Path(hub.constants.HF_HUB_CACHE)
    with one_sentence(api.endpoint, weights.name, cache):
        listed = [each.rfilename for each in api.model_info(weights.name, revision="main").siblings]
    lacking = _lacking(listed, weights.files)
    if lacking:
        raise SetupError(f"{weights.name} on the hub has no {lacking}: name other weights.")
    with one_sentence(api.endpoint, weights.name, cache):
        paths = [
            Path(api.hf_hub_download(weights.name, name, revision="main", cache_dir=cache))
            for name in wanted_of(listed, weights.files)
        ]
    return paths[0].parent


def wanted_of(listed: Sequence[str], files: Files) -> list[str]:
    """Of files those that decide: configurations and vocabularies, shards, and last the first of each choice.

    In this order they are fetched: once what is looked for is there, so is all the rest.
    """
    here = sorted(name for name in listed if "/" not in name)
    firsts = [next(name for name in choice if name in here) for choice in files if {*choice} & {*here}]
    words = [name for name in here if any(fnmatch(name, pattern) for pattern in _WORDS)]
    shards = [name for name in here for first in firsts if _is_shard(name, first)]
    return list(dict.fromkeys([*(name for name in words if name not in firsts), *shards, *firsts]))


def _is_shard(name: str, index: str) -> bool:
    stem, _, suffix = index.removesuffix(".index.json").rpartition(".")
    return index.endswith(".index.json") and bool(re.fullmatch(rf"{stem}-\d+-of-\d+\.{suffix}", name))


def _how_to_get(weights: Weights) -> str:
    """Three ways on, the safest first."""
    last = weights.name.rpartition("/")[2]
    return (
        f"the weights {weights.name} (`hf download {weights.name}`, a folder {last} where {PLACE} points, or "
        f"--set {weights.option}={weights.name} to have them downloaded)"
    )
