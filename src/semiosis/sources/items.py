"""Rows, whatever held them, as candidates."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import cast

from ..core.errors import BadPicture, BadRecord, BadSetting, InputError, UnknownName
from ..core.item import BadRow, Candidate, Item, Labels, LabelsBy, RowParts
from ..core.kinds import item_kind, item_kinds
from .cells import id_in, is_missing, labels_of, nested, question_in, score_in, text_in
from .columns import Columns, Layout, PairLayout, QuestionLayout, RatingLayout, recognise
from .draft import Draft, PairDraft, QuestionDraft, RatingDraft
from .fineartbench import Paintings
from .pictures import LocatedPicture, Pictures
from .rows import Reader, SourceRow, bad_row
from .winners import Ballot, Spelling, Winner, by_side, is_plain, is_readable, spelling

LAYOUTS = 16
# Read by layouts, which need no item to know its key.
USUAL_KINDS = frozenset({"pair", "rating", "question"})


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
        layout_of = lru_cache(LAYOUTS)(partial(recognise, self.columns))
        subject = self.name
        spelled: Spelling | None = None
        self.pictures.look_again()
        for row in self.read():
            if isinstance(row, BadRow):
                yield row
                continue
            try:
                if candidate := self._of_named_kind(row):
                    subject = "This row"
                    yield candidate
                    continue
                layout = layout_of(tuple(row.cells), subject)
            except BadSetting as error:
                if candidate := self._of_any_kind(row):
                    yield candidate
                    subject = "This row"
                    continue
                if subject == self.name:
                    raise
                yield bad_row(row.where, str(error))
                continue
            except InputError as error:
                yield bad_row(row.where, str(error))
                continue
            ballot = _ballot(row, layout)
            if spelled is None and isinstance(layout, PairLayout) and not is_plain(ballot):
                # What the word means is told by its whole column, which was not read yet.
                spelled = spelling(filter(is_readable, self._ballots(layout)), str(layout.winner))
            try:
                result = self._draft(row, layout, ballot, spelled or by_side).candidate()
            except BadSetting as error:
                if subject == self.name:
                    raise
                result = bad_row(row.where, str(error))
            except InputError as error:
                result = bad_row(row.where, str(error))
            subject = "This row"
            yield result

    def _of_named_kind(self, row: SourceRow) -> Candidate | None:
        """Of a row that says its kind, where that is one with columns of its own."""
        name = row.cells.get("kind")
        try:
            cls = item_kind(name) if isinstance(name, str) and name not in USUAL_KINDS else None
        except UnknownName:
            return None
        return None if cls is None else self._of_kind(cls, row)

    def _of_any_kind(self, row: SourceRow) -> Candidate | None:
        """Of a row whose columns only a kind from elsewhere knows."""
        kinds = (item_kind(name) for name in item_kinds() if name not in USUAL_KINDS)
        return next((each for cls in kinds if (each := self._of_kind(cls, row))), None)

    def _of_kind(self, cls: type[Item], row: SourceRow) -> Candidate | None:
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
        return None if item is None else Candidate(item.key, row.where, lambda: item, item.kind)

    def _ballots(self, layout: PairLayout) -> Iterator[Ballot]:
        return (_ballot(row, layout) for row in self.read() if isinstance(row, SourceRow))

    def _draft(self, row: SourceRow, layout: Layout, ballot: Ballot, spelled: Spelling) -> Draft:
        cells = row.cells
        id = id_in(cells[layout.id] if layout.id else None, row.number)
        match layout:
            case PairLayout():
                return PairDraft(
                    where=row.where,
                    id=id,
                    prompt=text_in(cells[layout.prompt], layout.prompt, "prompt"),
                    a=self._side(cells, layout, layout.a),
                    b=self._side(cells, layout, layout.b),
                    references=self._references(cells, layout.references),
                    labels=_pair_labels(cells, layout, spelled(ballot)),
                    labels_by=self.labels_by,
                )
            case RatingLayout():
                return RatingDraft(
                    where=row.where,
                    id=id,
                    prompt=text_in(cells[layout.prompt], layout.prompt, "prompt"),
                    picture=self._picture(cells[layout.picture], layout.picture),
                    references=self._references(cells, layout.references),
                    labels=_rating_labels(cells, layout),
                    labels_by=self.labels_by,
                )
            case QuestionLayout():
                question = question_in(cells, layout)
                pictures = self._pictures(cells, layout.pictures)
                read = {layout.question, layout.choices, layout.boxes, layout.id, *layout.pictures}
                labels = labels_of(cells, read) | {"answer": question.answer}
                return QuestionDraft(
                    where=row.where,
                    id=id,
                    question=question,
                    pictures=pictures,
                    labels=labels,
                    labels_by=self.labels_by,
                )

    def _side(self, cells: Mapping[str, object], layout: PairLayout, column: str) -> LocatedPicture:
        return self._picture(self._paintings.file(cells, column) if layout.painted else cells[column], column)

    def _picture(self, cell: object, column: str) -> LocatedPicture:
        if cell is None or cell == "":
            raise BadPicture(f"There is no picture in column {column!r}.")
        return self.pictures.find(cell)

    def _pictures(self, cells: Mapping[str, object], columns: tuple[str, ...]) -> tuple[LocatedPicture, ...]:
        held: list[object] = []
        for column in columns:
            cell = cells[column]
            value = nested(cell) if isinstance(cell, str) else cell
            held += cast("list[object]", value) if isinstance(value, list) else [value]
        pictures = tuple(self.pictures.find(each) for each in held if not is_missing(each))
        if not pictures:
            raise BadPicture("A question is asked of at least one picture, and the row names none.")
        return pictures

    def _references(self, cells: Mapping[str, object], column: str | None) -> tuple[LocatedPicture, ...]:
        cell = cells[column] if column else None
        if cell is None or cell == "":
            return ()
        several = cast("list[object]", cell) if isinstance(cell, list) else [cell]
        return tuple(self.pictures.find(each) for each in several)

    @cached_property
    def _paintings(self) -> Paintings:
        return Paintings.beside(self.pictures.folders)


def _ballot(row: SourceRow, layout: Layout) -> Ballot:
    """What the row says of its winner, and who stood on either side; only a pair has one."""
    if not isinstance(layout, PairLayout) or layout.winner is None:
        return Ballot(row.where, None)
    word = _word(row, layout.winner)
    if layout.models is None:
        return Ballot(row.where, word)
    a, b = layout.models
    return Ballot(row.where, word, _word(row, a), _word(row, b))


def _word(row: SourceRow, column: str) -> str | None:
    cell = row.cells.get(column)
    return None if cell is None else str(cell).strip()


def _pair_labels(cells: Mapping[str, object], layout: PairLayout, winner: Winner | None) -> Labels:
    """Every scalar but the prompt, the pictures and the id; models and winner also by their usual names."""
    read = {layout.prompt, layout.id, layout.references}
    if not layout.painted:
        read |= {layout.a, layout.b}
    labels = labels_of(cells, read)
    for name, column in zip(("model_a", "model_b"), layout.models or (), strict=False):
        labels.setdefault(name, labels.get(column))
    labels.pop("winner", None)
    return labels | {"winner": winner} if winner else labels


def _rating_labels(cells: Mapping[str, object], layout: RatingLayout) -> Labels:
    """Every scalar but the prompt, the picture and the id; the score also as `rating`, a number."""
    labels = labels_of(cells, {layout.prompt, layout.picture, layout.id, layout.references})
    labels.pop("rating", None)
    score = score_in(cells[layout.score], layout.score) if layout.score else None
    return labels if score is None else labels | {"rating": score}
