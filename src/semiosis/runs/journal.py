"""The store of this process as a journal of replies.

Journaled(backbone, StoreJournal(store))
"""

from ..backbones.backbone import Reply, Request
from ..core.errors import BackboneError
from .store import Store


class StoreJournal:
    """The store of this process. A write takes a fraction of a millisecond, so none is put off."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def reply(self, key: str) -> Reply | None:
        return self._store.reply(key)

    async def keep(self, key: str, model: str, request: Request, reply: Reply) -> None:
        self._store.keep(key, model, request, reply)

    async def mark_useless(self, key: str) -> None:
        self._store.mark_useless(key)

    async def note_error(self, key: str, model: str, request: Request, error: BackboneError) -> None:
        self._store.note_error(key, model, request, error)
