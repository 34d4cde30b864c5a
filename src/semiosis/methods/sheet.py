"""What there is to know of a method before it is chosen: what it does, what it lacks here, how it is told.

sheet = sheet_of("viescore")
sheet.does, sheet.missing, sheet.settings, sheet.prompts
"""

import io
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from dataclasses import MISSING, Field, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..backbones.backbone import Backbone, Reply, Request, Traits
from ..backbones.rehearsal import RehearsedCall, StandIn
from ..core.errors import BackboneError, SemiosisError
from ..core.loop import run
from ..core.outcome import Outcome
from ..core.sign import Artifact, Pair, Prompt, Question
from ..core.value import Value
from .contract import Method, RegisteredMethod, find
from .template import prompt_of

DOES = {"judge": "judges", "score": "scores", "answer": "answers", "interpret": "reads"}
MODELS = ("backbone", "judge_with")
A_MODEL = "a model: --model provider/model"
ITS_OWN_MODEL = "its own model behind a server"
MOST_CALLS = 200


class MethodSetting(Value):
    """One thing that a method can be told."""

    name: str
    default: str
    about: str = ""


class UsedPrompt(Value):
    """A prompt file that a method sends; the text is empty where it is another package's own."""

    name: str
    sha256: str
    text: str


class MethodSheet(Value):
    """A method by name.

    does        what it can be asked: judges, scores, answers, reads
    better      which way its numbers point, where it gives any; a scorer turns those round that point down
    missing     what this machine lacks to run it, in a sentence; None where it can be run
    unverified  what could not be checked against the authors' own weights, data or prompts
    """

    name: str
    about: str
    does: tuple[str, ...]
    sees_prompt: bool
    better: Literal["higher"] | None
    scale: str
    paper: str
    licence: str
    needs: str
    missing: str | None
    unverified: str
    settings: tuple[MethodSetting, ...] = ()
    prompts: tuple[UsedPrompt, ...] = ()


def sheet_of(name: str, *, model_at_hand: bool = False, whole: bool = True) -> MethodSheet:
    """Of the method of that name; where it is `whole`, with its settings, and its prompts by a rehearsal."""
    registered = find(name)
    cls = registered.cls
    does = tuple(word for capability, word in DOES.items() if callable(getattr(cls, capability, None)))
    card = cls.card
    return MethodSheet(
        name=name,
        about=registered.about,
        does=does,
        sees_prompt=card.sees_prompt,
        better="higher" if "scores" in does else None,
        scale=card.scale,
        paper=card.paper,
        licence=card.licence,
        needs=card.needs,
        missing=_missing(registered, model_at_hand),
        unverified=card.unverified,
        settings=tuple(_settings(registered)) if whole else (),
        prompts=tuple(_prompts(registered)) if whole else (),
    )


class _Unasked:
    """Stands where a model will be."""

    name = "a model"
    traits = Traits(endpoint="none", opens=True)

    async def complete(self, request: Request) -> Reply:
        raise BackboneError("unreachable", "No model is named.")

    async def aclose(self) -> None: ...


def _made(registered: RegisteredMethod, **settings: Any) -> Method:
    unasked = {"backbone": _Unasked()} if "backbone" in registered.settings else {}
    return registered.make(**unasked, **settings)


def _missing(registered: RegisteredMethod, model_at_hand: bool) -> str | None:
    try:
        _made(registered).require()
    except SemiosisError as error:
        return str(error)
    except TypeError as error:
        return f"settings without a default: {error}"
    if model := registered.cls.card.model:
        return f"{ITS_OWN_MODEL}: --model vllm/{model}"
    return A_MODEL if "backbone" in registered.settings and not model_at_hand else None


def _settings(registered: RegisteredMethod) -> Iterator[MethodSetting]:
    told = dict(_described(registered.cls))
    held: tuple[Field[Any], ...] = fields(registered.cls)  # pyright: ignore[reportArgumentType] - a dataclass
    for field in held:
        if field.name in registered.settings and field.name not in MODELS:
            default = "" if field.default is MISSING else _typed(field.default)
            yield MethodSetting(name=field.name, default=default, about=told.get(field.name, ""))


def _typed(default: Any) -> str:
    """As --set takes it."""
    if default is None:
        return "none"
    return str(default).lower() if isinstance(default, bool) else str(default)


def _described(cls: type[Method]) -> Iterator[tuple[str, str]]:
    """What the docstring's lines say of each setting, those of its bases too."""
    for base in reversed(cls.__mro__):
        for line in (base.__doc__ or "").splitlines():
            name, gap, about = line.strip().partition(" ")
            if gap and name.isidentifier() and line.startswith("    "):
                yield name, about.strip()


def _prompts(registered: RegisteredMethod) -> Iterator[UsedPrompt]:
    """Of every kind of asking that it takes part in, by any of its settings in words, each file once."""
    names: dict[str, str] = {}
    for method in _by_words(registered):
        for performance in _performances(method):
            with suppress(Exception):  # whatever another package does
                provenance = run(performance).provenance
                for exchange in provenance.exchanges if provenance else ():
                    names |= {sha256: name for name, sha256 in exchange.prompts.items()}
    for sha256, name in names.items():
        template = prompt_of(sha256)
        yield UsedPrompt(name=name, sha256=sha256, text=template.text if template else "")


def _by_words(registered: RegisteredMethod) -> Iterator[Method]:
    """As it is if nothing is said, and then with each word that one of its settings may be."""
    words = [
        {name: word}
        for name, hint in get_type_hints(registered.cls).items()
        if name in registered.settings and get_origin(hint) is Literal
        for word in get_args(hint)
    ]
    for settings in ({}, *words):
        with suppress(SemiosisError, TypeError):
            yield _made(registered, **settings).with_models(_stood_in)


def _stood_in(backbone: Backbone) -> StandIn:
    calls: list[RehearsedCall] = []
    return StandIn(backbone, calls, most=MOST_CALLS)


def _performances(method: Any) -> Iterator[Coroutine[Any, Any, Outcome]]:
    a, b, content = (_drawn(colour) for colour in ("teal", "maroon", "olive"))
    plain, stylized = Prompt(text="Nothing lasts."), Prompt.stylization("woodcut", content)
    question = Question(question="What is it?", choices={"A": "one", "B": "another"})
    for prompt in (plain, stylized):
        if hasattr(method, "judge"):
            yield method.judge(Pair(prompt, a, b))
        if hasattr(method, "score"):
            yield method.score(prompt, a)
    if hasattr(method, "answer"):
        yield method.answer(question, a)
    if hasattr(method, "interpret"):
        yield method.interpret(a)
        yield method.interpret(plain)


def _drawn(colour: str) -> Artifact:
    from PIL import Image

    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), colour).save(buffer, "PNG")
    return Artifact.of(buffer.getvalue())
