"""Local models from the Hugging Face hub: pulled once, checked, kept.

    pull()                                        the default local model
    pull("owner/repo:model-Q4_K_M.gguf")          any GGUF repository, the projector beside it

Downloading, resuming, locking, caching and progress are huggingface_hub's, and so are the settings HF_TOKEN,
HF_HUB_OFFLINE and the like.
"""

import os
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ..core.errors import MissingExtra, SetupError


@dataclass(frozen=True)
class LocalModel:
    """A model's two files on this machine; without a projector it reads text only."""

    gguf: Path
    mmproj: Path | None = None


@dataclass(frozen=True)
class RemoteModel:
    repo: str
    revision: str
    licence: str


# The one place that names the default: 1.5 GB, Apache-2.0 (weights and quantisation by Qwen itself).
DEFAULT = RemoteModel(
    repo="Qwen/Qwen3-VL-2B-Instruct-GGUF",
    revision="52d6c8ffea26cc873ac5ad116f8631268d7eb503",
    licence="Apache-2.0",
)
DEFAULT_LOCAL_MODEL = DEFAULT.repo

# Small enough for a laptop first, then nearest to the original.
_QUANTISATIONS = ("q4_k_m", "q5_k_m", "q4_0", "q6_k", "q8_0", "f16", "bf16")
_PROJECTIONS = ("q8_0", "f16", "bf16", "f32")
_NAME = re.compile(r"(?P<repo>\w[\w.-]*/\w[\w.-]*)(?::(?P<file>[\w./-]+\.gguf))?")


def pull(model: str = DEFAULT_LOCAL_MODEL) -> LocalModel:
    """The model's files on this machine, downloaded as far as they are missing, with the hub's checksums."""
    repo, file = _parsed(model)
    cache, revision = models_folder(), _revision(repo)
    api = hub_client().HfApi(endpoint=os.environ.get("HF_ENDPOINT"), library_name="semiosis")
    with one_sentence(api.endpoint, repo, cache):
        listed = api.model_info(repo, revision=revision, files_metadata=True).siblings
        chosen = _chosen({each.rfilename: each.size for each in listed}, file)
    if not chosen:
        raise SetupError(f"{repo} on the hub has no {file or 'single-file GGUF model'}; name another.")
    with one_sentence(api.endpoint, repo, cache):
        # The model last: once it is there, so is its projector, and `find` may trust what it finds.
        paths = {
            name: Path(api.hf_hub_download(repo, name, revision=revision, cache_dir=cache))
            for name in reversed(chosen)
        }
        mismatches = api.verify_repo_checksums(repo, revision=revision, cache_dir=cache).mismatches
    for path in (paths[each["path"]] for each in mismatches if each["path"] in paths):
        path.resolve().unlink()
        path.unlink(missing_ok=True)
        raise SetupError(f"{path.name} does not have the hub's checksum and was removed; pull it again.")
    return LocalModel(*(paths[name] for name in chosen))


def find(model: str = DEFAULT_LOCAL_MODEL) -> LocalModel | None:
    """The model as pulled before, or the GGUF file of that path; no network."""
    if model.endswith(".gguf") and Path(model).is_file():
        return LocalModel(Path(model), mmproj_beside(Path(model)))
    repo, file = _parsed(model)
    try:
        snapshot = Path(
            hub_client().snapshot_download(
                repo, revision=_revision(repo), cache_dir=models_folder(), local_files_only=True
            )
        )
    except (MissingExtra, FileNotFoundError):
        return None
    files = {path.relative_to(snapshot).as_posix(): path.stat().st_size for path in snapshot.rglob("*.gguf")}
    chosen = [snapshot / name for name in _chosen(files, file)]
    return LocalModel(*chosen) if chosen else None


def mmproj_beside(gguf: Path) -> Path | None:
    """The projector in the same folder: the only one, or the one that shares most of the model's name."""
    projectors = [
        path for path in gguf.parent.glob("*.gguf") if "mmproj" in path.name.lower() and path != gguf
    ]

    def shared(path: Path) -> int:
        rest = re.sub(r"[-_.]*mmproj[-_.]*", "", path.name.lower())
        return len(os.path.commonprefix([rest, gguf.name.lower()]))  # noqa: RUF071 - characters are meant

    return max(sorted(projectors), key=shared) if projectors else None


def models_folder() -> Path:
    home = os.environ.get("SEMIOSIS_HOME")
    return (Path(home) if home else Path.home() / ".cache" / "semiosis") / "models"


def hub_client(extra: str = "local") -> Any:
    """huggingface_hub, which comes with that extra."""
    # Read as it is loaded: no word to its makers of what else is installed here.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import huggingface_hub
    except ImportError:
        raise MissingExtra("A model from the hub", extra=extra) from None
    return cast(Any, huggingface_hub)


def _parsed(model: str) -> tuple[str, str | None]:
    name = _NAME.fullmatch(model)
    if name is None:
        raise SetupError(f"{model!r} is not a hub model: write owner/repo or owner/repo:file.gguf.")
    return name["repo"], name["file"]


def _revision(repo: str) -> str:
    return DEFAULT.revision if repo == DEFAULT.repo else "main"


def _chosen(sizes: Mapping[str, int], file: str | None) -> list[str]:
    """Of a repository's files the model and its projector, as far as there are any."""
    ggufs = [name for name in sizes if name.endswith(".gguf")]
    projectors = [name for name in ggufs if "mmproj" in name.lower()]
    models = [name for name in ggufs if name not in projectors and "-of-" not in name]

    def nearest(names: list[str], wanted: tuple[str, ...]) -> list[str]:
        def rank(name: str) -> tuple[int, int]:
            hits = [place for place, each in enumerate(wanted) if each in name.lower()]
            return min(hits, default=len(wanted)), sizes[name]

        return sorted(names, key=rank)[:1]

    model = [name for name in models if name == file] if file else nearest(models, _QUANTISATIONS)
    return model and model + nearest(projectors, _PROJECTIONS)


@contextmanager
def one_sentence(endpoint: str, repo: str, cache: Path) -> Generator[None]:
    """Whatever goes wrong between here and the hub."""
    from huggingface_hub.errors import HfHubHTTPError

    host = endpoint.rsplit("//", maxsplit=1)[-1]
    try:
        yield
    except HfHubHTTPError as error:
        status = cast(Any, error).response.status_code
        if status in (401, 403):
            raise SetupError(
                f"{repo} is not open to everyone, or does not exist ({status} from {host}): check the name, "
                "or accept its terms there and set HF_TOKEN."
            ) from None
        if status == 404:
            raise SetupError(f"{host} has no {repo} (404): check the name.") from None
        raise SetupError(f"{host} answered {status} for {repo}; pull it again later.") from None
    except Exception as error:  # noqa: BLE001 - the hub's client passes on what each of its transports raises
        if isinstance(error, OSError) and error.errno is not None:
            raise SetupError(f"{repo} cannot be kept in {cache}: {error.strerror}.") from None
        cause = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise SetupError(
            f"{host} cannot be reached for {repo}, or does not answer as a hub does ({cause}): check the "
            "connection, or set HF_ENDPOINT to a mirror."
        ) from None
