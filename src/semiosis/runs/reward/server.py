"""The reward over HTTP, so that the trainer's machine needs neither model nor key.

    await serve(semiosis.reward(method), "127.0.0.1", 8765)
    RemoteReward("http://127.0.0.1:8765")(prompts, images=pictures)

POST /reward with prompts and images, one each a row; GET /health. Nothing a caller sends is taken for a path
or an address of ours: pictures come as data URLs or base64.
"""

import asyncio
import base64
import binascii
import io
import json
import logging
import socket
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, FiniteFloat, ValidationError, model_validator

from ...core.errors import BadPicture, BadSetting, InputError, MissingExtra, SemiosisError, SetupError
from ...core.settings import TIMEOUT
from ...core.sign import Artifact, Prompt
from ...core.value import Value, first_fault
from .reward import Missing, Reward, Rewarded, Rewarding, Row

if TYPE_CHECKING:
    from starlette.applications import Starlette

HOST, PORT = "127.0.0.1", 8765
MAX_BODY_BYTES = 256 * 1024 * 1024
MAX_ROWS = 1024
STOP_S = 5
TIMEOUT_S = 3600.0

# A row as it is sent: prompt, picture, references, group.
Packed = tuple[str, str, tuple[str, ...], str]


class RewardCall(Value):
    """A call. Rows are compared where they agree in prompt, references and group."""

    prompts: Annotated[tuple[str, ...], Field(max_length=MAX_ROWS)]
    images: tuple[str, ...]
    references: tuple[tuple[str, ...], ...] | None = None
    group: tuple[str | int, ...] | None = None

    @model_validator(mode="after")
    def _one_each(self) -> Self:
        for name in ("images", "references", "group"):
            column = getattr(self, name)
            if column is not None and len(column) != len(self.prompts):
                raise ValueError(f"{len(self.prompts)} prompts and {len(column)} {name}, one each is needed")
        return self

    def rows(self) -> list[Row | Missing]:
        return [self._row(number) for number in range(len(self.prompts))]

    def _row(self, number: int) -> Row | Missing:
        references = self.references[number] if self.references else ()
        group = str(self.group[number]) if self.group else ""
        reason = "bad-prompt"
        try:
            prompt = Prompt(text=self.prompts[number], references=tuple(map(_decoded, references)))
            reason = "bad-picture"
            return Row(prompt, _decoded(self.images[number]), group)
        except InputError as error:
            return Missing(row=number, reason=reason, message=str(error))


class RewardAnswer(Value):
    """`failures` has a line for each row without a reward; `counts` is of failures by kind, pairs too."""

    rewards: tuple[FiniteFloat | None, ...]
    failures: tuple[Missing, ...] = ()
    counts: dict[str, int] = {}
    method: str = ""


def _decoded(text: str) -> Artifact:
    if text.startswith("data:"):
        return Artifact.of(text)
    try:
        return Artifact.of(base64.b64decode("".join(text.split()), validate=True))
    except (binascii.Error, ValueError):
        raise BadPicture(
            f"{text[:60]!r} is not a picture: it must be a data URL or base64, since paths and addresses are "
            "not read for a caller."
        ) from None


