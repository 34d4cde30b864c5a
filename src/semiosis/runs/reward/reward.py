"""A reward for training a generator: the pictures of one prompt compared with each other, or scored.

    reward = semiosis.reward(SemJudge(backbone, graphs="solo"))
    reward(prompts, images=pictures)                    # [0.83, 0.17, None, ...]
    GRPOTrainer(..., reward_funcs=reward)

A picture that could not be judged has no reward: None, which TRL leaves out. `reward.last` says why.
"""

import asyncio
import re
import warnings
import weakref
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, cast

from ...backbones.pictures import prepared
from ...backbones.single_flight import together
from ...core.errors import BadPicture, BadPrompt, BadSetting, FailureKind, InputError, SetupError
from ...core.loop import run
from ...core.outcome import Failure, Outcome
from ...core.settings import AT_ONCE, COUNT, Checked, checked
from ...core.sign import Artifact, Pair, Prompt
from ...core.value import Value
from ...methods.contract import Judges, Method, Scores

By = Literal["tournament", "score"]
Reason = FailureKind | Literal["bad-prompt", "bad-picture", "unpaired"]
Places = Mapping[Artifact, Sequence[int]]


@dataclass(frozen=True)
class Row:
    """A picture to reward. It is compared with those of the same prompt and group."""

    prompt: Prompt
    picture: Artifact
    group: str = ""


class Missing(Value):
    """A row without a reward, and why."""

    row: int
    reason: Reason
    message: str


@dataclass(frozen=True)
class Rewarded:
    """One call: a reward or None for each row, and what it came from.

    `failures` counts by kind the pairs or pictures that failed, and the rows that were never judged;
    `coin_flips` the pairs whose judge was not sure of them, which reward either picture with a half.
    """

    rewards: tuple[float | None, ...] = ()
    missing: tuple[Missing, ...] = ()
    failures: Mapping[str, int] = field(default_factory=dict[str, int])
    outcomes: tuple[Outcome, ...] = ()
    coin_flips: int = 0


class Rewarding(Checked, ABC):
    """The form in which TRL's trainers call a reward, whoever does the judging."""

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self.last = Rewarded()
        self._warned = False

    @abstractmethod
    async def rewarded(self, rows: Sequence[Row | Missing]) -> Rewarded:
        """A reward, or why there is none, for each of `rows`."""

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] | None = None,
        images: Sequence[Any] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """One reward a row, or None, as TRL's trainers call it.

        prompts         texts, chat messages or prompts
        completions     pictures, or chat messages that show them
        images          the pictures, where completions do not hold them
        columns         whatever else a trainer passes, which is not looked at
        """
        return self._note(run(self._read(prompts, completions, images)))

    async def rewards(self, prompts: Sequence[Any], pictures: Sequence[Any]) -> list[float | None]:
        """One reward, or None, for each of `pictures` and its prompt of `prompts`, in a running loop."""
        return self._note(await self._read(prompts, None, pictures))

    async def _read(
        self, prompts: Sequence[Any] | None, completions: Sequence[Any] | None, images: Sequence[Any] | None
    ) -> Rewarded:
        return await self.rewarded(await asyncio.to_thread(read_rows, prompts, completions, images))

    def _note(self, result: Rewarded) -> list[float | None]:
        self.last = result
        unpaired = [each for each in result.missing if each.reason == "unpaired"]
        failed = [each for each in result.missing if each.reason != "unpaired"]
        refused = [each for each in failed if each.reason == "unauthorised"]
        if refused:
            raise SetupError(refused[0].message)
        if unpaired and not self._warned:
            self._warned = True
            warnings.warn(unpaired[0].message, RuntimeWarning, stacklevel=3)
        if failed and len(result.missing) == len(result.rewards):
            kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(result.failures.items()))
            warnings.warn(
                f"None of the {len(result.rewards)} pictures has a reward, so this step has nothing to learn "
                f"from ({kinds}); the first: {failed[0].message}",
                RuntimeWarning,
                stacklevel=3,
            )
        return list(result.rewards)


@dataclass(frozen=True)
class _PromptRewards:
    """What came of the pictures of one prompt, by row."""

    rewards: dict[int, float | Missing]
    outcomes: Sequence[Outcome]


