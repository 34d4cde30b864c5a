"""A real language model (SmolLM2, 135M) in a real llama.cpp, over HTTP and in this process.

Its pictures go through a projector of random weights: it sees, and understands nothing. What is shown is the
path: pictures reach the model, schemas bind its replies, and the replies are read.
"""

import asyncio
import io
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from PIL import Image, ImageDraw
from pydantic import BaseModel, Field

from semiosis.backbones.backbone import Backbone, Message, Reply, Request
from semiosis.backbones.llamacpp import LlamaCpp
from semiosis.backbones.openai import OpenAI
from semiosis.backbones.pictures import Prepared, prepare
from semiosis.backbones.providers import ProviderSettings, find
from semiosis.backbones.query import Query, ValidReply, ask
from semiosis.core.errors import BackboneError, MissingExtra, SetupError
from semiosis.core.outcome import Exchange, Failure
from semiosis.core.sign import Artifact
from smollm2 import SMOLLM2, write_projector

xllamacpp: Any = pytest.importorskip("xllamacpp", reason="the local extra is not installed")

# llama.cpp's threads wait for each other by spinning: two of them on a busy two-core machine take minutes.
THREADS = 1


class Ground(BaseModel):
    type: Literal["iconic", "indexical", "symbolic"]
    reason: str = Field(min_length=1, max_length=200)


class Part(BaseModel):
    label: str = Field(min_length=1, max_length=200)
    sign: str = Field(min_length=1, max_length=200)


class Graph(BaseModel):
    label: str = Field(min_length=1, max_length=200)
    sign: str = Field(min_length=1, max_length=200)
    object: str = Field(min_length=1, max_length=200)
    interpretant: str = Field(min_length=1, max_length=200)
    grounds: list[Ground] = Field(min_length=1, max_length=2)
    children: list[Part] = Field(max_length=2)


def picture(colour: str) -> Prepared:
    image = Image.new("RGB", (64, 64), "white")
    ImageDraw.Draw(image).ellipse((8, 8, 56, 56), fill=colour)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return prepare(Artifact.of(buffer.getvalue()))


RED, BLUE = picture("red"), picture("blue")


@pytest.fixture(scope="module")
def projector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("projector") / "mmproj-random.gguf"
    write_projector(path)
    return path


@pytest.fixture(scope="module")
def address(projector: Path) -> Iterator[str]:
    """llama.cpp's own HTTP server on a free loopback port."""
    params = xllamacpp.CommonParams()
    params.model.path, params.mmproj.path = str(SMOLLM2), str(projector)
    params.n_ctx, params.n_parallel, params.warmup, params.verbosity = 4096, 1, False, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(scope="module")
def embedded(projector: Path) -> LlamaCpp:
    return LlamaCpp(SMOLLM2, mmproj=projector, context=4096, threads=THREADS)


@pytest.fixture(params=["over HTTP", "in this process"])
async def backbone(
    request: pytest.FixtureRequest, address: str, embedded: LlamaCpp
) -> AsyncIterator[Backbone]:
    if request.param == "in this process":
        yield embedded
    else:
        served = OpenAI("smollm2", base_url=address, provider="llamacpp", timeout_s=180)
        yield served
        await served.aclose()


def query(*parts: str | Prepared) -> Query[Graph]:
    messages = (Message("system", ("You read pictures as signs.",)), Message("user", parts))
    return Query(task="graph", stage="graph", messages=messages, reply=Graph, max_tokens=400, temperature=0.0)


def asking(*parts: str | Prepared, max_tokens: int = 24) -> Request:
    return Request(
        messages=(Message("user", parts),), task="look", max_tokens=max_tokens, temperature=0.0, logprobs=True
    )


def first_logprobs(reply: Reply) -> list[float]:
    assert reply.logprobs
    return [entry.logprob for entry in reply.logprobs[:1]]


async def test_a_prompt_becomes_a_graph_of_the_schema(backbone: Backbone):
    log: list[Exchange] = []
    response = await ask(backbone, query('The prompt is: "A burnt-out candle beside a skull."'), log)
    assert isinstance(response, ValidReply), response
    assert response.value.grounds
    assert response.reply.input_tokens
    assert response.reply.output_tokens
    assert response.reply.cost_usd == 0.0
    assert response.reply.parameters["schema_form"] == "bounded"
    assert log[-1].reply == response.reply.text


async def test_two_pictures_become_graphs_of_the_schema(backbone: Backbone):
    response = await ask(backbone, query(RED, BLUE, "Write the graph."), [])
    assert isinstance(response, ValidReply), response
    assert response.value.label


async def test_the_picture_and_nothing_else_changes_what_the_model_expects(backbone: Backbone):
    red, blue, again = [
        await backbone.complete(asking("What do you see?", picture)) for picture in (RED, BLUE, RED)
    ]
    assert first_logprobs(red) != pytest.approx(first_logprobs(blue), abs=1e-2)
    assert [entry.logprob for entry in red.logprobs or ()] == pytest.approx(
        [entry.logprob for entry in again.logprobs or ()], abs=1e-4
    )


async def test_a_cut_reply_is_a_failure(backbone: Backbone):
    short = query("Describe a rose.")
    response = await ask(backbone, Query(**(vars(short) | {"max_tokens": 3})), [])
    assert isinstance(response, Failure)
    assert response.reason == "truncated"


