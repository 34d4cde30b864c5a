"""What a request is known by."""

from collections.abc import Callable
from dataclasses import replace

from semiosis.backbones.backbone import Message, Request
from semiosis.backbones.pictures import prepare
from semiosis.core.sign import Artifact


def test_everything_that_decides_a_reply_is_in_its_hash(png: Callable[..., bytes]) -> None:
    def picture(colour: str) -> Message:
        return Message("user", (prepare(Artifact.of(png(colour))),))

    plain = Request((Message("user", ("x",)),), task="t")
    others = [
        Request((Message("user", ("y",)),), task="t"),
        Request((Message("system", ("x",)),), task="t"),
        Request((picture("red"),), task="t"),
        Request((picture("blue"),), task="t"),
        *(
            replace(plain, **changed)
            for changed in (
                {"schema": {"type": "object"}},
                {"max_tokens": 1},
                {"temperature": 0.5},
                {"seed": 1},
                {"logprobs": True},
                {"repeat": 1},
            )
        ),
    ]
    hashes = {request.sha256 for request in (plain, *others)}
    assert len(hashes) == 1 + len(others)
