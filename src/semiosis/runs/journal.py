"""The store of this process as a journal of replies.

Journaled(backbone, StoreJournal(store))
Journaled(backbone, StoreJournal(store, others))        what one of the others has had answered is not asked
"""

from collections.abc import Sequence

from ..backbones.backbone import Reply, Request
from ..core.errors import BackboneError
from .store import Store


class StoreJournal:
    """The store of this process. A write takes a fraction of a millisecond, so none is put off.

    A reply that only one of the `others` has is copied from it, so that each store is whole by itself.
    """

    def __init__(self, store: Store, others: Sequence[Store] = ()) -> None:
        self._store = store
        self._others = [other for other in others if other is not store]

    async def reply(self, key: str) -> Reply | None:
        reply = self._store.reply(key)
        for other in () if reply else self._others:
            if self._store.copy_reply(key, other):
                return self._store.reply(key)
        return reply

    async def keep(self, key: str, model: str, request: Request, reply: Reply) -> None:
        self._store.keep(key, model, request, reply)

    async def mark_useless(self, key: str) -> None:
        self._store.mark_useless(key)

    async def note_error(self, key: str, model: str, request: Request, error: BackboneError) -> None:
        self._store.note_error(key, model, request, error)