async def test_a_question_longer_than_the_context_is_rejected(backbone: Backbone):
    with pytest.raises(BackboneError, match="context") as caught:
        await backbone.complete(asking("rose " * 6000))
    assert caught.value.kind == "rejected"


def bound_by(schema: dict[str, Any]) -> Request:
    messages = (Message("user", ("Say hello.",)),)
    return Request(messages=messages, task="x", schema=schema, max_tokens=60, logprobs=True)


async def test_a_schema_that_makes_no_grammar_is_rejected_rather_than_ignored(embedded: LlamaCpp):
    with pytest.raises(BackboneError, match="cannot make a grammar of this schema") as caught:
        await embedded.complete(bound_by({"type": "nonsense"}))
    assert caught.value.kind == "rejected"


async def test_json_comes_on_one_line_with_a_logprob_for_every_token(embedded: LlamaCpp):
    words = {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True, "maxItems": 2}
    reply = await embedded.complete(bound_by({"type": "object", "properties": {"words": words}}))
    assert json.loads(reply.text).keys() == {"words"}
    assert "\n" not in reply.text
    assert "".join(entry.token for entry in reply.logprobs or ()) == reply.text


async def test_a_model_without_a_projector_says_that_it_cannot_see(projector: Path):
    blind = LlamaCpp(SMOLLM2)
    with pytest.raises(BackboneError, match="mmproj"):
        await blind.complete(asking("What is this?", RED))


async def test_time_is_up_between_two_tokens(projector: Path):
    hasty = LlamaCpp(SMOLLM2, mmproj=projector, context=1024, threads=THREADS, timeout_s=0.0)
    with pytest.raises(BackboneError) as caught:
        await hasty.complete(asking("Tell a long story.", max_tokens=900))
    assert caught.value.kind == "timeout"
    await hasty.aclose()


async def test_a_cancelled_question_frees_its_slot(embedded: LlamaCpp):
    story = asyncio.create_task(embedded.complete(asking("Tell a long story.", max_tokens=3000)))
    await asyncio.sleep(0)
    story.cancel()
    with pytest.raises(asyncio.CancelledError):
        await story
    reply = await asyncio.wait_for(embedded.complete(asking("Hello.", max_tokens=2)), 20)
    assert reply.finish == "length"


async def test_nobody_else_on_the_machine_can_use_its_port(embedded: LlamaCpp):
    await embedded.complete(asking("Hello.", max_tokens=1))
    body = b'{"messages": [{"role": "user", "content": "Hello."}], "max_tokens": 1}'
    request = urllib.request.Request(f"{embedded._server.listening_address}/v1/chat/completions", data=body)
    with pytest.raises(urllib.error.HTTPError) as caught:
        await asyncio.to_thread(urllib.request.urlopen, request, timeout=10)
    caught.value.close()
    assert caught.value.code == 401


async def test_the_model_can_be_freed_and_asked_again(projector: Path):
    model = LlamaCpp(SMOLLM2, context=1024, slots=2, threads=THREADS)
    both = await asyncio.gather(*(model.complete(asking("Hello.", max_tokens=4)) for _ in range(2)))
    await model.aclose()
    await model.aclose()
    again = await model.complete(asking("Hello.", max_tokens=4))
    await model.aclose()
    assert {reply.text for reply in (*both, again)} == {again.text}
    assert (again.served, model.name) == (SMOLLM2.name, f"local/{SMOLLM2.name}")


def test_files_that_are_no_model_are_said_so(tmp_path: Path):
    with pytest.raises(SetupError, match="semiosis models pull"):
        LlamaCpp(tmp_path / "absent.gguf")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"x" * 1000)
    with pytest.raises(SetupError, match=r"llama.cpp cannot load .*broken.gguf"):
        asyncio.run(LlamaCpp(broken).complete(asking("Hello.")))


@pytest.mark.parametrize("ending", ["", "asyncio.run(model.aclose())", "start_and_leave()"])
def test_leaving_python_does_not_hang(ending: str):
    code = f"""
import asyncio, sys, threading
from semiosis.backbones.backbone import Message, Request
from semiosis.backbones.llamacpp import LlamaCpp
from semiosis.core.loop import run
model = LlamaCpp(sys.argv[1], context=2048, threads={THREADS})
def request(n): return Request(messages=(Message("user", ("Tell a long story.",)),), task="x", max_tokens=n)
def start_and_leave():
    threading.Thread(target=lambda: run(model.complete(request(2000))), daemon=True).start()
print(run(model.complete(request(4))).output_tokens)
{ending}
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(SMOLLM2)], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout.strip(), done.stderr) == ("4", "")


async def test_it_is_found_by_name_and_names_its_extra(monkeypatch: pytest.MonkeyPatch):
    local = find("local")
    assert local.make(str(SMOLLM2), ProviderSettings()).name == f"local/{SMOLLM2.name}"
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    hub = local.make("owner/repo", ProviderSettings())
    assert hub.name == "local/owner/repo"
    with pytest.raises(SetupError, match="cannot be reached"):
        await hub.complete(asking("Hello."))
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match=r"semiosis\[local\]"):
        await LlamaCpp(SMOLLM2).complete(asking("Hello."))