class Reward(Rewarding):
    """A method in that form; made by `reward()`."""

    def __init__(self, method: Method, by: By, at_once: int, most_pairs: int | None) -> None:
        super().__init__(re.sub(r"\W+", "_", f"semiosis_{method.label}"))
        self.method = method
        self.by: By = by
        self._at_once = at_once
        self._most_pairs = most_pairs
        # A semaphore belongs to the loop it first made somebody wait on.
        self._slots: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
            weakref.WeakKeyDictionary()
        )

    async def rewarded(self, rows: Sequence[Row | Missing]) -> Rewarded:
        groups: dict[tuple[str, Prompt], dict[Artifact, list[int]]] = {}
        rewards: dict[int, float | Missing] = {}
        for number, row in enumerate(await _usable(rows)):
            if isinstance(row, Missing):
                rewards[number] = row
            else:
                places = groups.setdefault((row.group, row.prompt), {})
                places.setdefault(row.picture, []).append(number)
        unusable = set(rewards)
        give = self._compared if self.by == "tournament" else self._scored
        results = await together(*(give(prompt, places) for (_, prompt), places in groups.items()))
        for result in results:
            rewards |= result.rewards
        outcomes = tuple(outcome for result in results for outcome in result.outcomes)
        missing = [each for each in rewards.values() if isinstance(each, Missing)]
        unjudged = [each.reason for each in missing if each.row in unusable or each.reason == "unpaired"]
        failed = [reason for outcome in outcomes if (reason := outcome.finding.reason)]
        values = (rewards[number] for number in range(len(rows)))
        return Rewarded(
            rewards=tuple(None if isinstance(value, Missing) else value for value in values),
            missing=tuple(sorted(missing, key=lambda each: each.row)),
            failures=Counter([*unjudged, *failed]),
            outcomes=outcomes,
            coin_flips=sum(outcome.finding.is_coin_flip for outcome in outcomes),
        )

    async def _compared(self, prompt: Prompt, places: Places) -> _PromptRewards:
        """Every picture's mean share of votes, as sure as they are, over the rows it was compared with."""
        method = cast(Judges, self.method)
        pictures = list(places)
        matches = schedule(len(pictures))[: self._most_pairs]
        pairs = [Pair(prompt, pictures[a], pictures[b]) for a, b in matches]
        outcomes = await together(*(self._one(partial(method.judge, pair)) for pair in pairs))
        shares: dict[Artifact, list[tuple[float, int]]] = {picture: [] for picture in pictures}
        failed: dict[Artifact, list[Failure]] = {picture: [] for picture in pictures}
        for pair, outcome in zip(pairs, outcomes, strict=True):
            finding = outcome.finding
            preference = finding.value if finding.graded is None else finding.graded
            if preference is None:
                failed[pair.a] += finding.failures
                failed[pair.b] += finding.failures
            else:
                shares[pair.a].append((preference, len(places[pair.b])))
                shares[pair.b].append((1 - preference, len(places[pair.a])))
        rewards: dict[int, float | Missing] = {}
        for picture, rows in places.items():
            # To equal one's twins is no judgment: it counts beside one, or where there is nothing to judge.
            if len(rows) > 1 and (shares[picture] or len(places) == 1):
                shares[picture].append((0.5, len(rows) - 1))
            total = sum(share * times for share, times in shares[picture])
            times = sum(times for _, times in shares[picture])
            for row in rows:
                rewards[row] = total / times if times else self._without(row, failed[picture])
        return _PromptRewards(rewards, outcomes)

    async def _scored(self, prompt: Prompt, places: Places) -> _PromptRewards:
        method = cast(Scores, self.method)
        outcomes = await together(*(self._one(partial(method.score, prompt, each)) for each in places))
        rewards: dict[int, float | Missing] = {}
        for rows, outcome in zip(places.values(), outcomes, strict=True):
            finding = outcome.finding
            for row in rows:
                rewards[row] = (
                    self._without(row, finding.failures) if finding.value is None else finding.value
                )
        return _PromptRewards(rewards, outcomes)

    async def _one(self, work: Callable[[], Awaitable[Outcome]]) -> Outcome:
        slots = self._slots.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._at_once))
        async with slots:
            try:
                return await work()
            except BadSetting:
                raise
            except InputError as error:
                return Failure(reason="rejected", message=str(error))

    def _without(self, row: int, failed: Sequence[Failure]) -> Missing:
        if failed:
            return Missing(row=row, reason=failed[0].reason, message=failed[0].message)
        capped = "" if self._most_pairs is None else f" among the {self._most_pairs} pairs of its prompt"
        return Missing(
            row=row,
            reason="unpaired",
            message=f"A picture has nobody to be compared with{capped}, so it has no reward: "
            'give more pictures or pairs for each prompt, or use a method that scores (by="score").',
        )


@checked
def reward(
    method: Method,
    *,
    by: By | None = None,
    at_once: Annotated[int, AT_ONCE] = 16,
    most_pairs: Annotated[int, COUNT] | None = None,
) -> Reward:
    """A method as a reward.

    method      what judges or scores
    by          "tournament": pictures of one prompt against each other; "score": each by itself. By
                default scores, where the method gives them
    at_once     so many pairs, or pictures, are judged at the same time
    most_pairs  at most so many pairs of one prompt, spread evenly over its pictures
    """
    judges, scores = isinstance(method, Judges), isinstance(method, Scores)
    if not (judges or scores):
        raise BadSetting(f"A reward takes a method that judges or scores, not {method!r:.60}.")
    by = by or ("score" if scores else "tournament")
    if not (judges if by == "tournament" else scores):
        instead = "score" if by == "tournament" else "tournament"
        raise BadSetting(f"The method {method.label} gives no reward by {by}: use by={instead!r}.")
    if most_pairs is not None and by == "score":
        raise BadSetting("Pictures are scored one by one, not in pairs: leave out most_pairs.")
    return Reward(method, by, at_once, most_pairs)


