"""Many pictures of one prompt, best first, by few comparisons: the next pair is the one that tells most.

    recipe = Recipe("semjudge", model="openai/gpt-5")
    ranking = rank("Everything glows, nothing lasts.", ["a.png", "b.png", "c.png"], recipe, "vanitas")
    [(each.rank, each.name, each.above_next) for each in ranking.standings]

A ranking is a run whose items are chosen as it goes. What was chosen is stored before it is asked, so that a
ranking which was killed goes on with the pairs it would have asked anyway.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from ..core import loop
from ..core.errors import BadSetting
from ..core.item import Item, read_item
from ..core.outcome import Failure, Outcome
from ..core.settings import CONFIDENCE, COUNT, Checked, checked
from ..core.sign import Prompt
from ..core.value import Value
from ..methods.contract import Judges, Method
from ..methods.recipe import Recipe
from .asking import Ended
from .conditions import Conditions
from .entrants import Entrants, PairResults, Standing, Two, standings
from .execution import Execution, culprit
from .run import FOLDER, equipment_of, open_run
from .store import SUFFIX, Store

Reached = Literal["settled", "exhausted", "comparisons"]

# Calls in flight, unless told otherwise: two pairs at a time. Pairs that are chosen together know less.
AT_ONCE = 4
HOPELESS_AFTER = 3


class Ranking(Value):
    """Pictures, best first, and how that came about.

    name            the ranking's
    standings       the pictures that were compared, best first
    unranked        the others, which have no comparison to stand on
    ended           "settled": each picture was compared with the next one, or is above it with at least
                    `confidence`; "exhausted": there is no pair left to ask, and some picture has no place;
                    "comparisons": as many as were allowed; else what stopped it
    message         what stopped it, in a sentence
    confidence      what was asked for
    least_sure      how sure the least sure neighbours are in order
    comparisons     pairs that were judged, of all `pairs` there are; a failure is none
    failures        pairs that were not, by kind
    flips           of `both_orders` pairs judged both ways round, those where that changed the verdict
    coin_flips      of `said_how_sure` pairs whose judge says how sure it is, those it calls coin flips
    calls           calls that were made
    cost_usd        what they cost; the price of `unpriced` ones is not known
    """

    name: str
    standings: tuple[Standing, ...]
    unranked: tuple[str, ...]
    ended: Literal[Reached, "stopped", "budget", "unauthorised", "unreachable"]
    message: str
    confidence: float
    least_sure: float | None
    comparisons: int
    pairs: int
    failures: dict[str, int]
    flips: int
    both_orders: int
    coin_flips: int
    said_how_sure: int
    calls: int
    cost_usd: float
    unpriced: int


@dataclass(frozen=True)
class Goal(Checked):
    """When enough is known: each picture was compared with the next, or is above it this surely; or so many
    comparisons were made."""

    confidence: Annotated[float, CONFIDENCE] = 0.95
    most: Annotated[int, COUNT] | None = None


class Contest(Execution):
    """A session that chooses pairs, hands them out and, when all of them are done with, looks again.

    Nothing is chosen while pairs are under way, so that no choice depends on which of them came first.
    """

    def __init__(
        self, store: Store, entrants: Entrants, recipe: Recipe, conditions: Conditions, goal: Goal
    ) -> None:
        equipment = equipment_of(store, conditions, lambda line: None)
        super().__init__(
            store,
            entrants,
            judging(recipe.make(equipment.equip)),
            equipment.paces,
            items_at_once=max(1, conditions.at_once // 2),
            strict=True,
        )
        self._entrants = entrants
        self._goal = goal
        self._reached: Reached = "exhausted"
        self._culprits: Counter[str] = Counter()
        self.tally.items = entrants.pairs
        self._results = PairResults.of(store, entrants)
        self.ranking = self._rank(Ended("stopped"))

    def end(self, ended: Ended) -> Ranking:
        """Rank by all that is known now, and note how the session ended."""
        self.ranking = self._rank(ended)
        self._store.end(ended.how, self.tally.settled if ended.how == "done" else self.tally.items)
        return self.ranking

    async def _more(self) -> list[tuple[int, Item]] | None:
        await self._crew.idle()
        return await asyncio.to_thread(self._choose)

    def _choose(self) -> list[tuple[int, Item]] | None:
        if self.ended:
            return None
        results, goal = self._results, self._goal
        self.ranking = self._rank(Ended("stopped"))
        room = math.inf if goal.most is None else goal.most - len(results.verdicts)
        undone = list(self._undone())
        if undone and room > 0:
            return undone[: int(min(room, len(undone)))]
        if results.is_settled(goal.confidence):
            self._reached = "settled"
            return None
        if room <= 0:
            self._reached = "comparisons"
            return None
        pairs = results.telling_pairs(int(min(room, self._crew.size)))
        return list(self._note_pairs(pairs)) if pairs else None

    def _settle(self, position: int, item: Item, outcome: Outcome) -> None:
        super()._settle(position, item, outcome)
        if self._store.settled([item.key]):
            self._results.add(item, outcome)

    def _weigh(self, outcome: Outcome) -> None:
        """Give up as well where what all pairs share, the prompt's graph, fails for one after the other."""
        super()._weigh(outcome)
        if isinstance(outcome, Failure) and not self.tally.usable:
            self._culprits[culprit(outcome)] += 1
            if max(self._culprits.values()) >= HOPELESS_AFTER:
                self.stop(
                    "unreachable", f"The same call failed for {HOPELESS_AFTER} pairs: {outcome.message}"
                )

    def _undone(self) -> Iterator[tuple[int, Item]]:
        """Chosen before and without an outcome: a session was stopped or killed, or failures are retried."""
        for position, text in self._store.rows(_UNDONE):
            noted = read_item(text)
            if pair := self._entrants.sides(noted):
                item = self._entrants.item(*pair, noted.id)
                if item.key == noted.key:
                    yield position, item

    def _note_pairs(self, pairs: Iterable[Two]) -> Iterator[tuple[int, Item]]:
        last = next(self._store.rows("select ifnull(max(position), 0) from items"))[0]
        for position, pair in enumerate(pairs, last + 1):
            item = self._entrants.item(*pair)
            self._store.note_item(position, item)
            yield position, item

    def _rank(self, ended: Ended) -> Ranking:
        results = self._results
        places = standings(results)
        ranked = {each.sha256 for each in places}
        pictures, spent = self._entrants.pictures.items(), self._store.spent
        return Ranking(
            name=self._store.about.name,
            standings=places,
            unranked=tuple(picture.name for key, picture in pictures if key not in ranked),
            ended=self._reached if ended.how == "done" else ended.how,
            message=ended.message,
            confidence=self._goal.confidence,
            least_sure=min((each.above_next for each in places if each.above_next is not None), default=None),
            comparisons=len(results.verdicts),
            pairs=self._entrants.pairs,
            failures=dict(Counter(results.failed.values())),
            flips=sum(results.flipped.values()),
            both_orders=len(results.flipped),
            coin_flips=sum(results.coin_flips.values()),
            said_how_sure=len(results.coin_flips),
            calls=spent.calls,
            cost_usd=spent.cost_usd,
            unpriced=spent.unpriced,
        )


