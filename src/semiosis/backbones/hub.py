"""Local models from the Hugging Face hub: pulled once, checked, kept.

    pull()                                        the default local model
    pull("owner/repo:model-Q4_K_M.gguf")          any GGUF repository, the projector beside it

A download that stops is taken up where it stopped; a file is only given its name when its SHA-256 is right.
"""

import asyncio
import hashlib
import os
import re
import shutil
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..core.errors import SetupError
from ..core.loop import run
from ..core.secrets import redact

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

ENDPOINT = "https://huggingface.co"
CHUNK = 1024 * 1024

Progress = Callable[[str, int, int], None]  # file name, bytes so far, bytes in all


@dataclass(frozen=True)
class LocalModel:
    """A model's two files on this machine; without a projector it reads text only."""

    gguf: Path
    mmproj: Path | None


@dataclass(frozen=True)
class RemoteFile:
    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class RemoteModel:
    repo: str
    revision: str
    licence: str
    files: tuple[RemoteFile, ...]


# The one place that names the default: 1.5 GB, Apache-2.0 (weights and quantisation by Qwen itself).
DEFAULT = RemoteModel(
    repo="Qwen/Qwen3-VL-2B-Instruct-GGUF",
    revision="52d6c8ffea26cc873ac5ad116f8631268d7eb503",
    licence="Apache-2.0",
    files=(
        RemoteFile(
            "Qwen3VL-2B-Instruct-Q4_K_M.gguf",
            1_107_409_952,
            "089d75c52f4b7ffc56ba998ffc50aae89fcafc755f9e7208aacca281dca6c2ae",
        ),
        RemoteFile(
            "mmproj-Qwen3VL-2B-Instruct-Q8_0.gguf",
            445_053_216,
            "f9a68fabba69c3b81e153367b2c7521030b0fa8bb0de400c9599c8e6725f9c82",
        ),
    ),
)
DEFAULT_LOCAL_MODEL = DEFAULT.repo

# Small enough for a laptop first, then nearest to the original.
_QUANTISATIONS = ("q4_k_m", "q5_k_m", "q4_0", "q6_k", "q8_0", "f16", "bf16")
_PROJECTIONS = ("q8_0", "f16", "bf16", "f32")
_NAME = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+)(?::(?P<file>[\w./-]+\.gguf))?")


