"""What a build leaves on disk. A file is there whole or not at all, whatever ends the process.

write(path, Contents(...)); read(path, Contents)
"""

import hashlib
import os
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from ....core.errors import BadRecord
from ....core.records import as_json
from ....core.value import Value

V = TypeVar("V", bound=Value)


class Bad(Value):
    """Something given that cannot be used, and why."""

    where: str
    reason: str


def write_bytes(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # One process builds at a time: what has the name was left behind by a kill, or is a stranger's link.
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    with part.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def write_json(path: Path, value: Any) -> None:
    write_bytes(path, (as_json(value, indent=4) + "\n").encode())


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    write_bytes(path, "".join(f"{as_json(row)}\n" for row in rows).encode())


def write(path: Path, value: Value) -> None:
    write_json(path, value.model_dump(mode="json"))


def read(path: Path, kind: type[V]) -> V | None:
    """The value as it was written; None where there is none yet."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise BadRecord(
            f"{path} was changed and does not read ({where}: {fault['msg']}): mend it, or delete it to have "
            "its step made again."
        ) from None


def sha256_of(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
