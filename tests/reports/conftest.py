"""A judgment made by hand with everything that can go wrong in it, and the bundled samples."""

import io
from typing import Any

import pytest
from PIL import Image, ImageDraw

from semiosis.benchmarks.samples.items import Initiative, Role, load
from semiosis.core.cascade import Cascade, Reading, SemiosisGap
from semiosis.core.graph import HSG, Ground, Semiosis, SubSemiosis
from semiosis.core.grounding import Box, TextSpan, find_span
from semiosis.core.kinds.interpretation import Interpretation
from semiosis.core.kinds.pair import Judgment
from semiosis.core.kinds.question import Answer
from semiosis.core.kinds.rating import Measurement, Score, ScorePart
from semiosis.core.outcome import Exchange, Failure, Provenance, SentPicture
from semiosis.core.sign import Artifact, Pair, Question
from semiosis.core.vote import Evidence, Vote
from semiosis.methods.semjudge.judge import SemJudge

ALERT = "<script>alert(1)</script>"
BREAKOUT = '</script><img src=x onerror="alert(2)">'
ARABIC = "صداقة مكسورة ومرممة"
PROMPT = f"A friendship, broken and mended {ALERT} {ARABIC}."


def painting(colour: str, name: str, size: tuple[int, int] = (640, 480)) -> Artifact:
    image = Image.new("RGB", size, colour)
    pen = ImageDraw.Draw(image)
    pen.ellipse((size[0] * 0.2, size[1] * 0.2, size[0] * 0.7, size[1] * 0.8), fill="#d8c48a")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    held = Artifact.of(buffer.getvalue())
    return Artifact._keep(held.sha256, name, held._load)


def grounds(*types: str) -> tuple[Ground, ...]:
    return tuple(Ground.model_validate({"type": kind, "reason": f"{kind} because {ALERT}"}) for kind in types)


def part(id: str, label: str, **more: Any) -> SubSemiosis:
    return SubSemiosis(
        id=id,
        label=label,
        sign=f"{label} as it looks",
        object=f"what {label} stands for",
        interpretant=f"what {label} does in the mind",
        grounds=grounds("indexical", "symbolic"),
        relation=f"supports the whole through {label}",
        **more,
    )


def prompt_graph() -> HSG:
    return HSG(
        label="A mended friendship",
        root=Semiosis(
            sign="A short request",
            object="A bond that was repaired",
            interpretant="Hope",
            grounds=grounds("symbolic"),
        ),
        children=(
            part("1", "Friendship", span=find_span(PROMPT, "A friendship")),
            part("2", "Broken", span=find_span(PROMPT, "broken and mended")),
            part("3", "Mended", span=find_span(PROMPT, "mended")),
            part("4", f"Invented {BREAKOUT}", span=TextSpan(quote=f"never written {ALERT}")),
            part("5", ARABIC, span=find_span(PROMPT, ARABIC)),
        ),
    )


def picture_graph(name: str) -> HSG:
    return HSG(
        label=f"{name} bowl",
        root=Semiosis(
            sign=f"A {name} bowl with a gold seam",
            object=f"A {name} thing",
            interpretant="A lesson",
            grounds=grounds("iconic", "symbolic"),
        ),
        children=(
            part("1", f"{name} seam", boxes=(Box(x0=0.1, y0=0.1, x1=0.6, y1=0.7),)),
            part(
                "2",
                f"{name} cups",
                boxes=(Box(x0=0.1, y0=0.1, x1=0.3, y1=0.3), Box(x0=0.7, y0=0.5, x1=0.9, y1=0.8)),
            ),
            part("3", f"{name} mood"),
            part('"><b', f"{name} {BREAKOUT}", boxes=(Box(x0=0.8, y0=0.8, x1=1.4, y1=1.2),)),
        ),
    )


