"""How subjective a text is: by TextBlob, and by its words.

    phrasing("The left picture feels somewhat flat.").subjective      ("feel", "somewhat")
    phrasing("The left picture feels somewhat flat.").subjectivity    0.0625, which is TextBlob's

A word is subjective where it or its lemma has a subjectivity of at least 0.5 in the lexicon that TextBlob
bundles, unless it is one of `NEUTRAL`; and where its lemma says that somebody senses something (`SENSED`) or
holds back (`HEDGES`). ArtCoT (sections VII.A and VII.B) has no list and no threshold, and names two words of
each: "feels" and "sense", "appears" and "somewhat". The others are ours.

A word that the lexicon or the dictionary has as it stands is its own lemma. Of an inflected one LemmInflect
has a lemma for each part of speech: that of the adjective goes first, then adverb, verb and noun, and a verb
or a noun has the score of a verb or a noun, so that "opens" and "flies" are no adjectives.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, cast

from ..core.errors import MissingExtra

LEAST = 0.5
SENSED = frozenset({"feel", "feeling", "felt", "sense", "sensation"})
HEDGES = frozenset(
    {
        *("apparently", "appear", "arguably", "fairly", "likely", "may", "maybe", "perhaps"),
        *("possibly", "presumably", "probably", "quite", "relatively", "seem", "seemingly", "slightly"),
        "somewhat",
    }
)
# Opinions to the lexicon; in talk about pictures they say how many, how much, which and where.
NEUTRAL = frozenset(
    {
        *("behind", "different", "enough", "far", "final", "further", "little", "many", "more", "most"),
        *("only", "own", "right", "such", "top"),
    }
)

_CITATION = re.compile(r"\[[^\[\]]*\]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]*]*\s+|\n+")
# The lexicon's tag by LemmInflect's part of speech; None is its mean over all.
_TAGS = {"ADJ": None, "ADV": None, "VERB": "VB", "NOUN": "NN"}
_WHAT = "Measuring how a judge talks"


@dataclass(frozen=True)
class Phrasing:
    """What a text is made of.

    subjectivity  TextBlob's, 0 to 1: the mean over what its lexicon knows of the text
    assessed      how much of the text that is; where it is nothing, the subjectivity is 0 and says nothing
    words         how many there are; what stands in square brackets is a citation, and no words
    english       of these, those in a dictionary without articles and most pronouns and prepositions
    subjective    the lemmas of the subjective ones, as they come
    """

    subjectivity: float
    assessed: int
    words: int
    english: int
    subjective: tuple[str, ...]


@dataclass(frozen=True)
class _Word:
    lemma: str
    english: bool
    subjective: bool


def phrasing(text: str) -> Phrasing:
    """Raises MissingExtra where what it takes is not installed."""
    score = _lexicon()(text)
    words = [_word(each) for each in _words(text)]
    return Phrasing(
        subjectivity=float(score[1]),
        assessed=len(score.assessments),
        words=len(words),
        english=sum(word.english for word in words),
        subjective=tuple(word.lemma for word in words if word.subjective),
    )


def sentences(text: str) -> list[str]:
    """One ends at a full stop, exclamation or question mark before a space, and at a line's end."""
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]


def _words(text: str) -> Iterator[str]:
    for match in _WORD.finditer(_CITATION.sub(" ", text)):
        yield match[0].lower().replace("’", "'").removesuffix("'s")


@lru_cache(maxsize=100_000)
def _word(word: str) -> _Word:
    readings = _readings(word)
    lemma, tag = _lemma(word, readings)
    scores = _lexicon().get(lemma, {})
    opinion = tag in scores and scores[tag][1] >= LEAST and lemma not in NEUTRAL
    return _Word(lemma, bool(readings), opinion or lemma in SENSED | HEDGES)


def _lemma(word: str, readings: dict[str, tuple[str, ...]]) -> tuple[str, str | None]:
    """With the tag by which the lexicon scores it."""
    if word in _lexicon() or any(word in lemmas for lemmas in readings.values()):
        return word, None
    part = next((part for part in _TAGS if part in readings), None)
    return (readings[part][0], _TAGS[part]) if part else (word, None)


def _readings(word: str) -> dict[str, tuple[str, ...]]:
    """Lemmas by part of speech; none of a word that the dictionary lacks, whose lemma would be a guess."""
    return _dictionary()(word)


@cache
def _lexicon() -> Any:
    """What TextBlob scores with: called with a text, asked for a word. No download of NLTK's is needed."""
    try:
        from textblob.en import sentiment
    except ImportError:
        raise MissingExtra(_WHAT, extra="talk") from None
    return cast(Any, sentiment)


@cache
def _dictionary() -> Any:
    try:
        import lemminflect
    except ImportError:
        raise MissingExtra(_WHAT, extra="talk") from None
    return cast(Any, lemminflect).getAllLemmas
