"""How a judge talks in a stored run; every number by hand."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from textblob import TextBlob

from semiosis.core.item import Item, LabelsBy
from semiosis.core.kinds import KINDS, kind
from semiosis.core.kinds.pair import Judgment, PairItem
from semiosis.core.kinds.question import Answer
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Failure, Outcome
from semiosis.core.sign import Pair, Side
from semiosis.core.table import Interval
from semiosis.core.vote import Evidence, Vote
from semiosis.runs.store import Store
from semiosis.runs.talk import LONGEST, LemmaCount, RunTalk, SubjectiveSentence, TalkByLabel, run_talk
from semiosis.stats import bootstrap
from stored import about, origin, picture, question_item, rating_item, settle

# Of TextBlob's lexicon: left 0, blue 0.1, beautiful 1; of our lists: feel.
CONCRETE = "The skull lies left of the candle."
BLUE = "The sky is blue."
FEELING = "It feels beautiful."
GERMAN = "Das Licht ist kalt und der Schädel liegt neben der Kerze."

Rows = list[tuple[Item, Outcome]]


def pair_of(number: int, prompt: str, winner: str | None, by: LabelsBy = "people") -> PairItem:
    pair = Pair(prompt=prompt, a=picture(2 * number), b=picture(2 * number + 1))
    labels = {} if winner is None else {"winner": winner}
    return PairItem(id=f"{number}", pair=pair, labels=labels, labels_by=by)


def says(item: PairItem, discussion: str, *rationales: str, winner: Side = "a") -> Judgment:
    evidence = tuple(Evidence(node="a", rationale=each) for each in rationales)
    vote = Vote(order="ab", winner=winner, discussion=discussion, evidence=evidence)
    return Judgment(pair=item.pair, votes=(vote,), provenance=origin())


def judged(*rows: tuple[str, str | None, str]) -> Rows:
    """Judgments for a: of a prompt, with the label, in these words."""
    items = [pair_of(number, prompt, label) for number, (prompt, label, _) in enumerate(rows)]
    return [(item, says(item, words)) for item, (_, _, words) in zip(items, rows, strict=True)]


def talk_of(folder: Path, settled: Rows, *, examples: int = 3, seed: int = 0) -> RunTalk:
    path = folder / "talk.sqlite"
    path.unlink(missing_ok=True)
    with Store.create(path, about("talk", "direct")) as store:
        store.begin(len(settled))
        for position, (item, outcome) in enumerate(settled, 1):
            settle(store, position, item, outcome)
        store.end("done")
    with Store.look(path) as store:
        return run_talk(store, examples=examples, seed=seed)


def test_a_run_is_measured_by_its_rationales(tmp_path: Path) -> None:
    one, two, three = pair_of(1, "x", "a"), pair_of(2, "x", "b"), pair_of(3, "y", "a")
    question, rating = question_item(1, "A", {}), rating_item(1)
    failed, german = pair_of(4, "z", "a"), pair_of(5, "z", "b")
    talk = talk_of(
        tmp_path,
        [
            (one, says(one, CONCRETE)),
            (two, says(two, FEELING, "[A.1]")),
            (three, says(three, FEELING, BLUE)),
            (failed, Failure(reason="refused", message="It feels wrong.", reply=FEELING)),
            (german, says(german, GERMAN)),
            (rating, Score(prompt=rating.prompt, artifact=rating.artifact, value=1.0, provenance=origin())),
            (
                question,
                Answer(
                    question=question.question,
                    artifacts=question.artifacts,
                    choice="B",
                    reasoning="A skull.",
                    provenance=origin(),
                ),
            ),
        ],
    )
    assert (talk.name, talk.method, talk.models) == ("talk", "direct", ("openai/gpt-5",))
    assert (talk.outcomes, talk.failed, talk.wordless, talk.not_english) == (7, 1, 1, 1)
    assert (talk.rationales, talk.unassessed, talk.cut, talk.prompts) == (5, 1, 0, 3)
    assert (talk.words, talk.subjective_words) == (7 + 3 + 3 + 4 + 2, 4)
    assert talk.lemmas == (LemmaCount("beautiful", 2), LemmaCount("feel", 2))
    assert talk.sentences == (SubjectiveSentence("2", 1.0, ("feel", "beautiful"), FEELING),)
    assert talk.subjectivity is not None
    assert talk.subjectivity.value == pytest.approx((0 + 1 + 1 + 0.1 + 0) / 5)
    assert talk.subjective_share is not None
    assert talk.subjective_share.value == pytest.approx(4 / 19)


def test_every_vote_and_every_reason_counts(tmp_path: Path) -> None:
    item = pair_of(1, "x", None)
    votes = (
        Vote(order="ab", winner="a", discussion=FEELING),
        Vote(order="ba", winner="b", discussion=CONCRETE, evidence=(Evidence(node="b", rationale=FEELING),)),
    )
    talk = talk_of(tmp_path, [(item, Judgment(pair=item.pair, votes=votes, provenance=origin()))])
    assert (talk.rationales, talk.words, talk.subjective_words) == (3, 13, 4)
    assert talk.subjectivity == Interval(value=2 / 3), "of a single prompt there is no interval"
    assert talk.by_label is None


def test_prompts_are_resampled_with_all_that_was_said_of_them(tmp_path: Path) -> None:
    """Two prompts, one all feeling and one all concrete: a resample has both, or only one of them."""
    rows = [("x", None, FEELING)] * 20 + [("y", None, CONCRETE)] * 20
    talk = talk_of(tmp_path, judged(*rows))
    assert talk.prompts == 2
    assert talk.subjectivity == Interval(value=0.5, low=0.0, high=1.0)
    assert talk.subjective_share == Interval(value=40 / 200, low=0.0, high=2 / 3)


def test_the_same_seed_gives_the_same_numbers(tmp_path: Path) -> None:
    words = (CONCRETE, FEELING, BLUE, "It may be warm.", "Cold, dull and grim.")
    settled = judged(*((str(n // 2), "a" if n % 3 else "b", words[n % 5]) for n in range(30)))
    first = talk_of(tmp_path, settled, seed=3)
    assert talk_of(tmp_path, settled, seed=3) == first
    other = talk_of(tmp_path, settled, seed=4)
    assert other != first
    assert first.subjectivity is not None
    assert other.subjectivity is not None
    assert first.subjectivity.value == other.subjectivity.value


@pytest.mark.parametrize(
    ("wrong", "right", "sign"), [(FEELING, CONCRETE, 1), (CONCRETE, FEELING, -1), (BLUE, BLUE, 0)]
)
def test_subjectivity_that_goes_with_disagreement_is_found(
    wrong: str, right: str, sign: Literal[-1, 0, 1], tmp_path: Path
) -> None:
    rows = [(f"{n // 2}", label, words) for n in range(24) for label, words in (("a", right), ("b", wrong))]
    by_label = talk_of(tmp_path, judged(*rows)).by_label
    assert by_label is not None
    assert by_label.difference is not None
    assert by_label.p is not None
    low, high = by_label.difference.low, by_label.difference.high
    assert low is not None
    assert high is not None
    assert (by_label.labels_by, by_label.as_labelled, by_label.otherwise) == ("people", 24, 24)
    if sign:
        assert (by_label.difference.value, low, high) == (sign, sign, sign)
        assert by_label.p < 0.001
    else:
        assert (by_label.difference.value, by_label.p) == (0.0, 1.0)


def test_an_outcome_has_the_mean_of_its_rationales(tmp_path: Path) -> None:
    one, two, three = pair_of(1, "x", "a"), pair_of(2, "y", "b", "makers"), pair_of(3, "x", "tie")
    settled: Rows = [
        (one, says(one, FEELING, BLUE)),
        (two, says(two, CONCRETE)),
        (three, says(three, FEELING)),
    ]
    # Two splits of two outcomes: the tail of each is a half. A resample of two prompts lacks a side as often.
    assert talk_of(tmp_path, settled).by_label == TalkByLabel(
        labels_by="unknown",
        as_labelled=1,
        otherwise=1,
        subjectivity_as_labelled=pytest.approx(0.55),
        subjectivity_otherwise=0.0,
        difference=Interval(value=-0.55),
        p=1.0,
    )


def test_the_interval_of_the_difference_resamples_prompts(tmp_path: Path) -> None:
    words = (CONCRETE, FEELING, BLUE, "It may be warm.", "Cold, dull and grim.")
    rows = [(str(n % 9), "ab"[n % 2], words[n * n % 5]) for n in range(36)]
    by_label = talk_of(tmp_path, judged(*rows)).by_label
    values = [TextBlob(text).subjectivity for _, _, text in rows]
    others = [label == "b" for _, label, _ in rows]
    expected = bootstrap(
        lambda value, other: value[other].mean() - value[~other].mean(),
        values,
        others,
        clusters=[prompt for prompt, _, _ in rows],
    )
    assert by_label is not None
    assert by_label.difference == Interval.of(expected)


def test_where_all_are_as_labelled_there_is_nothing_to_tell_apart(tmp_path: Path) -> None:
    by_label = talk_of(tmp_path, judged(("x", "a", FEELING), ("y", "a", BLUE))).by_label
    assert by_label == TalkByLabel("people", 2, 0, pytest.approx(0.55), None, None, None)


def test_a_run_without_words_has_no_numbers(tmp_path: Path) -> None:
    item = pair_of(1, "x", "a")
    talk = talk_of(tmp_path, [(item, Failure(reason="timeout", message="No reply."))])
    assert (talk.outcomes, talk.failed, talk.words, talk.rationales) == (1, 1, 0, 0)
    assert (talk.subjectivity, talk.subjective_share, talk.by_label) == (None, None, None)
    assert (talk.lemmas, talk.sentences) == ((), ())
    assert talk_of(tmp_path, []).outcomes == 0


def test_another_language_is_not_called_objective(tmp_path: Path) -> None:
    rows = [("x", "a", GERMAN), ("y", "a", "左图显得有些平淡，而右图更好。"), ("z", "b", FEELING)]
    talk = talk_of(tmp_path, judged(*rows))
    assert (talk.not_english, talk.rationales, talk.prompts) == (2, 1, 1)
    assert talk.subjectivity == Interval(value=1.0)
    assert talk.by_label is not None
    assert (talk.by_label.as_labelled, talk.by_label.otherwise) == (0, 1)


@pytest.mark.parametrize(("english", "foreign", "scored"), [(1, 3, 1), (24, 73, 0), (1, 4, 0)])
def test_a_text_is_english_from_a_quarter_of_its_words_on(
    english: int, foreign: int, scored: int, tmp_path: Path
) -> None:
    words = " ".join(["candle"] * english + ["Schädel"] * foreign)
    talk = talk_of(tmp_path, judged(("x", None, words)))
    assert (talk.rationales, talk.not_english) == (scored, 1 - scored)


def test_the_commonest_words_come_first(tmp_path: Path) -> None:
    talk = talk_of(tmp_path, judged(("x", None, "warm, warm, cold"), ("y", None, "dull, warm, cold, angry")))
    assert [(each.lemma, each.count) for each in talk.lemmas] == [
        ("warm", 3),
        ("cold", 2),
        ("angry", 1),
        ("dull", 1),
    ]


def test_the_most_subjective_sentences_are_quoted_once_each(tmp_path: Path) -> None:
    more = "It feels beautiful, stunning and magnificent."
    words = f"{BLUE} {more} {CONCRETE}\nIt is beautiful."
    talk = talk_of(tmp_path, judged(("x", None, words), ("y", None, f"{words} {FEELING}")), examples=2)
    assert [(quote.id, quote.text) for quote in talk.sentences] == [("0", more), ("1", FEELING)]
    assert talk_of(tmp_path, judged(("x", None, words)), examples=0).sentences == ()
    whole = talk_of(tmp_path, judged(("x", None, words)), examples=9).sentences
    assert [quote.text for quote in whole] == [more, "It is beautiful."], "only those with a subjective word"


def test_a_rationale_without_end_is_cut_and_counted(tmp_path: Path) -> None:
    talk = talk_of(tmp_path, judged(("x", None, "It glows" + "!" * LONGEST + FEELING), ("y", None, FEELING)))
    assert (talk.cut, talk.words, talk.subjective_words) == (1, 2 + 3, 2)


@pytest.fixture
def plate() -> Iterator[type[PairItem]]:
    """A kind of item that another package brings; it is gone when the test says so."""

    @kind
    class PlateItem(PairItem):
        kind: Literal["plate"] = "plate"  # type: ignore[assignment]

    yield PlateItem
    if "plate" in KINDS.names():
        KINDS.remove("plate")


def test_items_of_a_kind_that_is_gone_are_prompts_of_their_own(plate: type[PairItem], tmp_path: Path) -> None:
    items = [plate(id=str(n), pair=pair_of(n, "x", "a").pair) for n in (1, 2)]
    settled: Rows = [(item, says(item, FEELING)) for item in items]
    assert talk_of(tmp_path, settled).prompts == 1
    with Store.look(tmp_path / "talk.sqlite") as store:
        KINDS.remove("plate")
        assert run_talk(store).prompts == 2
