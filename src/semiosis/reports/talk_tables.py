"""What `semiosis runs talk` shows, as tables: a row a run, as table III of ArtCoT has a row a method."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.table import Table, numbers, words
from .run_tables import LIKE

if TYPE_CHECKING:
    from ..core.item import LabelsBy
    from ..runs.talk import RunTalk

_INTERVALS = "95% intervals: prompts resampled; there is none of a single prompt."
_COUNTS = (
    "Outcomes that failed, have no words or are not in English are in no mean and in no share.",
    "Unassessed: TextBlob's lexicon knows no word of the rationale, and its subjectivity is 0.",
)


def talk_tables(talks: "Sequence[RunTalk]") -> tuple[Table, ...]:
    labelled = (_label_table(talks),) if any(talk.by_label for talk in talks) else ()
    lemmas = (_lemma_table(talks),) if any(talk.lemmas for talk in talks) else ()
    quoted = (_sentence_table(talk) for talk in talks if talk.sentences)
    return _subjectivity_table(talks), _count_table(talks), *labelled, *lemmas, *quoted


def _subjectivity_table(talks: "Sequence[RunTalk]") -> Table:
    return Table(
        title="how they talk",
        columns=(
            words("run"),
            words("method"),
            numbers("prompts"),
            numbers("subjectivity", 3),
            numbers("subjective words", 2, form="percent"),
        ),
        rows=tuple(
            (talk.name, talk.method, talk.prompts, talk.subjectivity, talk.subjective_share) for talk in talks
        ),
        notes=("Subjectivity is TextBlob's, 0 to 1: the mean over rationales.", _INTERVALS),
    )


def _count_table(talks: "Sequence[RunTalk]") -> Table:
    cut = any(talk.cut for talk in talks)
    return Table(
        title="on what that rests",
        columns=(
            words("run"),
            numbers("outcomes"),
            numbers("failed", alarm=True),
            numbers("wordless", alarm=True),
            numbers("not English", alarm=True),
            numbers("rationales"),
            numbers("words"),
            numbers("unassessed"),
            *((numbers("cut", alarm=True),) if cut else ()),
        ),
        rows=tuple(
            (
                talk.name,
                talk.outcomes,
                talk.failed,
                talk.wordless,
                talk.not_english,
                talk.rationales,
                talk.words,
                talk.unassessed,
                *((talk.cut,) if cut else ()),
            )
            for talk in talks
        ),
        notes=_COUNTS,
    )


def _label_table(talks: "Sequence[RunTalk]") -> Table:
    givers: set[LabelsBy] = {talk.by_label.labels_by for talk in talks if talk.by_label}
    like = LIKE[givers.pop() if len(givers) == 1 else "unknown"]
    return Table(
        title="subjectivity where the verdict is the label's, and where it is not",
        columns=(
            words("run"),
            numbers(like),
            numbers("subjectivity", 3),
            numbers("otherwise"),
            numbers("subjectivity", 3),
            numbers("more, otherwise", 3, sign=True),
            numbers("p", form="p"),
        ),
        rows=tuple(
            (
                talk.name,
                each.as_labelled,
                each.subjectivity_as_labelled,
                each.otherwise,
                each.subjectivity_otherwise,
                each.difference,
                each.p,
            )
            for talk in talks
            if (each := talk.by_label)
        ),
        notes=(
            "An outcome has the mean of its rationales. p: outcomes permuted as if they were independent.",
        ),
    )


def _lemma_table(talks: "Sequence[RunTalk]") -> Table:
    return Table(
        title="the commonest subjective words",
        columns=(words("run"), words("lemmas", flows=True)),
        rows=tuple(
            (talk.name, ", ".join(f"{each.lemma} {each.count:,}" for each in talk.lemmas) or None)
            for talk in talks
        ),
    )


def _sentence_table(talk: "RunTalk") -> Table:
    return Table(
        title=f"{talk.name}: the most subjective sentences",
        columns=(words("item"), numbers("subjectivity", 2), words("sentence", flows=True)),
        rows=tuple((each.id, each.subjectivity, each.text) for each in talk.sentences),
    )
