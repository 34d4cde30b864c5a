"""Google's Gemini API.

    Gemini("gemini-2.5-flash", api_key=...)

A schema is asked for as a JSON schema, else as JSON of any shape, else in words only.
"""

import os
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, cast

from ..core.errors import BackboneError, MissingExtra
from .backbone import Finish, Message, Reply, Request, TokenLogprob
from .gemini_batches import GeminiBatches
from .http_errors import retry_after, words
from .providers import ProviderSettings, key_of, provider
from .schemas import speak

if TYPE_CHECKING:
    from google.genai.types import Candidate, GenerateContentResponse

_FILTERED = re.compile(r"SAFETY|BLOCKLIST|PROHIBITED_CONTENT|SPII|RECITATION|LANGUAGE|MODEL_ARMOR|JAILBREAK")


class Gemini(GeminiBatches):
    """A model behind Google's own endpoint."""

    default_url = "https://generativelanguage.googleapis.com"
    _vendor = "gemini"
    _endpoint = "gemini generateContent"
    _key_variable = "GEMINI_API_KEY"
    _forms = ("schema", "json", "plain")
    _complaint = re.compile(r"schema|json|mime")

    def _connect(self) -> Any:
        from aiohttp import ClientSession

        try:
            from google.genai import Client
            from google.genai.types import HttpOptions, HttpRetryOptions
        except ImportError:
            raise MissingExtra(self.name, extra="gemini") from None

        session = ClientSession(trust_env=True)
        client = Client(
            vertexai=False,
            # Never None: the client would look for a key we then could not keep out of errors.
            api_key=self._api_key or "none",
            http_options=HttpOptions(
                base_url=self._base_url,
                timeout=int(self._timeout_s * 1000),
                # Left out, the client sleeps up to ten seconds and tries a dropped connection again.
                retry_options=HttpRetryOptions(attempts=1),
                aiohttp_client=session,
            ),
        )
        return client, session

    async def _disconnect(self, client: Any) -> None:
        genai, session = client
        await genai.aio.aclose()
        genai.close()
        await session.close()

    def _sent(self, body: dict[str, Any]) -> Collection[str]:
        return {name.removeprefix("response_") for name in body}

    async def _send(self, request: Request, body: dict[str, Any]) -> "GenerateContentResponse":
        genai, _ = self._connected()
        from google.genai.types import GenerateContentConfig

        return await genai.aio.models.generate_content(
            model=self.model,
            contents=self._contents(request),
            config=GenerateContentConfig.model_validate(body),
        )

    def _status(self, error: Exception) -> BackboneError | None:
        from google.genai.errors import APIError

        if not isinstance(error, APIError):
            return None
        details: Any = cast(Any, error).details
        headers: Any = getattr(cast(Any, error).response, "headers", None) or {}
        return self._refusal(
            error.code,
            words(error.message or error.status or details),
            code=str(error.status or "").lower(),
            retry_after_s=retry_after(headers.get("retry-after")) or _retry_info(details),
        )

    def _usual_status(self, status: int, complaint: str) -> int:
        # A wrong key is a 400 here.
        return 401 if status == 400 and "api key" in complaint.lower() else status

    def _contents(self, request: Request) -> list[dict[str, Any]]:
        return [_content(message) for message in request.turns]

    def _body(self, request: Request, form: str) -> dict[str, Any]:
        config = {"max_output_tokens": self._manners.room(request.max_tokens), **self._parameters(request)}
        if request.system:
            config["system_instruction"] = request.system
        if config.pop("logprobs", None):
            config["response_logprobs"] = True
        if request.schema and form in ("schema", "json"):
            config["response_mime_type"] = "application/json"
        if request.schema and form == "schema":
            config["response_json_schema"] = speak(request.schema, "strict")
        return config

    def _reply(self, answer: "GenerateContentResponse", body: dict[str, Any], form: str) -> Reply:
        candidate = answer.candidates[0] if answer.candidates else None
        blocked = answer.prompt_feedback.block_reason if answer.prompt_feedback else None
        if candidate is None and blocked is None:
            raise BackboneError(
                "unparsable", f"{self._asked} sent no candidates.", reply=words(answer)[:2000]
            )
        usage = answer.usage_metadata
        tokens_in = usage.prompt_token_count if usage else None
        tokens_out = usage.candidates_token_count if usage else None
        if usage and usage.thoughts_token_count:
            tokens_out = (tokens_out or 0) + usage.thoughts_token_count
        reason = str(candidate.finish_reason.value) if candidate and candidate.finish_reason else ""
        return Reply(
            text=_said(candidate),
            finish="filtered" if candidate is None else self._finish(reason),
            served=(answer.model_version or "")[:200],
            fingerprint=(answer.response_id or "")[:200],
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            parameters={
                "schema_form": form,
                "max_output_tokens": body.get("max_output_tokens"),
                "temperature": body.get("temperature"),
                "seed": body.get("seed"),
                "finish_reason": f"prompt blocked: {blocked.value}"
                if candidate is None and blocked
                else reason,
            },
            logprobs=_logprobs(candidate) if body.get("response_logprobs") else None,
        )

    def _finish(self, reason: str) -> Finish:
        if reason in ("MAX_TOKENS", "CONTINUATION"):
            return "length"
        if _FILTERED.search(reason):
            return "filtered"
        if reason != "STOP":
            raise BackboneError(
                "unreachable", f"{self._asked} broke off its reply: {reason or 'no reason given'}."
            )
        return "stop"


def _content(message: Message) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [
        {"text": part}
        if isinstance(part, str)
        else {"inline_data": {"data": part.data, "mime_type": part.media_type}}
        for part in message.parts
    ]
    return {"role": "model" if message.role == "assistant" else "user", "parts": parts}


def _said(candidate: "Candidate | None") -> str:
    parts = candidate.content.parts if candidate and candidate.content else None
    return "".join(part.text or "" for part in parts or () if not part.thought)


def _logprobs(candidate: "Candidate | None") -> tuple[TokenLogprob, ...] | None:
    result = candidate.logprobs_result if candidate else None
    if result is None or not result.chosen_candidates:
        return None
    return tuple(
        TokenLogprob(token=chosen.token or "", logprob=chosen.log_probability)
        for chosen in result.chosen_candidates
        if chosen.log_probability is not None
    )


def _retry_info(details: Any) -> float | None:
    """Google's own Retry-After: a RetryInfo among the error's details, `"retryDelay": "34.07s"`."""
    delay = re.search(r"""["']retryDelay["']:\s*["'](\d+(?:\.\d+)?)s["']""", words(details))
    return float(delay[1]) if delay else None


@provider(
    "gemini",
    about="Google's own API",
    keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    default_model="gemini-3.1-flash-lite",
    rank=3,
    needs=("google.genai", "gemini"),
)
def _gemini(model: str, settings: ProviderSettings) -> Gemini:
    # The client would find the address by itself, but then no message could name it.
    base_url = settings.base_url or os.environ.get("GOOGLE_GEMINI_BASE_URL")
    return Gemini(model, base_url=base_url, api_key=key_of("gemini"), timeout_s=settings.timeout_s)
