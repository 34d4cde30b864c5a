"""Who is ranked, and what a store says of them so far.

entrants = Entrants.of("Everything glows, nothing lasts.", ["a.png", "b.png", "c.png"])
results = PairResults.of(store, entrants)
standings(results)
"""

import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..backbones.pictures import size_of
from ..core.errors import BadPicture
from ..core.item import Candidate, Item, candidate, read_item
from ..core.kinds.pair import PairItem
from ..core.outcome import Outcome
from ..core.settled import UNDECIDED
from ..core.sign import Artifact, Pair, Prompt, distinct_names
from ..core.value import Value
from ..sources.folder import SUFFIXES, visible
from ..stats.estimate import Z_95
from .outcomes import stored
from .store import Store

if TYPE_CHECKING:
    from ..stats.tournament import Posterior

# Of a strength, in logits of one verdict: a standard deviation of about 3, at which a judge contradicts
# itself in a sixth of all pairs when the pictures change places. A wider one trusts a single verdict more.
PRIOR_PRECISION = 0.1

# Why a pair that was judged is no comparison: its votes in one of the orders failed.
ONE_ORDER = "one-order-failed"

Two = tuple[str, str]


@dataclass(frozen=True)
class Entrants:
    """The pictures of one prompt, by content hash: the order in which they were given plays no part.

    `left_out` is what lay in a folder that was given and is no picture.
    """

    prompt: Prompt
    pictures: dict[str, Artifact]
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, prompt: str | Prompt, pictures: Sequence[Any]) -> "Entrants":
        """`pictures` are paths, folders of them, bytes, data URLs, PIL images or artifacts."""
        sign = Prompt(text=prompt) if isinstance(prompt, str) else prompt
        left_out: list[str] = []
        sources = [one for each in pictures for one in _unfolded(each, left_out)]
        artifacts = [Artifact.of(each) for each in sources]
        by_hash: dict[str, Artifact] = {}
        for artifact, name in zip(artifacts, distinct_names(artifacts), strict=True):
            size_of(artifact)
            if artifact.sha256 in by_hash:
                raise BadPicture(
                    f"{by_hash[artifact.sha256].name} and {name} are the same picture: leave one of them out."
                )
            by_hash[artifact.sha256] = artifact.model_copy(update={"name": name})
        if len(by_hash) < 2:
            shortage = (
                f"only one was given: {next(iter(by_hash.values())).name}" if by_hash else "none was given"
            )
            raise BadPicture(f"At least two pictures are ranked, and {shortage}.")
        return cls(sign, dict(sorted(by_hash.items())), tuple(left_out))

    @property
    def name(self) -> str:
        """The first words of the prompt, or of its style, and a hash of the whole: another prompt is another
        ranking."""
        whole = json.dumps([self.prompt.text, *(each.sha256 for each in self.prompt.references)])
        words = " ".join(re.findall(r"\w+", self.prompt.style or self.prompt.text)[:6])[:60]
        return f"ranking {words} {hashlib.sha256(whole.encode()).hexdigest()[:8]}"

    @property
    def pairs(self) -> int:
        return math.comb(len(self.pictures), 2)

    def candidates(self) -> Iterator[Candidate]:
        """Every pair there is."""
        return (candidate(self.item(a, b)) for a, b in combinations(self.pictures, 2))

    def item(self, a: str, b: str, id: str | None = None) -> PairItem:
        pair = Pair(prompt=self.prompt, a=self.pictures[a], b=self.pictures[b])
        return PairItem(id=id or f"{pair.a.name} vs {pair.b.name}", pair=pair)

    def sides(self, item: Item) -> Two | None:
        """The pictures of such an item, where both are ranked."""
        pair = item.pair if isinstance(item, PairItem) else None
        if pair is None or not self.pictures.keys() >= {pair.a.sha256, pair.b.sha256}:
            return None
        return pair.a.sha256, pair.b.sha256


def _unfolded(source: Any, left_out: list[str]) -> list[Any]:
    """The source itself, or the pictures in the folder that it names."""
    if not (isinstance(source, str | Path) and os.path.isdir(source)):
        return [source]
    try:
        entries = visible(source)
    except OSError as error:
        raise BadPicture(f"The folder {source} cannot be read: {error.strerror or error}.") from None
    pictures: list[Any] = []
    for entry in entries:
        is_picture = entry.name.lower().endswith(SUFFIXES) and not entry.is_dir()
        (pictures if is_picture else left_out).append(os.path.join(source, entry.name))
    if not pictures:
        raise BadPicture(f"The folder {source} holds no pictures ({', '.join(SUFFIXES)}).")
    return pictures


