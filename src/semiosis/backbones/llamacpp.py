"""llama.cpp inside this process: a GGUF model and, to see, its projector.

    LlamaCpp("Qwen3VL-2B-Instruct-Q4_K_M.gguf")     the *mmproj*.gguf beside it is found

A schema becomes a grammar of JSON on one line: a small model free to break lines spends its tokens on them.
"""

import asyncio
import threading
import time
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from ..core.errors import BackboneError, MissingExtra, SetupError
from .backbone import Finish, Message, Reply, Request, Schema, TokenLogprob, Traits
from .families import traits_of
from .hub import find, mmproj_beside, pull
from .inprocess import PATIENCE_S, Over, Slots, answering
from .prices import cost_of
from .providers import ProviderSettings, provider
from .schemas import speak

# https://github.com/guidance-ai/llguidance/blob/main/docs/json_schema.md: JSON on one line, and a keyword it
# does not know is left to the reader of the reply.
GUIDANCE: Schema = {
    "whitespace_flexible": False,
    "item_separator": ", ",
    "key_separator": ": ",
    "lenient": True,
}
ENDPOINT = "llama.cpp in this process"
# Without it a small model under a grammar repeats one phrase until its bound.
REPEAT_PENALTY = 1.1
# As many first tokens as are asked of a server.
TOP_TOKENS = 20


class LlamaCpp:
    """Loads when first asked. `context` is in tokens for each of the `slots` that answer side by side."""

    def __init__(
        self,
        path: str | Path,
        *,
        mmproj: str | Path | None = None,
        context: int = 16_384,
        slots: int = 1,
        threads: int | None = None,
        timeout_s: float = PATIENCE_S,
    ) -> None:
        self.path = Path(path)
        self.mmproj = Path(mmproj) if mmproj else mmproj_beside(self.path)
        for file in (self.path, self.mmproj):
            if file is not None and not file.is_file():
                raise SetupError(f"{file} is not a file: get the default model with `semiosis models pull`.")
        file = self.path.stat()
        identity = f"{self.path.resolve()} {file.st_size} {file.st_mtime_ns}"
        self._traits = traits_of(self.path.name, ENDPOINT, identity=identity)
        self._context = context
        self._n_slots = slots
        self._threads = threads
        self._timeout_s = timeout_s
        self._slots = Slots(slots, timeout_s)
        self._loading = threading.Lock()
        self._server: Any = None

    @property
    def name(self) -> str:
        return f"local/{self.path.name}"

    @property
    def traits(self) -> Traits:
        return self._traits

    async def complete(self, request: Request) -> Reply:
        if request.pictures and self.mmproj is None:
            raise BackboneError(
                "rejected",
                f"{self.name} cannot see: put its *mmproj*.gguf beside it, or name it with mmproj=.",
            )
        body = self._body(request)
        started, clock = datetime.now(UTC), time.perf_counter()
        with answering(self.name):
            reply = await self._slots.run(lambda over: self._answer(body, over))
        return replace(
            reply,
            parameters={
                "schema_form": "bounded" if request.schema else "plain",
                "max_tokens": request.max_tokens,
                "temperature": body["temperature"],
                "seed": request.seed,
                "repeat_penalty": REPEAT_PENALTY,
            },
            latency_s=time.perf_counter() - clock,
            started_at=started.isoformat(timespec="milliseconds"),
        )

    async def aclose(self) -> None:
        """Frees the model; a later question loads it again."""
        server, self._server = self._server, None
        if server is not None:
            # Dropping the last reference stops llama.cpp's threads, which takes a moment: not on the loop.
            holder = [server]
            del server
            await Slots(1, self._timeout_s).run(lambda _: holder.clear())

    def _loaded(self) -> Any:
        with self._loading:
            if self._server is None:
                self._server = self._load()
            return self._server

    def _load(self) -> Any:
        try:
            import xllamacpp
        except ImportError:
            raise MissingExtra(self.name, extra="local") from None
        llama: Any = xllamacpp
        params: Any = llama.CommonParams()
        params.model.path = str(self.path)
        if self.mmproj is not None:
            params.mmproj.path = str(self.mmproj)
        params.n_ctx = self._context * self._n_slots
        params.n_parallel = self._n_slots
        if self._threads:
            params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._threads
        params.warmup = False
        params.verbosity = 0
        params.ui = False
        # It also listens on a loopback port; nobody else on this machine is to use it.
        params.api_keys = [uuid.uuid4().hex]
        try:
            return llama.Server(params)
        except RuntimeError as error:
            files = f"{self.path}" + (f" with {self.mmproj.name}" if self.mmproj else "")
            raise SetupError(
                f"llama.cpp cannot load {files} ({error}): pull it again, or lower context={self._context}."
            ) from None

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "messages": [{"role": each.role, "content": _content(each)} for each in request.messages],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature or 0.0,
            "repeat_penalty": REPEAT_PENALTY,
            "logprobs": request.logprobs,
            # Streamed, so that it can be told to stop between two tokens.
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.answers:
            body |= {"logprobs": True, "top_logprobs": TOP_TOKENS}
        if request.seed is not None:
            body["seed"] = request.seed
        if request.schema:
            body["grammar"] = {**speak(request.schema, "bounded"), "x-guidance": GUIDANCE}
        return body

    def _answer(self, body: dict[str, Any], over: Over) -> Reply:
        chunks: list[dict[str, Any]] = []
        stopped = False

        def take(chunk: dict[str, Any]) -> bool:
            nonlocal stopped
            chunks.append(chunk)
            stopped = over()
            return stopped

        server = self._loaded()
        try:
            if "grammar" in body:
                import xllamacpp

                grammar: Any = cast(Any, xllamacpp).json_schema_to_grammar(body["grammar"])
                body = {**body, "grammar": grammar}
            server.handle_chat_completions(body, take)
        except (ValueError, RuntimeError) as error:
            raise BackboneError("rejected", f"{self.name} rejected the request: {error}") from None
        if stopped:
            raise BackboneError("timeout", f"{self.name} did not finish within {self._timeout_s:g} s.")
        reply = self._reply(chunks)
        if "grammar" in body and not reply.text.startswith("{"):
            # A grammar that does not compile is dropped without a word.
            raise BackboneError(
                "rejected", f"{self.name} cannot make a grammar of this schema.", reply=reply.text
            )
        return reply

    def _reply(self, chunks: list[dict[str, Any]]) -> Reply:
        text, finish, logprobs = "", "", list[TokenLogprob]()
        first_tokens: tuple[TokenLogprob, ...] | None = None
        usage: dict[str, int] = {}
        for chunk in chunks:
            if "error" in chunk:
                complaint = str(chunk["error"].get("message", chunk["error"]))
                raise BackboneError(
                    "rejected", f"{self.name} rejected the request: {complaint}", reply=complaint
                )
            usage = chunk.get("usage") or usage
            for choice in chunk.get("choices", ()):
                text += choice.get("delta", {}).get("content") or ""
                finish = choice.get("finish_reason") or finish
                scores: Any = choice.get("logprobs")
                entries: Any = scores["content"] if scores else ()
                if entries and first_tokens is None and entries[0].get("top_logprobs"):
                    first_tokens = _tokens(entries[0]["top_logprobs"])
                logprobs += _tokens(entries)
        tokens_in, tokens_out = usage.get("prompt_tokens"), usage.get("completion_tokens")
        return Reply(
            text=text,
            finish=_finished(finish, self.name),
            served=self.path.name,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            cost_usd=cost_of(self.name, tokens_in, tokens_out),
            logprobs=tuple(logprobs) or None,
            first_tokens=first_tokens,
        )


