"""SemJudge's own prompts on a real model in this process: from a hub id on first use to a judgment, no key, no server.

SmolLM2 has 135 million parameters and sees through random weights: what it says means nothing. Every reply
still has to fit its shape, and every claim is still checked.
"""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from loopback import Loopback
from model_hub import ModelHub
from semiosis.backbones.llamacpp import LlamaCpp
from semiosis.core.kinds.interpretation import Interpretation
from semiosis.core.sign import Artifact, Prompt
from semiosis.methods.semjudge.judge import SemJudge
from smollm2 import SMOLLM2, write_projector

pytest.importorskip("xllamacpp", reason="the local extra is not installed")
pytestmark = pytest.mark.long

PROMPT = "A vanitas still life for the age of the smartphone: everything glows, nothing lasts."


@pytest.fixture
async def model(tmp_path: Path) -> AsyncIterator[LlamaCpp]:
    write_projector(tmp_path / "mmproj-random.gguf")
    model = LlamaCpp(SMOLLM2, mmproj=tmp_path / "mmproj-random.gguf", context=8192, threads=2)
    yield model
    await model.aclose()


async def test_a_prompt_and_a_picture_become_graphs(model: LlamaCpp, png: Callable[..., bytes]) -> None:
    """A model this small often writes placeholders, or on and on to the end of its room: those have to be
    failures, not graphs. About one reply in three is a graph, so it is asked until there is one."""
    for sign in (Prompt(text=PROMPT), Artifact.of(png("teal"))):
        failures: list[str] = []
        for seed in range(11, 41):
            reading = await SemJudge(model, temperature=1.0, seed=seed).interpret(sign)
            if isinstance(reading, Interpretation):
                graph = reading.reading.graph
                break
            failures.append(reading.reason)
        else:
            pytest.fail(f"No graph in 30 replies: {failures}")
        assert 1 <= len(graph.children) <= 3
        assert graph.root.grounds
        assert set(failures) <= {"invalid", "unparsable", "truncated"}


def test_a_hub_id_is_downloaded_on_first_use_and_then_judges_with_no_key_and_no_server(
    tmp_path: Path, png: Callable[..., bytes]
) -> None:
    write_projector(tmp_path / "mmproj.gguf")
    files = {
        "tiny-Q4_0.gguf": SMOLLM2.read_bytes(),
        "mmproj-tiny-f16.gguf": (tmp_path / "mmproj.gguf").read_bytes(),
    }
    for name, colour in (("a", "teal"), ("b", "maroon")):
        (tmp_path / f"{name}.png").write_bytes(png(colour))

    def judge(endpoint: str) -> dict[str, object]:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "semiosis",
                "judge",
                PROMPT,
                "a.png",
                "b.png",
                "--method",
                "direct",
                "--no-cache",
                "--model",
                "local/someone/tiny",
                "--orders",
                "ab",
                "--json",
                "--temperature",
                "0.4",
                "--seed",
                "3",
            ],
            cwd=tmp_path,
            env={**os.environ, "HF_ENDPOINT": endpoint},
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr
        return json.loads(done.stdout)

    with Loopback(ModelHub(files).app) as server:
        first = judge(server.url)
    again = judge("http://127.0.0.1:9")
    assert first["kind"] == again["kind"] == "judgment"
    assert first["provenance"]["exchanges"][0]["asked"] == "local/someone/tiny"  # type: ignore[index]
    assert first["votes"][0]["winner"] in ("a", "b")  # type: ignore[index]
