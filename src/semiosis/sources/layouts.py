"""What a row is, by its columns, and its item: a kind of item in a class each.

layout = recognise(Columns(), ("prompt", "a", "b"), "pairs.jsonl")
candidate = layout.candidate(row, context)
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self, cast

from pydantic import ValidationError

from ..core.errors import BadPicture, BadPrompt, BadRecord, BadSetting
from ..core.item import Candidate, Labels, LabelsBy
from ..core.sign import Question
from ..core.value import first_fault
from .candidates import Caption, LocatedPrompt, pair_candidate, question_candidate, rating_candidate
from .cells import answer_in, choices_in, id_in, is_missing, labels_of, nested, score_in, text_in
from .columns import MODELS, PICTURES, SCORES, WINNERS, Columns, Header, listed
from .fineartbench import Paintings
from .pictures import LocatedPicture, Pictures
from .rows import SourceRow
from .winners import Ballot, Spelling, by_side

Cells = Mapping[str, object]


@dataclass(frozen=True)
class RowContext:
    """What the rows of one source are read with: its pictures, who labelled it, how it spells winners."""

    pictures: Pictures
    labels_by: LabelsBy
    spelled: Spelling = by_side

    def picture(self, cell: object, column: str) -> LocatedPicture:
        if cell is None or cell == "":
            raise BadPicture(f"There is no picture in column {column!r}.")
        return self.pictures.find(cell)

    def references(self, cells: Cells, column: str | None) -> tuple[LocatedPicture, ...]:
        cell = cells[column] if column else None
        if cell is None or cell == "":
            return ()
        several = cast("list[object]", cell) if isinstance(cell, list) else [cell]
        return tuple(self.pictures.find(each) for each in several)

    @cached_property
    def paintings(self) -> Paintings:
        return Paintings.beside(self.pictures.folders)


@dataclass(frozen=True)
class PromptColumns:
    """Those of a prompt and its references, or of a style and the content picture that was painted in it.

    A painted row names its content by number alone.
    """

    prompt: str | None
    style: str | None
    content: str | None
    references: str | None

    @classmethod
    def of(cls, header: Header) -> Self | None:
        if not header.says_task:
            return None
        content = None if header.prompt else header.content
        return cls(header.prompt, header.style, content, header.first(["references"]))

    @property
    def read(self) -> set[str | None]:
        return {self.prompt, self.style, self.content, self.references}

    def located(self, cells: Cells, context: RowContext) -> LocatedPrompt:
        references = context.references(cells, self.references)
        if self.style is None:
            prompt = str(self.prompt)
            return LocatedPrompt(text_in(cells[prompt], prompt, "prompt"), references)
        if references:
            raise BadPrompt(
                f"A content picture is painted in a style, and column {self.references!r} has references "
                "that go along: leave them out."
            )
        style = text_in(cells[self.style], self.style, "style")
        if self.content is None:
            return LocatedPrompt.stylization(style, context.paintings.content(cells, context.pictures))
        return LocatedPrompt.stylization(style, context.picture(cells[self.content], self.content))


class Layout(ABC):
    """`needs` says what a row of this kind must have, and by which attribute of a header it is known."""

    need: ClassVar[str]
    needs: ClassVar[dict[str, str]]
    id: str | None

    @classmethod
    @abstractmethod
    def of(cls, header: Header) -> Self | None:
        """The layout, where the header has what it needs."""

    @abstractmethod
    def candidate(self, row: SourceRow, context: RowContext) -> Candidate:
        """Raises InputError where the row is no item."""

    @classmethod
    def lacking(cls, header: Header) -> str:
        """What it needs, and which of it is not there."""
        missing = (name for name, place in cls.needs.items() if not getattr(header, place))
        return f"{cls.need} (here without {' and '.join(missing)})"

    def id_of(self, row: SourceRow) -> str:
        return id_in(row.cells[self.id] if self.id else None, row.number)


@dataclass(frozen=True)
class PairLayout(Layout):
    """The columns of a pair. A painted row names methods, and pictures only through them."""

    need = "a pair needs prompt (or style and content), a and b"
    needs = {"prompt": "says_task", "a": "a", "b": "b"}

    task: PromptColumns
    a: str
    b: str
    winner: str | None
    id: str | None
    models: tuple[str, str] | None
    painted: bool

    @classmethod
    def of(cls, header: Header) -> Self | None:
        task = PromptColumns.of(header)
        if not (task and header.a and header.b) or header.columns.picture:
            return None
        if (header.b.lower(), header.a.lower()) in PICTURES or header.a == header.b:
            raise BadSetting(
                f"Picture A is to be column {header.a!r} and picture B column {header.b!r}: "
                "keep the sides that the file has, or its winners would be read the wrong way round."
            )
        return cls(
            task=task,
            a=header.a,
            b=header.b,
            winner=header.columns.winner or header.first(WINNERS),
            id=header.id,
            models=header.both(MODELS),
            painted=header.methods is not None,
        )

    def candidate(self, row: SourceRow, context: RowContext) -> Candidate:
        cells, id = row.cells, self.id_of(row)
        prompt = self.task.located(cells, context)
        a, b = self._side(cells, self.a, context), self._side(cells, self.b, context)
        caption = Caption(row.where, id, self._labels(row, context.spelled), context.labels_by)
        return pair_candidate(caption, prompt, a, b)

    def ballot(self, row: SourceRow) -> Ballot:
        """What the row says of its winner, and who stood on either side."""
        if self.winner is None:
            return Ballot(row.where, None)
        word = _word(row, self.winner)
        if self.models is None:
            return Ballot(row.where, word)
        a, b = self.models
        return Ballot(row.where, word, _word(row, a), _word(row, b))

    def _side(self, cells: Cells, column: str, context: RowContext) -> LocatedPicture:
        return context.picture(
            context.paintings.file(cells, column) if self.painted else cells[column], column
        )

    def _labels(self, row: SourceRow, spelled: Spelling) -> Labels:
        """Every scalar but prompt, pictures and id; models and winner also by their usual names."""
        winner = spelled(self.ballot(row))
        read = {*self.task.read, self.id}
        labels = labels_of(row.cells, read if self.painted else read | {self.a, self.b})
        for name, column in zip(("model_a", "model_b"), self.models or (), strict=False):
            labels.setdefault(name, labels.get(column))
        labels.pop("winner", None)
        return labels | {"winner": winner} if winner else labels


@dataclass(frozen=True)
class RatingLayout(Layout):
    need = "a rating prompt (or style and content) and picture"
    needs = {"prompt": "says_task", "picture": "picture"}

    task: PromptColumns
    picture: str
    score: str | None
    id: str | None

    @classmethod
    def of(cls, header: Header) -> Self | None:
        task = PromptColumns.of(header)
        if not (task and header.picture) or header.columns.a or header.columns.b:
            return None
        return cls(task, header.picture, header.columns.score or header.first(SCORES), header.id)

    def candidate(self, row: SourceRow, context: RowContext) -> Candidate:
        cells, id = row.cells, self.id_of(row)
        prompt = self.task.located(cells, context)
        picture = context.picture(cells[self.picture], self.picture)
        caption = Caption(row.where, id, self._labels(cells), context.labels_by)
        return rating_candidate(caption, prompt, picture)

    def _labels(self, cells: Cells) -> Labels:
        """Every scalar but prompt, picture and id; the score also as `rating`, a number."""
        labels = labels_of(cells, {*self.task.read, self.picture, self.id})
        labels.pop("rating", None)
        score = score_in(cells[self.score], self.score) if self.score else None
        return labels if score is None else labels | {"rating": score}


@dataclass(frozen=True)
class QuestionLayout(Layout):
    """`pictures` are columns of one picture each, or one column of several."""

    need = "a question question, choices and picture"
    needs = {"question": "question", "choices": "choices", "picture": "pictures"}

    question: str
    choices: str
    pictures: tuple[str, ...]
    answer: str | None
    boxes: str | None
    id: str | None

    @classmethod
    def of(cls, header: Header) -> Self | None:
        if not (header.question and header.choices and header.pictures):
            return None
        answer, boxes = header.columns.answer or header.first(["answer"]), header.first(["boxes"])
        return cls(header.question, header.choices, header.pictures, answer, boxes, header.id)

    def candidate(self, row: SourceRow, context: RowContext) -> Candidate:
        id, question = self.id_of(row), self._question(row.cells)
        pictures = self._pictures(row.cells, context.pictures)
        read = {self.question, self.choices, self.boxes, self.id, *self.pictures}
        labels = labels_of(row.cells, read) | {"answer": question.answer}
        return question_candidate(Caption(row.where, id, labels, context.labels_by), question, pictures)

    def _question(self, cells: Cells) -> Question:
        choices = choices_in(nested(cells[self.choices]))
        boxes = nested(cells[self.boxes]) if self.boxes else None
        try:
            return Question(
                question=text_in(cells[self.question], self.question, "question"),
                choices=choices,
                boxes=cast("dict[str, tuple[float, float, float, float]]", boxes or {}),
                answer=answer_in(cells[self.answer], choices) if self.answer else None,
            )
        except ValidationError as error:
            raise BadRecord(f"The row is no question: {first_fault(error)}.") from None

    def _pictures(self, cells: Cells, pictures: Pictures) -> tuple[LocatedPicture, ...]:
        values: list[object] = []
        for column in self.pictures:
            cell = cells[column]
            value = nested(cell) if isinstance(cell, str) else cell
            values += cast("list[object]", value) if isinstance(value, list) else [value]
        located = tuple(pictures.find(each) for each in values if not is_missing(each))
        if not located:
            raise BadPicture("A question is asked of at least one picture, and the row names none.")
        return located


def recognise(columns: Columns, names: tuple[str, ...], subject: str) -> Layout:
    """Raises BadSetting, about the `subject`, where the columns of these names make no item."""
    for option, name in vars(columns).items():
        if name is not None and name not in names:
            raise BadSetting(f"{subject} has no column {name!r} (--{option}-column); it has {listed(names)}.")
    if columns.prompt and (columns.style or columns.content):
        raise BadSetting(
            "A picture is made from a prompt, or from a content in a style: name --prompt-column, or "
            "--style-column and --content-column."
        )
    header = Header(columns, names)
    layout = QuestionLayout.of(header) or PairLayout.of(header) or RatingLayout.of(header)
    if layout is None:
        lacking = ", ".join(each.lacking(header) for each in (PairLayout, RatingLayout, QuestionLayout))
        raise BadSetting(
            f"{subject} has the columns {listed(names)}, which make no item: {lacking}; "
            "say what is called otherwise, as in --prompt-column."
        )
    return layout


def _word(row: SourceRow, column: str) -> str | None:
    cell = row.cells.get(column)
    return None if cell is None else str(cell).strip()
