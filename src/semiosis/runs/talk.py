"""How a judge talks: how subjective its words are in a run (ArtCoT, section VII.B and table III).

    with Store.look(path) as store:
        talk = run_talk(store)
        talk.subjectivity.value, talk.subjective_share.value

An outcome without words, as every failure is, and one that is not in English are counted and not scored: that
would call them objective. Intervals (95%) resample prompts, each with all that was said of it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest
from statistics import fmean
from typing import Literal

import numpy as np

from ..core.errors import BadData
from ..core.item import LabelsBy, read_item
from ..core.settled import Settled
from ..core.table import Interval
from ..stats.arrays import Numbers
from ..stats.significance import bootstrap, permutation_test
from .outcomes import stored
from .phrasing import Phrasing, phrasing, sentences
from .store import Store

Status = Literal["scored", "failed", "wordless", "not English"]

EXAMPLES = 3
LEMMAS = 10
# Characters: more than a model replies. TextBlob's time grows with the square of a run of punctuation.
LONGEST = 20_000
# The share of words in the dictionary: two thirds in English prose, a tenth in that of its neighbours.
ENGLISH_FROM = 0.25


@dataclass(frozen=True)
class LemmaCount:
    lemma: str
    count: int


@dataclass(frozen=True)
class SubjectiveSentence:
    """A sentence of the outcome of the item `id`, with its subjectivity and its subjective words."""

    id: str
    subjectivity: float
    lemmas: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class TalkByLabel:
    """The subjectivity of outcomes that are as labelled, and of the others: each the mean of its rationales.

    `difference` is what the others have more; None where one side is missing. `p` is of a permutation test of
    both tails, which takes outcomes as independent; the interval does not.
    """

    labels_by: LabelsBy
    as_labelled: int
    otherwise: int
    subjectivity_as_labelled: float | None
    subjectivity_otherwise: float | None
    difference: Interval | None
    p: float | None


@dataclass(frozen=True)
class RunTalk:
    """What `semiosis runs talk` tells of a run. What is scored are the rationales of outcomes in English.

    outcomes          all there are
    failed            of these, failures
    wordless          of these, those that say nothing
    not_english       of these, those that say it in another language
    rationales        those that are scored
    unassessed        of these, those of which TextBlob's lexicon knows no word, so that it gives them 0
    cut               of these, those that are scored to their 20,000th character only
    prompts           they are about
    words             in them
    subjective_words  of these, the subjective ones
    subjectivity      TextBlob's, 0 to 1: the mean over rationales; None where there are none
    subjective_share  of the words
    lemmas            the commonest of the subjective words
    sentences         the most subjective of those with a subjective word
    by_label          whether subjectivity goes with disagreement; None where nothing is labelled
    """

    name: str
    method: str
    models: tuple[str, ...]
    outcomes: int
    failed: int
    wordless: int
    not_english: int
    rationales: int
    unassessed: int
    cut: int
    prompts: int
    words: int
    subjective_words: int
    subjectivity: Interval | None
    subjective_share: Interval | None
    lemmas: tuple[LemmaCount, ...]
    sentences: tuple[SubjectiveSentence, ...]
    by_label: TalkByLabel | None


@dataclass(frozen=True)
class _Speech:
    """What one outcome says: its rationales, as far as they have words. Equal prompts have one number."""

    prompt: int
    agrees: bool | None
    labels_by: LabelsBy
    status: Status
    rationales: tuple[Phrasing, ...]
    cut: int

    @property
    def subjectivity(self) -> float:
        return fmean(each.subjectivity for each in self.rationales)

    @property
    def words(self) -> int:
        return sum(each.words for each in self.rationales)

    @property
    def lemmas(self) -> tuple[str, ...]:
        return tuple(lemma for each in self.rationales for lemma in each.subjective)


def run_talk(store: Store, *, examples: int = EXAMPLES, seed: int = 0) -> RunTalk:
    """Raises MissingExtra where what measures words is not installed.

    store       the run's
    examples    how many sentences are quoted
    seed        of the resamples and permutations
    """
    numbers: dict[tuple[str, ...], int] = {}
    speeches: list[_Speech] = []
    quotes: list[SubjectiveSentence] = []
    for each in stored(store):
        prompt = read_item(each.item).subject
        texts = [text[:LONGEST] for text in each.outcome.rationales]
        cut = sum(len(text) > LONGEST for text in each.outcome.rationales)
        speech = _speech(each.row, numbers.setdefault(prompt, len(numbers)), texts, cut)
        speeches.append(speech)
        if speech.status == "scored":
            quotes = _most_subjective(quotes, each.row.id, texts, examples)
    about, corpus = store.about, [each for each in speeches if each.status == "scored"]
    status = Counter(each.status for each in speeches)
    lemmas = Counter(lemma for each in corpus for lemma in each.lemmas)
    phrasings = [(each.prompt, rationale) for each in corpus for rationale in each.rationales]
    return RunTalk(
        name=about.name,
        method=about.method,
        models=tuple(dict.fromkeys(about.models.values())),
        outcomes=len(speeches),
        failed=status["failed"],
        wordless=status["wordless"],
        not_english=status["not English"],
        rationales=len(phrasings),
        unassessed=sum(not rationale.assessed for _, rationale in phrasings),
        cut=sum(each.cut for each in corpus),
        prompts=len({each.prompt for each in corpus}),
        words=sum(each.words for each in corpus),
        subjective_words=lemmas.total(),
        subjectivity=_resampled(
            _mean,
            [prompt for prompt, _ in phrasings],
            [rationale.subjectivity for _, rationale in phrasings],
            seed=seed,
        ),
        subjective_share=_resampled(
            _ratio,
            [each.prompt for each in corpus],
            [len(each.lemmas) for each in corpus],
            [each.words for each in corpus],
            seed=seed,
        ),
        lemmas=_commonest(lemmas),
        sentences=tuple(quotes),
        by_label=_by_label(corpus, seed),
    )


def _speech(row: Settled, prompt: int, texts: Iterable[str], cut: int) -> _Speech:
    rationales = tuple(each for each in map(phrasing, texts) if each.words)
    return _Speech(prompt, row.agrees, row.labels_by, _status(row, rationales), rationales, cut)


def _status(row: Settled, rationales: Sequence[Phrasing]) -> Status:
    if row.reason:
        return "failed"
    if not rationales:
        return "wordless"
    words, english = sum(each.words for each in rationales), sum(each.english for each in rationales)
    return "scored" if english >= ENGLISH_FROM * words else "not English"


def _most_subjective(
    quotes: Iterable[SubjectiveSentence], id: str, texts: Iterable[str], count: int
) -> list[SubjectiveSentence]:
    """Of the quotes so far and these texts, once each: by TextBlob's score, then by subjective words."""
    by_text = {quote.text: quote for quote in quotes}
    for text in texts:
        for sentence in sentences(text):
            of_it = phrasing(sentence)
            quote = SubjectiveSentence(id, of_it.subjectivity, of_it.subjective, sentence)
            by_text.setdefault(sentence, quote)
    candidates = (quote for quote in by_text.values() if quote.lemmas)
    return nlargest(count, candidates, key=lambda quote: (quote.subjectivity, len(quote.lemmas)))


