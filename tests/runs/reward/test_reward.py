"""The reward: values by hand, failures as None, over real HTTP on both sides."""

import asyncio
import base64
import io
import json
import math
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from chat import Judge, picture_graph, refuses, verdict
from loopback import AsgiLoopback, Loopback, Script, json_answer, text_answer
from semiosis.backbones.openai import OpenAI
from semiosis.core.certainty import Certainty
from semiosis.core.errors import BadPicture, BadSetting, MissingExtra, SetupError
from semiosis.core.kinds.pair import Judgment
from semiosis.core.loop import run
from semiosis.core.outcome import Failure
from semiosis.core.sign import Artifact, Pair, Prompt, Side
from semiosis.core.vote import Vote
from semiosis.methods.contract import Judges, Scores
from semiosis.methods.direct import Direct
from semiosis.methods.semjudge.gap import Gap
from semiosis.methods.semjudge.judge import SemJudge
from semiosis.runs.reward import server as reward_server
from semiosis.runs.reward.reward import Reward, reward, schedule
from semiosis.runs.reward.server import RemoteReward, app, serve

TEXT = "A vanitas still life: everything glows, nothing lasts."
ALONE = "ignore:.*nobody to be compared with"


def red(level: int) -> bytes:
    """A picture as red as that, from 0 to 255: the redder one is what the judges here like."""
    buffer = io.BytesIO()
    Image.new("RGB", (32, 32), (level, 0, 0)).save(buffer, "PNG")
    return buffer.getvalue()


def redness(data: bytes) -> int:
    with Image.open(io.BytesIO(data)) as image:
        return image.convert("RGB").getpixel((5, 5))[0]  # type: ignore[index,return-value]


def shown(body: dict[str, Any]) -> list[int]:
    """How red the pictures of a request are, in order."""
    contents = [m["content"] for m in body["messages"] if isinstance(m["content"], list)]
    urls = [part["image_url"]["url"] for parts in contents for part in parts if part["type"] == "image_url"]
    return [redness(base64.b64decode(url.partition(",")[2])) for url in urls]


class RedJudge(Judge):
    """Prefers the redder picture, reads it as an object of that redness, and will not look at `refused`."""

    def __init__(self, *refused: int) -> None:
        super().__init__()
        self.refused = set(refused)

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        colours = shown(body)
        if self.refused & set(colours):
            return {"nothing": "useful"}
        if stage in ("direct", "verdict_standard"):
            a, b = colours[-2:]
            return verdict("A" if a > b else "B", "A")
        if stage.startswith(("picture_graph", "picture_alone")):
            return {**picture_graph("solo", []), "object": f"redness {colours[-1]}"}
        return super().reply(stage, body)


@contextmanager
def asking(server: Judge | Script) -> Iterator[OpenAI]:
    with Loopback(server.app) as loopback:
        backbone = OpenAI("m", base_url=f"{loopback.url}/v1")
        yield backbone
        run(backbone.aclose())


@dataclass(frozen=True)
class Redder(Judges):
    """The same taste without a model; counts how many pairs it has before it at once."""

    name = "test/redder"
    busy: list[int] = field(default_factory=list)
    raises: Exception | None = None

    async def judge(self, pair: Pair) -> Judgment | Failure:
        if self.raises:
            raise self.raises
        self.busy.append((self.busy[-1] if self.busy else 0) + 1)
        await asyncio.sleep(0)
        self.busy.append(self.busy[-1] - 1)
        a, b = redness(pair.a.read()), redness(pair.b.read())
        return Judgment(
            pair=pair,
            votes=(Vote(winner="a" if a > b else "b"),),
            provenance=self.provenance([]),
        )


def by_angle(objects: Sequence[str]) -> list[list[float]]:
    """Redness as an angle from the prompt's object, which is wholly red."""
    angles = [(255 - int(text.split()[-1])) / 255 if "redness" in text else 0.0 for text in objects]
    return [[math.cos(angle), math.sin(angle)] for angle in angles]


# the tournament


