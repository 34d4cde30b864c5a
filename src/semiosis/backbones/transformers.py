"""Any Hugging Face image-text-to-text model, inside this process.

    Transformers("HuggingFaceTB/SmolVLM2-2.2B-Instruct")     a hub id, or a folder

Nothing binds what it writes, so the schema goes along as text, and the reply is read like any other.
"""

import io
import json
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from ..core.errors import BackboneError, MissingExtra, SetupError
from .backbone import Message, Reply, Request, Schema, TokenLogprob, Traits
from .families import traits_of
from .inprocess import PATIENCE_S, Over, Slots, answering
from .prices import cost_of
from .providers import ProviderSettings, provider

INSTRUCTION = "Answer with one JSON object of this schema and nothing else:"


class Transformers:
    """Loads when first asked; answers one question at a time. `device` and `dtype` as torch names them."""

    def __init__(
        self,
        model: str | Path,
        *,
        device: str | None = None,
        dtype: str = "auto",
        revision: str | None = None,
        timeout_s: float = PATIENCE_S,
    ) -> None:
        self.model = str(model)
        usual = traits_of(
            str(model), "transformers in this process", identity=f"{Path(model).resolve()} {revision}"
        )
        self._traits = replace(usual, opens=True)
        self._device = device
        self._dtype = dtype
        self._revision = revision
        self._timeout_s = timeout_s
        self._slots = Slots(1, timeout_s)
        self._loading = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    @property
    def name(self) -> str:
        return f"transformers/{Path(self.model).name if Path(self.model).is_dir() else self.model}"

    @property
    def traits(self) -> Traits:
        return self._traits

    def require(self) -> None:
        if not all(find_spec(package) for package in ("torch", "transformers")):
            raise MissingExtra(self.name, extra="transformers")

    async def complete(self, request: Request) -> Reply:
        started, clock = datetime.now(UTC), time.perf_counter()
        with answering(self.name):
            reply = await self._slots.run(lambda over: self._answer(request, over))
        return replace(
            reply,
            latency_s=time.perf_counter() - clock,
            started_at=started.isoformat(timespec="milliseconds"),
        )

    async def aclose(self) -> None:
        """Frees the model; a later question loads it again."""
        self._loaded = None

    def _parts(self) -> tuple[Any, Any]:
        """The processor and the model."""
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> tuple[Any, Any]:
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtra(self.name, extra="transformers") from None
        hugging: Any = transformers
        device = self._device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            processor = hugging.AutoProcessor.from_pretrained(self.model, revision=self._revision)
            model = hugging.AutoModelForImageTextToText.from_pretrained(
                self.model, revision=self._revision, dtype=self._dtype
            )
        except (OSError, ValueError, ImportError) as error:
            reason = str(error).strip().splitlines()[0]
            raise SetupError(f"{self.model} cannot be loaded by transformers: {reason}") from None
        return processor, model.to(device).eval()

    def _answer(self, request: Request, over: Over) -> Reply:
        processor, model = self._parts()
        import torch
        from transformers import StoppingCriteriaList

        try:
            inputs: Any = processor.apply_chat_template(
                _conversation(request),
                add_generation_prompt=not request.opening,
                continue_final_message=bool(request.opening),
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
            ).to(model.device, dtype=model.dtype)
        except (ValueError, TypeError, IndexError, KeyError) as error:
            raise BackboneError("rejected", f"{self.name} cannot be asked this: {error}") from None
        if request.answers:
            return self._weighed(request, inputs)

        def stop(ids: Any, _scores: Any) -> Any:
            return torch.full((ids.shape[0],), over(), device=ids.device)

        if request.seed is not None:
            cast(Any, torch).manual_seed(request.seed)
        sampling = {"do_sample": True, "temperature": request.temperature} if request.temperature else {}
        try:
            with torch.inference_mode():
                output: Any = model.generate(
                    **inputs,
                    **({"do_sample": False} | sampling),
                    max_new_tokens=request.max_tokens,
                    return_dict_in_generate=True,
                    output_logits=request.logprobs,
                    stopping_criteria=StoppingCriteriaList([cast(Any, stop)]),
                )
        except (ValueError, RuntimeError, IndexError) as error:
            raise BackboneError("rejected", f"{self.name} failed to answer: {error}") from None
        if over():
            raise BackboneError("timeout", f"{self.name} did not finish within {self._timeout_s:g} s.")
        prompt_tokens = int(inputs["input_ids"].shape[1])
        written: list[int] = output.sequences[0, prompt_tokens:].tolist()
        ends: Any = model.generation_config.eos_token_id
        ended = written[-1:] == [ends] or (isinstance(ends, list) and written[-1:] and written[-1] in ends)
        return Reply(
            text=request.opening + str(processor.decode(written, skip_special_tokens=True)),
            finish="stop" if ended else "length",
            served=self.model,
            fingerprint=str(getattr(model.config, "_commit_hash", None) or ""),
            input_tokens=prompt_tokens,
            output_tokens=len(written),
            cost_usd=cost_of(self.name, prompt_tokens, len(written)),
            parameters={
                "schema_form": "text" if request.schema else "plain",
                "max_tokens": request.max_tokens,
                "temperature": request.temperature or 0.0,
                "seed": request.seed,
            },
            logprobs=_logprobs(processor, written, output.logits) if request.logprobs else None,
        )

    def _weighed(self, request: Request, inputs: Any) -> Reply:
        """How likely each answer is to begin the reply: the model reads it behind the question."""
        import torch

        processor, model = self._parts()
        asked = int(inputs["input_ids"].shape[1])
        likely: dict[str, float] = {}
        for answer in request.answers:
            tokens = _answer_tokens(processor, request.opening, answer)
            if not tokens:
                raise BackboneError("invalid", f"{answer!r} is no token of {self.name} where it is to stand.")
            try:
                with torch.inference_mode():
                    logits: Any = model(**_lengthened(inputs, tokens)).logits
            except (ValueError, RuntimeError, IndexError, TypeError) as error:
                raise BackboneError("rejected", f"{self.name} failed to answer: {error}") from None
            steps = logits[0, asked - 1 : asked - 1 + len(tokens)].float().log_softmax(dim=-1)
            likely[answer] = float(sum(step[token] for step, token in zip(steps, tokens, strict=True)))
        return Reply(
            text=json.dumps(likely),
            served=self.model,
            fingerprint=str(getattr(model.config, "_commit_hash", None) or ""),
            input_tokens=asked,
            output_tokens=0,
            cost_usd=cost_of(self.name, asked, 0),
            parameters={"answers_by": "all tokens of each"},
            answer_logprobs=likely,
        )