def _commonest(lemmas: Counter[str]) -> tuple[LemmaCount, ...]:
    """Where two are as common, in alphabetical order."""
    ranked = sorted(lemmas.items(), key=lambda each: (-each[1], each[0]))
    return tuple(LemmaCount(lemma, count) for lemma, count in ranked[:LEMMAS])


def _by_label(corpus: Iterable[_Speech], seed: int) -> TalkByLabel | None:
    labelled = [each for each in corpus if each.agrees is not None]
    if not labelled:
        return None
    alike = [each.subjectivity for each in labelled if each.agrees]
    others = [each.subjectivity for each in labelled if not each.agrees]
    givers: set[LabelsBy] = {each.labels_by for each in labelled}
    both = bool(alike and others)
    prompts = [each.prompt for each in labelled] if both else []
    return TalkByLabel(
        labels_by=givers.pop() if len(givers) == 1 else "unknown",
        as_labelled=len(alike),
        otherwise=len(others),
        subjectivity_as_labelled=fmean(alike) if alike else None,
        subjectivity_otherwise=fmean(others) if others else None,
        difference=_resampled(
            _difference,
            prompts,
            [each.subjectivity for each in labelled],
            [float(each.agrees is True) for each in labelled],
            seed=seed,
        ),
        p=permutation_test(others, alike, alternative="two-sided", seed=seed).p if both else None,
    )


def _resampled(
    statistic: Callable[..., float], prompts: Sequence[int], *columns: Sequence[float], seed: int
) -> Interval | None:
    """Without ends where there is one prompt, or where resamples leave a side empty; None of no prompt."""
    if not prompts:
        return None
    arrays = [np.array(column, dtype=np.float64) for column in columns]
    try:
        return Interval.of(bootstrap(statistic, *arrays, clusters=prompts, seed=seed))
    except BadData:
        return Interval(value=statistic(*arrays))


def _mean(values: Numbers) -> float:
    return float(values.mean())


def _ratio(counts: Numbers, of: Numbers) -> float:
    return float(counts.sum() / of.sum())


def _difference(values: Numbers, agrees: Numbers) -> float:
    alike, others = values[agrees > 0], values[agrees == 0]
    if not (alike.size and others.size):
        raise BadData("One side is empty.")
    return float(others.mean() - alike.mean())