def test_transitive_preferences_give_the_places_of_a_tournament_and_graphs_are_made_once() -> None:
    server = RedJudge()
    with asking(server) as backbone:
        give = reward(SemJudge(backbone, graphs="solo"))
        rewards = give([TEXT] * 4, images=[red(80), red(240), red(10), red(160)])
    assert rewards == [pytest.approx(1 / 3), 1.0, 0.0, pytest.approx(2 / 3)]
    assert Counter(server.stages()) == {
        "prompt_graph_standard": 1,
        "picture_graph_standard": 4,
        "verdict_standard": 2 * 6,
    }
    assert give.__name__ == "semiosis_semjudge"
    assert (give.last.rewards, give.last.missing, give.last.failures) == (tuple(rewards), (), {})
    assert [type(outcome) for outcome in give.last.outcomes] == [Judgment] * 6


def test_a_judge_that_is_not_sure_rewards_less_and_a_coin_flip_either_alike() -> None:
    def judged(certainty: Certainty) -> tuple[list[float | None], int]:
        @dataclass(frozen=True)
        class Hesitant(Judges):
            name: ClassVar[str] = "hesitant"

            async def judge(self, pair: Pair) -> Judgment | Failure:
                red_one: Side = "a" if redness(pair.a.read()) > redness(pair.b.read()) else "b"
                votes = tuple(
                    Vote(order=order, winner=red_one, certainty=certainty) for order in ("ab", "ba")
                )
                return Judgment(pair=pair, votes=votes, provenance=self.provenance([]))

        give = reward(Hesitant())
        return give([TEXT] * 2, images=[red(200), red(100)]), give.last.coin_flips

    assert judged(5) == ([1.0, 0.0], 0)
    assert judged(3) == ([0.75, 0.25], 0)
    assert judged(1) == ([0.5, 0.5], 1)


def test_a_judge_of_position_rewards_nobody_more_than_another() -> None:
    with asking(Judge("A")) as backbone:
        assert reward(Direct(backbone))([TEXT] * 3, images=[red(1), red(100), red(200)]) == [0.5] * 3


