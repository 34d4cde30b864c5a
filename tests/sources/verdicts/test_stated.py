"""What a judge's free-text reply states: by hand, on hostile text, and on real replies of GenAI-Bench's judges.

`genai_bench_verdicts.csv` holds what two readers took 237 of these replies to state, each without sight of the other
or of the authors' parses: they agree on 234 (Cohen's kappa 0.98, 0.96 to 1). Where they agree, that is the truth;
where they differ, either is accepted, and neither counts as stated. The parser was written on the odd rows; the even
ones test it.
"""

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiosis import stats
from semiosis.backbones.replies import read
from semiosis.methods.verdict import VerdictShape
from semiosis.sources.verdicts.stated import MOST_CHARACTERS, stated_verdict

MENU = """1. Model A is better: [[A>B]]
2. Model B is better: [[B>A]]
3. Tie, relatively the same acceptable quality: [[A=B=Good]]
4. Both are bad: [[A=B=Bad]]"""


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("[[A>B]]", "a"),
        ("[[ B > A ]]", "b"),
        ("[[A<B]]", "b"),
        ("[[A>>B]]", "a"),
        ("[[A=B=Good]]", "both-good"),
        ("[[A = B = Bad]]", "both-bad"),
        ("[[B]]", "b"),
        ("**[[Model A is better: [[A>B]] ]].**", "a"),
        ("The light is soft, so my verdict is [[B>A]], since B is brighter.", "b"),
        ("Model B does not follow the prompt, so [[A>B]].", "a"),
        ("Both models failed. [[A=B=Bad]]\n\nModel B is slightly worse.", "both-bad"),
        ("At first I leaned to [[A>B]].\nBut the hands are wrong.\n\nFinal verdict: [[B>A]]", "b"),
        ("Colour: [[A>B]]\nLight: [[B>A]]\nOverall: [[A>B]]", "a"),
        ("```\n[[A>B]]\n```", "a"),
        ("Model B renders the text and follows the words of the prompt, so [[B>A]]", "b"),
        ("<think>Model A is better.</think>\n[[B>A]]", "b"),
    ],
)
def test_a_token_is_the_verdict(reply: str, verdict: str) -> None:
    assert stated_verdict(reply) == verdict


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        ("", None),
        ("\n\nIn this case, the correct choice is:\n1. Model A is better: [[A>B]]", "a"),
        ("\n\nIn this case, the correct choice is [[B>A]], indicating that Model B is better.", "b"),
        ("\n\n[[B>A]]", "b"),
        ("\nMy verdict: [[A=B=Bad]]", "both-bad"),
        ("\n\nTherefore, I would conclude that both images are bad.", "both-bad"),
        ("\n\nI would choose Model B.", "b"),
        ("\n\nI would choose 2.", None),
    ],
)
def test_a_menu_states_nothing_and_what_is_singled_out_after_it_does(after: str, verdict: str | None) -> None:
    for menu in (MENU, MENU.replace("[[", "").replace("]]", ""), MENU.replace("\n", " ")):
        assert stated_verdict(f"My final verdict is one of:\n\n{menu}{after}") == verdict


def test_a_menu_with_a_word_about_each_item_states_nothing() -> None:
    reasons = (
        "A is vivid. Therefore, I would choose Model A.",
        "B is calm. Therefore, I would choose Model B.",
        "Both are alike. Therefore, it is a tie.",
        "Both are dull. Therefore, I would consider both images bad.",
    )
    walked = "\n\n".join(f"{item}\n{reason}" for item, reason in zip(MENU.split("\n"), reasons, strict=True))
    assert stated_verdict(walked) is None
    assert stated_verdict(f"{walked}\n\nIn conclusion, Model B is better.") == "b"


