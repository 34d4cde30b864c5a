"""A benchmark of haiku, built by nothing but `building`: one step asks a model, one takes in people's reviews,
one their votes. Killed between any two of them, it goes on where it was and asks nothing twice."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from counting import Counting
from loopback import Loopback
from semiosis.building import reviews, votes
from semiosis.building.alignment import per_method
from semiosis.building.asking import Ask, Asker, Means
from semiosis.building.datasheet import Datasheet, counts, labels, prompts, write
from semiosis.building.filters import Undecided, filtered
from semiosis.building.report import build_step
from semiosis.building.reviews import Annotation, Review, Reviewed
from semiosis.building.sampling import everywhere, per_instance
from semiosis.building.sides import sides
from semiosis.building.steps import Steps, opened
from semiosis.building.votes import ForcedChoice, VoteColumns
from semiosis.core.errors import BadRecord, BadSetting
from semiosis.core.value import Value
from semiosis.methods.template import Template
from semiosis.runs.asking import Ended
from semiosis.sources.opening import open_rows

POEMS = (
    "An old silent pond... A frog jumps into the pond, splash! Silence again.",
    "Autumn moonlight, a worm digs silently into the chestnut.",
    "In the cicada's cry no sign can foretell how soon it must die.",
)
POETS = ("basho", "buson", "issa", "shiki")
PROMPT = Template("season", "Tell the season.\n---\n<$fence>\n$poem\n</$fence>", "5ea5" * 16)
COLUMNS = VoteColumns(group=("poem",), a="poet_left", b="poet_right")


class Season(Value):
    season: Literal["spring", "summer", "autumn", "winter"]


class Seasons(Value):
    annotations: dict[str, Annotation[Season]] = {}


class SeasonReviews(Value):
    reviews: dict[str, Reviewed[Season]] = {}


class Choices(Value):
    choices: tuple[ForcedChoice, ...]


class Haiku:
    """Three steps, each a file. What was given to an earlier session need not be given again."""

    def __init__(
        self, folder: Path, asker: Asker, between: Callable[[str], None] = lambda step: None
    ) -> None:
        self.folder = folder
        self.asker = asker
        self.steps = Steps(folder)
        self.between = between

    async def build(self, reviewed: Path | None = None, voted: Path | None = None) -> None:
        seasons = self.steps.read("seasons", Seasons) or await self._ask()
        self.between("seasons")
        people = self.steps.read("reviews", SeasonReviews) or SeasonReviews()
        if reviewed:
            people = self._take(reviewed, seasons, people)
        self.between("reviews")
        if voted:
            self.steps.write("votes", Choices(choices=votes.read(open_rows(voted).read(), COLUMNS)))
        self.between("votes")
        self._publish(seasons, people)

    async def _ask(self) -> Seasons:
        asks = [Ask(PROMPT, Season, {"poem": poem}, fenced=(poem,)) for poem in POEMS]
        responses = await self.asker.each(asks)
        seasons = Seasons(annotations=dict(zip(POEMS, map(reviews.annotation, responses), strict=True)))
        self.steps.write("seasons", seasons)
        return seasons

    def _take(self, path: Path, seasons: Seasons, before: SeasonReviews) -> SeasonReviews:
        words = dict(before.reviews)
        poems = dict(enumerate(POEMS, 1))

        def take(review: Review[str]) -> None:
            poem = reviews.subject_of(review, poems)
            now = reviews.merged(seasons.annotations[poem], words.get(poem)).attributes
            season = reviews.confirmed(review, Season, now)
            words[poem] = Reviewed[Season](attributes=season, reviewer=review.reviewer)

        reviews.read(path, Review[str], take)
        people = SeasonReviews(reviews=words)
        self.steps.write("reviews", people)
        return people

    def _publish(self, seasons: Seasons, people: SeasonReviews) -> None:
        final = {poem: reviews.merged(seasons.annotations[poem], people.reviews.get(poem)) for poem in POEMS}
        failures = ((poem, each.failure) for poem, each in final.items())
        step = build_step("seasons", sum(each.attributes is not None for each in final.values()), 3, failures)
        sheet = Datasheet(
            benchmark="haiku",
            source="translations by W. G. Aston",
            licence="public domain",
            steps=counts([step]),
            prompts=prompts(each.by for each in seasons.annotations.values()),
            labels=labels("season", final.values()),
        )
        write(sheet, self.folder)


class Reader(Counting):
    """A server that knows the season of every poem but the second."""

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        return "It could be any." if "chestnut" in json.dumps(body) else {"season": "summer"}


@pytest.fixture
def reader() -> Iterator[tuple[Reader, str]]:
    reader = Reader()
    with Loopback(reader.app) as loopback:
        yield reader, f"{loopback.url}/v1"


def session(
    folder: Path, url: str, between: Callable[[str], None] = lambda step: None, **options: Any
) -> Ended:
    with opened(folder, "haiku") as store:
        asker = Asker(store, Means("m", url))
        return asyncio.run(asker.session(Haiku(folder, asker, between).build(**options)))


def give_reviews(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps({"kind": "poem", "reviewer": "ada"} | line) + "\n" for line in lines))
    return path


def give_votes(path: Path) -> Path:
    """Each pair seen by three people, the third with the sides swapped; basho is best, then buson."""
    tasks = per_instance(everywhere([(poem,) for poem in POEMS], POETS), 6, seed=1)
    rows: list[dict[str, Any]] = []
    for task in tasks:
        best = min(task.a, task.b, key=POETS.index)
        rows += [votes.as_row(each, COLUMNS) | {"winner": best} for each in (task, task, task.swapped)]
    path.write_text(json.dumps(rows))
    return path


def killed(step: str, folder: Path, url: str, **options: Path) -> None:
    """A process of its own that is killed by SIGKILL right after that step."""
    script = (
        "import json, os, signal, sys\n"
        "from pathlib import Path\n"
        "paths, step, folder, url, given = map(json.loads, sys.argv[1:])\n"
        "sys.path[:0] = paths\n"
        "import test_haiku\n"
        "die = lambda done: done == step and os.kill(os.getpid(), signal.SIGKILL)\n"
        "given = {name: Path(path) for name, path in given.items()}\n"
        "test_haiku.session(Path(folder), url, die, **given)\n"
    )
    paths = [str(Path(__file__).parent), *sys.path]
    words = (paths, step, str(folder), url, {name: str(path) for name, path in options.items()})
    done = subprocess.run(
        [sys.executable, "-c", script, *map(json.dumps, words)], capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("build.")
    }


def test_killed_between_steps_it_goes_on_and_asks_nothing_twice(
    tmp_path: Path, reader: tuple[Reader, str]
) -> None:
    server, url = reader
    options: dict[str, Path] = {
        "reviewed": give_reviews(
            tmp_path / "reviews.jsonl",
            {"index": 1, "attributes": {"season": "spring"}},
            {"index": 2, "subject": POEMS[1], "attributes": {"season": "autumn"}},
        ),
        "voted": give_votes(tmp_path / "votes.json"),
    }
    folder = tmp_path / "haiku"
    for step in ("seasons", "reviews", "votes"):
        killed(step, folder, url, **options)
    assert session(folder, url) == Ended("done")
    # Three poems, and once more the one that was not answered to the point.
    assert server.begun == 4
    whole = tmp_path / "whole"
    assert session(whole, url, **options) == Ended("done")
    assert server.begun == 8
    assert files_of(folder) == files_of(whole)

    sheet = json.loads((folder / "datasheet.json").read_text())
    assert sheet["prompts"] == [
        {
            "prompt": "season",
            "sha256": "5ea5" * 16,
            "model": "custom/m",
            "served": "served-model-1",
            "answers": 3,
        }
    ]
    assert sheet["labels"] == [
        {"of": "season", "who": "model", "name": "custom/m", "labels": 1},
        {"of": "season", "who": "people", "name": "ada", "labels": 2},
    ]
    text = (folder / "datasheet.md").read_text()
    assert "Source: translations by W. G. Aston. Licence: public domain." in text
    assert "| seasons | 3 | 3 |  | 0 | 0 |  |" in text


def test_what_a_model_failed_at_is_counted_by_kind_until_people_fill_it_in(
    tmp_path: Path, reader: tuple[Reader, str]
) -> None:
    _, url = reader
    session(tmp_path / "haiku", url)
    (step,) = json.loads((tmp_path / "haiku" / "datasheet.json").read_text())["steps"]
    assert (step["made"], step["wanted"], step["failed"]) == (2, 3, {"unparsable": 1})
    path = give_reviews(tmp_path / "reviews.jsonl", {"index": 2})
    with pytest.raises(BadRecord, match=r"line 1: The poem 2 has no attributes to confirm: give all of them"):
        session(tmp_path / "haiku", url, reviewed=path)
    assert not (tmp_path / "haiku" / "steps" / "reviews.json").exists()


def test_votes_of_any_groups_are_counted_filtered_and_ranked(
    tmp_path: Path, reader: tuple[Reader, str]
) -> None:
    _, url = reader
    folder = tmp_path / "haiku"
    session(folder, url, voted=give_votes(tmp_path / "votes.json"))
    stored = Steps(folder).read("votes", Choices)
    assert stored is not None
    choices = stored.choices
    assert len(choices) == 18
    assert {choice.group for choice in choices} == {(poem,) for poem in POEMS}
    assert {choice.share_a for choice in choices} == {0.0, 1.0}
    assert filtered(choices, [Undecided()]).kept == choices
    assert sides(choices).pairs == 6
    alike = {choice.id: choice.winner for choice in choices}
    assert per_method(choices, alike).elo.value == pytest.approx(1)


def test_the_folder_of_another_build_is_refused(tmp_path: Path, reader: tuple[Reader, str]) -> None:
    _, url = reader
    session(tmp_path / "haiku", url)
    with pytest.raises(BadSetting, match="was not begun as a build"):
        opened(tmp_path / "haiku", "limericks")


def test_a_datasheet_cannot_be_steered_by_what_it_tells_of(tmp_path: Path) -> None:
    write(Datasheet(benchmark="haiku", source="a\x1b[31m | <b>b"), tmp_path)
    assert (
        "Source: a\\\\x1b\\[31m \\| &lt;b&gt;b. Licence: not said." in (tmp_path / "datasheet.md").read_text()
    )
