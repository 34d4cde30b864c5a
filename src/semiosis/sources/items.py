"""Rows, whatever held them, as candidates."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice

from ..core.errors import BadRecord, BadSetting, InputError, UnknownName
from ..core.item import BadRow, Candidate, Item, LabelsBy, RowParts, candidate
from ..core.kinds import item_kind, item_kinds
from .cells import id_in, labels_of
from .columns import Columns
from .layouts import Layout, PairLayout, RowContext, recognise
from .pictures import Pictures
from .rows import Reader, SourceRow, bad_row
from .winners import is_plain, is_readable, spelling

LAYOUTS = 16


@dataclass(frozen=True)
class Items:
    """The rows of one source. They may differ in their columns, but the first must be understood."""

    name: str
    read: Reader
    columns: Columns
    pictures: Pictures
    limit: int | None = None
    labels_by: LabelsBy = "unknown"

    def candidates(self) -> Iterator[Candidate | BadRow]:
        return islice(self._candidates(), self.limit)

    def _candidates(self) -> Iterator[Candidate | BadRow]:
        recognised = lru_cache(LAYOUTS)(partial(recognise, self.columns))
        context = RowContext(self.pictures, self.labels_by)
        subject, plain = self.name, True
        self.pictures.look_again()
        for row in self.read():
            if isinstance(row, BadRow):
                yield row
                continue
            try:
                source = self._of_named_kind(row) or self._understood(row, recognised, subject)
            except InputError as error:
                yield _refused(row, error, first=subject == self.name)
                continue
            if plain and isinstance(source, PairLayout) and not is_plain(source.ballot(row)):
                # What the word means is told by its whole column, which was not read yet.
                ballots = (source.ballot(each) for each in self.read() if isinstance(each, SourceRow))
                context = replace(context, spelled=spelling(filter(is_readable, ballots), str(source.winner)))
                plain = False
            try:
                result = source if isinstance(source, Candidate) else source.candidate(row, context)
            except InputError as error:
                result = _refused(row, error, first=subject == self.name)
            subject = "This row"
            yield result

    def _understood(
        self, row: SourceRow, recognised: Callable[[tuple[str, ...], str], Layout], subject: str
    ) -> Layout | Candidate:
        """By its columns, which a kind from elsewhere may know where the usual ones do not."""
        try:
            return recognised(tuple(row.cells), subject)
        except BadSetting:
            candidates = (self._of_kind(item_kind(name), row) for name in item_kinds())
            if first := next(filter(None, candidates), None):
                return first
            raise

    def _of_named_kind(self, row: SourceRow) -> Candidate | None:
        """Of a row that says its kind, where that is one with columns of its own."""
        name = row.cells.get("kind")
        try:
            return self._of_kind(item_kind(name), row) if isinstance(name, str) else None
        except UnknownName:
            return None

    def _of_kind(self, cls: type[Item], row: SourceRow) -> Candidate | None:
        if cls.of_row.__func__ is Item.of_row.__func__:
            return None
        parts = RowParts(
            id=id_in(row.cells.get("id"), row.number),
            labels=labels_of(row.cells, {"id", "kind"}),
            labels_by=self.labels_by,
            picture=lambda cell: self.pictures.find(cell).artifact(),
        )
        try:
            item = cls.of_row(row.cells, parts)
            if item is not None:
                item.model_dump_json()
        except InputError:
            raise
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise BadRecord(f"It is no {cls.__name__}: {str(error).splitlines()[0]}.") from None
        return None if item is None else candidate(item, row.where)


def _refused(row: SourceRow, error: InputError, *, first: bool) -> BadRow:
    if first and isinstance(error, BadSetting):
        raise error
    return bad_row(row.where, str(error))
