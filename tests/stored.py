"""A run's store with real outcomes of every kind, written through the store's own doors."""

import io
from pathlib import Path

from PIL import Image

from semiosis.backbones.backbone import Message, Reply, Request
from semiosis.core.certainty import Certainty
from semiosis.core.errors import BackboneError
from semiosis.core.item import BadRow, Item, Labels, LabelsBy
from semiosis.core.kinds.pair import Judgment, PairItem
from semiosis.core.kinds.question import Answer, QuestionItem
from semiosis.core.kinds.rating import RatingItem, Score
from semiosis.core.outcome import Exchange, Failure, Outcome, Provenance
from semiosis.core.sign import Artifact, Pair, Prompt, Question, Side
from semiosis.core.vote import Evidence, Vote
from semiosis.runs.store import About, Store

MODEL = "openai/gpt-5"
TEXT = "A vanitas: everything glows, nothing lasts — 無常."


def about(name: str, method: str = "semjudge") -> About:
    return About(
        name,
        "pairs.jsonl",
        method,
        "1",
        "0.1.0",
        {"builder": MODEL, "judge": None, "repeats": 1},
        {"builder": MODEL},
    )


def picture(number: int) -> Artifact:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 6), (number, 0, 0)).save(buffer, "PNG")
    return Artifact.of(buffer.getvalue()).model_copy(update={"name": f"{number}.png"})


def pair_item(number: int, labels: Labels, labels_by: LabelsBy = "people") -> PairItem:
    pair = Pair(prompt=TEXT, a=picture(2 * number), b=picture(2 * number + 1))
    return PairItem(id=f"pair/{number}", pair=pair, labels=labels, labels_by=labels_by)


def question_item(number: int, answer: str | None, labels: Labels) -> QuestionItem:
    question = Question(question="What glows?", choices={"A": "a candle", "B": "a phone"}, answer=answer)
    return QuestionItem(
        id=f"question/{number}", question=question, artifacts=(picture(100 + number),), labels=labels
    )


def rating_item(number: int) -> RatingItem:
    return RatingItem(id=f"rating/{number}", prompt=Prompt(text=TEXT), artifact=picture(200 + number))


def asked(store: Store, key: str, task: str = "verdict-standard", **reply: object) -> Exchange:
    """A call that is kept in the store, and the exchange an outcome has of it."""
    request = Request(messages=(Message("user", (TEXT,)),), task=task, subject=("s1", "s2"))
    answer = Reply(
        **{
            "text": f"reply to {key}",
            "served": "gpt-5-2026",
            "input_tokens": 10,
            "output_tokens": 3,
            "cost_usd": 0.5,
            "latency_s": 1.25,
            "started_at": "2026-01-01T00:00:00.000+00:00",
            "parameters": {"temperature": 0.0},
            **reply,
        }  # type: ignore[arg-type]
    )
    store.keep(key, MODEL, request, answer)
    return Exchange(
        stage="verdict",
        asked=MODEL,
        call=key,
        served=answer.served,
        endpoint="openai",
        prompts={"verdict.txt": "0" * 64},
        parameters=answer.parameters,
        sent=(("user", TEXT),) if answer.words_known else (),
        reply=answer.text,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        cost_usd=answer.cost_usd,
        latency_s=answer.latency_s,
        started_at=answer.started_at,
        attempts=answer.attempts,
        recorded=answer.recorded,
    )


def origin(*exchanges: Exchange) -> Provenance:
    return Provenance(
        method="semjudge",
        method_version="1",
        package_version="0.1.0",
        configuration={"builder": MODEL},
        exchanges=exchanges,
    )


def judged(
    item: PairItem,
    first: Side,
    second: Side,
    *exchanges: Exchange,
    doubtful: int = 0,
    certainty: Certainty | None = None,
) -> Judgment:
    evidence = tuple(
        Evidence(node=f"a.{n}", rationale="it glows", supports=first, verified=n >= doubtful)
        for n in range(2)
    )
    votes = (
        Vote(
            order="ab",
            repeat=0,
            winner=first,
            certainty=certainty,
            discussion="[A.1] glows.",
            evidence=evidence,
        ),
        Vote(order="ba", repeat=0, winner=second, certainty=certainty, discussion="[B.1] glows."),
    )
    return Judgment(pair=item.pair, votes=votes, provenance=origin(*exchanges))