def app(reward: Reward, *, max_body_bytes: int = MAX_BODY_BYTES) -> "Starlette":
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.routing import Route

    def reply(status: int, /, **content: str) -> Response:
        return Response(json.dumps(content), status, media_type="application/json")

    async def give(request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return reply(415, error="The body must be JSON: send it with Content-Type: application/json.")
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > max_body_bytes:
                return reply(
                    413, error=f"The body is over {max_body_bytes:,} bytes: send fewer rows at once."
                )
        try:
            call = await asyncio.to_thread(RewardCall.model_validate_json, body)
        except ValidationError as error:
            return reply(400, error=f"The body is not a call for rewards: {first_fault(error)}.")
        judging = asyncio.ensure_future(reward.rewarded(await asyncio.to_thread(call.rows)))
        leaving = asyncio.ensure_future(request.receive())
        # A trainer that hangs up wants no more judgments, and somebody pays for them.
        leaving.add_done_callback(lambda _: judging.cancel())
        try:
            result = await judging
        except asyncio.CancelledError:
            return reply(503, error="The reward server was told to end before it could answer.")
        finally:
            leaving.cancel()
        answer = RewardAnswer(
            rewards=result.rewards,
            failures=result.missing,
            counts=dict(result.failures),
            method=reward.method.label,
        )
        return Response(answer.model_dump_json(), media_type="application/json")

    async def health(_: Request) -> Response:
        return reply(200, status="ok", method=reward.method.label, by=reward.by)

    async def in_a_sentence(_: Request, error: Exception) -> Response:
        match error:
            case ClientDisconnect():
                return Response()
            case HTTPException():
                return reply(error.status_code, error="There is only POST /reward and GET /health.")
            case _:
                return reply(503, error=str(error))

    routes = [Route("/reward", give, methods=["POST"]), Route("/health", health)]
    caught = (ClientDisconnect, HTTPException, SemiosisError)
    application = Starlette(routes=routes, exception_handlers=dict.fromkeys(caught, in_a_sentence))
    application.router.redirect_slashes = False
    return application


async def serve(
    reward: Reward, host: str = HOST, port: int = PORT, *, ready: Callable[[str], None] | None = None
) -> None:
    """Until cancelled; calls under way then have a few seconds to end. `ready` is told the address."""
    try:
        from uvicorn import Config, Server

        application = app(reward)
    except ImportError:
        raise MissingExtra("A reward server", extra="serve") from None
    family, name = (socket.AF_INET6, f"[{host}]") if ":" in host else (socket.AF_INET, host)
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        raise SetupError(
            f"{host}:{port} cannot be served: {error.strerror or error}; choose another port."
        ) from None
    config = Config(
        application, ws="none", log_config=None, log_level="error", timeout_graceful_shutdown=STOP_S
    )
    config.load()
    server = Server(config)
    server.lifespan = config.lifespan_class(config)
    # Its own `serve` takes the signals of the whole process, and drops every call when it is cancelled.
    await server.startup([listener])
    try:
        if ready is not None:
            ready(f"http://{name}:{listener.getsockname()[1]}")
        await server.main_loop()
    finally:
        # A call that is cut off is told so; it is no error of the server's.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await server.shutdown([listener])


class RemoteReward(Rewarding):
    """A reward given by `semiosis reward`. One that cannot be reached raises: no reward is not a bad one.

    url         its address, as http://127.0.0.1:8765
    timeout_s   how long one call may take
    name        what a trainer's log calls it
    """

    def __init__(
        self, url: str, *, timeout_s: Annotated[float, TIMEOUT] = TIMEOUT_S, name: str = "semiosis"
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise BadSetting(f"A reward server has an address such as http://{HOST}:{PORT}, not {url!r}.")
        super().__init__(name)
        self._url = url.rstrip("/")
        self._timeout_s = timeout_s

    async def rewarded(self, rows: Sequence[Row | Missing]) -> Rewarded:
        packed = await asyncio.to_thread(lambda: [_packed(n, row) for n, row in enumerate(rows)])
        unusable = [each for each in packed if isinstance(each, Missing)]
        sent = {number: each for number, each in enumerate(packed) if not isinstance(each, Missing)}
        places = list(sent)
        answer = await self._ask(list(sent.values())) if sent else RewardAnswer(rewards=())
        rewards = dict(zip(places, answer.rewards, strict=True))
        failures = [each.model_copy(update={"row": places[each.row]}) for each in answer.failures]
        return Rewarded(
            rewards=tuple(rewards.get(number) for number in range(len(rows))),
            missing=tuple(sorted([*unusable, *failures], key=lambda each: each.row)),
            failures=Counter(each.reason for each in unusable) + Counter(answer.counts),
        )

    async def _ask(self, rows: Sequence[Packed]) -> RewardAnswer:
        if len(rows) > MAX_ROWS:
            raise BadSetting(
                f"A reward server takes {MAX_ROWS:,} rows at once, not {len(rows):,}: send fewer."
            )
        prompts, images, references, group = zip(*rows, strict=True)
        status, body = await self._post(
            RewardCall(prompts=prompts, images=images, references=references, group=group)
        )
        if status != 200:
            raise SetupError(f"The reward server {self._url} said {status}: {_error(body)}")
        try:
            answer = RewardAnswer.model_validate_json(body)
        except ValidationError as error:
            raise SetupError(
                f"{self._url} does not answer as a reward server: {first_fault(error)}."
            ) from None
        missing = [number for number, value in enumerate(answer.rewards) if value is None]
        if len(answer.rewards) != len(rows) or missing != [each.row for each in answer.failures]:
            raise SetupError(f"{self._url} answered {len(rows)} pictures with rewards that do not fit them.")
        return answer

    async def _post(self, call: RewardCall) -> tuple[int, bytes]:
        import aiohttp

        body = io.BytesIO(call.model_dump_json().encode())
        headers = {"Content-Type": "application/json"}
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self._timeout_s)) as session,
                session.post(f"{self._url}/reward", data=body, headers=headers) as response,
            ):
                return response.status, await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise SetupError(
                f"The reward server {self._url} cannot be reached ({str(error) or type(error).__name__}): "
                "start it with `semiosis reward`, or give the address where it runs."
            ) from None


def _packed(number: int, row: Row | Missing) -> Packed | Missing:
    if isinstance(row, Missing):
        return row
    try:
        references = tuple(map(_encoded, row.prompt.references))
        return row.prompt.text, _encoded(row.picture), references, row.group
    except BadPicture as error:
        return Missing(row=number, reason="bad-picture", message=str(error))


def _encoded(artifact: Artifact) -> str:
    return base64.b64encode(artifact.read()).decode("ascii")


def _error(body: bytes) -> str:
    try:
        return str(json.loads(body)["error"])
    except (ValueError, TypeError, KeyError):
        return f"{body[:200]!r}."
