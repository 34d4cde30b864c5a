"""Whatever a model in this process does ends as a reply or as a BackboneError."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from semiosis.backbones.backbone import Message, Request
from semiosis.backbones.llamacpp import LlamaCpp
from semiosis.backbones.transformers import Transformers
from semiosis.core.errors import BackboneError

REQUEST = Request((Message("user", ("hi",)),), task="t")
CHUNKS: dict[str, Any] = {
    "a list": [],
    "a number": 7,
    "an error that is a text": {"error": "no"},
    "choices that are null": {"choices": [None]},
    "choices that are a number": {"choices": 7},
    "a usage that is a list": {
        "usage": [1],
        "choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}],
    },
    "text that is none": {"choices": [{"delta": {"content": 7}, "finish_reason": "stop"}]},
}


class Chunky:
    """Stands where llama.cpp stands once its model is loaded."""

    def __init__(self, chunk: Any) -> None:
        self._chunk = chunk

    def handle_chat_completions(self, body: Any, take: Callable[[Any], bool]) -> None:
        take(self._chunk)


@pytest.mark.parametrize("name", CHUNKS)
async def test_a_chunk_of_another_shape_is_a_failure_of_its_call(name: str, tmp_path: Path) -> None:
    (tmp_path / "m.gguf").touch()
    model = LlamaCpp(tmp_path / "m.gguf")
    model._server = Chunky(CHUNKS[name])  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(BackboneError, match=r"^local/m.gguf "):
        await model.complete(REQUEST)


async def test_a_processor_that_breaks_is_a_failure_of_its_call() -> None:
    class Processor:
        def apply_chat_template(self, *_: Any, **__: Any) -> Any:
            raise RecursionError("too deep")

    model = Transformers("owner/model")
    model._loaded = (Processor(), None)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(BackboneError, match="owner/model failed to answer: RecursionError: too deep"):
        await model.complete(REQUEST)