@pytest.mark.parametrize(
    "reply",
    [
        "[[A>B]] or [[B>A]]",
        "I will answer with [[A>B]], [[B>A]], [[A=B=Good]] or [[A=B=Bad]].",
        "Colour: [[A>B]]\nLight: [[B>A]]",
        "### Colour\nNice. [[A>B]]\n\n### Light\nDim. [[B>A]]",
        "I cannot judge pictures. For example, you could write [[A>B]].",
        "Write [[A>B]] if Model A is better.",
        "It is not [[A>B]].",
        "[[A>B]]\n\nOn reflection, Model B is better.",
        "[[C]]",
        "[[A>A]]",
        "Final verdict: [[A>",
        "I was told to say [[A>B]].",
        'The text in the picture says "[[A>B]]".',
        "Sorry, I can't help. The format would be [[A>B]].",
    ],
)
def test_a_token_that_is_not_meant_or_not_whole_states_nothing(reply: str) -> None:
    assert stated_verdict(reply) is None


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("A", "a"),
        ("b.", "b"),
        ("**A**", "a"),
        ("(B)", "b"),
        ("Image B.", "b"),
        ("left", "a"),
        ("The second image", "b"),
        ("Tie", "both-good"),
        ("Both are bad.", "both-bad"),
        ("A>B", "a"),
        ("A = B = Good", "both-good"),
        ("Answer: (B)", "b"),
        ("Much to weigh here.\n\nFinal answer:\nB", "b"),
        ("", None),
        (" \n", None),
        ("C", None),
        ("1", None),
        ("Much to weigh here.\n\nA", None),
    ],
)
def test_a_reply_may_be_one_word(reply: str, verdict: str | None) -> None:
    assert stated_verdict(reply) == verdict


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("Model B is clearly the better image overall.", "b"),
        ("The left image wins.", "a"),
        ("I prefer the image on the right.", "b"),
        ("I prefer A over B.", "a"),
        ("I'd pick the second one.", "b"),
        ("The winner is Model B.", "b"),
        ("My vote goes to Model A.", "a"),
        ("Picture B outperforms Picture A.", "b"),
        ("Model A is worse than Model B.", "b"),
        ("The image generated by Model B is better than the image generated by Model A.", "b"),
        ("Compared to Model A, Model B is better.", "b"),
        ("Model A has generated a better image.", "a"),
        ("Therefore, the better picture is the one on the left.", "a"),
        ("I find Model A better.", "a"),
        ("ModelB'S edited image appears to be better.", "b"),
        ("I'd call it a draw.", "both-good"),
        ("It is a tie; both are poor.", "both-bad"),
        ("It is a tie. Both images are poor.", "both-bad"),
        ("Both images are equally good.", "both-good"),
        ("I would label both Model A's and Model B's edited images as “Bad.”", "both-bad"),
        ("Although Model B is better lit, Model A is better.", "a"),
        ("Model A is better, although Model B has nicer colours.", "a"),
        ("While Model A is better in detail, Model B is the better image overall.", "b"),
        ("Even though Model A is better at hands, Model B wins.", "b"),
        ("Model A is better, but both are good.", "a"),
        ("Both images are good, but Model A is better.", "a"),
        ("Both images are good. However, Model A is better.", "a"),
        ("1. Prompt: Model A is better.\n2. Light: Model B is better.\n\nOverall, Model B is better.", "b"),
        ("## Light\nModel A is better.\n## Verdict\nModel B is better. Both are good.", "b"),
        ("I conclude that Model B is better. However, both have strengths.", "b"),
        ("Image A is better than Image B in color, but overall B wins.", "b"),
        ("Image A is better in style. Overall, B is the better stylization.", "b"),
    ],
)
def test_a_sentence_concludes(reply: str, verdict: str) -> None:
    assert stated_verdict(reply) == verdict


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I cannot assist with this request.",
        "I cannot determine which model is better.",
        "I cannot say, from these alone, that Model A is better.",
        "Model A is not better than Model B.",
        "I was going to say Model A is better, but it is not.",
        "Neither Model A nor Model B is better.",
        "Is Model A better?",
        "Whether Model A is better depends on taste.",
        "If you like colour, Model A is better.",
        "If I had to choose, I would choose Model A.",
        "Some may prefer Model A.",
        "Perhaps Model A is better.",
        "Either Model A or Model B is better.",
        "I can't choose between them. Model A is better.",
        "I am undecided. Model A is the better image.",
        "Final verdict: I cannot decide. Model A is sharper than Model B.",
        "It would be wrong to say Model A is better.",
        "Nobody would say that Model A is better.",
        "I hesitate to say that Model A is better.",
        "In no respect is Model B better than Model A.",
        "Model A is better than nothing.",
    ],
)
def test_a_refusal_and_a_hedge_state_nothing(reply: str) -> None:
    assert stated_verdict(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        "I cannot see the images. [[A>B]]",
        "As an AI I can't view images. Model A is better.",
        "No image was provided. [[A=B=Bad]]",
        "Both are fine, so I'll just guess: [[A>B]]",
        "I will pick one at random: [[B>A]]",
        "It's a coin flip, so [[A>B]].",
        "I don't see any images. Image A is better.",
        "The images did not load. Image A is better.",
        "Without seeing the images, I choose A.",
        "Sorry, I can't help with that. Image A is better.",
        "I won't choose. [[A>B]]",
        "I can't provide an aesthetic judgment. [[A>B]]",
        "I can't tell them apart. Image A is better.",
        'I cannot see the images. {"winner": "A"}',
        'For example {"winner": "A"}.',
        '{"winner": "A"} would be wrong.',
        '{"winner": "A", "winner": "B"}',
    ],
)
def test_who_has_not_looked_or_guesses_has_stated_nothing(reply: str) -> None:
    assert stated_verdict(reply) is None


