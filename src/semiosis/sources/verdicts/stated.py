"""The verdict that a judge's free-text reply states.

    stated_verdict("Both are sharp, but Model B follows the prompt. Final verdict: [[B>A]]")    "b"
    stated_verdict("1. Model A is better: [[A>B]]\n2. Model B is better: [[B>A]]")              None

What stands in double brackets counts first, then what sentences conclude, then what they say plainly, and
at last a comparison that favours one of the two from beginning to end. A menu repeated back states nothing,
and what is singled out after it does. A refusal, a hedge, a description, a reply that breaks off before its
verdict or contradicts itself states none, and neither does what is not understood: nothing is guessed.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, cast

from .grammar import Kind, Said
from .parts import ReplyPart, parts
from .sentences import Statement, agreed, concludes, statements, turns
from .sides import side_named, unquoted

StatedVerdict = Literal["a", "b", "both-good", "both-bad"]
"""A tie that says nothing of quality is "both-good": of a menu's two, it is the one that is called a tie."""

# What is longer is no reply.
MOST_CHARACTERS = 400_000
_SHORT = 40

# What a model thinks before it replies, also where it is cut off thinking.
_THOUGHT = re.compile(r"^\s*<(think|thinking|thought)>(?:.*?</\1>|.*)", re.S)
# Where a sentence has come to its end.
_ENDS = (".", "!", ")", "]", '"', "'", "”", "’")
_DANGLES = re.compile(r"(?:,|\b(?:relatively|the|same|acceptable|both|are|is|of|as|in|at|and|or|but|than))$")
_OBJECT = re.compile(r'\{\s*"')
_CANNOT = r"\b(?:cannot|can ?not|can't|could not|couldn't|unable to|not able to) (?:\w+ )?"
_WILL_NOT = r"\b(?:i|we) (?:won't|will not|would not|refuse to|decline to|must decline to) (?:\w+ )?"
_IMAGES = r"(?:(?:the|these|those|any|your|actual|either|of) )*(?:images?|pictures?|photos?|attachments?)\b"
# What comes of one who has not looked is no verdict, and neither is what a coin said.
_UNSEEN = re.compile(
    rf"(?:{_CANNOT}|\b(?:don't|do not|didn't|did not|without) (?:\w+ )?)"
    rf"(?:see|seeing|seen|view|viewing|access|accessing|open|opening|display|looking at) {_IMAGES}"
    r"|\bno (?:images?|pictures?) (?:is|are|was|were|has been|have been) "
    r"(?:provided|attached|given|shown|visible|included)\b"
    r"|\b(?:images?|pictures?) "
    r"(?:(?:did not|didn't|do not|don't|failed to) (?:load|come|arrive|open|display|show)\b|"
    r"(?:could not|couldn't|cannot|can't) be (?:loaded|opened|seen|viewed|shown|displayed)\b|"
    r"(?:is|are|was|were) "
    r"(?:missing\b|blank\b|not (?:visible|there|available|attached|provided|shown|displayed|loaded)\b))"
    r"|\b(?:i|we)(?:'ll|'d| will| would| must| can only| have to| am going to| just)* guess\b"
    r"|\b(?:pick|choose|chose|picked|choosing|picking|select|selected)\b.{0,40}\bat random\b"
    r"|\bcoin[ -](?:flip|toss)\b|\b(?:flip|toss)(?:ed|ing)? a coin\b"
)
# Who can't choose may still call it a tie.
_UNCHOSEN = re.compile(
    rf"(?:{_CANNOT}|{_WILL_NOT})(?:choose\b|pick\b|decide\b|judge\b|help\b|compare\b|assist\b|answer\b|"
    r"(?:determine|tell|say|judge) (?:which|who|what)\b|tell (?:them|the two|these|the images) apart\b|"
    r"determine (?:a|the) winner\b|(?:provide|give|make|offer) (?:an? |any )?(?:\w+ )?"
    r"(?:judge?ment|verdict|evaluation|assessment|comparison|opinion|preference)\b)"
    r"|\b(?:cannot|can't) (?:tell|say)[.!]"
    r"|\b(?:i am|i'm|we are|we're) (?:\w+ )?(?:torn|undecided)\b|\b(?:i|we) (?:must |have to )?abstain\b"
)
_RETRACTS = re.compile(r"\bno,? wait\b|\bscratch that\b|\btake (?:it|that) back\b|\bi was wrong\b")
# What is said before it and after it is not to differ.
_RECONSIDERS = re.compile(
    r"^no\b|^actually\b|\b(?:let me|on|upon) (?:re-?consider\w*|reflection|second thoughts?)\b"
)
# Around an object: it is a form, or is denied.
_NOT_MEANT = re.compile(
    r"\b(?:for example|e\.g|the form|the format|asked|told|wrong|incorrect|instead of|not)\b"
)


def stated_verdict(reply: str) -> StatedVerdict | None:
    """The verdict, or None where it states none."""
    if len(reply) > MOST_CHARACTERS:
        return None
    speech = _THOUGHT.sub("", reply)
    if start := _OBJECT.search(speech):
        return _of_object(speech, start.start())
    return _of_prose(speech)