def settle(store: Store, position: int, item: Item, outcome: Outcome) -> None:
    for artifact in item.pictures:
        store.keep_picture(artifact)
    store.settle(position, item, outcome)


def pairs() -> list[PairItem]:
    labels: list[Labels] = [
        {"winner": "a", "model_a": "x"},
        {"winner": "a"},
        {"winner": "b"},
        {"winner": "tie"},
        {},
        {"winner": "b"},
        {"winner": "a"},
    ]
    return [pair_item(number, each) for number, each in enumerate(labels, 1)]


def first_run(path: Path, name: str = "first") -> dict[str, Outcome]:
    """Five judgments, two failures, three answers, two scores; what was settled, by id."""
    items = pairs()
    with Store.create(path, about(name)) as store:
        store.begin(20)
        shared = asked(store, "shared", "prompt-graph-standard", cost_usd=None)
        useless = asked(store, "useless", text="no JSON", attempts=3)
        store.mark_useless("useless")
        settled: list[tuple[Item, Outcome]] = [
            (items[0], judged(items[0], "a", "a", shared, useless, asked(store, "v1"))),
            (items[1], judged(items[1], "b", "b", shared, asked(store, "v2"), doubtful=1)),
            (items[2], judged(items[2], "a", "b", shared, asked(store, "v3"))),
            (items[3], judged(items[3], "a", "a", shared)),
            (items[4], judged(items[4], "b", "b", asked(store, "old", recorded=True, words_known=False))),
            (items[5], refusal("refused", "The model declined to answer.", unanswered())),
            (items[6], refusal("unparsable", "The reply is not JSON.", useless)),
        ]
        questions = [
            question_item(1, "A", {"answer": "A"}),
            question_item(2, "B", {}),
            question_item(3, None, {}),
        ]
        for item in questions:
            answer = Answer(
                question=item.question,
                artifacts=item.artifacts,
                choice="A",
                reasoning="It burns.",
                provenance=origin(asked(store, item.id, "answer")),
            )
            settled.append((item, answer))
        for number, value in ((1, 0.25), (2, 0.75)):
            item = rating_item(number)
            score = Score(prompt=item.prompt, artifact=item.artifact, value=value, provenance=origin())
            settled.append((item, score))
        for position, (item, outcome) in enumerate(settled, 1):
            settle(store, position, item, outcome)
        request = Request(messages=(), task="verdict-standard")
        store.note_error("lost", MODEL, request, BackboneError("timeout", "No reply in 120 s."))
        store.note_bad([BadRow("pairs.jsonl line 9", "There is no picture b.")])
        store.end("stopped")
    return {item.id: outcome for item, outcome in settled}


def refusal(reason: str, message: str, exchange: Exchange) -> Failure:
    return Failure(reason=reason, message=message, stage="verdict", provenance=origin(exchange))  # type: ignore[arg-type]


def unanswered() -> Exchange:
    """A call that ended without a reply: the store holds no row of it."""
    return Exchange(
        stage="verdict", asked=MODEL, call="lost", endpoint="openai", prompts={"verdict.txt": "0" * 64}
    )


def second_run(path: Path, name: str = "second") -> None:
    """The same pairs, but for one; it disagrees on the second, and fails on the fourth."""
    items = pairs()
    with Store.create(path, about(name, "direct")) as store:
        store.begin(7)
        outcomes: list[Outcome] = [
            judged(items[0], "a", "a", asked(store, "w1", "direct")),
            judged(items[1], "a", "a", asked(store, "w2", "direct")),
            judged(items[2], "b", "b", asked(store, "w3", "direct")),
            refusal("refused", "The model declined to answer.", asked(store, "w4", "direct")),
            judged(items[4], "b", "a", asked(store, "w5", "direct")),
            refusal("refused", "The model declined to answer.", asked(store, "w6", "direct")),
        ]
        for position, (item, outcome) in enumerate(zip(items[:6], outcomes, strict=True), 1):
            settle(store, position, item, outcome)
        store.end("done")
