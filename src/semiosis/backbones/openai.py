"""Any OpenAI-compatible server: OpenAI, vLLM, Ollama, llama.cpp, LM Studio, OpenRouter, or your own.

    OpenAI("gpt-5")
    OpenAI("qwen3-vl", base_url="http://127.0.0.1:8000/v1", provider="vllm")

What a server refuses (a schema form, a parameter) is asked again its way, and remembered.
"""

import os
import re
from dataclasses import replace
from typing import Any, cast

from ..core.errors import BackboneError
from .backbone import Finish, Message, Reply, Request, TokenLogprob
from .hosted import count_of, text_of
from .http_errors import retry_after, words
from .openai_batches import OpenAIBatches
from .providers import ProviderSettings, key_of, provider
from .schemas import Dialect, speak

# llama.cpp turns bounds into its grammar; hosted servers refuse keywords they do not know.
_BOUNDED = frozenset({"llamacpp", "ollama", "lmstudio", "custom"})
_TOKEN_FIELDS = ("max_completion_tokens", "max_tokens")
# Who goes on from the beginning of a reply.
_OPENING = frozenset({"llamacpp", "vllm"})
# Who takes batches: OpenAI itself, and no server behind OPENAI_BASE_URL, on this machine or of OpenRouter.
_BATCHING = frozenset({"openai"})
# As many first tokens as OpenAI gives.
TOP_TOKENS = 20
_KEYS = {"openai": "OPENAI_API_KEY", "openrouter": "OPENROUTER_API_KEY"}
_RECORDED = (*_TOKEN_FIELDS, "temperature", "seed", "logprobs", "top_logprobs")
_FINISH: dict[Any, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    None: "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
}


class OpenAI(OpenAIBatches):
    """A model behind an OpenAI-compatible chat completions endpoint.

    `provider` is whose server it is, which decides how it is asked; `known_as` begins the model's name where
    that is not the provider's.
    """

    default_url = "https://api.openai.com/v1"
    _endpoint = "openai-compatible chat completions"
    _complaint = re.compile(r"schema|response_format|json|grammar|structured")
    _droppable = ("temperature", "seed", "logprobs", "repeat_penalty", *_TOKEN_FIELDS)

    def __init__(
        self,
        model: str,
        *,
        provider: str = "openai",
        known_as: str | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 120.0,
    ) -> None:
        self._vendor = known_as or provider
        self._key_variable = _KEYS.get(provider, "")
        self._forms = ("strict", "json", "plain")
        if provider in _BOUNDED:
            self._forms = ("bounded", *self._forms)
        super().__init__(model, base_url=base_url, api_key=api_key, timeout_s=timeout_s)
        self.provider = provider
        if provider == "openrouter":
            self._key_name = self._key_variable
        if provider not in _BATCHING:
            self.max_requests = 0
        self._traits = replace(self._traits, opens=provider in _OPENING)
        self._token_fields = _TOKEN_FIELDS if provider == "openai" else _TOKEN_FIELDS[::-1]

    def _connect(self) -> Any:
        from openai import AsyncOpenAI, DefaultAioHttpClient

        return AsyncOpenAI(
            base_url=self._base_url,
            # Never None: the client would look for a key we then could not keep out of errors.
            api_key=self._api_key or "none",
            timeout=self._timeout_s,
            max_retries=0,
            http_client=DefaultAioHttpClient(),
        )

    async def _send(self, request: Request, body: dict[str, Any]) -> Any:
        # The client walks every argument against its types, which takes over a third of a call's CPU
        # and changes nothing in a body that is plain JSON; `extra_body` it sends as it is.
        return await self._connected().chat.completions.create(model=self.model, messages=[], extra_body=body)

    def _status(self, error: Exception) -> BackboneError | None:
        from openai import APIStatusError

        if not isinstance(error, APIStatusError):
            return None
        # Where the client finds no message in the body, it gives the number only.
        complaint = error.message.removeprefix(f"Error code: {error.status_code}") or error.response.text
        return self._refusal(
            error.status_code,
            words(complaint),
            code=str(error.code or ""),
            retry_after_s=retry_after(error.response.headers.get("retry-after")),
        )

    def _body(self, request: Request, form: str) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [_message(message) for message in request.messages],
        }
        refused = self._manners.refused
        room = next((name for name in self._token_fields if name not in refused), None)
        if room:
            body[room] = self._manners.room(request.max_tokens)
        body |= self._parameters(request)
        if request.answers and "logprobs" not in refused:
            body |= {"logprobs": True, "top_logprobs": TOP_TOKENS}
        if request.opening:
            body["messages"].append({"role": "assistant", "content": request.opening})
            if self.provider == "vllm":
                body |= {"continue_final_message": True, "add_generation_prompt": False}
        if self.provider == "llamacpp" and "repeat_penalty" not in refused:
            # Without it a small model under a grammar repeats one phrase until its bound.
            body["repeat_penalty"] = 1.1
        if request.schema and form in ("strict", "bounded"):
            dialect: Dialect = "strict" if form == "strict" else "bounded"
            schema = speak(request.schema, dialect)
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": request.schema_name, "schema": schema, "strict": True},
            }
        elif request.schema and form == "json":
            body["response_format"] = {"type": "json_object"}
        return body

    def _reply(self, answer: Any, body: dict[str, Any], form: str) -> Reply:
        # The client does not validate what it parsed, so a hostile server can put anything in any field.
        choices: Any = getattr(answer, "choices", None)
        if not isinstance(choices, list) or not choices:
            raise BackboneError("unparsable", f"{self._asked} sent no choices.", reply=words(answer)[:2000])
        choice = cast(Any, choices[0])
        message: Any = getattr(choice, "message", None)
        if message is None:
            raise BackboneError("unparsable", f"{self._asked} sent no message.", reply=words(answer)[:2000])
        content: Any = getattr(message, "content", None)
        refusal: Any = getattr(message, "refusal", None)
        text = content if isinstance(content, str) else ""
        finish: Finish
        reason: Any = getattr(choice, "finish_reason", None)
        if isinstance(refusal, str) and refusal:
            finish, text = "refused", refusal
        elif reason in _FINISH:
            finish = _FINISH[reason]
        else:
            raise BackboneError(
                "unreachable", f"{self._asked} broke off its reply: {reason!r:.80}.", reply=text
            )
        usage: Any = getattr(answer, "usage", None)
        return Reply(
            first_tokens=_first_tokens(choice) if "top_logprobs" in body else None,
            text=_opening(body) + text,
            finish=finish,
            served=text_of(getattr(answer, "model", "")),
            fingerprint=text_of(getattr(answer, "system_fingerprint", "")),
            input_tokens=count_of(getattr(usage, "prompt_tokens", None)),
            output_tokens=count_of(getattr(usage, "completion_tokens", None)),
            parameters={"schema_form": form} | {name: body[name] for name in _RECORDED if name in body},
            logprobs=_logprobs(choice) if "logprobs" in body else None,
        )


