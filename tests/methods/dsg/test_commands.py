"""DSG as a scorer everywhere: run, rank, judge, reward; what it is estimated to ask; given questions by --set."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import semiosis as sm
from command_line import RunHere
from critic import hang_up
from loopback import Loopback
from scenes import ASKED, BIKE, Scenes, says
from semiosis.core.loop import run as run_loop
from semiosis.methods.dsg.scoring import DSG

# What each picture lacks: picture 3 has most.
LACKS = {
    0: {"Is there a bike?"},
    1: {"Is there a pole?", "Is this a photo?"},
    2: {"Is the pole black?"},
    3: set[str](),
}
GIVEN = f"""prompt,id,needs,tuple,question
{BIKE},1,,entity (bike),Is there a bike?
{BIKE},2,1,"attribute (bike, red)",Is the bike red?
A dog.,1,,entity (dog),Is there a dog?
A cat.,1,1,entity (cat),Is there a cat?
"""


@pytest.fixture
def server() -> Scenes:
    return Scenes(
        lambda picture, question: says("no" if question in LACKS[picture] else "yes", "Look there.")
    )


@pytest.fixture
def asking(server: Scenes, tmp_path: Path) -> Iterator[tuple[str, ...]]:
    hang_up(tmp_path, 4)
    (tmp_path / "given.csv").write_text(GIVEN)
    with Loopback(server.app) as loopback:
        yield ("--method", "dsg", "--model", "m", "--base-url", f"{loopback.url}/v1")


def write(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path.name


def test_judge_tells_what_was_asked_of_both(run_here: RunHere, asking: tuple[str, ...]) -> None:
    done = run_here("judge", BIKE, "0.png", "2.png", *asking)
    assert done.code == 0, done.err
    flat = " ".join(done.out.split())
    assert "Picture B measures higher" in flat
    assert "Is the bike red?" in flat
    record = json.loads(run_here("judge", BIKE, "0.png", "2.png", *asking, "--json").out)
    assert (record["winner"], record["score_a"]["value"]) == ("b", 0.5)
    assert [part["asked"] for part in record["score_a"]["parts"]] == [True, True, False, True, False, True]


def test_rank_orders_pictures_by_how_much_they_hold(
    run_here: RunHere, asking: tuple[str, ...], server: Scenes
) -> None:
    pictures = [f"{number}.png" for number in range(4)]
    done = run_here("rank", BIKE, *pictures, *asking, "--json", "--quiet")
    assert done.code == 0, done.err
    assert [each["name"] for each in json.loads(done.out)["standings"]] == [f"{n}.png" for n in (3, 2, 0, 1)]
    assert Counter(server.stages())["dsg_tuples"] == 1
    assert max(Counter(server.looked).values()) == 1


def test_a_reward_is_the_score(asking: tuple[str, ...], tmp_path: Path) -> None:
    backbone = sm.backbone("openai/m", base_url=asking[-1])
    give = sm.reward(DSG(backbone))
    rewards = give([BIKE] * 4, images=[tmp_path / f"{number}.png" for number in range(4)])
    run_loop(backbone.aclose())
    assert rewards == [pytest.approx(each) for each in (3 / 6, 2 / 6, 5 / 6, 1.0)]


def test_ratings_and_pairs_of_a_run_share_what_was_asked(
    run_here: RunHere, asking: tuple[str, ...], server: Scenes, tmp_path: Path
) -> None:
    ratings = write(tmp_path / "r.jsonl", *({"prompt": BIKE, "picture": f"{n}.png"} for n in range(4)))
    pairs = write(tmp_path / "p.jsonl", *({"prompt": BIKE, "a": f"{n}.png", "b": "3.png"} for n in range(3)))
    assert run_here("run", ratings, *asking, "--name", "ratings", "--quiet").code == 0
    assert Counter(server.stages())["dsg_answer"] == 4 * 6 - 2 - 2
    server.asked.clear()
    assert run_here("run", pairs, *asking, "--name", "pairs", "--quiet").code == 0
    assert Counter(server.stages()) == {
        "dsg_tuples": 1, "dsg_dependencies": 1, "dsg_questions": 1, "dsg_answer": 4 * 6 - 2 - 2
    }  # fmt: skip
    shown = json.loads(run_here("runs", "show", "pairs", "--json").out)
    assert shown["counts"]["settled"] == 3


def estimated(run_here: RunHere, *words: str) -> dict[str, tuple[int, int, int]]:
    done = run_here(*words, "--dry-run", "--json")
    assert done.code == 0, done.err
    return {
        each["stage"]: (each["calls_at_least"], each["calls"], each["calls_at_most"])
        for each in json.loads(done.out)
    }


def test_an_estimate_counts_the_usual_number_of_questions_a_picture(
    run_here: RunHere, asking: tuple[str, ...], server: Scenes, tmp_path: Path
) -> None:
    pairs = write(
        tmp_path / "p.jsonl",
        *({"prompt": f"Prompt {n}.", "a": f"{a}.png", "b": "3.png"} for n in range(3) for a in range(3)),
    )
    assert estimated(run_here, "run", pairs, *asking) == {
        "dsg-tuples": (3, 3, 3),
        "dsg-dependencies": (3, 3, 3),
        "dsg-questions": (3, 3, 3),
        # Where nothing that something else needs is there, only what needs nothing is asked.
        "dsg-answer": (36, 3 * 4 * len(ASKED), 3 * 4 * len(ASKED)),
    }
    assert server.asked == []


def test_an_estimate_of_given_questions_counts_those_and_leaves_out_what_cannot_be_asked(
    run_here: RunHere, asking: tuple[str, ...], server: Scenes, tmp_path: Path
) -> None:
    prompts = (BIKE, "A dog.", "A cat.", "A bird.")
    rows = write(
        tmp_path / "r.jsonl", *({"prompt": each, "picture": f"{n}.png"} for each in prompts for n in (0, 1))
    )
    given = (*asking, "--set", "questions=given.csv")
    (stage, (least, likely, most)) = estimated(run_here, "run", rows, *given).popitem()
    assert (stage, likely) == ("dsg-answer", 6)
    assert least <= likely <= most
    assert server.asked == []
    server.answer = lambda picture, question: says("yes")
    done = run_here("run", rows, *given, "--name", "first", "--quiet")
    assert (done.code, len(server.looked)) == (0, 6), done.err
    shown = json.loads(run_here("runs", "show", "first", "--json").out)
    assert shown["counts"]["failures"] == {"invalid": 4}
    cat = run_here("runs", "show", "first", "--item", "5")
    assert "proposition 1 depends on itself" in " ".join(cat.out.split())


def test_a_file_of_questions_that_is_not_there_is_said_in_one_sentence(
    run_here: RunHere, asking: tuple[str, ...]
) -> None:
    done = run_here("judge", BIKE, "0.png", "1.png", *asking, "--set", "questions=none.csv")
    assert (done.code, done.err.strip()) == (2, "semiosis: There is no file or folder none.csv.")
