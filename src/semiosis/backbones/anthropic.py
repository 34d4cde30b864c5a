"""Anthropic's Messages API.

    Anthropic("claude-sonnet-4-5", api_key=...)

A schema is asked for as structured output, else as a tool the model must call, else in words only.
"""

import json
import os
import re
from typing import Any, cast

from ..core.errors import BackboneError, MissingExtra
from .anthropic_batches import AnthropicBatches
from .backbone import Finish, Message, Reply, Request
from .hosted import count_of, text_of
from .http_errors import retry_after, words
from .providers import ProviderSettings, key_of, provider
from .schemas import speak

_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    "refusal": "refused",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


class Anthropic(AnthropicBatches):
    """A model behind Anthropic's own endpoint."""

    default_url = "https://api.anthropic.com"
    _vendor = "anthropic"
    _endpoint = "anthropic messages"
    _key_variable = "ANTHROPIC_API_KEY"
    _forms = ("structured", "tool", "plain")
    _complaint = re.compile(r"output_config|output[_ ]format|schema|structured|tool|json")
    _droppable = ("temperature",)

    def _connect(self) -> Any:
        try:
            from anthropic import AsyncAnthropic, DefaultAioHttpClient
        except ImportError:
            raise MissingExtra(self.name, extra="anthropic") from None
        return AsyncAnthropic(
            base_url=self._base_url,
            # Never None: the client would look for a key we then could not keep out of errors.
            api_key=self._api_key or "none",
            timeout=self._timeout_s,
            max_retries=0,
            http_client=DefaultAioHttpClient(),
        )

    async def _send(self, request: Request, body: dict[str, Any]) -> Any:
        return await self._connected().messages.create(**body)

    def _status(self, error: Exception) -> BackboneError | None:
        from anthropic import APIStatusError

        if not isinstance(error, APIStatusError):
            return None
        return self._refusal(
            error.status_code,
            words(error.message),
            code=str(error.type or ""),
            retry_after_s=retry_after(error.response.headers.get("retry-after")),
        )

    def _usual_status(self, status: int, complaint: str) -> int:
        return 402 if status == 400 and "credit balance" in complaint else status

    def _body(self, request: Request, form: str) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": self._manners.room(request.max_tokens),
            "messages": [{"role": message.role, "content": _content(message)} for message in request.turns],
        }
        if request.system:
            body["system"] = request.system
        parameters = self._parameters(request)
        if "temperature" in parameters:
            # Gone from API version 2026-10-21 and its client; servers of the version before take it.
            body["extra_body"] = {"temperature": parameters["temperature"]}
        if request.schema and form == "structured":
            schema = speak(request.schema, "strict")
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        elif request.schema and form == "tool":
            name, schema = request.schema_name, speak(request.schema, "strict")
            about = "Give the whole answer here."
            body["tools"] = [{"name": name, "description": about, "input_schema": schema}]
            body["tool_choice"] = {"type": "tool", "name": name}
        return body

    def _reply(self, answer: Any, body: dict[str, Any], form: str) -> Reply:
        # The client does not validate what it parsed, so a hostile server can put anything in any field.
        blocks: Any = getattr(answer, "content", None)
        if not isinstance(blocks, list):
            raise BackboneError("unparsable", f"{self._asked} sent no content.", reply=words(answer)[:2000])
        reason = str(getattr(answer, "stop_reason", ""))
        finish = _FINISH.get(reason)
        if finish is None:
            raise BackboneError("unreachable", f"{self._asked} broke off its reply: {reason[:80]!r}.")
        usage: Any = getattr(answer, "usage", None)
        return Reply(
            text="".join(_said(block) for block in cast("list[Any]", blocks)),
            finish=finish,
            served=text_of(getattr(answer, "model", "")),
            fingerprint=text_of(getattr(answer, "_request_id", "")),
            input_tokens=count_of(getattr(usage, "input_tokens", None)),
            output_tokens=count_of(getattr(usage, "output_tokens", None)),
            parameters={
                "schema_form": form,
                "max_tokens": body.get("max_tokens"),
                "temperature": body.get("extra_body", {}).get("temperature"),
            },
        )


def _content(message: Message) -> list[dict[str, Any]]:
    # An empty text block is a 400.
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {
            "type": "image",
            "source": {"type": "base64", "media_type": part.media_type, "data": part.base64},
        }
        for part in message.parts
        if part != ""
    ]


def _said(block: Any) -> str:
    if getattr(block, "type", None) == "tool_use":
        return json.dumps(getattr(block, "input", None), ensure_ascii=False)
    text: Any = getattr(block, "text", None)
    return text if isinstance(text, str) else ""


@provider(
    "anthropic",
    about="Anthropic's own API",
    keys=("ANTHROPIC_API_KEY",),
    default_model="claude-haiku-5-5",
    rank=2,
    needs=("anthropic", "anthropic"),
)
def _anthropic(model: str, settings: ProviderSettings) -> Anthropic:
    # The client would find the address by itself, but then no message could name it.
    base_url = settings.base_url or os.environ.get("ANTHROPIC_BASE_URL")
    return Anthropic(model, base_url=base_url, api_key=key_of("anthropic"), timeout_s=settings.timeout_s)
