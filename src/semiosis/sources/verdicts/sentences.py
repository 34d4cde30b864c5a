"""What one English sentence states of two pictures: that A is better, that B is, that they tie, or nothing.

    statements("Although B is sharper, I prefer Model A.")    [Statement("a", Kind.CHOICE, concluding=True)]
    statements("Model A is more natural than Model B.")       [Statement("a", Kind.PARTIAL, compares=True)]
    statements("I cannot say that Model A is better.")        []

What is denied, asked, conceded, conditional or another's opinion states nothing, and neither does what the
grammar has no pattern for.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .grammar import CHOOSE, HOLD, PATTERNS, THAN, VERDICT, Kind, Said
from .sides import in_sides, unquoted


@dataclass(frozen=True)
class Statement:
    """`concluding` after "therefore" or "overall", `named` where it is called the verdict, `compares` where
    the two are held against each other."""

    said: Said
    kind: Kind
    concluding: bool = False
    named: bool = False
    compares: bool = False


_CLAUSES = re.compile(
    r"\s*(?:[,;()]|\s[-–]+\s|—)\s*"
    r"|\s(?=(?:but|however|yet|although|even though|even if|while|whereas|despite)\b)|(?<!even)\s(?=though\b)"
)
# "Model A, despite its flaws, is better"
_ASIDE = re.compile(r"(?<=@[ab]) ?, (?:despite|although|though|while|even|in spite)\b[^,@]{1,100},")
_CONCEDES = re.compile(r"(?:although|though|even though|even if|while|whereas|despite|in spite|albeit)\b")
_TURNS = re.compile(r"(?:but|however|yet|nevertheless|nonetheless|still)\b")
_DENIES = re.compile(
    r"\b(?:not|never|cannot|hardly|neither|nor|\w{1,12}n't|hard|difficult|impossible|unable|unclear|doubt|"
    r"no (?:evidence|reason|sign|proof|indication|basis|respect|way)|could|might|may|perhaps|possibly|maybe|"
    r"arguably|(?:users?|people|others|viewers?|critics?|some|many|most|you|humans?|nobody|no one) "
    r"(?:can|should|would|prefer|find|think|say|choose)|"
    r"wrong|false|untrue|mistaken|refuses?|disagree|hesitate|nobody|no one|says|example|imagine|supposed?|"
    r"rather than|instead of|going to|about to|tempted|wanted|at first|"
    r"initially|thought|would have)\b"
)
_DEPENDS = re.compile(
    r"(?<!even )(?<!as )\bif\b|\b(?:unless|whether|depends|depending|(?:options|choices) are|"
    r"one of (?:the following|these|those))\b"
)
_SCOPED = re.compile(
    r"\b(?:in terms of (?!(?:overall |image )?quality\b)|when|regarding|with (?:regards?|respect)|"
    r"(?:in|for|on|by) (?:this|that|each|one) (?:criterion|aspect|category|regard|respect|point|dimension)|"
    r"(?:at|in|on)(?=$| (?!(?:this|my|our|general|comparison|both|every|all)\b|the (?:end|whole)\b|"
    r"(?:terms of )?(?:overall |image )?quality\b)))"
)
# "For style, I choose @a" is of style, as "I choose @a for style" is.
_SCOPE_FIRST = re.compile(
    r"(?:in terms of|in|for|on|at|by|as (?:for|to)|with (?:regards?|respect) to|regarding|"
    r"considering(?: only)?|when it comes to) "
    r"(?!(?:this|that|these|those|my|our|general|comparison|summary|conclusion|short|total|fact|addition|"
    r"contrast|reflection|closer|further|second|inspection|consideration|the (?:end|whole)|all|both|every|"
    r"overall|me|its|balance)\b)"
)
# "@a is better in style, and @b in content", "winner: @a, @b"
_OTHER_TOO = re.compile(r"(?:and |but )?@([ab])(?: (?:in|for|on|at|by)\b|$)")
_ONE = re.compile(r"@[ab]\b")
_REASONS = re.compile(r"\b(?:because|as|since|due|given|and|which|that|based)\b")
# So far from what is said a criterion may be named.
_REACH = 200
_NAMES = re.compile(
    rf"\bverdict\w*|(?<!no )(?<!no clear )\bwinner\b|\blabel\b|^{VERDICT}\b|"
    rf"\b(?:my|the|final|correct) (?:(?:final|correct|overall) )?{VERDICT}\b(?! of\b)"
)
_CONCLUDES = re.compile(
    r"\bconclu\w+|^overall\b|\boverall,|^final\b|"
    r"\b(?:finally|ultimately|in (?:summary|short|the end)|all in all)\b|"
    rf"\b(?:i|we)(?:'d|'ll| would| will)(?: therefore)? (?:say|output|call|declare|{HOLD})\b|"
    rf"\b(?:i|we)(?:'d|'ll| would| will)?(?: therefore)? {CHOOSE}\b"
)
_HENCE = re.compile(
    r"\b(?:therefore|thus|hence|consequently)\b|^based on\b|"
    r"^after\b.{0,40}\b(?:consideration|evaluation|analysis)\b"
)
_COMPARES = re.compile(rf"\b{THAN}|\b(?:over|to) @[ab]\b")


def statements(text: str) -> list[Statement]:
    """What it states: one thing, or several that contradict each other."""
    plain = _ASIDE.sub("", in_sides(text))
    if text.rstrip().endswith("?") or _DEPENDS.search(plain):
        return []
    stated: list[Statement] = []
    denied = False
    clauses = _CLAUSES.split(plain)
    scoped = len(clauses) > 1 and _SCOPE_FIRST.match(clauses[0]) is not None
    for clause in clauses:
        statement = None if _CONCEDES.match(clause) else _statement(clause.removeprefix("and "), denied)
        if statement and scoped and statement.said in ("a", "b"):
            statement = Statement(statement.said, Kind.PARTIAL, compares=True)
        if statement is None and stated and (other := _OTHER_TOO.match(clause)):
            statement = replace(stated[-1], said="a" if other[1] == "a" else "b")
        if _TURNS.match(clause):
            # After a "but" only what was said with more weight stands, and what is better in something else.
            floor = statement.kind if statement and statement.kind > Kind.PARTIAL else Kind.PASSING
            stated = [each for each in stated if each.kind > floor]
        if statement:
            stated.append(statement)
        denied = denied or _DENIES.search(clause) is not None
    said = agreed(each.said for each in stated if each.kind > Kind.PARTIAL)
    if said in (None, "tie"):
        said = agreed(each.said for each in stated)
    if said is None:
        return [replace(each, kind=min(each.kind, Kind.PLAIN)) for each in stated]
    named = _NAMES.search(plain) is not None
    return [
        Statement(
            said,
            kind=max(each.kind for each in stated),
            concluding=named or any(hint.search(plain) for hint in (_CONCLUDES, _HENCE)),
            named=named,
            compares=any(each.compares for each in stated) or _COMPARES.search(plain) is not None,
        )
    ]


def turns(text: str) -> bool:
    """Whether it takes back, of one of the two, what was said of both."""
    plain = in_sides(text)
    return _TURNS.match(plain) is not None and _ONE.search(plain) is not None


def agreed(said: Iterable[Said]) -> Said | None:
    """The one thing that all of it is; a tie may be said to be good, or bad, beside."""
    distinct = set(said)
    if len(distinct) == 2 and distinct & {"both-good", "both-bad"}:
        distinct.discard("tie")
    return distinct.pop() if len(distinct) == 1 else None


def concludes(text: str) -> bool:
    """Whether its words announce a verdict on the whole."""
    plain = unquoted(text).lower()
    return _NAMES.search(plain) is not None or _CONCLUDES.search(plain) is not None


def _statement(clause: str, denied: bool) -> Statement | None:
    # A clause that begins with "that" hangs on the one before.
    if denied and clause.startswith("that "):
        return None
    denial = _DENIES.search(clause)
    said_before = denial.start() if denial else len(clause)
    for pattern in PATTERNS:
        for match in pattern.expression.finditer(clause):
            if match.start() > said_before:
                break
            said = pattern.b if match.lastindex and match[1] == "b" else pattern.a
            if pattern.kind <= Kind.PARTIAL or not _is_scoped(clause[match.end() : match.end() + _REACH]):
                return Statement(said, pattern.kind)
            if said in ("a", "b"):
                return Statement(said, Kind.PARTIAL, compares=True)
    return None


def _is_scoped(rest: str) -> bool:
    return _SCOPED.search(_REASONS.split(rest, maxsplit=1)[0]) is not None
