"""Signs: a prompt, a picture by content hash, and the pair that is judged.

Pair(prompt="Nothing lasts.", a="a.png", b=open("b.png", "rb").read())
"""

import base64
import binascii
import hashlib
import io
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, Self, TypeVar, cast

from pydantic import BeforeValidator, FiniteFloat, PrivateAttr, field_validator, model_validator

from .errors import BadPicture, BadPrompt
from .value import Value

MAX_PROMPT_CHARACTERS = 32_000
MAX_FILE_BYTES = 512 * 1024 * 1024

Side = Literal["a", "b"]


def letters(count: int) -> list[str]:
    """What so many pictures are called: a to z, then aa, ab and so on."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return [("" if n < 26 else alphabet[n // 26 - 1]) + alphabet[n % 26] for n in range(count)]


def other(side: Side) -> Side:
    return "b" if side == "a" else "a"


class Artifact(Value):
    """A picture, known by the SHA-256 of its file; made by `Artifact.of`. The bytes stay where they are.

    sha256      of the file's bytes; artifacts of the same bytes are equal
    name        its file name, if it has one
    note        what was done to it on its way here
    """

    sha256: str
    name: str = ""
    note: str = ""
    _load: Callable[[], bytes] | None = PrivateAttr(default=None)
    _place: str = PrivateAttr(default="")

    @classmethod
    def of(cls, source: Any) -> Self:
        """The artifact of `source`: a path, bytes, a data URL, a PIL image, or an artifact.

        Files are read once to be hashed and read again when they are sent, so thousands of artifacts
        cost no memory.
        """
        match source:
            case Artifact():
                return cls._keep(source.sha256, source.name, source._load, source.note, source._place)
            case bytes() | bytearray():
                return cls._held(bytes(source), "")
            case str() if source.startswith("data:"):
                return cls._held(_decode_data_url(source), "")
            case str() | Path():
                return cls._file(Path(source))
            case _ if hasattr(source, "save") and hasattr(source, "getexif"):
                data, note = _encode_pil(source)
                return cls._held(data, str(getattr(source, "filename", "")), note)
            case _:
                raise BadPicture(
                    f"A picture is a path, bytes, a data URL or a PIL image, not {type(source).__name__}."
                )

    @classmethod
    def _keep(
        cls, sha256: str, name: str, load: Callable[[], bytes] | None, note: str = "", place: str = ""
    ) -> Self:
        artifact = cls(sha256=sha256, name=_text(name), note=note)
        artifact._load = load
        artifact._place = _text(place)
        return artifact

    @classmethod
    def _held(cls, data: bytes, name: str, note: str = "") -> Self:
        if not data:
            raise BadPicture("The picture is empty (0 bytes).")
        return cls._keep(hashlib.sha256(data).hexdigest(), name, lambda: data, note)

    @classmethod
    def _file(cls, path: Path) -> Self:
        data = _read(path)
        if not data:
            raise BadPicture(f"{path} is empty (0 bytes).")
        sha256 = hashlib.sha256(data).hexdigest()

        def load() -> bytes:
            again = _read(path)
            if hashlib.sha256(again).hexdigest() != sha256:
                raise BadPicture(f"{path} changed after it was first read; judge it again.")
            return again

        return cls._keep(sha256, path.name, load, place=str(path))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Artifact) and other.sha256 == self.sha256

    def __hash__(self) -> int:
        return hash(self.sha256)

    @property
    def loadable(self) -> bool:
        """Whether its bytes are at hand."""
        return self._load is not None

    @property
    def place(self) -> str:
        """The path it was read from, as given; empty where there was none. It is not stored."""
        return self._place

    def with_bytes(self, load: Callable[[], bytes]) -> Self:
        """The same picture, whose bytes `load` gives."""
        artifact = self.model_copy()
        artifact._load = load
        return artifact

    def read(self) -> bytes:
        """The file's bytes. An artifact that came back from a stored record has none."""
        if self._load is None:
            raise BadPicture(
                f"The bytes of {self.name or 'this picture'} ({self.sha256[:12]}) are not at hand; "
                "give the file again with Artifact.of(path)."
            )
        return self._load()


