"""A process of a Ray cluster that asks."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from ...backbones.adaptive_limit import Pace, Stopped
from ...backbones.single_flight import together
from ...core.errors import BadPicture, BadSetting, InputError, SemiosisError
from ...core.item import Item, read_item
from ...core.loop import run
from ...core.outcome import Outcome
from ...core.records import dump
from ...core.sign import Artifact, with_artifacts
from ...methods.contract import Method, perform
from ...methods.recipe import Recipe
from ..execution import Equipment
from .cluster import last_line, ray_module
from .ledger import RemoteJournal, RemotePurse

COLUMNS = ("position", "item", "outcome", "bad")
GO_ON = "What was stored is kept: go on with --resume."


class Worker:
    """A process that asks: it makes the method for itself, and gives every row back with what came of it.

    A row without an outcome was not done. Ray calls it from several threads; the work is on one loop.
    """

    def __init__(self, recipe: Recipe, pace: Pace, budgeted: bool, ledger: Any) -> None:
        ray = ray_module()
        self._ledger = ledger
        self._name: str = ray.get(ledger.enlist.remote(ray.get_runtime_context().get_actor_id()))
        self._journal = RemoteJournal(ledger, self._name)
        self._working: set[asyncio.Future[Outcome]] = set()
        self._blocks = 0
        self._stopping = False
        equipment = Equipment(self._journal, pace, RemotePurse(ledger, self._name) if budgeted else None)
        self._paces = equipment.paces
        self._method: Method | None = None
        try:
            method = recipe.make(equipment.equip)
            method.require()
            self._method = method
        except Exception as error:  # noqa: BLE001 - ends the run, in one sentence
            ray.get(ledger.fail.remote(_sentence(error)))
        self._watching = run(self._begin())

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        positions, items = batch["position"].tolist(), batch["item"].tolist()
        outcomes, bad = zip(*run(self._block(items)), strict=True)
        return dict(zip(COLUMNS, (positions, items, list(outcomes), list(bad)), strict=True))

    async def _begin(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        # A ledger that is gone stores nothing: what is in flight is then given up.
        with suppress(ray_module().exceptions.RayError):
            while not await self._ledger.watch.remote(self._name):
                pass
            self._halt()
            while self._in_flight:
                await asyncio.sleep(0.05)
                await self._ledger.watch.remote(self._name)
        self._halt()
        for working in self._working:
            working.cancel()

    def _halt(self) -> None:
        self._stopping = True
        for pace in self._paces:
            pace.stop()

    @property
    def _in_flight(self) -> bool:
        return bool(self._journal.writing) or any(pace.in_flight for pace in self._paces)

    async def _block(self, items: Iterable[str]) -> list[tuple[str, str]]:
        self._blocks += 1
        try:
            done = await together(*(self._one(item) for item in items))
        finally:
            self._blocks -= 1
        # A call may outlive the item that asked for it, and is paid for; after the last block, all this ends.
        while not self._blocks and self._in_flight:
            await asyncio.sleep(0.02)
        return done

    async def _one(self, text: str) -> tuple[str, str]:
        """The outcome's record, or why the item is none; neither, once there is to be no more."""
        if self._method is None or self._stopping:
            return "", ""
        gone = ray_module().exceptions.RayError
        working = asyncio.ensure_future(perform(self._method, self._item(text), gone))
        self._working.add(working)
        try:
            return dump(await working), ""
        except Stopped:
            return "", ""
        except asyncio.CancelledError:
            if not self._stopping:
                raise
            return "", ""
        except Exception as error:  # noqa: BLE001 - ends the run, in one sentence
            if isinstance(error, InputError) and not isinstance(error, BadSetting):
                return "", str(error)
            await self._ledger.fail.remote(_sentence(error))
            return "", ""
        finally:
            self._working.discard(working)

    def _item(self, text: str) -> Item:
        def restored(artifact: Artifact) -> Artifact:
            return artifact.with_bytes(partial(self._picture, artifact.sha256, artifact.name))

        return with_artifacts(read_item(text), restored)

    def _picture(self, sha256: str, name: str) -> bytes:
        data: bytes = ray_module().get(self._ledger.picture.remote(sha256))
        if not data:
            raise BadPicture(f"The picture {name or sha256[:12]} is gone from the folder beside the store.")
        return data


def _sentence(error: Exception) -> str:
    if isinstance(error, SemiosisError):
        return str(error)
    return f"A worker could not go on: {type(error).__name__}: {last_line(error)}. {GO_ON}"