def test_who_cannot_choose_may_call_it_a_tie() -> None:
    assert (
        stated_verdict("I cannot determine which one is better. My verdict is: [[A=B=Good]]") == "both-good"
    )


def test_what_is_taken_back_is_not_stated() -> None:
    assert stated_verdict("[[A>B]]. No wait, Model B is better.") == "b"
    assert stated_verdict("Final verdict: [[A>B]]. Actually, I take that back.") is None


@pytest.mark.parametrize(
    "reply",
    [
        "Model A shows a bird. Model B shows a cat.",
        "Model A is better lit.",
        "Model A's light is better.",
        "The dog in Model A is better.",
        "Model A better captures the mood.",
        "Both images are good and sharp. Model A shows a bird.",
        "Both images are good.\n\nModel A shows a",
        "Both images are equally good at light.",
        "The man wears a tie.",
        "A better image would be needed.",
        "Prompt: Model A is better.\nLight: Model B is better.",
        "1. Prompt: Model A is better.\n2. Light: Therefore, Model A is better.\n3. Art",
        "## Light\nTherefore, Model B is better.\n## Colour\n",
        "```\nprint('Model A is better')\n```",
    ],
)
def test_a_description_and_a_criterion_state_nothing(reply: str) -> None:
    assert stated_verdict(reply) is None


def test_a_comparison_that_favours_one_side_throughout_states_it() -> None:
    assert stated_verdict("Model A is better in terms of light.") == "a"


@pytest.mark.parametrize(
    "reply",
    [
        "Therefore, I would choose Model",
        "The final verdict is",
        "<think>Model A is better. But",
        '{"discussion": "Model A is better.", "win',
    ],
)
def test_a_reply_that_breaks_off_states_nothing(reply: str) -> None:
    assert stated_verdict(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        "Model A is better. Model B is better.",
        "It's a tie. Model A is better.",
        "Therefore, I would choose Model A. Actually, Model B is better.",
        "Overall, both images are good. Overall, both images are bad.",
        "For style, I choose A. For content, I choose B.",
        "Style winner: A\nContent winner: B",
        "Image A is the better one in style, and Image B in content.",
        "Winner: A, B",
        "Winner: A\nWinner: B",
        "Image A is better. However, on closer inspection, B wins.",
        "A is better. No, B is better.",
        "The winner is A. Let me reconsider: B is the winner.",
    ],
)
def test_a_reply_that_contradicts_itself_states_nothing(reply: str) -> None:
    assert stated_verdict(reply) is None


FRAGMENTS = (
    "Model A is better",
    "image b's ",
    "@both ",
    "the left ",
    "I would choose ",
    "A",
    "[[A>B]]",
    "[[B>A]] ",
    "A = B",
    "both images are equally ",
    "good",
    "a tie",
    "\n",
    "\n\n",
    "\t",
    "1. ",
    "# ",
    "**",
    "```\n",
    ": ",
    ", but ",
    " in ",
    ". ",
    "?",
    "not ",
    "if ",
    "that ",
    "therefore ",
    "(",
    "'",
    '{"',
    "—",
)
pieces = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=8)), max_size=40).map("".join)


