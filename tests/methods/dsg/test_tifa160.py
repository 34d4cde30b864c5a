"""The authors' published questions and dependencies as a benchmark; a server answers from the file by chance."""

import csv
import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import semiosis as sm
from critic import hang_up
from loopback import Loopback
from scenes import Scenes, says
from semiosis.core.kinds.pair import Judgment
from semiosis.core.outcome import Failure
from semiosis.methods.dsg.given import GivenQuestions

# By item, the propositions whose question is blank.
BLANK = {
    "coco_828568": [2], "coco_100240": [8], "coco_393304": [1], "coco_178484": [7], "coco_435097": [4],
    "coco_352431": [4], "coco_130602": [3], "coco_655658": [6], "coco_555553": [2], "coco_685662": [5],
    "coco_573015": [1, 2], "partiprompt_86": [1], "partiprompt_194": [8], "partiprompt_607": [2, 3],
}  # fmt: skip
SHIFTED = {
    "coco_62896": "that of 7 asks what 5 states; that of 8 asks what 6 states",
    "partiprompt_1179": "that of 3 asks what 4 states; that of 5 asks what 1 states",
}
FAULTS = {
    **{item: [f"proposition {number} has no question" for number in each] for item, each in BLANK.items()},
    **{
        item: [f"the questions are shifted against the propositions: {which}"]
        for item, which in SHIFTED.items()
    },
    "drawbench_68": ["proposition 5 stands 2 times", "proposition 5 depends on itself"],
}


@dataclass(frozen=True)
class Row:
    """A row of the published file."""

    prompt: str
    id: str
    parents: list[str]
    question: str


@pytest.fixture
def published(shared_data: Path) -> Path:
    return shared_data / "tifa160" / "dsg_tifa160-dev-anns.csv"


def by_item(path: Path) -> dict[str, list[Row]]:
    """The rows of each item, read without any of our code."""
    items: dict[str, list[Row]] = {}
    with path.open(newline="") as file:
        for cells in csv.DictReader(file):
            row = Row(
                prompt=cells["text"],
                id=cells["proposition_id"],
                parents=[each.strip() for each in cells["dependency"].split(",") if each.strip() != "0"],
                question=cells["question_natural_language"].strip(),
            )
            items.setdefault(cells["item_id"], []).append(row)
    return items


def holds(picture: int, question: str) -> bool:
    """A coin that the picture and the question decide; three of four are yes."""
    return hashlib.sha256(f"{picture} {question}".encode()).digest()[0] >= 64


def reckoned(rows: list[Row], picture: int) -> tuple[float, set[str]]:
    """The score by its definition, and what is to be asked for it."""
    by_id = {row.id: row for row in rows}

    def valid(row: Row) -> bool:
        return all(valid(by_id[each]) and holds(picture, by_id[each].question) for each in row.parents)

    asked = {row.question for row in rows if valid(row)}
    return sum(valid(row) and holds(picture, row.question) for row in rows) / len(rows), asked


def test_the_faults_of_the_published_questions_are_these(published: Path) -> None:
    given = GivenQuestions.read(published)
    prompts = {item: " ".join(rows[0].prompt.split()) for item, rows in by_item(published).items()}
    assert (len(given.by_prompt), len(prompts)) == (40, 40)
    faults = {item: [*given.faults[prompt]] for item, prompt in prompts.items() if prompt in given.faults}
    assert faults == FAULTS


def test_scores_are_those_of_the_definition_and_every_fault_is_reported(
    published: Path, tmp_path: Path
) -> None:
    items = by_item(published)
    hang_up(tmp_path, 2 * len(items))
    lines = [
        {"id": item, "prompt": rows[0].prompt, "a": f"{2 * at}.png", "b": f"{2 * at + 1}.png"}
        for at, (item, rows) in enumerate(items.items())
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    server = Scenes(lambda picture, question: says("yes" if holds(picture, question) else "no"))
    with Loopback(server.app) as loopback:
        settings = {"questions": str(published)}
        recipe = sm.Recipe("dsg", settings, model="m", base_url=f"{loopback.url}/v1")
        sm.run(tmp_path / "pairs.jsonl", recipe, "first", folder=tmp_path / "runs")
    with sm.Store.look(str(tmp_path / "runs" / "first.sqlite")) as store:
        outcomes: dict[str, Any] = {row.id: outcome for row, outcome in sm.outcomes(store)}
    assert outcomes.keys() == items.keys()
    expected_calls: Counter[tuple[int, str]] = Counter()
    values: list[float] = []
    for at, (item, rows) in enumerate(items.items()):
        outcome = outcomes[item]
        if item in FAULTS:
            assert isinstance(outcome, Failure)
            assert outcome.reason == "invalid"
            assert all(fault in outcome.message for fault in FAULTS[item])
            continue
        assert isinstance(outcome, Judgment)
        for picture, measured in ((2 * at, outcome.score_a), (2 * at + 1, outcome.score_b)):
            assert measured is not None
            value, asked = reckoned(rows, picture)
            assert measured.value == pytest.approx(value)
            assert {part.about for part in measured.parts if part.asked} == asked
            expected_calls.update((picture, question) for question in asked)
            values.append(value)
        a, b = values[-2:]
        assert outcome.winner == (None if a == b else "a" if a > b else "b")
    assert Counter(server.looked) == expected_calls
    assert len(values) == 2 * (40 - len(FAULTS))
    # The coin falls so that there are all sorts.
    assert {0.0, 1.0} < set(values)
    assert len(set(values)) > 10
