"""How subjective a text is: against TextBlob itself, on texts of a known share, on the paper's own replies."""

import random
import re
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest
from textblob import TextBlob

from semiosis.core.errors import MissingExtra
from semiosis.runs import phrasing as module
from semiosis.runs.phrasing import HEDGES, LEAST, NEUTRAL, SENSED, Phrasing, phrasing, sentences

TEXTS = (
    "The left picture feels somewhat flat and lacks depth.",
    "The right picture is not very beautiful! It is **stunningly** bad :-(",
    "[A.1] shows a skull left of a candle, so A.",
    "Der Schädel liegt neben der Kerze.",
    "左图显得有些平淡。",
    "",
)

WORDS = ("very", "not", "warm", "beautiful", "skull", "the", "!", ".", "[A.1]", "only")


def share(text: str) -> float:
    of_text = phrasing(text)
    return len(of_text.subjective) / of_text.words


@pytest.mark.parametrize("text", TEXTS)
def test_subjectivity_is_textblob_s(text: str) -> None:
    blob = TextBlob(text)
    assert phrasing(text).subjectivity == blob.subjectivity
    assert phrasing(text).assessed == len(blob.sentiment_assessments.assessments)


def test_subjectivity_is_textblob_s_whatever_the_words() -> None:
    toss = random.Random(1)
    for _ in range(200):
        text = " ".join(toss.choices(WORDS, k=toss.randrange(12)))
        assert phrasing(text).subjectivity == TextBlob(text).subjectivity


def test_a_text_of_which_the_lexicon_knows_nothing_says_so() -> None:
    assert phrasing("A skull beside a candle.") == Phrasing(0.0, 0, 5, 2, ())
    flat = phrasing("The skull is on the left.")
    assert (flat.subjectivity, flat.assessed) == (0.0, 1)


@pytest.mark.parametrize(
    ("text", "lemmas", "words"),
    [
        ("It feels beautiful and somewhat stunning.", ("feel", "beautiful", "somewhat", "stunning"), 6),
        ("He felt that the arch seemed calmer", ("felt", "seem", "calm"), 7),
        ("The candle has burnt down beside the skull.", (), 8),
        ("It FEELS — “awe-inspiring”, doesn't it?", ("feel", "inspiring"), 6),
        ("Perhaps; it might, apparently.", ("perhaps", "may", "apparently"), 4),
        ("Vermeer's light’s warmest", ("light", "warm"), 3),
    ],
)
def test_subjective_words_are_found_in_their_lemmas(text: str, lemmas: tuple[str, ...], words: int) -> None:
    of_text = phrasing(text)
    assert of_text.subjective == lemmas
    assert of_text.words == words


def test_the_share_is_of_all_words() -> None:
    assert share("It feels flat") == 1 / 3
    assert share("It feels flat " * 50) == 1 / 3
    assert share("beautiful skull candle hourglass") == 1 / 4
    assert share("The skull lies left of the candle") == 0


def test_a_citation_is_no_words() -> None:
    assert phrasing("[A.1] feels cold [contrast.2; B.3]") == phrasing("feels cold")
    assert phrasing("[A.1]").words == 0


def test_an_inflected_verb_or_noun_is_no_adjective() -> None:
    """The lexicon is one of adjectives: "mean", "open", "kind" and "numb" are in it, and verbs as "to love"."""
    assert phrasing("It means that a number of flies opens two kinds of doors.").subjective == ()
    assert phrasing("She loves and enjoys it.").subjective == ("love", "enjoy")
    assert phrasing("a mean, open, kind person").subjective == ("mean", "open", "kind")


def test_words_of_degree_number_and_place_are_neutral() -> None:
    assert phrasing("The right one has more; only the top of it is far behind many others.").subjective == ()


def test_every_listed_word_is_needed() -> None:
    assert min(TextBlob(word).subjectivity for word in NEUTRAL) >= LEAST
    assert not NEUTRAL & (SENSED | HEDGES)
    for word in SENSED | HEDGES:
        assert phrasing(word).subjective == (word,)


def test_what_is_not_english_is_seen() -> None:
    german = "Das linke Bild zeigt die Vergänglichkeit deutlicher: Der Schädel liegt neben der Kerze."
    english = "The left picture shows transience more plainly: the skull lies beside the candle."
    assert phrasing(german).english / phrasing(german).words < 0.1
    assert phrasing(english).english / phrasing(english).words > 0.6
    assert phrasing("左图显得有些平淡，而右图更好。").english == 0


def test_sentences_end_where_a_reader_would_end_them() -> None:
    text = 'It glows [A.1]. Nothing lasts! "Does it?" B.2 does;\n* cold\n\n3.5 of 4.'
    assert sentences(text) == [
        "It glows [A.1].",
        "Nothing lasts!",
        '"Does it?',
        "B.2 does;",
        "* cold",
        "3.5 of 4.",
    ]


@pytest.mark.parametrize("missing", ["textblob.en", "lemminflect"])
def test_a_missing_library_names_its_extra(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for cached in (module._lexicon, module._dictionary, module._word):
        cached.cache_clear()
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtra, match=r"Measuring how a judge talks .* 'semiosis\[talk\]'"):
        phrasing("It glows.")


def test_nothing_is_downloaded(tmp_path: Path) -> None:
    """In a process with no corpora of NLTK, where any attempt to connect ends it."""
    code = (
        "import socket, sys\n"
        "socket.socket.connect = lambda *_: sys.exit('a connection')\n"
        "import nltk; nltk.data.path[:] = []\n"
        "from semiosis.runs.phrasing import phrasing\n"
        "print(phrasing('It feels stunning.').subjectivity)"
    )
    env = {"HOME": str(tmp_path), "PATH": "", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env)
    assert (done.stdout, done.stderr) == ("1.0\n", "")


REPLY = r"Zero-Shot CoT: \{\s*'thinking'\s*:(.*?)'winner'.*?Art Critic:(.*?)Summarizer:"


def test_the_paper_s_chain_of_thought_is_more_subjective_than_its_critic(shared_papers: Path) -> None:
    """ArtCoT, appendix E: eight items, each answered both ways."""
    items = (shared_papers / "artcot.txt").read_text("utf-8").split("\nInput\tContent")[1:]
    replies = [re.search(REPLY, item, re.DOTALL) for item in items]
    pairs = [(reply[1], reply[2]) for reply in replies if reply]
    assert len(pairs) == 8
    # The scan of the first item lost the right half of the critic's lines.
    assert all(share(thought) > share(critic) for thought, critic in pairs[1:])
    scores = [(phrasing(thought).subjectivity, phrasing(critic).subjectivity) for thought, critic in pairs]
    assert fmean(thought for thought, _ in scores) > fmean(critic for _, critic in scores)
    # TextBlob alone, which asks nothing of how many words it knows, has two items the other way round.
    assert [number for number, (thought, critic) in enumerate(scores) if thought < critic] == [2, 4]
