"""Step 2: style prompts from keywords, expanded and combined by a model, then merged (appendix A).

Near-equals are merged in two passes: those that differ in case, spacing or punctuation alone are one; the
others are put to a model, some at a time, which groups what asks for the same look. Of each group one member
stays, in its own words. Where more stay than are wanted, some are drawn by seed.
"""

import hashlib
import json
import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints, TypeAdapter

from ....building.asking import Ask, Asker, Made
from ....building.texts import ONE_LINE, checked, folded, numbered
from ....core.errors import BadRecord, BadSetting
from ....core.item import BadRow
from ....core.outcome import Failure
from ....core.text import brief
from ....core.value import Value
from ....methods.template import prompt_file
from ....sources.lines import BadLine, lines
from ....sources.rows import bad_row

KEYWORDS_A_CALL = 12
PROMPTS_A_CALL = 24
MERGED_A_CALL = 80
# So many candidates for each style wanted, since some are merged away.
CANDIDATES_A_STYLE = 1.5
EXPAND_ROOM = 8192
TOKENS_A_PROMPT = 30

StylePrompt = Annotated[str, StringConstraints(max_length=400), ONE_LINE]
Keyword = Annotated[str, StringConstraints(max_length=200), ONE_LINE]
_KEYWORD: TypeAdapter[str] = TypeAdapter(Keyword)


class Style(Value):
    """A style prompt, the keywords it was made from, and the prompts that were merged into it."""

    index: int
    prompt: str
    keywords: tuple[str, ...]
    merged: tuple[str, ...] = ()
    source: str
    by: Made


class FailedCall(Value):
    """A call of this step that came to nothing."""

    failure: Failure
    by: Made


class Styles(Value):
    """`made_from` is a hash of keywords, number and seed; `candidates` counts what the model wrote;
    `merged_by` are the calls that merged some."""

    made_from: str
    wanted: int
    styles: tuple[Style, ...]
    candidates: int
    repeated: int
    merged: int
    merged_by: tuple[Made, ...] = ()
    failed: tuple[FailedCall, ...] = ()
    bad: tuple[BadRow, ...] = ()


class Keywords(Value):
    keywords: tuple[str, ...]
    source: str
    bad: tuple[BadRow, ...] = ()

    def made_from(self, wanted: int, seed: int) -> str:
        return hashlib.sha256(json.dumps([self.keywords, wanted, seed]).encode()).hexdigest()


class StyleShape(BaseModel):
    keywords: Annotated[list[int], Field(min_length=1, max_length=KEYWORDS_A_CALL)]
    prompt: StylePrompt


class StylesShape(BaseModel):
    styles: Annotated[
        list[StyleShape], Field(min_length=1, json_schema_extra={"maxItems": 2 * PROMPTS_A_CALL})
    ]


class GroupShape(BaseModel):
    members: Annotated[list[int], Field(min_length=2, json_schema_extra={"maxItems": MERGED_A_CALL})]
    keep: int


