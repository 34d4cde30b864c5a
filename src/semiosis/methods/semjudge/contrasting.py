"""Between reading and verdict: in what the pictures differ. Ours, not the paper's."""

from ...backbones.backbone import Message
from ...backbones.query import Query, ask
from ...backbones.single_flight import together
from ...core.contrast import Contrast
from ...core.outcome import Exchange, Failure
from ...core.sign import Pair
from ..differences import ContrastShape, contrast_of, listing
from ..signs import pair_subject, references, sent
from ..template import prompt_file
from ..voter import Talk
from .graphs import describe
from .reader import Reader
from .readings import Readings

MAX_CONTRAST_TOKENS = 6000
USUAL_CONTRAST_TOKENS = 180


async def contrast_between(
    reader: Reader, pair: Pair, readings: Readings, log: list[Exchange], talk: Talk | None = None
) -> Contrast | Failure:
    """The differences of the two pictures as they are shown, given how they were read."""
    template, differences = prompt_file("contrast", __file__), listing()
    texts = {
        "prompt_graph": describe(readings.prompt.graph, "prompt"),
        "graph_a": describe(readings.a.graph, "A"),
        "graph_b": describe(readings.b.graph, "B"),
    }
    a, b = await together(sent(reader.backbone, pair.a), sent(reader.backbone, pair.b))
    again = "(as given above)"
    system, user = template.messages(
        fenced=[pair.prompt.text, *texts.values()],
        prompt=pair.prompt.text,
        references=[] if talk else await references(reader.backbone, pair.prompt),
        picture_a=again if talk else a,
        picture_b=again if talk else b,
        differences=differences.text,
        **texts,
    )
    messages = talk.turn(system, user) if talk else (system, user)
    query = Query(
        task=f"contrast-{reader.size}",
        messages=messages,
        reply=ContrastShape,
        stage="contrast" + (f", repeat {reader.repeat + 1}" if reader.repeat else ""),
        subject=pair_subject(pair),
        prompts={file.name: file.sha256 for file in (template, differences)},
        max_tokens=MAX_CONTRAST_TOKENS,
        usual_tokens=USUAL_CONTRAST_TOKENS,
        temperature=reader.temperature,
        seed=reader.seed,
        repeat=reader.repeat,
    )
    response = await ask(reader.backbone, query, log)
    if isinstance(response, Failure):
        return response
    if talk is not None:
        talk.messages = (*messages, Message("assistant", (response.reply.text,)))
    return contrast_of(response.value.differences, reader.backbone.traits, (a, b))