class Hashed(Protocol):
    """What is known by the SHA-256 of a picture's file."""

    @property
    def sha256(self) -> str: ...


def hashes(*pictures: Hashed) -> tuple[str, ...]:
    return tuple(picture.sha256 for picture in pictures)


V = TypeVar("V", bound=Value)


def with_artifacts(value: V, restored: Callable[[Artifact], Artifact]) -> V:
    """The value with every artifact in it, however deep, in the place of which `restored` gives another."""

    def walked(part: Any) -> Any:
        match part:
            case Artifact():
                return restored(part)
            case Value():
                fields = {name: getattr(part, name) for name in type(part).model_fields}
                others = {name: walked(field) for name, field in fields.items()}
                changes = {name: other for name, other in others.items() if other is not fields[name]}
                return part.model_copy(update=changes) if changes else part
            case tuple():
                parts = cast("tuple[Any, ...]", part)
                others = tuple(walked(each) for each in parts)
                return others if any(a is not b for a, b in zip(others, parts, strict=True)) else parts
            case _:
                return part

    return walked(value)


def distinct_names(artifacts: Sequence[Artifact]) -> list[str]:
    """What to call pictures that are shown together.

    File names where these tell `artifacts` apart, else the paths as given; where both fail, with a hash.
    """
    names = [artifact.name for artifact in artifacts]
    if len(set(names)) < len(names):
        names = [artifact.place or artifact.name for artifact in artifacts]
    times = Counter(names)
    return [
        name if name and times[name] == 1 else f"{name} {artifact.sha256[:8]}".strip()
        for name, artifact in zip(names, artifacts, strict=True)
    ]


def _text(name: str) -> str:
    """A file may be named by bytes that are not text, which could not be stored."""
    return name.encode("utf-8", "replace").decode()