def provenance(method: str = "semjudge", *, recorded: bool = False) -> Provenance:
    exchange = Exchange(
        stage="stage 1",
        asked=f"acme/large {ALERT}",
        served="large-2026-11",
        endpoint="recording" if recorded else "openai-compatible",
        prompts={"prompt-graph": "ab" * 32},
        pictures=(
            SentPicture(sha256="cd" * 32, width=640, height=480, bytes=51234, note="first frame of 3"),
        ),
        parameters={"temperature": 0.0},
        sent=(("system", "Read the sign."), ("user", BREAKOUT)),
        reply=f'{{"label": "{BREAKOUT}"}}',
        repairs=("removed a code fence",),
        input_tokens=1200,
        output_tokens=340,
        cost_usd=0.0123,
        latency_s=2.5,
        started_at="2026-11-15T10:00:00Z",
    )
    unknown = exchange.model_copy(update={"stage": "stage 3", "cost_usd": None, "attempts": 2})
    cached = exchange.model_copy(update={"stage": "stage 2", "cached": True})
    return Provenance(
        method=method, method_version="1", package_version="0.1.0", exchanges=(exchange, cached, unknown)
    )


def reading(of: str, graph: HSG) -> Reading:
    return Reading.model_validate(
        {"of": of, "graph": graph, "interpreter": "acme/large", "made": "built", "how": "complex"}
    )


@pytest.fixture(scope="session")
def judgment() -> Judgment:
    prompt = reading("prompt", prompt_graph())
    pair = Pair(PROMPT, painting("#27406b", f"blue {ALERT}.png"), painting("#6b3a27", "red.png", (480, 640)))
    return Judgment(
        pair=pair,
        votes=(
            Vote(
                order="ab",
                repeat=0,
                winner="a",
                discussion=f"Picture A has a seam [a.1] and cups [a.2, a.3], as [prompt.2] asks. {ALERT} "
                "But [a.9] is missing.",
                evidence=(
                    Evidence(node="a.1", rationale=f"The seam is honoured. {BREAKOUT}", supports="a"),
                    Evidence(node="prompt.1", rationale="The prompt asks for two.", supports="a"),
                    Evidence(node="b.3", rationale="B has the mood.", supports="b"),
                    Evidence(
                        node="a.9", rationale="A part that does not exist.", supports="a", verified=False
                    ),
                ),
            ),
            Vote(
                order="ba",
                repeat=0,
                winner="b",
                discussion="Picture A is warmer [a.1], Picture B colder [b.2].",
                evidence=(Evidence(node="b", rationale="As a whole it holds.", supports="b"),),
            ),
            Vote(order="ab", repeat=1, winner="a", discussion=ARABIC),
            Vote(order="ba", repeat=1, winner="a"),
        ),
        cascade_a=Cascade(rounds=(prompt, reading("artifact", picture_graph("blue")))),
        cascade_b=Cascade(rounds=(prompt, reading("artifact", picture_graph("red")))),
        failures=(
            Failure(
                reason="refused",
                message=f"The model refused {ALERT}",
                stage="judgment ba",
                reply=BREAKOUT,
                attempts=2,
            ),
        ),
        gap_a=SemiosisGap(distance=0.31, coverage=0.62, metric="angular"),
        gap_b=SemiosisGap(distance=0.44, coverage=0.58, metric="angular"),
        provenance=provenance(),
    )


@pytest.fixture(scope="session")
def direct(judgment: Judgment) -> Judgment:
    votes = tuple(Vote(order=order, repeat=0, winner="b", discussion="B is it.") for order in ("ab", "ba"))
    return Judgment(pair=judgment.pair, votes=votes, provenance=provenance("direct"))


@pytest.fixture(scope="session")
def gap(judgment: Judgment) -> Judgment:
    return judgment.model_copy(
        update={
            "votes": (Vote(winner="a"),),
            "failures": (),
            "provenance": provenance("gap"),
        }
    )


@pytest.fixture(scope="session")
def interpretation(judgment: Judgment) -> Interpretation:
    return Interpretation(
        artifact=judgment.pair.a, reading=reading("artifact", picture_graph("blue")), provenance=provenance()
    )


