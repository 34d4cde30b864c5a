"""From what was typed to the things the library takes: texts, pictures, graphs."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from ..backbones.downloads import fetch, is_url
from ..backbones.pictures import size_of
from ..core.errors import BadGraph, BadSetting
from ..core.graph import HSG
from ..core.sign import Artifact, Prompt
from ..core.value import first_fault


def text(argument: str) -> str:
    """The argument itself, or standard input for `-`."""
    if argument != "-":
        return argument

    return sys.stdin.read().replace("\r\n", "\n").removesuffix("\n")


def picture(source: str) -> Artifact:
    """A path or a URL; refused at once when it is not a picture."""
    artifact = fetch(source) if is_url(source) else Artifact.of(source)
    size_of(artifact)
    return artifact


def pictures(sources: Sequence[str] | None) -> tuple[Artifact, ...]:
    return tuple(picture(source) for source in sources or ())


def prompt(words: str, references: Sequence[str] | None, content: str | None) -> Prompt:
    """What the pictures were made from: words with their references, or a style and the content in it."""
    if content is None:
        return Prompt(text=text(words), references=pictures(references))
    if references:
        raise BadSetting("--content names the one picture that is painted in a style: leave --reference out.")
    return Prompt.stylization(text(words), picture(content))


def graph(path: Path | None, of: Literal["prompt", "artifact"]) -> HSG | None:
    """A graph from a file: what `interpret --json` printed, or the graph alone."""
    if path is None:
        return None

    try:
        record = json.loads(path.read_text("utf-8"))
        if "reading" in record and record["reading"]["of"] != of:
            raise BadGraph(f"{path} holds the graph of a {record['reading']['of']}, not of a {of}.")
        return HSG.model_validate(record["reading"]["graph"] if "reading" in record else record)
    except OSError as error:
        raise BadGraph(f"{path} cannot be read: {error}.") from None
    except ValidationError as error:
        raise BadGraph(f"{path} is not a graph: {first_fault(error)}.") from None
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadGraph(f"{path} is not a graph: {error}.") from None