def _message(message: Message) -> dict[str, Any]:
    if all(isinstance(part, str) for part in message.parts):
        return {"role": message.role, "content": "\n".join(str(part) for part in message.parts)}
    content: list[dict[str, Any]] = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": part.data_url}}
        for part in message.parts
    ]
    return {"role": message.role, "content": content}


def _opening(body: dict[str, Any]) -> str:
    """What the reply was to go on from; no server that opens replies takes batches, whose bodies are gone."""
    messages: list[dict[str, Any]] = body.get("messages", [])
    return str(messages[-1]["content"]) if messages and messages[-1]["role"] == "assistant" else ""


def _logprobs(choice: Any) -> tuple[TokenLogprob, ...] | None:
    content: Any = getattr(getattr(choice, "logprobs", None), "content", None)
    if not isinstance(content, list):
        return None
    entries: list[Any] = content  # pyright: ignore[reportUnknownVariableType]
    return tuple(TokenLogprob(token=str(entry.token), logprob=float(entry.logprob)) for entry in entries)


def _first_tokens(choice: Any) -> tuple[TokenLogprob, ...] | None:
    """The likeliest tokens of the first step."""
    steps: Any = getattr(getattr(choice, "logprobs", None), "content", None)
    step: Any = cast(Any, steps[0]) if isinstance(steps, list) and steps else None
    likeliest: Any = getattr(step, "top_logprobs", None)
    if not isinstance(likeliest, list):
        return None
    entries: list[Any] = likeliest  # pyright: ignore[reportUnknownVariableType]
    return tuple(TokenLogprob(token=str(entry.token), logprob=float(entry.logprob)) for entry in entries)


@provider(
    "openai",
    about="OpenAI, or the server at OPENAI_BASE_URL",
    keys=("OPENAI_API_KEY",),
    server="$OPENAI_BASE_URL",
    default_model="gpt-6-luna",
    rank=1,
)
def _openai(model: str, settings: ProviderSettings) -> OpenAI:
    base_url = settings.base_url or os.environ.get("OPENAI_BASE_URL")
    return OpenAI(
        model,
        provider="custom" if base_url else "openai",
        known_as="openai",
        base_url=base_url,
        api_key=key_of("openai"),
        timeout_s=settings.timeout_s,
    )


@provider(
    "openrouter",
    about="many hosted models behind one key",
    keys=("OPENROUTER_API_KEY",),
    default_model="google/gemini-3.1-flash-lite",
    rank=4,
)
def _openrouter(model: str, settings: ProviderSettings) -> OpenAI:
    return OpenAI(
        model,
        provider="openrouter",
        base_url=settings.base_url or "https://openrouter.ai/api/v1",
        api_key=key_of("openrouter"),
        timeout_s=settings.timeout_s,
    )


def _local_server(name: str, about: str, server: str) -> None:
    @provider(name, about=about, server=server, rank=5)
    def make(model: str, settings: ProviderSettings) -> OpenAI:
        return OpenAI(
            model, provider=name, base_url=settings.base_url or server, timeout_s=settings.timeout_s
        )


_local_server("ollama", "a running Ollama", "http://127.0.0.1:11434/v1")
_local_server("llamacpp", "a running llama.cpp server", "http://127.0.0.1:8080/v1")
_local_server("lmstudio", "a running LM Studio", "http://127.0.0.1:1234/v1")
_local_server("vllm", "a running vLLM", "http://127.0.0.1:8000/v1")