def asked(*answers: float | None) -> tuple[ScorePart, ...]:
    """Four questions, the last of which needs two others; None for one that is not asked."""
    needs = ((), ("1",), (), ("2", "3"))
    questions = (f"Is there a bowl? {ALERT}", "Is the bowl mended?", f"{ARABIC}?", f"Is it {BREAKOUT}?")
    return tuple(
        ScorePart(
            id=str(number),
            about=about,
            value=answer or 0.0,
            reason="" if answer is None else f"Because of {about}",
            needs=needed,
            asked=answer is not None,
            yes_no=True,
        )
        for number, (about, needed, answer) in enumerate(zip(questions, needs, answers, strict=True), 1)
    )


@pytest.fixture(scope="session")
def asked_score(judgment: Judgment) -> Score:
    return Score(
        prompt=judgment.pair.prompt,
        artifact=judgment.pair.a,
        value=0.5,
        parts=asked(1, 0, 1, None),
        provenance=provenance("dsg"),
    )


@pytest.fixture(scope="session")
def asked_judgment(judgment: Judgment) -> Judgment:
    return Judgment(
        pair=judgment.pair,
        votes=(Vote(winner="b"),),
        score_a=Measurement(value=0.5, parts=asked(1, 0, 1, None)),
        score_b=Measurement(value=0.75, parts=asked(1, 1, 1, 0)),
        provenance=provenance("dsg"),
    )


@pytest.fixture(scope="session")
def flat_boxes(judgment: Judgment) -> Interpretation:
    """A reading whose boxes have no area, or lie outside."""
    line, point = Box(x0=0.2, y0=0.5, x1=0.8, y1=0.5), Box(x0=0.2, y0=0.5, x1=0.2, y1=0.5)
    beyond = Box(x0=1.1, y0=0.5, x1=1.4, y1=0.9)
    parts = (part("1", "flat", boxes=(line, point)), part("2", "mixed", boxes=(point, beyond)))
    graph = picture_graph("blue").model_copy(update={"children": parts})
    return Interpretation(
        artifact=judgment.pair.a, reading=reading("artifact", graph), provenance=provenance()
    )


@pytest.fixture(scope="session")
def namesakes(judgment: Judgment, tmp_path_factory: pytest.TempPathFactory) -> Judgment:
    """A judgment of one/out.png and two/out.png."""
    folder = tmp_path_factory.mktemp("namesakes")
    paths = [folder / name / "out.png" for name in ("one", "two")]
    for path, artifact in zip(paths, (judgment.pair.a, judgment.pair.b), strict=True):
        path.parent.mkdir()
        path.write_bytes(artifact.read())
    return judgment.model_copy(update={"pair": Pair(PROMPT, *paths)})


@pytest.fixture(scope="session")
def answer(judgment: Judgment) -> Answer:
    return Answer(
        question=Question(
            question=f"Which region is the seam? {ALERT}",
            choices={"A": "box_1", "B": f"box_2 {BREAKOUT}"},
            boxes={"box_1": (100, 100, 600, 700), "box_2": (0.7, 0.5, 0.9, 0.8)},
            answer="A",
        ),
        artifacts=(judgment.pair.a,),
        choice="A",
        reasoning="The seam [a.1] runs there.",
        evidence=(Evidence(node="a.1", rationale="It shines."),),
        readings=(reading("artifact", picture_graph("blue")),),
        provenance=provenance(),
    )


@pytest.fixture(scope="session")
def failure() -> Failure:
    return Failure(
        reason="unparsable",
        message=f"No JSON in the reply {ALERT}",
        stage="stage 2",
        reply=BREAKOUT,
        attempts=2,
        votes=(Vote(order="ab", repeat=0, winner="a"),),
        provenance=provenance(),
    )


class Sample:
    """One bundled initiative, judged from its recording."""

    def __init__(self, initiative: Initiative) -> None:
        self.name = initiative.id
        self._initiative = initiative
        self._method = SemJudge(initiative.recording(), graphs="solo", size="complex")

    def judgment(self, a: Role, b: Role) -> Judgment:
        judged = self._method.judge_sync(self._initiative.pair(a, b))
        assert isinstance(judged, Judgment)
        return judged


@pytest.fixture(scope="session")
def samples() -> list[Sample]:
    return [Sample(initiative) for initiative in load()]