@dataclass(frozen=True)
class PairResults:
    """What became of each pair that was asked: its verdict and the comparisons behind it, or why not.

    A comparison is the preference for the pair's first picture, 0 to 1: how sure the judge was counts.
    """

    entrants: Entrants
    comparisons: dict[Two, tuple[float, ...]] = field(default_factory=dict[Two, Any])
    verdicts: dict[Two, str | None] = field(default_factory=dict[Two, "str | None"])
    failed: dict[Two, str] = field(default_factory=dict[Two, str])
    flipped: dict[Two, bool] = field(default_factory=dict[Two, bool])
    coin_flips: dict[Two, bool] = field(default_factory=dict[Two, bool])

    @classmethod
    def of(cls, store: Store, entrants: Entrants) -> "PairResults":
        results = cls(entrants)
        for each in stored(store):
            results.add(read_item(each.item), each.outcome)
        return results

    def add(self, item: Item, outcome: Outcome) -> None:
        """Unless the item is about others."""
        pair = self.entrants.sides(item)
        if pair is None:
            return
        finding = outcome.finding
        if not outcome.comparisons:
            self.failed[pair] = finding.reason or ONE_ORDER
            return
        self.comparisons[pair] = outcome.comparisons
        self.verdicts[pair] = finding.verdict
        if finding.flipped is not None:
            self.flipped[pair] = finding.flipped
        if finding.certainty is not None:
            self.coin_flips[pair] = finding.is_coin_flip

    @property
    def compared(self) -> set[str]:
        return {each for pair in self.verdicts for each in pair}

    @property
    def in_play(self) -> list[str]:
        """Those that were compared, or still can be: not one whose every pair ended in a failure."""
        compared, lost = self.compared, Counter(each for pair in self.failed for each in pair)
        pictures = self.entrants.pictures
        others = len(pictures) - 1
        return [each for each in pictures if each in compared or lost[each] < others]

    def posterior(self, items: Sequence[str]) -> "Posterior":
        from ..stats.tournament import posterior

        *columns, weights = self._columns
        return posterior(*columns, items=items, prior=PRIOR_PRECISION, weights=weights)

    @property
    def _columns(self) -> tuple[list[str], list[str], list[str], list[float]]:
        """Every comparison, in an order that does not depend on which came first; last, its weights.

        A judge that is not sure gives part of a win to each side.
        """
        rows = [
            (*pair, side, weight)
            for pair, some in sorted(self.comparisons.items())
            for preference in some
            for side, weight in (("a", preference), ("b", 1 - preference))
            if weight
        ]
        return (
            [row[0] for row in rows],
            [row[1] for row in rows],
            [row[2] for row in rows],
            [row[3] for row in rows],
        )

    def is_settled(self, confidence: float) -> bool:
        """Whether each picture was compared with the next one, or is this surely above it.

        Asking about others could only change the order by contradicting what such a comparison said. None may
        be left out that could be compared.
        """
        from ..stats.tournament import order_probabilities

        items = self.in_play
        if len(items) < 2 or not self.compared.issuperset(items):
            return False
        return all(
            each.probability >= confidence or self._was_asked(str(each.above), str(each.below))
            for each in order_probabilities(self.posterior(items))
        )

    def _was_asked(self, one: str, other: str) -> bool:
        """A pair that failed is not asked again either."""
        both = {(one, other), (other, one)}
        return not both.isdisjoint(self.verdicts) or not both.isdisjoint(self.failed)

    def telling_pairs(self, most: int) -> list[Two]:
        """Up to so many pairs that tell most, of those that were not asked."""
        from ..stats.tournament import next_pairs

        items = self.in_play
        past = {frozenset(pair) for pair in (*self.verdicts, *self.failed)}
        rest = sum(frozenset(pair) not in past for pair in combinations(items, 2))
        if not rest:
            return []
        *columns, weights = self._columns
        pairs = next_pairs(
            *columns,
            items=items,
            count=min(most, rest),
            prior=PRIOR_PRECISION,
            weights=weights,
            exclude=[pair for pair in combinations(items, 2) if frozenset(pair) in past],
        )
        return [(str(pair.a), str(pair.b)) for pair in pairs]


class Standing(Value):
    """Where a picture stands. `score` is in logits of one verdict, against the average picture; 95% interval.

    `above_next` is how sure it is that the picture is above the next one. Pictures that nothing tells apart
    share a rank.
    """

    rank: int
    name: str
    sha256: str
    score: float
    low: float
    high: float
    above_next: float | None
    comparisons: int
    won: int
    drawn: int
    lost: int


def standings(results: PairResults) -> tuple[Standing, ...]:
    """Of the pictures that were compared, best first."""
    from ..stats.tournament import order_probabilities

    compared, pictures = results.compared, results.entrants.pictures
    if not compared:
        return ()
    posterior = results.posterior([each for each in pictures if each in compared])
    neighbours = order_probabilities(posterior)
    order = [str(neighbours[0].above), *(str(each.below) for each in neighbours)]
    scores = dict(zip(posterior.items, posterior.mean.tolist(), strict=True))
    spreads = dict(zip(posterior.items, _spreads(posterior.covariance.tolist()), strict=True))
    return tuple(
        Standing(
            rank=1 + sum(score > scores[each] + 1e-9 for score in scores.values()),
            name=pictures[each].name,
            sha256=each,
            score=scores[each],
            low=scores[each] - Z_95 * spreads[each],
            high=scores[each] + Z_95 * spreads[each],
            above_next=sure,
            **_record(each, results),
        )
        for each, sure in zip(order, [*(each.probability for each in neighbours), None], strict=True)
    )


def _spreads(covariance: list[list[float]]) -> list[float]:
    """Standard deviations of strengths less their mean: where all of them stand together says nothing."""
    count = len(covariance)
    means = [sum(row) / count for row in covariance]
    whole = sum(means) / count
    return [math.sqrt(max(0.0, row[at] - 2 * means[at] + whole)) for at, row in enumerate(covariance)]


def _record(picture: str, results: PairResults) -> dict[str, int]:
    own = [(pair, winner) for pair, winner in results.verdicts.items() if picture in pair]
    drawn = sum(winner == UNDECIDED for _, winner in own)
    won = sum(winner == ("a" if pair[0] == picture else "b") for pair, winner in own)
    return {"comparisons": len(own), "won": won, "drawn": drawn, "lost": len(own) - drawn - won}
