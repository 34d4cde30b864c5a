"""A real GRPOTrainer, rewarded by a judge over HTTP: a tiny text model in training, whose words are painted."""

import base64
import io
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from chat import Judge, verdict
from loopback import AsgiLoopback, Loopback
from semiosis.backbones.openai import OpenAI
from semiosis.core.loop import run
from semiosis.methods.semjudge.judge import SemJudge
from semiosis.runs.reward.reward import Reward, reward
from semiosis.runs.reward.server import RemoteReward, app

pytestmark = [
    pytest.mark.long,
    # TRL calls what transformers has renamed by its old names.
    pytest.mark.filterwarnings("ignore::FutureWarning:transformers"),
    pytest.mark.filterwarnings("ignore:.*gradient_checkpointing:FutureWarning"),
]

WORDS = ["red", "green", "blue", "dark", "bright", "a", "still", "life"]
PROMPTS = ["a still life", "a bright still life"]
GENERATIONS, STEPS = 4, 2
Pixel = tuple[int, int, int]


@pytest.fixture(autouse=True)
def _trl() -> None:
    """Asked for here and not above: importing it takes seconds, even where long tests are left out."""
    pytest.importorskip("trl", minversion="1.6", reason="no trl that leaves out what has no reward")


class Reddest(Judge):
    """Prefers the redder picture, and has nothing to say of the first it sees where it is `stubborn`."""

    def __init__(self, *, stubborn: bool) -> None:
        super().__init__()
        self.stubborn = stubborn
        self.refused: Pixel | None = None

    def reply(self, stage: str, body: dict[str, Any]) -> Any:
        parts = [part for m in body["messages"] if isinstance(m["content"], list) for part in m["content"]]
        urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        colours = [pixel(base64.b64decode(url.partition(",")[2])) for url in urls]
        if self.stubborn and colours and self.refused is None:
            self.refused = colours[0]
        if self.refused in colours:
            return {"nothing": "useful"}
        if stage.startswith("verdict"):
            return verdict("A" if colours[0] > colours[1] else "B", "A")
        return super().reply(stage, body)


def pixel(data: bytes) -> Pixel:
    with Image.open(io.BytesIO(data)) as image:
        return image.convert("RGB").getpixel((5, 5))  # type: ignore[return-value]


def paint(words: str) -> Image.Image:
    """As red as the text has it, and no two texts quite alike."""
    tokens = words.split()
    grey = sum(WORDS.index(word) * (place + 1) for place, word in enumerate(tokens) if word in WORDS) % 200
    return Image.new("RGB", (48, 48), (min(255, 40 * tokens.count("red")), grey, len(tokens)))


def painted(give: Reward | RemoteReward) -> Any:
    """As in docs/reward.md: the reward of the pictures that the completions describe."""

    def rewards(prompts: Any, completions: Any, log_metric: Any, **columns: Any) -> list[float | None]:
        scores = give(prompts, images=[paint(messages[-1]["content"]) for messages in completions])
        log_metric("unrewarded", len(give.last.missing) / len(scores))
        return scores

    rewards.__name__ = give.__name__
    return rewards


def train(rewards: Any, folder: Path) -> list[dict[str, Any]]:
    """What GRPO logs over two steps on random weights."""
    import datasets
    import torch
    import trl
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

    set_seed(0)
    torch.set_num_threads(2)
    vocabulary = {word: number for number, word in enumerate(["<pad>", "<eos>", "<unk>", *WORDS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
    )
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }} {% endfor %}"
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(vocabulary),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=1,
        )
    )
    trainer = trl.GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=rewards,
        train_dataset=datasets.Dataset.from_list(
            [{"prompt": [{"role": "user", "content": text}], "tradition": "vanitas"} for text in PROMPTS]
        ),
        args=trl.GRPOConfig(
            output_dir=str(folder),
            per_device_train_batch_size=GENERATIONS,
            num_generations=GENERATIONS,
            max_completion_length=6,
            max_steps=STEPS,
            logging_steps=1,
            save_strategy="no",
            report_to=[],
            use_cpu=True,
            bf16=False,
            disable_tqdm=True,
        ),
    )
    trainer.train()
    return [entry for entry in trainer.state.log_history if "reward" in entry]


def test_grpo_trains_on_rewards_that_a_judge_gave(tmp_path: Path) -> None:
    server = Reddest(stubborn=False)
    with Loopback(server.app) as loopback:
        backbone = OpenAI("m", base_url=f"{loopback.url}/v1")
        log = train(painted(reward(SemJudge(backbone, graphs="solo"))), tmp_path)
        run(backbone.aclose())
    assert len(log) == STEPS
    for entry in log:
        # The shares of the two sides of a pair add up to one, so a group's mean is a half.
        assert entry["rewards/semiosis_semjudge/mean"] == entry["reward"] == pytest.approx(0.5)
        assert entry["unrewarded"] == 0
        assert math.isfinite(entry["loss"])
    assert any(entry["reward_std"] > 0 and entry["grad_norm"] > 0 for entry in log)
    assert server.stages().count("prompt_graph_standard") == len(PROMPTS)
    assert server.stages().count("verdict_standard") >= 2


def test_grpo_leaves_out_the_pictures_a_judge_far_away_could_not_judge(tmp_path: Path) -> None:
    server = Reddest(stubborn=True)
    with Loopback(server.app) as loopback:
        backbone = OpenAI("m", base_url=f"{loopback.url}/v1")
        service = app(reward(SemJudge(backbone, graphs="solo")))

        @asynccontextmanager
        async def closing(_: object) -> AsyncGenerator[None]:
            yield
            await backbone.aclose()

        service.router.lifespan_context = closing
        with AsgiLoopback(service) as rewarding:
            log = train(painted(RemoteReward(rewarding.url, name="meaning")), tmp_path)
    assert log[0]["unrewarded"] > 0
    for entry in log:
        # Whoever counted a missing reward as 0 would come out below.
        assert entry["rewards/meaning/mean"] == entry["reward"] == pytest.approx(0.5)
        assert math.isfinite(entry["loss"])
