"""Arguments in each other's place: noticed, and said with the command as it was probably meant."""

import os
import re
import shlex
from collections.abc import Sequence
from urllib.parse import urlsplit

from ..backbones.downloads import is_url
from ..core.errors import BadPicture, BadPrompt
from ..sources.folder import SUFFIXES


def check_prompt_first(command: str, prompt: str, *others: str) -> None:
    """Refuse a picture, or a folder of them, in the prompt's place."""
    takes_folders = command == "rank"

    def shows(argument: str) -> bool:
        return _is_picture(argument) or (takes_folders and os.path.isdir(argument))

    if not shows(prompt):
        return
    texts = [each for each in others if not shows(each)][:1]
    pictures = [prompt, *(each for each in others if each not in texts)]
    correction = shlex.join(["semiosis", command, *(texts or ["PROMPT"]), *pictures])
    nature = "is a file" if os.path.isfile(prompt) else "looks like a picture"
    what = "is a folder" if os.path.isdir(prompt) else nature
    raise BadPrompt(
        f"{prompt} {what}, and the prompt comes first: {correction} "
        "(a prompt that reads like this goes through standard input, as -)."
    )


def check_pictures(arguments: Sequence[str]) -> None:
    """Refuse a text in a picture's place."""
    for each in arguments:
        if not (_is_picture(each) or is_url(each) or os.path.exists(each)):
            correction = shlex.join(["semiosis", "interpret", "--prompt", each])
            raise BadPicture(f"There is no file {each!r}; a text is read with --prompt: {correction}")


def _is_picture(argument: str) -> bool:
    """Whether it is a file, or named as pictures are. A text may end in such a name, but has spaces."""
    if os.path.isfile(argument):
        return True
    path = urlsplit(argument).path if is_url(argument) else argument
    return not re.search(r"\s", argument) and path.lower().endswith(SUFFIXES)