def test_pictures_are_compared_with_those_of_the_same_prompt_and_references_only() -> None:
    server = RedJudge()
    with asking(server) as backbone:
        rewards = reward(Direct(backbone))(
            [TEXT, "Dawn.", Prompt(text=TEXT, references=(Artifact.of(red(3)),))] * 2,
            images=[red(10), red(240), red(90), red(20), red(230), red(80)],
        )
    assert rewards == [0.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    assert len(server.asked) == 2 * 3


def test_twins_share_one_result_and_are_even_with_each_other_without_a_call() -> None:
    server = RedJudge()
    with asking(server) as backbone:
        give = reward(Direct(backbone))
        assert give([TEXT] * 4, images=[red(9), red(200), red(9), red(100)]) == [
            pytest.approx((0.5 + 0 + 0) / 3),
            1.0,
            pytest.approx((0.5 + 0 + 0) / 3),
            pytest.approx((1 + 1 + 0) / 3),
        ]
        assert len(server.asked) == 2 * 3
        assert give([TEXT] * 3, images=[red(9)] * 3) == [0.5] * 3
        assert len(server.asked) == 2 * 3


# failures


def test_a_pair_that_failed_is_left_out_and_a_picture_without_a_judged_pair_has_no_reward() -> None:
    with asking(RedJudge(50)) as backbone:
        give = reward(Direct(backbone))
        rewards = give([TEXT] * 4, images=[red(200), red(50), red(100), red(0)])
    assert rewards == [1.0, None, 0.5, 0.0]
    assert give.last.failures == {"invalid": 3}
    assert [(each.row, each.reason) for each in give.last.missing] == [(1, "invalid")]
    assert sum(isinstance(outcome, Failure) for outcome in give.last.outcomes) == 3


def test_being_even_with_a_twin_is_no_reward_where_nothing_was_judged() -> None:
    with asking(RedJudge(50)) as backbone:
        give = reward(Direct(backbone))
        with pytest.warns(RuntimeWarning, match="None of the 3 pictures has a reward"):
            assert give([TEXT] * 3, images=[red(50), red(50), red(100)]) == [None] * 3


def test_a_refused_key_is_raised_since_no_step_could_learn() -> None:
    with asking(Script(refuses(401, "no such key"))) as backbone:
        give = reward(Direct(backbone))
        with pytest.raises(SetupError, match="refused the key"):
            give([TEXT, TEXT], images=[red(1), red(2)])


def test_when_nothing_has_a_reward_one_warning_says_why() -> None:
    with asking(Script(refuses(404, "no such model"))) as backbone:
        give = reward(Direct(backbone))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert give([TEXT, TEXT, " "], images=[red(1), red(2), red(3)]) == [None] * 3
    assert [warning.category for warning in caught] == [RuntimeWarning]
    assert "None of the 3 pictures" in str(caught[0].message)
    assert "(bad-prompt 1, rejected 1)" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_a_bad_row_has_no_reward_and_harms_no_other(tmp_path: Path) -> None:
    (tmp_path / "notes.png").write_text("not a picture")
    give = reward(Redder())
    rewards = give(
        [TEXT, "", TEXT, TEXT, TEXT, TEXT, 5, TEXT],
        images=[
            red(9),
            red(1),
            b"",
            tmp_path / "none.png",
            str(tmp_path / "notes.png"),
            red(90),
            red(1),
            None,
        ],
    )
    assert rewards == [0.0, None, None, None, None, 1.0, None, None]
    assert give.last.failures == {"bad-prompt": 2, "bad-picture": 4}
    assert [each.row for each in give.last.missing] == [1, 2, 3, 4, 6, 7]
    assert "There is no file" in give.last.missing[2].message
    assert "notes.png is not a picture" in give.last.missing[3].message


def test_a_damaged_reference_is_the_prompts_fault() -> None:
    give = reward(Redder())
    broken = Prompt(text=TEXT, references=(Artifact.of(red(3)[:60]),))
    with pytest.warns(RuntimeWarning, match="bad-prompt 2"):
        assert give([broken, broken], images=[red(1), red(2)]) == [None, None]


def test_a_picture_alone_with_its_prompt_has_no_reward_and_is_warned_of_once() -> None:
    give = reward(Redder())
    with pytest.warns(RuntimeWarning, match="nobody to be compared with") as caught:
        assert give([TEXT, "Dawn."], images=[red(1), red(2)]) == [None, None]
    assert len(caught) == 1
    assert give([TEXT, "Dawn.", "Dawn."], images=[red(1), red(2), red(3)]) == [None, 0.0, 1.0]
    assert give.last.failures == {"unpaired": 1}


def test_what_a_method_cannot_take_is_a_failure_and_what_it_lacks_is_raised() -> None:
    give = reward(Redder(raises=BadPicture("Too dark.")))
    with pytest.warns(RuntimeWarning, match=r"\(rejected 1\); the first: Too dark\."):
        assert give([TEXT] * 2, images=[red(1), red(2)]) == [None, None]
    for error in (MissingExtra("It", "embeddings"), BadSetting("No.")):
        with pytest.raises(type(error)):
            reward(Redder(raises=error))([TEXT] * 2, images=[red(1), red(2)])


# what a trainer passes


def image(level: int) -> Image.Image:
    return Image.open(io.BytesIO(red(level)))


def test_pictures_come_in_every_form_and_other_columns_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(red(40))
    (tmp_path / "b.png").write_bytes(red(50))
    url = "data:image/png;base64," + base64.b64encode(red(60)).decode()
    pictures = [image(10), red(20), Artifact.of(red(30)), tmp_path / "a.png", str(tmp_path / "b.png"), url]
    rewards = reward(Redder())(
        prompts=[TEXT] * 7,
        completions=["a text"] * 7,
        images=[*pictures, [image(70)]],
        completion_ids=[[1]] * 7,
        tradition=["vanitas"] * 7,
        trainer_state=SimpleNamespace(global_step=1),
        log_metric=print,
    )
    assert rewards == [pytest.approx(place / 6) for place in range(7)]


def chat(*parts: Any, role: str = "user") -> list[dict[str, Any]]:
    return [{"role": role, "content": list(parts) if len(parts) != 1 else parts[0]}]


def part(source: Any) -> dict[str, Any]:
    return {"type": "image", "image": source}


@pytest.mark.filterwarnings(ALONE)
def test_of_a_chat_what_the_user_said_last_is_the_prompt_and_its_images_are_references() -> None:
    give = reward(Redder())
    text = {"type": "text", "text": TEXT}
    earlier = [{"role": "system", "content": "Paint."}, *chat("Hello."), *chat("Hi.", role="assistant")]
    rewards = give(
        [earlier + chat(TEXT), chat(part(image(3)), text), TEXT, chat(part(red(4)), text)],
        images=[red(10), red(90), red(20), red(80)],
        completions=[chat("done", role="assistant")] * 4,
    )
    assert rewards == [0.0, None, 1.0, None]
    assert give.last.failures == {"unpaired": 2}
    pairs = [outcome.pair for outcome in give.last.outcomes if isinstance(outcome, Judgment)]
    assert [(pair.prompt.text, pair.prompt.references) for pair in pairs] == [(TEXT, ())]


def test_pictures_in_completions_are_taken_the_last_of_a_chat() -> None:
    url = "data:image/png;base64," + base64.b64encode(red(90)).decode()
    painted = [
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "content": [part(image(250)), part(image(60))]},
        {"role": "assistant", "content": "Here it is."},
    ]
    completions = [
        image(10),
        red(20),
        chat(
            {"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "so"}, role="assistant"
        ),
        painted,
    ]
    assert reward(Redder())([TEXT] * 4, completions, images=[red(255)] * 4) == [
        0.0,
        pytest.approx(1 / 3),
        1.0,
        pytest.approx(2 / 3),
    ]


def test_text_by_the_model_in_training_is_never_read_as_a_path(tmp_path: Path) -> None:
    (tmp_path / "best.png").write_bytes(red(255))
    path = str(tmp_path / "best.png")
    give = reward(Redder())
    rewards = give(
        [TEXT] * 5,
        [path, chat(path, role="assistant"), chat(part(path), role="assistant"), Path(path), red(1)],
    )
    assert rewards == [None, None, None, 1.0, 0.0]
    assert {each.message.split(":")[0] for each in give.last.missing} == {"The row has no picture"}


def test_the_reference_images_trl_passes_are_not_taken_for_generated_ones() -> None:
    reference = image(3)
    prompt = chat(part(reference), {"type": "text", "text": TEXT})
    give = reward(Redder())
    with pytest.warns(RuntimeWarning, match="reference image of its own prompt"):
        assert give([prompt] * 2, ["a text"] * 2, images=[[reference]] * 2) == [None, None]


def test_lists_that_do_not_fit_are_refused_at_once() -> None:
    give = reward(Redder())
    with pytest.raises(BadSetting, match="2 prompts and 1 images"):
        give([TEXT] * 2, images=[red(1)])
    with pytest.raises(BadSetting, match="needs prompts, and pictures"):
        give([TEXT])
    assert give([], images=[]) == []


async def test_in_a_running_loop_it_is_awaited_or_called() -> None:
    server = RedJudge()
    with Loopback(server.app) as loopback:
        async with OpenAI("m", base_url=f"{loopback.url}/v1") as backbone:
            give = reward(Direct(backbone))
            assert await give.rewards([TEXT] * 2, [red(9), red(99)]) == [0.0, 1.0]
    assert reward(Redder())([TEXT] * 2, images=[red(9), red(99)]) == [0.0, 1.0]
    assert len(server.asked) == 2


# scores


def test_scores_are_given_where_the_method_has_them_once_a_picture() -> None:
    server = RedJudge(50)
    with asking(server) as backbone:
        give = reward(Gap(backbone, embed=by_angle))
        rewards = give([TEXT] * 4, images=[red(255), red(0), red(50), red(255)])
    assert give.by == "score"
    assert rewards == [0.0, pytest.approx(-1 / math.pi), None, 0.0]
    assert (give.last.failures, len(give.last.outcomes)) == ({"invalid": 1}, 3)
    assert Counter(server.stages())["prompt_graph_standard"] == 1


def test_a_method_that_scores_can_hold_a_tournament() -> None:
    with asking(RedJudge()) as backbone:
        give = reward(Gap(backbone, embed=by_angle), by="tournament")
        assert give([TEXT] * 3, images=[red(255), red(0), red(100)]) == [1.0, 0.0, 0.5]


class OnlyScores(Scores):
    name = "test/number"

    async def score(self, prompt: Prompt, artifact: Artifact) -> Failure:
        return Failure(reason="refused", message="no")


@pytest.mark.parametrize(
    ("method", "settings", "words"),
    [
        (Redder(), {"by": "score"}, "test/redder gives no reward by score: use by='tournament'"),
        (OnlyScores(), {"by": "tournament"}, "gives no reward by tournament: use by='score'"),
        (Redder(), {"by": "vote"}, "'tournament' or 'score', not 'vote'"),
        (Redder(), {"at_once": 0}, "at_once of reward should be greater than or equal to 1"),
        (Redder(), {"most_pairs": 0}, "most_pairs of reward should be greater than or equal to 1"),
        (OnlyScores(), {"most_pairs": 3}, "leave out most_pairs"),
        ("gap", {}, "an instance of Method, not 'gap'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(method: Any, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        reward(method, **settings)


# which pairs


@given(st.integers(1, 33), st.data())
def test_the_schedule_has_every_pair_once_and_is_even_wherever_it_is_cut(
    players: int, data: st.DataObject
) -> None:
    pairs = schedule(players)
    assert len(pairs) == players * (players - 1) // 2 == len({frozenset(pair) for pair in pairs})
    first = Counter(a for a, _ in pairs)
    second = Counter(b for _, b in pairs)
    assert all(abs(first[player] - second[player]) <= 1 for player in range(players))
    cut = Counter(player for pair in pairs[: data.draw(st.integers(0, len(pairs)))] for player in pair)
    degrees = [cut[player] for player in range(players)]
    assert max(degrees) - min(degrees) <= 1 + players % 2


def test_most_pairs_caps_the_pairs_of_each_prompt() -> None:
    method = Redder()
    give = reward(method, most_pairs=6)
    levels = [10, 60, 110, 160, 210, 250]
    rewards = give([TEXT] * 6 + ["Dawn."] * 2, images=[red(level) for level in [*levels, 1, 2]])
    assert len(give.last.outcomes) == 6 + 1
    assert (rewards[0], rewards[5], rewards[6:]) == (0.0, 1.0, [0.0, 1.0])
    assert rewards == give([TEXT] * 6 + ["Dawn."] * 2, images=[red(level) for level in [*levels, 1, 2]])


def test_a_picture_the_cap_leaves_with_nobody_to_compare_has_no_reward() -> None:
    give = reward(Redder(), most_pairs=1)
    with pytest.warns(RuntimeWarning, match="nobody to be compared with among the 1 pairs of its prompt"):
        rewards = give([TEXT] * 4, images=[red(10), red(20), red(30), red(40)])
    assert rewards == [0.0, None, None, 1.0]


@pytest.mark.parametrize(("at_once", "most"), [(1, 1), (4, 4)])
def test_so_many_pairs_are_judged_at_once(at_once: int, most: int) -> None:
    method = Redder()
    reward(method, at_once=at_once)([TEXT] * 5, images=[red(level) for level in (1, 2, 3, 4, 5)])
    assert max(method.busy) == most


# over HTTP


def encoded(level: int) -> str:
    return base64.b64encode(red(level)).decode()


async def post(url: str, body: Any, **headers: str) -> tuple[int, Any]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with aiohttp.ClientSession() as session:
        request = session.post(url, data=data, headers={"Content-Type": "application/json", **headers})
        async with request as response:
            return response.status, await response.json()


async def test_rewards_over_http() -> None:
    body = {
        "prompts": [TEXT, TEXT, TEXT, " "],
        "images": [f"data:image/png;base64,{encoded(10)}", encoded(90), "bm90IGEgcGljdHVyZQ==", encoded(1)],
    }
    with AsgiLoopback(app(reward(Redder()))) as server:
        status, answer = await post(f"{server.url}/reward", body)
        async with aiohttp.ClientSession() as session, session.get(f"{server.url}/health") as response:
            assert await response.json() == {"status": "ok", "method": "test/redder", "by": "tournament"}
    assert (status, answer["rewards"], answer["method"]) == (200, [0.0, 1.0, None, None], "test/redder")
    assert [(each["row"], each["reason"]) for each in answer["failures"]] == [
        (2, "bad-picture"),
        (3, "bad-prompt"),
    ]
    assert answer["counts"] == {"bad-picture": 1, "bad-prompt": 1}


async def test_groups_and_references_part_rows_of_one_prompt() -> None:
    images = [encoded(level) for level in (10, 20, 30, 40)]
    with AsgiLoopback(app(reward(Redder()))) as server:
        grouped = {"prompts": [TEXT] * 4, "images": images, "group": [1, 2, 1, 2]}
        assert (await post(f"{server.url}/reward", grouped))[1]["rewards"] == [0.0, 0.0, 1.0, 1.0]
        references = [[encoded(1)], [], [], [encoded(1)]]
        parted = {"prompts": [TEXT] * 4, "images": images, "references": references}
        assert (await post(f"{server.url}/reward", parted))[1]["rewards"] == [0.0, 0.0, 1.0, 1.0]


async def test_a_caller_cannot_have_our_files_or_addresses_read(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(red(255))
    touched = Script(text_answer("never"))
    with AsgiLoopback(app(reward(Redder()))) as server, Loopback(touched.app) as elsewhere:
        hostile = [
            str(tmp_path / "a.png"),
            (tmp_path / "a.png").as_uri(),
            f"{elsewhere.url}/a.png",
            f"data:image/png,{tmp_path}/a.png",
            "",
            "/tmp/abc",
        ]
        body = {"prompts": [TEXT] * 8, "images": [*hostile, encoded(1), encoded(2)]}
        _, answer = await post(f"{server.url}/reward", body)
        references = {"prompts": [TEXT] * 2, "images": [encoded(1)] * 2, "references": [[hostile[0]], []]}
        _, refused = await post(f"{server.url}/reward", references)
    assert answer["rewards"] == [None] * 6 + [0.0, 1.0]
    assert {each["reason"] for each in answer["failures"]} == {"bad-picture"}
    assert refused["rewards"][0] is None
    assert "paths and addresses are not read" in refused["failures"][0]["message"]
    assert touched.seen == []


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 400, "Invalid JSON"),
        (b"\xff\xfe", 400, "Invalid JSON"),
        ([1], 400, "should be an object"),
        ({"prompts": [TEXT]}, 400, "images: Field required"),
        ({"prompts": [TEXT], "images": []}, 400, "1 prompts and 0 images"),
        ({"prompts": [TEXT], "images": [5]}, 400, "images.0"),
        ({"prompts": TEXT, "images": [""]}, 400, "prompts"),
        ({"prompts": [[{"role": "user"}]], "images": [""]}, 400, "prompts.0"),
        ({"prompts": ["x"] * 2000, "images": [""] * 2000}, 400, "at most 1024"),
        ({"prompts": [], "images": [], "path": "/etc"}, 400, "path: Extra inputs"),
        (b" " * 70_000, 413, "over 65,536 bytes"),
    ],
)
async def test_what_is_no_call_is_answered_in_a_sentence(body: Any, status: int, words: str) -> None:
    with AsgiLoopback(app(reward(Redder()), max_body_bytes=65_536)) as server:
        code, answer = await post(f"{server.url}/reward", body)
    assert code == status
    assert list(answer) == ["error"]
    assert words in answer["error"]
    assert "\n" not in answer["error"]


async def test_an_endless_body_is_refused_while_it_is_read() -> None:
    refused = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        while not refused.is_set():
            yield b" " * 4096

    headers = {"Content-Type": "application/json"}
    with AsgiLoopback(app(reward(Redder()), max_body_bytes=65_536)) as server:
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"{server.url}/reward", data=endless(), headers=headers) as response,
        ):
            refused.set()
            assert (response.status, list(await response.json())) == (413, ["error"])