def schedule(players: int) -> list[tuple[int, int]]:
    """Every pair once, by the circle method: in each round everybody plays once (one rests, if odd).

    However short it is cut, nobody is in more than one pair more than another (two, if odd). In the whole,
    everybody comes first as often as second, give or take one.
    """
    circle = players - 1 if players % 2 == 0 else players
    pairs: list[tuple[int, int]] = []
    for turn in range(circle):
        if circle < players:
            pairs.append((circle, turn) if turn % 2 else (turn, circle))
        pairs += [((turn + k) % circle, (turn - k) % circle) for k in range(1, (circle + 1) // 2)]
    return pairs


async def _usable(rows: Sequence[Row | Missing]) -> list[Row | Missing]:
    """Rows whose pictures can be decoded; the others are missing before anything is asked."""

    async def fault(artifact: Artifact) -> str:
        try:
            await prepared(artifact)
        except BadPicture as error:
            return str(error)
        return ""

    usable = [row for row in rows if isinstance(row, Row)]
    pictures = list({artifact for row in usable for artifact in (row.picture, *row.prompt.references)})
    faults = dict(zip(pictures, await together(*map(fault, pictures)), strict=True))

    def checked(number: int, row: Row | Missing) -> Row | Missing:
        if isinstance(row, Missing):
            return row
        for reference in row.prompt.references:
            if faults[reference]:
                return Missing(row=number, reason="bad-prompt", message=faults[reference])
        if faults[row.picture]:
            return Missing(row=number, reason="bad-picture", message=faults[row.picture])
        return row

    return [checked(number, row) for number, row in enumerate(rows)]


def read_rows(
    prompts: Sequence[Any] | None, completions: Sequence[Any] | None, images: Sequence[Any] | None
) -> list[Row | Missing]:
    """Prompts and pictures as a trainer passes them: texts or chat messages, pictures in either list."""
    if prompts is None or (completions is None and images is None):
        raise BadSetting("A reward needs prompts, and pictures in images or in completions.")
    for name, column in (("completions", completions), ("images", images)):
        if column is not None and len(column) != len(prompts):
            raise BadSetting(f"There are {len(prompts)} prompts and {len(column)} {name}: give one each.")
    rows: list[Row | Missing] = []
    for number, request in enumerate(prompts):
        output = None if completions is None else _picture_of(completions[number])
        if output is None and images is not None:
            output = images[number]
        rows.append(_row(number, request, output))
    return rows


def _row(number: int, request: Any, output: Any) -> Row | Missing:
    reason = "bad-prompt"
    try:
        text, references = _prompt_parts(request)
        prompt = Prompt(text=text, references=tuple(map(Artifact.of, references)))
        reason = "bad-picture"
        source = _single(output)
        if any(source is reference for reference in references):
            raise BadPicture(
                "The picture is a reference image of its own prompt, which is what TRL passes in images: "
                "give the generated picture."
            )
        return Row(prompt, Artifact.of(source))
    except InputError as error:
        return Missing(row=number, reason=reason, message=str(error))


def _prompt_parts(request: Any) -> tuple[str, list[Any]]:
    """The text of a prompt and its reference images; of a chat, what the user said last."""
    if isinstance(request, Prompt):
        return request.text, list(request.references)
    if isinstance(request, str):
        return request, []
    messages = [message for message in _mappings(request) if message.get("role") == "user"]
    if not messages:
        raise BadPrompt(f"A prompt is text, or chat messages with one by the user, not {request!r:.60}.")
    content = messages[-1].get("content")
    if isinstance(content, str):
        return content, []
    parts = _mappings(content)
    return "\n".join(str(part.get("text")) for part in parts if part.get("type") == "text"), _images(parts)


def _picture_of(completion: Any) -> Any:
    """The picture that a completion is or, of a chat, the last it shows; None for text.

    Text was written by the model in training, which must not be paid for naming a file of ours.
    """
    messages = [message for message in _mappings(completion) if "role" in message]
    images = [image for message in messages for image in _images(_mappings(message.get("content")))]
    picture = (images[-1] if images else None) if messages else completion
    return None if isinstance(picture, str) and not picture.startswith("data:") else picture


def _single(output: Any) -> Any:
    pictures = cast("Sequence[Any]", output) if isinstance(output, list | tuple) else [output]
    if len(pictures) > 1:
        raise BadPicture(f"A row has one picture, not {len(pictures)}.")
    if not pictures or pictures[0] is None:
        raise BadPicture(
            "The row has no picture: give it in images, or in completions as a PIL image, bytes, a Path or "
            "a data URL (text is never taken for a path)."
        )
    return pictures[0]


def _images(parts: Sequence[Mapping[str, Any]]) -> list[Any]:
    """What the image parts of a message hold, in TRL's form or in OpenAI's."""
    held = [part.get(part["type"]) for part in parts if part.get("type") in ("image", "image_url")]
    return [cast("Any", each).get("url") if isinstance(each, dict) else each for each in held]


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    listed = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Mapping[str, Any]", each) for each in listed if isinstance(each, dict)]
