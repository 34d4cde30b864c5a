"""Many requests at once, answered within a day at half the price.

batches = batches_of(backbone)
batch = await batches.submit({key: request, ...}, label)
while (await batches.progress(batch)).state == "waiting": ...
async for key, outcome in batches.collect(batch): ...
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from ..core.errors import BackboneError
from .backbone import Backbone, Reply, Request
from .wrapper import Wrapper

# What OpenAI, Anthropic and Google ask for a request in a batch, of what they ask for it alone.
BATCH_DISCOUNT = 0.5

BatchState = Literal["waiting", "done", "failed"]


@dataclass(frozen=True)
class BatchProgress:
    """How far a batch is. One that ended early is done if it left results, and failed if it left none."""

    state: BatchState
    done: int = 0
    message: str = ""


@runtime_checkable
class Batches(Protocol):
    """A backbone whose provider takes many requests at once, answers within a day, and asks half the price.

    Every call raises BackboneError where the provider cannot be asked. A key is a SHA-256 in hexadecimal,
    a label is the caller's own name for a batch.
    """

    max_requests: int
    max_bytes: int

    async def submit(self, requests: Mapping[str, Request], label: str) -> str:
        """The provider's name for the batch."""
        ...

    async def find(self, label: str) -> str | None:
        """The batch submitted under this label, if there is one."""
        ...

    async def progress(self, batch: str) -> BatchProgress: ...

    def collect(self, batch: str) -> AsyncIterator[tuple[str, Reply | BackboneError]]:
        """Each key at most once, in any order, as the results arrive.

        A request without a result comes as an error too, unless another process submitted it: then only
        the provider knows its key.
        """
        ...

    def size(self, request: Request) -> int:
        """The bytes a request takes of `max_bytes`."""
        ...


def batches_of(backbone: Backbone) -> Batches | None:
    """The batches of the provider under any wrappers, if it takes them."""
    while isinstance(backbone, Wrapper):
        backbone = backbone.inner
    # One client speaks to servers that take batches and to servers that do not.
    return backbone if isinstance(backbone, Batches) and backbone.max_requests > 0 else None