async def test_other_types_places_and_a_broken_setup_are_answered_in_a_sentence() -> None:
    broken = reward(Redder(raises=MissingExtra("It", "embeddings")))
    rows = {"prompts": [TEXT] * 2, "images": [encoded(1), encoded(2)]}
    with AsgiLoopback(app(broken)) as server:
        assert (await post(f"{server.url}/reward", rows, **{"Content-Type": "text/plain"}))[0] == 415
        nowhere = {"error": "There is only POST /reward and GET /health."}
        for place, status in (("other", 404), ("reward/", 404), ("health", 405)):
            assert await post(f"{server.url}/{place}", {}) == (status, nowhere)
        status, answer = await post(f"{server.url}/reward", rows)
    assert (status, "semiosis[embeddings]" in answer["error"]) == (503, True)


async def test_serving_ends_when_it_is_cancelled_and_says_when_a_port_is_taken() -> None:
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(reward(Redder()), port=0, ready=address.set_result))
    url = await address
    assert url.startswith("http://127.0.0.1:")
    with pytest.raises(SetupError, match=r"cannot be served: .*; choose another port"):
        await serve(reward(Redder()), port=int(url.rpartition(":")[2]))
    rows = {"prompts": [TEXT] * 2, "images": [encoded(1), encoded(2)]}
    assert (await post(f"{url}/reward", rows))[1]["rewards"] == [0.0, 1.0]
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    with pytest.raises(aiohttp.ClientConnectionError):
        await post(f"{url}/reward", rows)