def _read(path: Path) -> bytes:
    try:
        status = path.stat()
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise BadPicture(f"{path} is not a file.")
        if status.st_size > MAX_FILE_BYTES:
            raise BadPicture(f"{path} has {status.st_size:,} bytes; at most {MAX_FILE_BYTES:,} can be read.")
        return path.read_bytes()
    except FileNotFoundError:
        raise BadPicture(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise BadPicture(f"{path} is a folder, not a picture.") from None
    except (OSError, ValueError) as error:
        raise BadPicture(f"{str(path)[:200]} cannot be read: {error}.") from None


def _decode_data_url(url: str) -> bytes:
    head, _, body = url.partition(",")
    if not head.endswith(";base64"):
        raise BadPicture("A data URL must be base64 (data:image/png;base64,...).")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error:
        raise BadPicture("The data URL is not valid base64.") from None


def _encode_pil(image: Any) -> tuple[bytes, str]:
    """The picture as a file that keeps its rotation and its colour profile, and what was done to it."""
    buffer = io.BytesIO()
    # PNG knows no CMYK; it is converted where it is sent, by its profile.
    format = "TIFF" if image.mode == "CMYK" else "PNG"
    plain = image.mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I", "I;16", "CMYK")
    frames = getattr(image, "n_frames", 1)
    notes = [f"first frame of {frames}"] if frames > 1 else []
    notes += [] if plain else [f"{image.mode} converted to RGB"]
    try:
        (image if plain else image.convert("RGB")).save(buffer, format, exif=image.getexif())
    except (ValueError, OSError, SystemError, AttributeError) as error:
        raise BadPicture(f"The PIL image ({image.mode}, {image.size}) cannot be used: {error}.") from None
    return buffer.getvalue(), "; ".join(notes)


def _as_artifact(value: Any) -> Any:
    return cast(Any, value) if isinstance(value, dict) else Artifact.of(value)


Picture = Annotated[Artifact, BeforeValidator(_as_artifact)]


class Prompt(Value):
    """What the maker asked for.

    text        the words, at most 32,000 characters
    references  reference images, any number, each whatever `Artifact.of` takes
    style       where a content picture was to be painted in a style, the words for that style; the content is
                then the one reference, where it is given
    """

    text: str
    references: tuple[Picture, ...] = ()
    style: str | None = None

    @field_validator("text")
    @classmethod
    def _has_words(cls, text: str) -> str:
        if not text.strip():
            raise BadPrompt("The prompt is empty: say what the pictures were made from.")
        if len(text) > MAX_PROMPT_CHARACTERS:
            raise BadPrompt(
                f"The prompt has {len(text):,} characters; at most {MAX_PROMPT_CHARACTERS:,} can be judged."
            )
        return _writable(text, "prompt")

    @model_validator(mode="after")
    def _one_content(self) -> Self:
        if self.style is not None and not (self.style.strip() and self.style in self.text):
            raise BadPrompt("The style is empty, or not in the prompt: make it by Prompt.stylization(style).")
        if self.style is not None and len(self.references) > 1:
            raise BadPrompt("One content picture is painted in a style, and no other reference goes along.")
        return self

    @classmethod
    def stylization(cls, style: str, content: Any = None) -> Self:
        """The task to paint `content`, whatever `Artifact.of` takes, in a style.

        Where it is not given, the words say so.
        """
        if content is None:
            return cls(text=f"A content picture, not shown here, painted in this style: {style}", style=style)
        text = f"Paint the content picture, which is given as the reference, in this style: {style}"
        return cls(text=text, references=(content,), style=style)

    @property
    def identity(self) -> tuple[str, ...]:
        """Its text, and the hashes of its reference images."""
        return (self.text, *hashes(*self.references))

    @property
    def content(self) -> Artifact | None:
        """The picture to be painted in a style; None for any other prompt, or where it is not given."""
        return self.references[0] if self.style is not None and self.references else None


def _writable(text: str, what: str) -> str:
    """Text that can be sent and stored: half a surrogate pair or a NUL cannot."""
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise BadPrompt(f"The {what} holds bytes that are not text (a NUL, or not valid UTF-8).")
    return text


def _as_prompt(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


class Pair(Value):
    """One prompt and the two pictures made from it.

    prompt      a `Prompt`, or its text
    `a`, `b`    two different pictures, each whatever `Artifact.of` takes
    """

    prompt: Annotated[Prompt, BeforeValidator(_as_prompt)]
    a: Picture
    b: Picture

    def __init__(self, prompt: Any, a: Any, b: Any) -> None:
        super().__init__(prompt=prompt, a=a, b=b)  # pyright: ignore[reportCallIssue]

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if self.a.sha256 == self.b.sha256:
            raise BadPicture("A and B are the same picture: there is nothing to compare.")
        return self

    def side(self, side: Side) -> Artifact:
        """The picture of that `side`, "a" or "b"."""
        return self.a if side == "a" else self.b


class Question(Value):
    """Multiple choice over pictures.

    question    the words
    choices     at least two, by the key that answers with them
    boxes       regions the question may speak of, by name: x0, y0, x1, y1 from 0 to 1000, or from 0 to 1
    answer      the key of the right choice, where it is known; it is never shown to a model
    """

    question: str
    choices: dict[str, str]
    boxes: dict[str, tuple[FiniteFloat, FiniteFloat, FiniteFloat, FiniteFloat]] = {}
    answer: str | None = None

    @model_validator(mode="after")
    def _answerable(self) -> Self:
        if not self.question.strip():
            raise BadPrompt("The question is empty.")
        for text in (self.question, *self.choices, *self.choices.values(), *self.boxes):
            _writable(text, "question")
        if len(self.choices) < 2:
            raise BadPrompt("A multiple-choice question needs at least two choices.")
        if self.answer is not None and self.answer not in self.choices:
            raise BadPrompt(f"The answer {self.answer!r} is not among the choices {', '.join(self.choices)}.")
        return self