def pull(
    model: str = DEFAULT_LOCAL_MODEL,
    *,
    folder: Path | None = None,
    endpoint: str | None = None,
    progress: Progress | None = None,
) -> LocalModel:
    """The model's files on this machine, downloaded as far as they are missing."""
    where = (endpoint or os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")
    return run(_pull(model, folder or models_folder(), where, progress or _silent))


def _silent(file: str, done: int, total: int) -> None:
    pass


@contextmanager
def progress_bar() -> Generator[Progress]:
    """A bar for each file on a terminal's standard error; elsewhere nothing is drawn."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Bars(*columns, console=console, disable=not console.is_terminal) as bars:
        tasks: dict[str, TaskID] = {}

        def show(file: str, done: int, total: int) -> None:
            if file not in tasks:
                tasks[file] = bars.add_task(file, total=total)
            bars.update(tasks[file], completed=done)

        yield show


def find(model: str = DEFAULT_LOCAL_MODEL, *, folder: Path | None = None) -> LocalModel | None:
    """The model as pulled before, or the GGUF file of that path; no network."""
    if model.endswith(".gguf") and Path(model).is_file():
        return LocalModel(Path(model), mmproj_beside(Path(model)))
    repo, file = _parsed(model)
    place = _place(folder or models_folder(), repo)
    kept = [path for path in sorted(place.glob("*.gguf")) if "mmproj" not in path.name.lower()]
    chosen = [path for path in kept if file is None or path.name == Path(file).name]
    return LocalModel(chosen[0], mmproj_beside(chosen[0])) if chosen else None


def mmproj_beside(gguf: Path) -> Path | None:
    """The projector in the same folder: the only one, or the one that shares most of the model's name."""
    found = [path for path in gguf.parent.glob("*.gguf") if "mmproj" in path.name.lower() and path != gguf]

    def shared(path: Path) -> int:
        rest = re.sub(r"[-_.]*mmproj[-_.]*", "", path.name.lower())
        return len(os.path.commonprefix([rest, gguf.name.lower()]))  # noqa: RUF071 - characters are meant

    return max(sorted(found), key=shared) if found else None


def models_folder() -> Path:
    home = os.environ.get("SEMIOSIS_HOME")
    return (Path(home) if home else Path.home() / ".cache" / "semiosis") / "models"


def _parsed(model: str) -> tuple[str, str | None]:
    found = _NAME.fullmatch(model)
    if found is None:
        raise SetupError(f"{model!r} is not a hub model: write owner/repo or owner/repo:file.gguf.")
    return found["repo"], found["file"]


def _place(folder: Path, repo: str) -> Path:
    return folder / repo.replace("/", "--")


async def _pull(model: str, folder: Path, endpoint: str, progress: Progress) -> LocalModel:
    from aiohttp import ClientSession, ClientTimeout

    repo, file = _parsed(model)
    place = _place(folder, repo)
    token = os.environ.get("HF_TOKEN")
    # The client drops this header where the hub redirects to another host.
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    timeout = ClientTimeout(total=None, sock_connect=20, sock_read=60)
    async with ClientSession(headers=headers, timeout=timeout, trust_env=True) as session:
        remote = DEFAULT if model == DEFAULT.repo else await _listed(session, endpoint, repo, file)
        try:
            place.mkdir(parents=True, exist_ok=True)
            _check_room(place, remote)
            base = f"{endpoint}/{repo}/resolve/{remote.revision}"
            with _alone(place):
                # The model last: once it is there, so is its projector, and `find` may trust what it finds.
                paths = [
                    await _fetch(session, base, each, place, progress) for each in reversed(remote.files)
                ]
        except OSError as error:
            raise SetupError(f"{repo} cannot be kept in {place}: {error.strerror or error}.") from None
    return LocalModel(paths[-1], paths[0] if len(paths) > 1 else None)


async def _listed(session: "ClientSession", endpoint: str, repo: str, file: str | None) -> RemoteModel:
    """Which files of a repository to take, with the checksums the hub publishes."""
    async with _answer(session, f"{endpoint}/api/models/{repo}/tree/main?recursive=true", repo) as response:
        body: Any = await response.json()
    entries = cast("list[dict[str, Any]]", body if isinstance(body, list) else [])
    try:
        files = [
            RemoteFile(str(entry["path"]), int(entry["size"]), str(entry["lfs"]["oid"]))
            for entry in entries
            if str(entry.get("path", "")).endswith(".gguf") and entry.get("lfs")
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SetupError(f"The hub's list of files of {repo} does not read: {error!r}.") from None
    projectors = [each for each in files if "mmproj" in each.name.lower()]
    models = [each for each in files if each not in projectors and "-of-" not in each.name]
    chosen = [each for each in models if each.name == file] if file else _nearest(models, _QUANTISATIONS)
    if not chosen:
        raise SetupError(f"{repo} on the hub has no {file or 'single-file GGUF model'}; name another.")
    return RemoteModel(repo, "main", "", (chosen[0], *_nearest(projectors, _PROJECTIONS)[:1]))


def _nearest(files: list[RemoteFile], wanted: tuple[str, ...]) -> list[RemoteFile]:
    def rank(file: RemoteFile) -> tuple[int, int]:
        hits = [place for place, name in enumerate(wanted) if name in file.name.lower()]
        return (min(hits, default=len(wanted)), file.size)

    return sorted(files, key=rank)


@contextmanager
def _alone(place: Path) -> Generator[None]:
    """Two pulls writing one .part would spoil it. The lock ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows, where the second one cannot open the file
        yield
        return
    with (place / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SetupError(f"Another process is pulling into {place}; wait for it to end.") from None
        yield


def _check_room(place: Path, remote: RemoteModel) -> None:
    kept = sum(path.stat().st_size for path in place.iterdir())
    needed = sum(file.size for file in remote.files) - kept
    free = shutil.disk_usage(place).free
    if needed > free:
        raise SetupError(
            f"{remote.repo} needs {needed / 1e9:.1f} GB more in {place}, which has {free / 1e9:.1f} GB free."
        )


async def _fetch(
    session: "ClientSession", base: str, file: RemoteFile, place: Path, progress: Progress
) -> Path:
    final = place / Path(file.name).name
    part = final.with_name(final.name + ".part")
    if final.is_file() and final.stat().st_size == file.size:
        progress(final.name, file.size, file.size)
        return final
    while _size(part) < file.size:
        before = _size(part)
        try:
            await _resume(session, f"{base}/{file.name}", file, part, progress)
        except SetupError:
            # The line broke; as long as each try gets further, the next one is worth making.
            if _size(part) <= before:
                raise
    if await asyncio.to_thread(_sha256, part) != file.sha256:
        part.unlink()
        raise SetupError(
            f"{file.name} does not have the checksum its publisher gives (sha256 {file.sha256[:12]}...) "
            "and was removed; pull it again."
        )
    part.replace(final)
    return final


async def _resume(
    session: "ClientSession", url: str, file: RemoteFile, part: Path, progress: Progress
) -> None:
    at = _size(part)
    headers = {"Range": f"bytes={at}-"} if at else {}
    async with _answer(session, url, file.name, headers) as response:
        resumed = response.status == 206
        done = at if resumed else 0
        with part.open("ab" if resumed else "wb") as sink:
            async for chunk in response.content.iter_chunked(CHUNK):
                sink.write(chunk)
                done += len(chunk)
                progress(Path(file.name).name, min(done, file.size), file.size)
            sink.flush()
            os.fsync(sink.fileno())
    if done < file.size:
        raise SetupError(f"{file.name} ended after {done:,} of {file.size:,} bytes; pull it again.")


@asynccontextmanager
async def _answer(
    session: "ClientSession", url: str, what: str, headers: dict[str, str] | None = None
) -> "AsyncGenerator[ClientResponse]":
    """A good answer of the hub; everything else is one sentence."""
    from aiohttp import ClientConnectorError, ClientError

    host = url.split("/")[2]
    try:
        async with session.get(url, headers=headers) as response:
            if response.status in (401, 403):
                raise SetupError(
                    f"{what} is not open to everyone ({response.status} from {host}): accept its terms there "
                    "and set HF_TOKEN, or name another model."
                )
            if response.status == 404:
                raise SetupError(f"{host} has no {what} (404): check the name.")
            if response.status >= 400:
                raise SetupError(f"{host} answered {response.status} for {what}; pull it again later.")
            yield response
    except ClientConnectorError:
        raise SetupError(
            f"{host} cannot be reached: check the connection, or set HF_ENDPOINT to a mirror."
        ) from None
    except (ClientError, TimeoutError, ValueError) as error:
        cause = redact(str(error) or type(error).__name__, os.environ.get("HF_TOKEN"))[:200]
        raise SetupError(f"{host} broke off {what} ({cause}); pull it again to go on.") from None


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _sha256(path: Path) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