@dataclass(frozen=True)
class Slow(Redder):
    """Says when it was asked, and answers when it may."""

    arrival: asyncio.Event = field(default_factory=asyncio.Event)
    may: asyncio.Event = field(default_factory=asyncio.Event)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)

    async def judge(self, pair: Pair) -> Judgment | Failure:
        self.arrival.set()
        try:
            await self.may.wait()
        except asyncio.CancelledError:
            self.stopped.set()
            raise
        return await super().judge(pair)


@pytest.mark.parametrize("first", ["the caller hangs up", "the server ends"])
async def test_judging_stops_with_its_caller_and_a_call_under_way_outlives_the_order_to_end(
    first: str,
) -> None:
    method = Slow()
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(reward(method), port=0, ready=address.set_result))
    rows = {"prompts": [TEXT] * 2, "images": [encoded(1), encoded(2)]}
    url = await address
    calling = asyncio.create_task(post(f"{url}/reward", rows))
    await asyncio.wait_for(method.arrival.wait(), 10)
    if first == "the caller hangs up":
        calling.cancel()
        await asyncio.wait_for(method.stopped.wait(), 10)
        serving.cancel()
    else:
        serving.cancel()
        with suppress(ConnectionError):
            while True:
                _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
                writer.close()
        method.may.set()
        assert (await calling)[1]["rewards"] == [0.0, 1.0]
    with pytest.raises(asyncio.CancelledError):
        await serving


