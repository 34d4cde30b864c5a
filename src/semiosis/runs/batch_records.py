"""Which batches a run has with a provider, from before they leave until their replies are here."""

from collections.abc import Sequence
from dataclasses import dataclass

from .store import Store, now


@dataclass(frozen=True)
class OpenBatch:
    """A batch that was not collected: `batch` is the provider's name of it, where it is known, and `keys`
    are the calls that have no reply yet."""

    label: str
    batch: str | None
    keys: set[str]


@dataclass(frozen=True)
class BatchRecords:
    """Those of one model, in the run's store, by our own label."""

    store: Store
    model: str

    def begin(self, label: str, keys: Sequence[str]) -> None:
        """Before it is submitted, so that it is known whatever happens then."""
        with self.store.writes() as connection:
            connection.execute(
                "insert into batches (label, model, submitted_at) values (?, ?, ?)",
                (label, self.model, now()),
            )
            connection.executemany("insert into batch_calls values (?, ?)", [(label, key) for key in keys])

    def name(self, label: str, batch: str) -> None:
        """Keep what the provider calls it."""
        self.store.execute("update batches set batch = ? where label = ?", (batch, label))

    def end(self, label: str) -> None:
        """Its replies are here."""
        self.store.execute("update batches set collected_at = ? where label = ?", (now(), label))

    def forget(self, label: str) -> None:
        """It was never submitted."""
        with self.store.writes() as connection:
            connection.execute("delete from batch_calls where label = ?", (label,))
            connection.execute("delete from batches where label = ?", (label,))

    def unfinished(self) -> list[OpenBatch]:
        batches = self.store.rows(
            "select label, batch from batches where model = ? and collected_at is null", (self.model,)
        )
        unanswered = (
            "select key from batch_calls b where label = ? and not exists"
            " (select 1 from calls c where c.key = b.key and not c.retired)"
        )
        return [
            OpenBatch(label, batch, {key for (key,) in self.store.rows(unanswered, (label,))})
            for label, batch in list(batches)
        ]
