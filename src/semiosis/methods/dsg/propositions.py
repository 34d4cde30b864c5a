"""Propositions that rest on one another, and what can be wrong with them.

bike = Proposition("1", "entity (bike)", question="Is there a bike?")
red = Proposition("2", "attribute (bike, red)", needs=("1",), question="Is the bike red?")
faults((bike, red))         ()
list(waves((bike, red)))    [(bike,), (red,)]
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

# Each is a call for each picture.
MOST_PROPOSITIONS = 64
MOST_CHARACTERS = 1000

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Proposition:
    """One thing that a prompt says.

    id          its name among them
    says        what it states, as a tuple: "attribute (bike, red)"
    needs       the propositions without which it has no meaning
    question    the question that is answered yes where it holds; empty as long as there is none
    """

    id: str
    says: str
    needs: tuple[str, ...] = ()
    question: str = ""


Propositions = tuple[Proposition, ...]


def faults(propositions: Sequence[Proposition]) -> tuple[str, ...]:
    """All that keeps them from being asked."""
    return number_faults(propositions) or (*structure_faults(propositions), *question_faults(propositions))


def number_faults(propositions: Sequence[Proposition]) -> tuple[str, ...]:
    """Whether there are none, or too many."""
    if not propositions:
        return ("there is no proposition",)
    if len(propositions) > MOST_PROPOSITIONS:
        return (f"there are {len(propositions):,} propositions; at most {MOST_PROPOSITIONS} can be asked",)
    return ()


def structure_faults(propositions: Sequence[Proposition]) -> tuple[str, ...]:
    """What is wrong with their names, and with what they depend on."""
    ids = Counter(each.id for each in propositions)
    above = _above(propositions)
    lines = [f"proposition {id} stands {times} times" for id, times in ids.items() if times > 1]
    for each in propositions:
        lines += [f"proposition {each.id} depends on itself" for need in each.needs if need == each.id]
        lines += [
            f"proposition {each.id} depends on {need}, which there is not"
            for need in each.needs
            if need not in ids
        ]
    for circle in _circles(above):
        lines.append(f"propositions {_listed(circle)} depend on one another in a circle")
    return tuple(dict.fromkeys(lines))


def question_faults(propositions: Sequence[Proposition]) -> tuple[str, ...]:
    """What is wrong with their questions."""
    lines: list[str] = []
    for each in propositions:
        length = len(each.question)
        if length > MOST_CHARACTERS:
            lines.append(
                f"the question of proposition {each.id} has {length:,} characters; "
                f"at most {MOST_CHARACTERS:,} can be asked"
            )
        elif not _words(each.question):
            lines.append(f"proposition {each.id} has no question")
    return (*lines, *_shifted(propositions))


def waves(propositions: Propositions) -> Iterator[Propositions]:
    """Those that need nothing, then those that need only what came before, and so on."""
    order: TopologicalSorter[str] = TopologicalSorter({each.id: each.needs for each in propositions})
    order.prepare()
    while order.is_active():
        ready = order.get_ready()
        yield tuple(each for each in propositions if each.id in ready)
        order.done(*ready)


def _above(propositions: Sequence[Proposition]) -> dict[str, frozenset[str]]:
    """All that each depends on, near and far; what stands twice counts together."""
    near: dict[str, set[str]] = {each.id: set() for each in propositions}
    for each in propositions:
        near[each.id] |= near.keys() & set(each.needs)
    above: dict[str, frozenset[str]] = {}
    for id, needs in near.items():
        reached, frontier = set[str](), set(needs)
        while frontier:
            reached |= frontier
            frontier = {far for each in frontier for far in near[each]} - reached
        above[id] = frozenset(reached)
    return above


def _circles(above: dict[str, frozenset[str]]) -> list[tuple[str, ...]]:
    """Groups whose members all depend on one another; one that depends on itself alone is no group."""
    groups = {
        tuple(each for each in above if id in above[each] and each in above[id])
        for id in above
        if id in above[id]
    }
    return sorted(group for group in groups if len(group) > 1)


def _shifted(propositions: Sequence[Proposition]) -> tuple[str, ...]:
    """Questions that ask what other propositions state. One may be a manner of speaking, two are a shift.

    A question does so that leaves out words of its own proposition and has all of another one's, on which
    its own does not depend: what depends on something names it.
    """
    above = _above(propositions)
    terms = {each.id: _terms(each.says) for each in propositions}
    pairs: list[tuple[str, str]] = []
    for each in propositions:
        asked, own = _words(each.question), terms[each.id]
        if own <= asked:
            continue
        others = [
            other
            for other, words in terms.items()
            if other != each.id
            and other not in above[each.id]
            and words <= asked
            and len(own & asked) < len(words)
        ]
        if others:
            pairs.append((each.id, max(others, key=lambda other: len(terms[other]))))
    if len(pairs) < 2:
        return ()
    listed = "; ".join(f"that of {id} asks what {other} states" for id, other in pairs)
    return (f"the questions are shifted against the propositions: {listed}",)


def _terms(says: str) -> frozenset[str]:
    """The words of a tuple, without its kind."""
    begin, end = says.find("("), says.rfind(")")
    return _words(says[begin + 1 : end] if 0 <= begin < end else says)


def _words(text: str) -> frozenset[str]:
    """Without case, possessives and plurals, as far as a rule of two lines goes."""
    words = _WORD.findall(text.casefold().replace("'s", "").replace("’s", ""))
    return frozenset(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words)


def _listed(ids: Sequence[str]) -> str:
    return f"{', '.join(ids[:-1])} and {ids[-1]}"