async def test_a_call_that_outlasts_the_end_of_the_server_is_told_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reward_server, "STOP_S", 0)
    method = Slow()
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(reward(method), port=0, ready=address.set_result))
    rows = {"prompts": [TEXT] * 2, "images": [encoded(1), encoded(2)]}
    calling = asyncio.create_task(post(f"{await address}/reward", rows))
    await asyncio.wait_for(method.arrival.wait(), 10)
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    answer = {"error": "The reward server was told to end before it could answer."}
    assert await asyncio.wait_for(calling, 10) == (503, answer)
    assert method.stopped.is_set()
    assert caplog.records == []


async def test_a_caller_that_hangs_up_within_its_body_leaves_no_trace(
    caplog: pytest.LogCaptureFixture,
) -> None:
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(reward(Redder()), port=0, ready=address.set_result))
    url = await address
    _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    writer.write(b"POST /reward HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n")
    writer.write(b"Content-Length: 9\r\n\r\n{")
    writer.close()
    await writer.wait_closed()
    assert (await post(f"{url}/reward", {}))[0] == 400
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert caplog.records == []


async def test_serving_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for missing in ("uvicorn", "starlette.applications"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, missing, None)
            with pytest.raises(MissingExtra, match=r"A reward server needs .*semiosis\[serve\]"):
                await serve(reward(Redder()), port=0)