def _tokens(entries: list[dict[str, Any]]) -> tuple[TokenLogprob, ...]:
    return tuple(TokenLogprob(entry["token"], entry["logprob"]) for entry in entries)


def _finished(reason: str, name: str) -> Finish:
    if reason in ("stop", "length"):
        return "stop" if reason == "stop" else "length"
    raise BackboneError("unreachable", f"{name} broke off its reply: {reason!r}.")


def _content(message: Message) -> str | list[dict[str, Any]]:
    if all(isinstance(part, str) for part in message.parts):
        return message.text
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": part.data_url}}
        for part in message.parts
    ]


class FromHub:
    """A model by its hub id: looked for on this machine, else downloaded, when it is first asked."""

    def __init__(self, model: str, timeout_s: float) -> None:
        self._model = model
        self._timeout_s = timeout_s
        self._traits = traits_of(model, ENDPOINT)
        self._lock = threading.Lock()
        self._inner: LlamaCpp | None = None

    @property
    def name(self) -> str:
        return f"local/{self._model}"

    @property
    def traits(self) -> Traits:
        return self._traits

    async def complete(self, request: Request) -> Reply:
        inner = await asyncio.to_thread(self._at_hand)
        return await inner.complete(request)

    async def aclose(self) -> None:
        if self._inner is not None:
            await self._inner.aclose()

    def _at_hand(self) -> LlamaCpp:
        with self._lock:
            if self._inner is None:
                files = find(self._model) or pull(self._model)
                self._inner = LlamaCpp(files.gguf, mmproj=files.mmproj, timeout_s=self._timeout_s)
            return self._inner


@provider("local", about="a GGUF model inside this process", needs=("xllamacpp", "local"))
def _local(model: str, settings: ProviderSettings) -> LlamaCpp | FromHub:
    timeout_s = max(settings.timeout_s, PATIENCE_S)
    if model.endswith(".gguf") and ":" not in model:
        return LlamaCpp(model, timeout_s=timeout_s)
    return FromHub(model, timeout_s)
