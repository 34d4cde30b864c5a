"""A method that needs no model, for measuring what a run costs by itself."""

from dataclasses import dataclass

from semiosis.core.kinds.pair import Judgment
from semiosis.core.outcome import Failure
from semiosis.core.sign import Pair
from semiosis.core.vote import Vote
from semiosis.methods.contract import Judges, method


@method("lengths")
@dataclass(frozen=True)
class Lengths(Judges):
    """The longer file name wins."""

    async def judge(self, pair: Pair) -> Judgment | Failure:
        a, b = len(pair.a.name), len(pair.b.name)
        vote = Vote(order="ab", repeat=0, winner=None if a == b else "a" if a > b else "b")
        return Judgment(pair=pair, votes=(vote,), provenance=self.provenance([]))