# from afar


def test_a_remote_reward_is_called_as_the_one_it_stands_for() -> None:
    prompt = chat(part(image(3)), {"type": "text", "text": TEXT})
    prompts = [TEXT, prompt, "", TEXT, prompt, TEXT]
    pictures = [image(10), red(90), red(1), red(20), red(80), Artifact(sha256="0" * 64)]
    here = reward(Redder())
    with AsgiLoopback(app(here)) as server:
        afar = RemoteReward(server.url, name="redder")
        assert afar(prompts, images=pictures, trainer_state=None) == [0.0, 1.0, None, 1.0, 0.0, None]
        assert here(prompts, images=pictures) == list(afar.last.rewards)
        with pytest.warns(RuntimeWarning, match="None of the 1 pictures"):
            assert afar([""], images=[red(1)]) == [None]
    assert afar.__name__ == "redder"
    assert here.last.failures == {"bad-prompt": 1, "bad-picture": 1}
    assert [(each.row, each.reason) for each in here.last.missing] == [(2, "bad-prompt"), (5, "bad-picture")]


async def test_failures_far_away_are_known_here() -> None:
    with AsgiLoopback(app(reward(Redder()))) as server:
        afar = RemoteReward(server.url)
        assert await afar.rewards(["", TEXT, TEXT, TEXT], [red(1), b"x", red(2), red(3)]) == [
            None,
            None,
            0.0,
            1.0,
        ]
    assert [(each.row, each.reason) for each in afar.last.missing] == [(0, "bad-prompt"), (1, "bad-picture")]
    assert afar.last.failures == {"bad-prompt": 1, "bad-picture": 1}


