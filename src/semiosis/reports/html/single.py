"""One prompt, one picture, or both, with what was read in them."""

from dataclasses import dataclass

from ...core.cascade import Reading
from ...core.outcome import Outcome
from ...core.sign import Artifact, Prompt
from .cards import Laid, lay
from .marks import Mark, marks_of
from .plates import Plate, plate
from .spans import Stretch, not_found, stretches


@dataclass(frozen=True)
class SingleView:
    """One prompt, one picture, or both, with what was read in them."""

    kicker: str
    title: str
    lede: str
    prompt: tuple[Stretch, ...]
    lost: tuple[tuple[Mark, str], ...]
    plate: Plate | None
    readings: tuple[Laid, ...]
    unverified: int


def single_view(
    outcome: Outcome,
    prompt: Prompt | None,
    title: tuple[str, str],
    artifact: Artifact | None,
    readings: tuple[Reading, ...],
    lede: str = "",
) -> SingleView:
    text = prompt.text if prompt else None
    read = {reading.of: reading for reading in readings}
    of_prompt, picture = read.get("prompt"), read.get("artifact")
    prompt_marks = marks_of("prompt", of_prompt.graph if of_prompt else None)
    marks = marks_of("a", picture.graph if picture else None)
    return SingleView(
        kicker=title[0],
        title=title[1],
        lede=lede,
        prompt=stretches(text, of_prompt.graph if of_prompt else None, prompt_marks) if text else (),
        lost=not_found(of_prompt.graph if of_prompt else None, prompt_marks),
        plate=plate(artifact, artifact.name, marks, picture.graph if picture else None, outcome.provenance)
        if artifact
        else None,
        readings=tuple(
            lay(reading, prompt_marks if reading.of == "prompt" else marks) for reading in readings
        ),
        unverified=sum(reading.graph.unverified for reading in readings),
    )