_UNDONE = """
select position, item
from items
where not exists (select 1 from outcomes where outcomes.item = items.key)
order by position
"""


def judging(method: Method) -> Judges:
    if not isinstance(method, Judges):
        raise BadSetting(f"The method {method.label} does not judge pairs.")
    return method


def start_contest(
    store: Store,
    entrants: Entrants,
    recipe: Recipe,
    conditions: Conditions,
    goal: Goal,
    *,
    retry_failed: bool = False,
) -> Contest:
    """Keep the pictures, note that a session begins, and make it. Nothing is asked yet."""
    if retry_failed:
        store.retire_failed()
    contest = Contest(store, entrants, recipe, conditions, goal)
    for picture in (*entrants.prompt.references, *entrants.pictures.values()):
        store.keep_picture(picture)
    store.begin(entrants.pairs)
    return contest


@checked
def rank(  # noqa: PLR0913 - what is ranked, by what, until when
    prompt: str | Prompt,
    pictures: Sequence[Any],
    recipe: Recipe,
    name: str,
    *,
    folder: str | Path = FOLDER,
    conditions: Conditions | None = None,
    confidence: Annotated[float, CONFIDENCE] = 0.95,
    most: Annotated[int, COUNT] | None = None,
    retry_failed: bool = False,
) -> Ranking:
    """Rank the pictures, or go on with the ranking of that name.

    prompt          what they were made from
    pictures        two or more, each whatever `Artifact.of` takes
    recipe          the method that judges, in both orders
    name            the ranking's, and its file's
    folder          where rankings and runs are kept
    conditions      how fast it asks, and for how much
    confidence      pictures this surely in order need no comparison of their own, above 0.5 and below 1
    most            at most so many comparisons
    retry_failed    ask again what ended in a failure

    A pair is asked about once. A picture that is added later joins what is known of the others.
    """
    asking = conditions or Conditions(at_once=AT_ONCE)
    if asking.batch or asking.engine != "here" or asking.limit is not None:
        raise BadSetting(
            "A ranking chooses pairs by what the last ones said: it takes no batches, no Ray, and no limit "
            "but a number of comparisons."
        )
    goal, entrants = Goal(confidence, most), Entrants.of(prompt, pictures)
    resume = (Path(folder) / f"{name}{SUFFIX}").exists()
    with open_run(entrants, judging(recipe.make()), name, Path(folder), resume) as store:
        contest = start_contest(store, entrants, recipe, asking, goal, retry_failed=retry_failed)
        return contest.end(loop.run(contest.run()))