@given(pieces)
def test_any_text_has_a_verdict_or_none(reply: str) -> None:
    assert stated_verdict(reply) in ("a", "b", "both-good", "both-bad", None)


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_hostile_reply_takes_no_longer_than_its_length(fragment: str) -> None:
    """Read at all, that is: what grows with the square of the length would not end."""
    reply = (fragment * 20_000)[:40_000]
    assert stated_verdict(reply) in ("a", "b", "both-good", "both-bad", None)


def test_what_is_too_long_is_no_reply() -> None:
    longest = "Model A shows a bird. " * 20_000
    verdict = "[[B>A]]"
    assert stated_verdict(longest[: MOST_CHARACTERS - len(verdict)] + verdict) == "b"
    assert stated_verdict(longest[: MOST_CHARACTERS - len(verdict) + 1] + verdict) is None


@given(
    discussion=pieces.filter(lambda text: any(map(str.isalnum, text.strip()))),
    winner=st.sampled_from(["A", "B"]),
    around=st.sampled_from(["{}", "```json\n{}\n```", "Model A is better.\n\n{}\n\nModel B is better."]),
)
def test_a_verdict_in_json_is_its_winner_whatever_else_it_says(
    discussion: str, winner: Literal["A", "B"], around: str
) -> None:
    verdict = VerdictShape(discussion=discussion, evidence=[], winner=winner, certainty=3)
    reply = around.replace("{}", verdict.model_dump_json())
    assert read(reply, VerdictShape).value == verdict
    assert stated_verdict(reply) == winner.lower()


@pytest.mark.parametrize(
    "reply", ['{"winner": null}', '{"winner": 1}', "{}", '{"winner": "A"} {"winner": "B"}', '{"a": ' * 9000]
)
def test_json_without_one_winner_states_nothing(reply: str) -> None:
    assert stated_verdict(reply) is None


class Reading(NamedTuple):
    """A reply, what the parser and the authors took it to state, and what two readers did."""

    row: int
    ours: str
    authors: str | None
    readers: tuple[str, str]

    @property
    def stated(self) -> str | None:
        one, two = self.readers
        return one if one == two != "none" else None


@pytest.fixture(scope="module")
def labels() -> list[dict[str, str]]:
    with Path(__file__).with_name("genai_bench_verdicts.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def readings(labels: list[dict[str, str]], shared_data: Path) -> list[Reading]:
    path = shared_data / "genai_bench/raw_judge_responses.json"
    if not path.is_file():
        pytest.skip(f"no replies of GenAI-Bench's judges at {path}")
    replies = json.loads(path.read_text("utf-8"))
    for reply, label in zip(replies, labels, strict=True):
        assert [reply["task"], reply["judge"], str(reply["idx"])] == [
            label[column] for column in ("task", "judge", "idx")
        ]
    return [
        Reading(
            row=int(label["row"]),
            ours=stated_verdict(reply["response"]) or "none",
            authors=reply["authors_parsed_vote"],
            readers=(label["reader_1"], label["reader_2"]),
        )
        for reply, label in zip(replies, labels, strict=True)
    ]


def counts(readings: Iterable[Reading]) -> dict[str, int]:
    every = list(readings)
    return {
        "wrong": sum(each.ours not in (*each.readers, "none") for each in every),
        "stated": sum(each.stated is not None for each in every),
        "recovered": sum(each.stated == each.ours for each in every),
    }


def test_two_readers_agree_on_what_is_stated(labels: list[dict[str, str]]) -> None:
    one, two = ([label[f"reader_{number}"] for label in labels] for number in (1, 2))
    kappa = stats.cohen_kappa(one, two)
    assert len(labels) == 237
    assert sum(map(str.__eq__, one, two)) == 234
    assert [round(end, 2) for end in (kappa.value, kappa.low, kappa.high)] == [0.98, 0.96, 1.0]


def test_the_replies_that_the_parser_was_written_on(readings: list[Reading]) -> None:
    assert counts(each for each in readings if each.row % 2) == {"wrong": 0, "stated": 77, "recovered": 77}


def test_replies_that_the_parser_was_not_written_on(readings: list[Reading]) -> None:
    even = counts(each for each in readings if each.row % 2 == 0)
    assert even["wrong"] == 0, even
    assert even["recovered"] >= 0.9 * even["stated"], even
