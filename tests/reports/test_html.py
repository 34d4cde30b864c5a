import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

from semiosis.benchmarks.samples.page import IndexedPair, Room, save_index
from semiosis.core.cascade import SemiosisGap
from semiosis.core.kinds.interpretation import Interpretation
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.question import Answer
from semiosis.core.kinds.rating import Score
from semiosis.core.outcome import Failure, ForeignOutcome
from semiosis.core.records import dump, load
from semiosis.core.sign import Artifact, Pair, Prompt
from semiosis.core.vote import Vote
from semiosis.reports import page as pages
from semiosis.reports.page import notebook, render, save_html

EVERY = (
    *("judgment", "direct", "gap", "interpretation", "answer", "failure", "score"),
    *("asked_score", "asked_judgment"),
)


class Page(HTMLParser):
    """The elements of a page with their attributes, and the text a reader sees."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.scripts: list[str] = []
        self.words: list[str] = []
        self._within = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self._within = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within == "script":
            self.scripts.append(data)
        elif not self._within:
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words))

    def having(self, name: str) -> list[dict[str, str]]:
        return [attributes for _, attributes in self.elements if name in attributes]


@pytest.fixture(scope="session")
def score(judgment: Judgment) -> Score:
    return Score(
        prompt=judgment.pair.prompt,
        artifact=judgment.pair.a,
        value=-0.31,
        gap=SemiosisGap(distance=0.31, coverage=0.5, metric="angular"),
        cascade=judgment.cascade_a,
        provenance=judgment.provenance,
    )


@pytest.fixture(params=EVERY)
def outcome(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def test_every_kind_is_shown_by_its_own_page(outcome: Any) -> None:
    assert "could not be made" not in render(outcome)


def test_no_page_lets_hostile_text_become_markup(outcome: Any) -> None:
    text = render(outcome)
    page = Page(text)
    assert "<script>alert" not in text
    assert "onerror=" not in html.unescape("".join(name for _, a in page.elements for name in a))
    assert sum(tag == "script" for tag, _ in page.elements) == 2
    assert all("onerror" not in attributes for _, attributes in page.elements)
    assert "<b" not in [tag for tag, _ in page.elements]
    assert "alert(" in text


def test_no_page_refers_to_anything_outside_itself(outcome: Any) -> None:
    text = render(outcome)
    for attributes in (attributes for _, attributes in Page(text).elements):
        for name in ("src", "href", "srcset", "action", "poster", "data"):
            assert re.match(r"^(#|data:|$)", attributes.get(name, "")), (name, attributes[name][:80])
    style = text[text.index("<style>") : text.index("</style>")]
    assert "@import" not in style
    assert set(re.findall(r"url\(([^)]*)\)", style)) <= {"#brush"}


def test_the_policy_allows_the_script_by_its_hash_and_no_source(outcome: Any) -> None:
    policy = next(
        a["content"]
        for _, a in Page(render(outcome)).elements
        if a.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    assert "img-src data:" in policy
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/]{43}='", policy)
    assert "http" not in policy


def test_a_page_carries_its_record(outcome: Any) -> None:
    scripts = Page(render(outcome)).scripts
    record = next(text for text in scripts if text.lstrip().startswith('{"schema"'))
    assert load(record) == outcome
    assert json.loads(record) == json.loads(dump(outcome))


def test_every_internal_link_has_its_target_and_ids_are_unique(outcome: Any) -> None:
    page = Page(render(outcome))
    ids = [attributes["id"] for attributes in page.having("id")]
    assert len(ids) == len(set(ids))
    targets = {a["href"][1:] for a in page.having("href") if a["href"].startswith("#") and len(a["href"]) > 1}
    assert targets <= set(ids)


def test_headings_never_skip_a_level(outcome: Any) -> None:
    levels = [int(tag[1]) for tag, _ in Page(render(outcome)).elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_a_judgment_says_its_verdict_votes_and_flip(judgment: Judgment) -> None:
    text = Page(render(judgment)).text
    assert "Picture A comes closer to the meaning" in text
    assert "Three votes of 4 for A (preference for A: 0.75)" in text
    assert "flipped when the pictures changed places in 1 of 2 repeats" in text
    assert "the judgment alone was made afresh" in text


def test_boxes_cards_and_citations_share_a_key(judgment: Judgment) -> None:
    page = Page(render(judgment))
    boxes = {a["data-box"] for a in page.having("data-box")}
    cards = {a["data-card"] for a in page.having("data-card")}
    cited = {a["data-node"] for a in page.having("data-cite")}
    assert boxes == {"a-1", "a-2", "a-4", "b-1", "b-2", "b-4"}
    assert cards == {"prompt", "a", "b"} | {f"{s}-{n}" for s in "ab" for n in range(1, 5)} | {
        f"prompt-{n}" for n in range(1, 6)
    }
    assert cited <= cards
    hue = {a["data-card"]: re.search(r"h\d", a["class"]) for a in page.having("data-card")}
    for box in page.having("data-box"):
        assert re.search(r"h\d", box["class"])[0] == hue[box["data-box"]][0]  # pyright: ignore


def test_a_vote_in_the_other_order_is_cited_in_the_pairs_own_names(judgment: Judgment) -> None:
    text = Page(render(judgment)).text
    assert "Picture A (here B) is warmer B.1, Picture B (here A) colder A.2." in text
    assert "what the judge calls A is picture B on this page" in text


def test_prompt_spans_are_marked_and_lost_ones_listed(judgment: Judgment) -> None:
    text = render(judgment)
    spans = re.findall(r'<a class="span h\d" href="[^"]*" data-node="([^"]*)">([^<]*)</a>', text)
    assert ("prompt-1", "A friendship") in spans
    assert ("prompt-2", "broken and ") in spans
    assert ("prompt-3 prompt-2", "mended") in spans
    assert re.search(r"quotes never written .*, not found in the prompt", Page(text).text)


def test_what_did_not_check_out_is_counted_and_named(judgment: Judgment) -> None:
    text = Page(render(judgment)).text
    assert judgment.unverified == 4
    assert "Four pointers not verified" in text
    section = text[text.index("What did not check out") :]
    for line in ('Box 1 of A."><b', 'Box 1 of B."><b', "prompt.4", "cites a.9, which there is not"):
        assert line in section
    assert "a.9 not found" in text


def test_failures_are_told_and_not_counted_as_votes(judgment: Judgment) -> None:
    text = Page(render(judgment)).text
    assert "one call failed" in text
    assert "A failure is never counted as a vote." in text
    assert "refused at judgment ba, after 2 attempts" in text


def test_provenance_says_what_is_unknown_cached_and_sent(judgment: Judgment) -> None:
    text = Page(render(judgment)).text
    assert "unknown, no price for 1 of 2 calls; $0.0123 for the rest" in text
    assert "3, 1 from the cache" in text
    assert "not paid again" in text
    assert "cdcdcdcdcdcd sent at 640 × 480, 50 kB; first frame of 3" in text
    assert "abababababab" in text
    assert "Read by acme/large, built here (complex)" in text


def test_a_direct_judgment_has_no_cards_and_says_why(direct: Judgment) -> None:
    page = Page(render(direct))
    assert not page.having("data-card")
    assert "there are no graphs to cite" in page.text
    assert "Picture B comes closer to the meaning" in page.text
    assert "held when the pictures changed places" in page.text


def test_a_gap_judgment_speaks_of_distance_not_of_votes(gap: Judgment) -> None:
    text = Page(render(gap)).text
    assert "Picture A is read nearer to the prompt" in text
    assert "Measured picture by picture, not voted on" in text
    assert "Semiosis gap 0.310" in text
    assert "The votes" not in text


def test_two_equal_gaps_are_undecided(gap: Judgment) -> None:
    even = gap.model_copy(update={"votes": (Vote(winner=None),)})
    assert "Undecided: neither picture is ahead" in Page(render(even)).text


def test_an_even_split_is_said_in_words(judgment: Judgment) -> None:
    split = judgment.model_copy(update={"votes": judgment.votes[:2]})
    text = Page(render(split)).text
    assert "Undecided: neither picture is ahead" in text
    assert "One vote for A, one vote for B (preference for A: 0.50)" in text


def test_a_vote_with_graphs_of_its_own_is_not_linked_to_cards_of_another(judgment: Judgment) -> None:
    second = judgment.votes[1].model_copy(
        update={"winner": "a", "cascade_a": judgment.cascade_a, "cascade_b": judgment.cascade_b}
    )
    rebuilt = judgment.model_copy(update={"votes": (judgment.votes[0], second), "rebuilt": "graphs"})
    text = render(rebuilt)
    assert "This vote has graphs of its own" in text
    assert re.search(r'<span class="chip loose h1">B\.1 <span dir="auto">red seam</span></span>', text)


def test_a_picture_without_bytes_leaves_a_placeholder_of_its_shape(judgment: Judgment) -> None:
    stored = load(dump(judgment))
    assert isinstance(stored, Judgment)
    page = Page(render(stored))
    assert not [a for tag, a in page.elements if tag == "img"]
    assert "not at hand" in page.text
    assert judgment.pair.a.sha256[:16] in page.text
    assert len(page.having("data-box")) == 6


def test_a_content_is_shown_and_named_even_where_it_cannot_be_opened(direct: Judgment) -> None:
    a, b = direct.pair.a, direct.pair.b
    photo = Artifact.of(a.read() + b" ").model_copy(update={"name": "photo.png"})
    pages: list[Page] = []
    for content in (photo, Artifact.of(b"no picture"), Artifact(sha256="0" * 64)):
        pair = Pair(Prompt.stylization("Cubism", content), a, b)
        pages.append(Page(render(direct.model_copy(update={"pair": pair}))))
    shown = [
        [each["src"] for each in page.having("alt") if each["alt"] == "The content picture"] for page in pages
    ]
    assert [len(each) for each in shown] == [1, 0, 0]
    assert shown[0][0].startswith("data:image/")
    assert f"The content: photo.png {photo.sha256[:12]}" in pages[0].text
    assert all("The content: unnamed" in page.text for page in pages[1:])
    assert not any("reference picture" in page.text for page in pages)


def test_a_damaged_picture_does_not_stop_the_page(judgment: Judgment) -> None:
    pair = Pair(judgment.pair.prompt, Artifact.of(judgment.pair.a.read()[:200]), judgment.pair.b)
    assert "is damaged or incomplete" in Page(render(judgment.model_copy(update={"pair": pair}))).text


def test_an_interpretation_shows_one_reading(interpretation: Interpretation) -> None:
    text = Page(render(interpretation)).text
    assert "A picture, read without its prompt blue bowl" in text
    assert "One pointer not verified" in text


def test_an_answer_says_the_choice_the_key_and_the_odds(answer: Answer) -> None:
    page = Page(render(answer))
    assert "Answered A: right" in page.text
    assert "right one time in 2" in page.text
    regions = [a for a in page.having("class") if a["class"] == "tag region"]
    assert [a["style"] for a in regions] == ["left:10.0%;top:10.0%", "left:70.0%;top:50.0%"]


def test_a_failure_shows_what_came_back_and_no_verdict(failure: Failure) -> None:
    text = Page(render(failure)).text
    assert "Unparsable, at stage 2" in text
    assert "never a score" in text
    assert "do not make a verdict" in text or "It does not make a verdict" in text


def test_a_failure_without_provenance_still_has_a_page() -> None:
    assert "Nothing." in Page(render(Failure(reason="timeout", message="No reply in 60 s."))).text


def test_the_notebook_frame_is_sandboxed_and_escaped(judgment: Judgment) -> None:
    frame = notebook(judgment)
    page = Page(frame)
    assert [tag for tag, _ in page.elements] == ["iframe"]
    assert page.elements[0][1]["sandbox"] == "allow-scripts"
    assert page.elements[0][1]["srcdoc"] == render(judgment)


def test_lone_surrogates_do_not_stop_the_file(judgment: Judgment, tmp_path: Path) -> None:
    vote = judgment.votes[0].model_copy(update={"discussion": "half a pair \ud83d of it"})
    odd = judgment.model_copy(update={"votes": (vote,)})
    assert "half a pair ? of it" in save_html(odd, tmp_path / "deep" / "page.html").read_text("utf-8")


def test_the_index_counts_groups_and_links(judgment: Judgment, direct: Judgment, tmp_path: Path) -> None:
    pictures = {"meaning": judgment.pair.a, "<i>drift": judgment.pair.b}
    lost = Failure(reason="timeout", message="No reply in 60 s.")
    room = Room(
        "first",
        judgment.pair.prompt.text,
        pictures,
        (
            IndexedPair("meaning", "<i>drift", judgment, "one.html", "meaning"),
            IndexedPair("meaning", "<i>drift", direct, "two.html"),
            IndexedPair("meaning", "<i>drift", lost),
        ),
        gaps={
            "meaning": SemiosisGap(distance=0.5, coverage=None),
            "<i>drift": SemiosisGap(distance=0.2, coverage=None),
        },
    )
    text = save_index([room], tmp_path / "index.html", gap_note="MiniLM.").read_text("utf-8")
    page = Page(text)
    assert "2 of 3 pairs judged, over one initiative" in page.text
    assert "1 of 2 flipped" in page.text
    assert "1 of 1 as the makers labelled them" in page.text
    assert "1 failure" in page.text
    assert "no result: timeout" in page.text
    assert "left open by the makers" in page.text
    assert {"one.html", "two.html"} <= {a["href"] for a in page.having("href")}
    assert page.text.index("<i>drift 0.200") < page.text.index("meaning 0.500")
    assert "<i>" not in text
    assert sum(tag == "img" for tag, _ in page.elements) == 2


def test_the_index_tells_answers_with_their_odds(answer: Answer, judgment: Judgment, tmp_path: Path) -> None:
    room = Room(
        "r", "p", {}, (), answers=((answer, "q.html"), (Failure(reason="refused", message="No."), ""))
    )
    text = Page(save_index([room], tmp_path / "i.html").read_text("utf-8")).text
    assert "1 of 1 questions answered right" in text
    assert "A blind guess is right one time in 2." in text
    assert "no answer: refused" in text


def test_every_sample_makes_a_page(samples: list[Any], tmp_path: Path) -> None:
    assert len(samples) == 9
    for sample in samples:
        judgment = sample.judgment("meaning", "literal")
        page = Page(save_html(judgment, tmp_path / f"{sample.name}.html").read_text("utf-8"))
        assert "Picture A comes closer to the meaning" in page.text
        assert judgment.unverified == 0


def test_importing_reports_loads_no_jinja_pillow_or_rich() -> None:
    code = (
        "import sys, semiosis.reports; "
        "print([name for name in ('jinja2', 'PIL', 'rich', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_box_without_area_is_called_that(flat_boxes: Interpretation, judgment: Judgment) -> None:
    page = render(flat_boxes)
    assert "outside the picture" not in page
    assert "two boxes without area</" in page
    assert "three boxes without area; one box not inside the picture, not drawn" in page
    cascade = judgment.cascade_a
    assert cascade is not None
    flat = cascade.model_copy(update={"rounds": (cascade.rounds[0], flat_boxes.reading)})
    page = render(judgment.model_copy(update={"cascade_a": flat}))
    assert "Box 1 of A.1 (flat) is without area." in page
    assert "Box 2 of A.2 (mixed) is not inside the picture." in page


def test_two_pictures_of_one_file_name_are_told_apart(namesakes: Judgment, answer: Answer) -> None:
    a, b = namesakes.pair.a, namesakes.pair.b
    for outcome in (namesakes, answer.model_copy(update={"artifacts": (a, b)})):
        page = render(outcome)
        assert page.count(f">{a.place}</span>") == page.count(f">{b.place}</span>") > 0
        assert ">out.png</span>" not in page
    stored = load(dump(namesakes))
    page = render(stored)
    assert f">out.png {a.sha256[:8]}</span>" in page
    assert f">out.png {b.sha256[:8]}</span>" in page
    alone = render(answer.model_copy(update={"artifacts": (a,)}))
    assert ">out.png</span>" in alone


def test_an_outcome_without_a_page_of_its_own_has_a_plain_one(judgment: Judgment) -> None:
    page = pages.Page().html(judgment)
    assert '<h1 dir="auto">Judgment</h1>' in page
    assert page.count("<figure") == 2
    assert f'<dd dir="auto">{judgment.winner}</dd>' in page
    foreign = ForeignOutcome.model_validate(
        {"kind": "<b>odd</b>", "title": "<script>x</script>", "points": 3}
    )
    page = render(foreign)
    assert "<script>x" not in page
    assert '<dd dir="auto">3</dd>' in page


class _Unmade(pages.Page):
    def html(self, outcome: Any) -> str:
        raise KeyError("<b>points</b>")

    def lines(self, outcome: Any) -> list[Any]:
        raise KeyError("<b>points</b>")


class _Odd(pages.Page):
    def html(self, outcome: Any) -> str:
        return cast("str", None)

    def lines(self, outcome: Any) -> list[Any]:
        return [object()]


@pytest.mark.parametrize(
    ("own", "why"),
    [(_Unmade(), "KeyError: '<b>points</b>'"), (_Odd(), "TypeError: ")],
    ids=["raises", "gives what is no page"],
)
def test_an_outcome_whose_page_cannot_be_made_has_a_plain_one_that_says_why(
    own: pages.Page, why: str, tmp_path: Path
) -> None:
    outcome = ForeignOutcome.model_validate({"kind": "odd", "points": 3})
    pages.PAGES.add("odd", own)
    try:
        page, lines = save_html(outcome, tmp_path / "odd.html").read_text("utf-8"), pages.lines_of(outcome)
    finally:
        pages.PAGES.remove("odd")
    sentence = f"The page of the kind odd could not be made: {why}"
    assert sentence in html.unescape(page)
    assert "<b>points" not in page
    assert '<dd dir="auto">3</dd>' in page
    assert sentence in str(lines[-1])
    assert "could not be made" not in render(outcome)


def test_a_page_that_cannot_be_loaded_is_said_in_the_plain_one(tmp_path: Path) -> None:
    info = tmp_path / "others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[semiosis.pages]\nodd = others_page\n")
    (tmp_path / "others_page.py").write_text("1 / 0\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from semiosis.core.outcome import ForeignOutcome\n"
        "from semiosis.reports.terminal import show\n"
        "show(ForeignOutcome.model_validate({'kind': 'odd', 'points': 3}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    words = " ".join(done.stdout.split())
    assert "The page of the kind odd could not be made: ZeroDivisionError: division by zero." in words
    assert "points 3" in words


def test_a_method_that_measures_in_its_own_way_is_not_said_to_read(judgment: Judgment) -> None:
    origin = judgment.provenance.model_copy(update={"method": "busiest"})
    measured = Judgment(pair=judgment.pair, votes=(Vote(winner="b"),), provenance=origin)
    page = render(measured)
    assert "The method busiest measured each picture by itself" in page
    assert "embedding" not in page.partition('id="why"')[2].partition("</section>")[0]
    assert '<span class="laurel">higher</span>' in page