def _answer_tokens(processor: Any, opening: str, answer: str) -> list[int]:
    """Those of the answer as a word after the opening, or as the first of a reply."""
    tokenizer = getattr(processor, "tokenizer", processor)

    def tokens(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    if not opening:
        return tokens(answer)
    before, whole = tokens(opening), tokens(f"{opening} {answer}")
    return whole[len(before) :] if whole[: len(before)] == before else []


def _lengthened(inputs: Any, tokens: list[int]) -> dict[str, Any]:
    """The inputs with these tokens behind them; what a processor tells of each token goes on as for text."""
    import torch

    ids = inputs["input_ids"]
    more = torch.tensor([tokens], device=ids.device, dtype=ids.dtype)
    fillings = {"input_ids": more, "attention_mask": torch.ones_like(more)}
    return {
        name: torch.cat([each, fillings.get(name, torch.zeros_like(more)).to(each.dtype)], dim=1)
        if getattr(each, "shape", None) == ids.shape
        else each
        for name, each in inputs.items()
    }


def _conversation(request: Request) -> list[dict[str, Any]]:
    last = max((at for at, each in enumerate(request.messages) if each.role == "user"), default=-1)
    opening = [Message("assistant", (request.opening,))] if request.opening else []
    return [
        {"role": each.role, "content": _content(each, request.schema if at == last else None)}
        for at, each in enumerate([*request.messages, *opening])
    ]


def _content(message: Message, schema: Schema | None) -> list[dict[str, Any]]:
    from PIL import Image

    content: list[dict[str, Any]] = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image", "image": Image.open(io.BytesIO(part.data)).convert("RGB")}
        for part in message.parts
    ]
    if schema:
        content.append({"type": "text", "text": f"\n\n{INSTRUCTION}\n{json.dumps(schema)}"})
    return content


def _logprobs(processor: Any, written: list[int], logits: Any) -> tuple[TokenLogprob, ...]:
    return tuple(
        TokenLogprob(str(processor.decode([token])), float(step[0].float().log_softmax(dim=-1)[token]))
        for token, step in zip(written, logits, strict=True)
    )


@provider(
    "transformers", about="a Hugging Face model inside this process", needs=("transformers", "transformers")
)
def _transformers(model: str, settings: ProviderSettings) -> Transformers:
    return Transformers(model, timeout_s=max(settings.timeout_s, PATIENCE_S))