def _of_object(reply: str, start: int) -> StatedVerdict | None:
    """Of a reply in JSON by its winner alone: its other members are prose about both."""
    try:
        value, end = json.JSONDecoder(object_pairs_hook=_once).raw_decode(reply, start)
    except (ValueError, RecursionError):
        return None
    members = cast("dict[str, object]", value)
    winner = members.get("winner", members.get("verdict"))
    if not isinstance(winner, str) or _OBJECT.search(reply, end):
        return None
    around = unquoted(f"{reply[:start]} {reply[end:]}").lower()
    for doubt in (_UNSEEN, _UNCHOSEN, _RETRACTS, _NOT_MEANT):
        if doubt.search(around):
            return None
    return _of_prose(winner)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _of_prose(reply: str) -> StatedVerdict | None:
    if side := side_named(reply):
        return side
    every = list(parts(reply))
    spoken = " ".join(unquoted(part.text).lower() for part in every)
    if _UNSEEN.search(spoken):
        return None
    stated: list[Statement] = []
    turned = reconsidered = 0
    for part in every:
        words = unquoted(part.text).lower()
        if _RETRACTS.search(words):
            stated.clear()
        if _RECONSIDERS.search(words):
            reconsidered = len(stated)
        if turns(part.text):
            turned = len(stated)
        stated.extend(_statements(part, closes=part is every[-1]))
    verdict = _settled(_still_said(stated, turned)) or _compared(every, stated)
    if reconsidered and any(_opposes(each, verdict) for each in stated if verdict):
        return None
    if verdict in ("a", "b"):
        return None if _UNCHOSEN.search(spoken) else verdict
    if verdict != "tie":
        return verdict
    graded = [each.said for each in stated if each.said in ("both-good", "both-bad")]
    return "both-bad" if graded[-1:] == ["both-bad"] else "both-good"


def _statements(part: ReplyPart, *, closes: bool) -> list[Statement]:
    line = part.line
    announced = concludes(line.about) and not line.labelled
    if part.tokens:
        named = announced or concludes(part.text)
        listed = line.listed and not (part.option or part.is_token or named)
        if part.bracketed:
            return [Statement(part.tokens[0], Kind.PLAIN if listed or line.of_a_criterion else Kind.TOKEN)]
        # A form filled in for each of the two is no verdict.
        return [] if part.names_a_side else [Statement(part.tokens[0], Kind.PLAIN, named)]
    if announced and part.leads and not line.listed and (side := side_named(part.text)):
        return [Statement(side, Kind.CHOICE)]
    if part.option:
        cut = closes and (_DANGLES.search(part.text) or (line.listed and part.text.endswith(":")))
        return [] if cut else [Statement(part.option, Kind.PLAIN, announced)]
    stated = statements(part.text)
    if closes and not part.text.endswith(_ENDS):
        # What is said in passing may go on with a "but".
        stated = [each for each in stated if each.kind > Kind.PARTIAL or each.named]
    if line.listed or line.of_a_criterion:
        if not concludes(part.text):
            return []
        if line.listed or line.labelled:
            # Criteria in a list are concluded one by one.
            return [Statement(each.said, Kind.PLAIN) for each in stated if each.kind > Kind.PARTIAL]
    if closes and len(part.text) <= _SHORT:
        # The last word is not said in passing.
        stated = [_last_word(each, part) for each in stated]
    if announced:
        stated = [replace(each, concluding=True, named=each.named or part.leads) for each in stated]
    return stated


def _last_word(statement: Statement, part: ReplyPart) -> Statement:
    if statement.kind is not Kind.PASSING:
        return statement
    if part.leads:
        return replace(statement, kind=Kind.PLAIN)
    return replace(statement, concluding=True)


def _still_said(stated: Sequence[Statement], turned: int) -> list[Statement]:
    """Without what is said of both in passing, before one is preferred or a "however" speaks of one."""
    sides = [at + 1 for at, each in enumerate(stated) if each.said in ("a", "b")]
    rest = max([turned, *sides[-1:]])
    return [each for at, each in enumerate(stated) if each.kind is not Kind.PASSING or at >= rest]


def _settled(stated: Sequence[Statement]) -> Said | None:
    """By the last token, else by the last conclusion, unless it is taken back; else by all that is said
    plainly, else by what is concluded of less."""
    if {"a", "b"} <= {each.said for each in stated if each.named and not _is_token(each)}:
        return None
    for weighty in (_is_token, _is_conclusion):
        if places := [at for at, each in enumerate(stated) if weighty(each)]:
            verdict = stated[places[-1]].said
            return None if any(_opposes(each, verdict) for each in stated[places[-1] :]) else verdict
    if any(each.kind is Kind.PLAIN for each in stated):
        return agreed(each.said for each in stated if each.kind is Kind.PLAIN)
    return agreed(each.said for each in stated if each.concluding)


def _is_token(statement: Statement) -> bool:
    return statement.kind is Kind.TOKEN


def _is_conclusion(statement: Statement) -> bool:
    return (
        statement.kind is Kind.CHOICE
        or (statement.kind is Kind.PLAIN and statement.concluding)
        or (statement.kind is Kind.PASSING and statement.named)
    )


def _opposes(statement: Statement, verdict: Said) -> bool:
    return statement.kind >= Kind.PLAIN and {statement.said, verdict} == {"a", "b"}


def _compared(every: Sequence[ReplyPart], stated: Sequence[Statement]) -> Said | None:
    """Of a reply that comes to its end and holds the two against each other, always in favour of one. In a
    list of criteria each is a finding, and none the verdict."""
    if not every or not every[-1].text.endswith(_ENDS) or sum(part.line.listed for part in every) > 1:
        return None
    if any(each.kind > Kind.PARTIAL for each in stated) or not any(each.compares for each in stated):
        return None
    return agreed(each.said for each in stated if each.kind is Kind.PARTIAL)