def test_a_server_that_gives_no_rewards_is_an_error_and_not_a_row_of_none() -> None:
    rows = ([TEXT] * 2, None, [red(1), red(2)])
    with AsgiLoopback(app(reward(Redder()))) as server:
        url = server.url
    with pytest.raises(SetupError, match=f"{url} cannot be reached .*: start it with `semiosis reward`"):
        RemoteReward(url)(*rows)
    with pytest.raises(BadSetting, match=r"address such as http://127.0.0.1:8765, not 'localhost'"):
        RemoteReward("localhost")
    for answer, words in (
        (text_answer("<html>"), "does not answer as a reward server: Invalid JSON"),
        (text_answer("<html>", status=502), "said 502: b'<html>'"),
        (json_answer({"error": "Too much."}, status=413), "said 413: Too much."),
        (json_answer({"rewards": [0.5]}), "do not fit"),
        (json_answer({"rewards": [0.5, None]}), "do not fit"),
        (json_answer({"rewards": [0.5, "high"]}), "does not answer as a reward server: rewards.1"),
    ):
        with Loopback(Script(answer).app) as server, pytest.raises(SetupError) as caught:
            RemoteReward(server.url)(*rows)
        assert words in str(caught.value)


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_the_command_serves_until_it_is_told_to_end(stop: signal.Signals) -> None:
    server = RedJudge()
    with (
        Loopback(server.app) as loopback,
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "semiosis",
                "reward",
                "--model",
                "m",
                "--base-url",
                f"{loopback.url}/v1",
                "--port",
                "0",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("semjudge, by tournament: http://127.0.0.1:"), process.communicate()
            url = line.split()[-1].removesuffix("/reward")
            assert RemoteReward(url)([TEXT] * 3, images=[red(10), red(200), red(100)]) == [0.0, 1.0, 0.5]
            process.send_signal(stop)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (0, "", "")
    assert Counter(server.stages()) == {
        "prompt_graph_standard": 1,
        "picture_graph_standard": 3,
        "verdict_standard": 6,
    }


def test_importing_the_reward_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'torch', 'openai', 'aiohttp', 'starlette', 'uvicorn', 'PIL', 'trl'}"
    code = f"import sys, semiosis.runs.reward.server; print({heavy} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


def test_it_is_what_trl_takes_for_a_synchronous_function() -> None:
    assert isinstance(reward(Redder()), Reward)
    assert not asyncio.iscoroutinefunction(reward(Redder()).__call__)
    assert reward(Redder()).__name__ == "semiosis_test_redder"