class GroupsShape(BaseModel):
    groups: Annotated[list[GroupShape], Field(json_schema_extra={"maxItems": MERGED_A_CALL // 2})]


def read_keywords(path: Path) -> Keywords:
    """One a line; repeated ones count once, and what begins with # is a remark."""
    keywords: dict[str, str] = {}
    bad: list[BadRow] = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(lines(file), 1):
                where = f"{path.name} line {number}"
                if isinstance(line, BadLine):
                    bad.append(bad_row(where, str(line)))
                elif line.strip() and not line.startswith("#"):
                    try:
                        keyword = checked(line.strip(), _KEYWORD, "keyword")
                        keywords.setdefault(folded(keyword), keyword)
                    except BadRecord as error:
                        bad.append(bad_row(where, str(error)))
    except OSError as error:
        raise BadSetting(f"The keywords {path} cannot be read: {error.strerror or error}.") from None
    if not keywords:
        raise BadSetting(f"{path} holds no keywords: write one a line.")
    return Keywords(keywords=tuple(keywords.values()), source=brief(path.name), bad=tuple(bad))


def batches(keywords: Keywords, wanted: int, seed: int) -> list[tuple[tuple[str, ...], int]]:
    """Keywords for each call, mixed by seed so that they can be combined, and the prompts to write from them.

    Every keyword is in some call, and there are calls enough for the candidates.
    """
    wanted = math.ceil(CANDIDATES_A_STYLE * wanted)
    some = min(KEYWORDS_A_CALL, len(keywords.keywords))
    calls = max(math.ceil(len(keywords.keywords) / some), math.ceil(wanted / PROMPTS_A_CALL))
    chance = random.Random(f"{seed} keywords")
    dealt: list[str] = []
    while len(dealt) < calls * some:
        dealt += chance.sample(keywords.keywords, len(keywords.keywords))
    each = math.ceil(wanted / calls)
    return [(tuple(dict.fromkeys(dealt[at * some : (at + 1) * some])), each) for at in range(calls)]


def expansion(keywords: tuple[str, ...], count: int) -> Ask[StylesShape]:
    def unknown(reply: StylesShape) -> str | None:
        named = {number for style in reply.styles for number in style.keywords}
        strange = sorted(number for number in named if not 1 <= number <= len(keywords))
        return f"there is no keyword {strange[0]}, they are 1 to {len(keywords)}" if strange else None

    listed = numbered(keywords)
    return Ask(
        prompt_file("expand", __file__),
        StylesShape,
        {"keywords": listed, "count": str(count)},
        fenced=(listed,),
        check=unknown,
        # Left to the server: variety is wanted here, and what came is kept.
        temperature=None,
        usual_tokens=count * TOKENS_A_PROMPT,
        example={"styles": [{"keywords": [1], "prompt": ""} for _ in range(count)]},
        room=EXPAND_ROOM,
    )


def merging(prompts: Sequence[str]) -> Ask[GroupsShape]:
    def wrong(reply: GroupsShape) -> str | None:
        members = [member for group in reply.groups for member in group.members]
        if strange := [member for member in members if not 1 <= member <= len(prompts)]:
            return f"there is no prompt {strange[0]}, they are 1 to {len(prompts)}"
        if twice := [member for member in members if members.count(member) > 1]:
            return f"prompt {twice[0]} is named twice"
        lost = [group.keep for group in reply.groups if group.keep not in group.members]
        return f"keep is {lost[0]}, which is no member of its group" if lost else None

    listed = numbered(prompts)
    return Ask(
        prompt_file("merge", __file__),
        GroupsShape,
        {"prompts": listed},
        fenced=(listed,),
        check=wrong,
        usual_tokens=200,
        example={"groups": []},
        room=EXPAND_ROOM,
    )


async def make(keywords: Keywords, wanted: int, seed: int, asker: Asker) -> Styles:
    written, failed = await _expanded(keywords, wanted, seed, asker)
    distinct: dict[str, Style] = {}
    for style in written:
        distinct.setdefault(folded(style.prompt), style)
    several, merges, unmerged = await _merged(distinct.values(), asker)
    chance = random.Random(f"{seed} styles")
    drawn = sorted(chance.sample(range(len(several)), min(wanted, len(several))))
    return Styles(
        made_from=keywords.made_from(wanted, seed),
        wanted=wanted,
        styles=tuple(several[place].model_copy(update={"index": at}) for at, place in enumerate(drawn, 1)),
        candidates=len(written),
        repeated=len(written) - len(distinct),
        merged=len(distinct) - len(several),
        merged_by=tuple(merges),
        failed=(*failed, *unmerged),
        bad=keywords.bad,
    )


async def _expanded(
    keywords: Keywords, wanted: int, seed: int, asker: Asker
) -> tuple[list[Style], list[FailedCall]]:
    dealt = batches(keywords, wanted, seed)
    written: list[Style] = []
    failed: list[FailedCall] = []
    expanded = await asker.each([expansion(*batch) for batch in dealt])
    for (batch, count), response in zip(dealt, expanded, strict=True):
        if isinstance(response.value, Failure):
            failed.append(FailedCall(failure=response.value, by=response.by))
            continue
        for shape in response.value.styles[:count]:
            named = tuple(dict.fromkeys(batch[number - 1] for number in shape.keywords))
            written.append(
                Style(index=0, prompt=shape.prompt, keywords=named, source=keywords.source, by=response.by)
            )
    return written, failed


async def _merged(
    distinct: Iterable[Style], asker: Asker
) -> tuple[list[Style], list[Made], list[FailedCall]]:
    """One of each group, and all that belong to none; the calls that said so, and those that failed."""
    # Prompts that share keywords stand together, so that most repetitions fall into one call.
    ordered = sorted(distinct, key=lambda style: (sorted(style.keywords), folded(style.prompt)))
    chunks = [ordered[at : at + MERGED_A_CALL] for at in range(0, len(ordered), MERGED_A_CALL)]
    several = [chunk for chunk in chunks if len(chunk) > 1]
    gone: set[str] = set()
    prompts = {style.prompt: style for style in ordered}
    merges: list[Made] = []
    failed: list[FailedCall] = []
    merged = await asker.each([merging([style.prompt for style in chunk]) for chunk in several])
    for chunk, response in zip(several, merged, strict=True):
        if isinstance(response.value, Failure):
            failed.append(FailedCall(failure=response.value, by=response.by))
            continue
        merges.append(response.by)
        for group in response.value.groups:
            best = chunk[group.keep - 1]
            others = tuple(chunk[member - 1].prompt for member in group.members if member != group.keep)
            prompts[best.prompt] = best.model_copy(update={"merged": others})
            gone.update(others)
    return [style for style in prompts.values() if style.prompt not in gone], merges, failed
