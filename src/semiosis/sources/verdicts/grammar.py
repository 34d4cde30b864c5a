"""What English has to say that one of two pictures is better: patterns over @a, @b and @both (sides.py).

What stands in `PATTERNS` is all that is understood. "Better" is said of the whole only where what follows
leaves it so, and "more natural" of one thing among several.
"""

import re
from enum import IntEnum
from typing import Literal, NamedTuple

from .sides import NOUN

Said = Literal["a", "b", "tie", "both-good", "both-bad"]
"""A tie is one that says nothing of quality."""


class Kind(IntEnum):
    """How it is said, the weakest first.

    PASSING    of both, that they are good or bad
    PARTIAL    that one is better in something
    PLAIN      that one is better, or that they tie
    CHOICE     that one is chosen, or the verdict
    TOKEN      in the form that was asked for
    """

    PASSING = 0
    PARTIAL = 1
    PLAIN = 2
    CHOICE = 3
    TOKEN = 4


class Pattern(NamedTuple):
    """What is said where its group is a or absent, and where it is b."""

    expression: re.Pattern[str]
    kind: Kind
    a: Said
    b: Said


def _for(kind: Kind, *expressions: str) -> tuple[Pattern, ...]:
    return tuple(Pattern(re.compile(each), kind, "a", "b") for each in expressions)


def _against(kind: Kind, *expressions: str) -> tuple[Pattern, ...]:
    return tuple(Pattern(re.compile(each), kind, "b", "a") for each in expressions)


def _of_both(kind: Kind, said: Said, *expressions: str) -> tuple[Pattern, ...]:
    return tuple(Pattern(re.compile(each), kind, said, said) for each in expressions)


_ADVERBS = (
    r"(?:(?:clearly|slightly|much|far|by far|a bit|a little|overall|still|also|definitely|certainly|"
    r"generally|marginally|significantly|noticeably|somewhat|relatively|ultimately|simply|therefore|thus|"
    r"equally|quite|very|really|the|a|an|my|final|clear) ){0,4}"
)
_IS = (
    r"(?:is|was|are|were|seems|appears|looks|remains|emerges|stands out|as|to be|being|"
    r"(?:can|should) be(?= (?:considered|chosen|preferred|rated)\b)|would be(?= (?:the|my|considered)\b))"
    r"(?: (?:to be|as|considered|rated)){0,2}"
)
_HAS = (
    r"(?:has|have|(?:seems|appears) to have|shows|presents|offers|provides|maintains|contains|demonstrates|"
    r"displays|exhibits|achieves)"
)
_NO_SUBJECT = ("of", "in", "by", "from", "for", "to", "than", "with", "on", "and", "or", "nor", "between")
_SUBJECT = "".join(rf"(?<!\b{word} )" for word in _NO_SUBJECT) + rf"@([ab]) {_ADVERBS}"
_ER = r"(?:clearer|sharper|cleaner|smoother|richer)"
THAN = r"(?:than|as|compared (?:to|with))(?: (?:in|those in|that of|that in))? @([ab])\b"

_I = (
    r"\b(?:i|we)(?:'d|'ll|'m)?"
    r"(?: (?:would|will|must|have|am|therefore|thus|then|also|personally|slightly)){0,3}"
)
CHOOSE = (
    r"(?:choose|chose|chosen|choosing|pick|picked|picking|select|selected|selecting|prefer|favou?r|recommend|"
    r"opt for|(?:go|going) (?:with|for)|vote for|side with|(?:decide|rule) (?:on|for|in favou?r of)|"
    r"(?:lean|leaning) (?:more |slightly )?towards?)"
)
_GIVE = r"(?:give|award|assign)"
_WIN = r"(?:(?:the|a|my|slight|clear|final) ){0,3}(?:edge|win|victory|preference|vote|point|verdict|lead)"
HOLD = r"(?:find|found|consider|deem|think|rate|rank|judge)"
VERDICT = r"(?:verdict\w*|winner|answer|choice|pick|preference|vote|decision|judge?ment|selection)"
_ENDS = r"(?=$| (?:over|than|because|as|since|due|for|by|and|to be|here|overall|in this|in my)\b)"

_BETTER = (
    r"(?:better|best|superior|stronger|(?:more )?preferable|preferred|favou?red|favou?rite|winner|chosen|"
    r"choice|pick|preference|of (?:better|higher|superior) (?:overall )?quality|"
    r"more (?:appropriate|suitable|successful))"
)
_WORSE = r"(?:worse|worst|inferior|weaker|poorer|loser)"
_WINS = (
    rf"(?:wins|won|prevails|comes out (?:ahead|on top)|(?:has|gets|takes|receives|earns) {_WIN}|"
    r"has (?:a )?(?:better|higher|superior) (?:overall )?quality|"
    r"(?:overall |image )?quality is (?:clearly |slightly |much )?(?:better|higher|superior)|"
    rf"(?:performs|performed|does|did) {_ADVERBS}better)"
)
_MAKES_BETTER = (
    r"(?:(?:has|have|generated|created|produced|made|produces|creates|provides|provided|does|did) ){0,2}"
    rf"(?:a |the ){_ADVERBS}(?:better|best|superior) (?:overall )?(?:{NOUN}|job)"
)
_BEATS = r"(?:outperforms|outshines|surpasses|beats|edges out) @[ab]\b"
# What may follow where the whole is meant: "better lit" is said of the light.
_WHOLE = (
    rf"(?=$| (?:than (?:(?:in|those in|that of|that in) )?(?:@[ab]\b|the other\b)|"
    rf"over|one|choice|{NOUN}s?|of|overall|because|as|since|due|and|here|between|among|"
    r"compared|given|based|by far|in|at|on|for|to|when|regarding|with)\b)"
)

# Said in favour after "more", and against after "less".
_VIRTUE = (
    r"(?:(?:visually|a?esthetically) )?(?:good|natural|realistic|accurate|appealing|pleasing|striking|"
    r"detailed|balanced|harmonious|harmoni[sz]ed|coherent|cohesive|consistent|convincing|polished|faithful|engaging|"
    r"clear|authentic|believable|lifelike|successful|effective|closely|accurately|naturally|aligned|relevant|"
    r"vivid|vibrant|dynamic|creative|interesting|refined|organi[sz]ed|in line with|true to)\b"
)
_FAITHFULLY = r"(?:better|more closely|more accurately|more faithfully)"
_FOLLOWS = (
    r"(?:follow|adhere|capture|represent|fulfil|match|reflect|align|meet|convey|depict|maintain|integrate)\w*"
)

_GOOD = (
    r"(?:good|great|strong|excellent|acceptable|fine|high[- ]quality|well[- ]executed|successful|impressive|"
    r"(?:visually |a?esthetically )?(?:appealing|pleasing))"
)
_EQUALLY_GOOD = rf"equally (?:{_GOOD}|well|matched|valid)"
_BAD = (
    r"(?:bad|poor|weak|flawed|unacceptable|unsuccessful|unsatisfactory|low[- ]quality|"
    r"not (?:good|acceptable|satisfactory))"
)
_ARE = rf"(?:{_IS} )?{_ADVERBS}(?:of )?{_ADVERBS}"
_MADE = (
    r"(?:have |has )?(?:successfully )?(?:created|generated|produced|provided|delivered|done) "
    r"(?:(?:a|an|equally|relatively|very|images?|results?|pictures?|that|which|are|is|of) ){0,6}"
)
_NO_MORE = r"(?:[ -]quality)?(?=$| (?:and|as|because|since|due|with|of|images?|results?|pictures?|job)\b)"
_ALIKE = r"(?:the same|similar|equal|comparable)"
_TIE = (
    r"^(?:a )?tie(?=$| (?:relativ\w*|between|both|with|as|and|since|because|for|here)\b)|^draw$|\bas ties\b|"
    r"\b(?:is|was|be|it's|as|it|this|we have|considered|output|call|declare|say|choose|select|pick|give|"
    rf"award|deserve|opt for|go with|towards?|conclude|ends? (?:up )?in|results? in|{VERDICT}) (?:an? )?"
    r"(?:tie\b(?!-| (?:clip|around|on)\b)|(?<=a )draw\b)|\b(?:it is|it's|this is) tied\b"
)

PATTERNS = (
    *_for(
        Kind.CHOICE,
        rf"{_I} {CHOOSE} @([ab]){_ENDS}",
        rf"{_I} (?:say|think)(?: that)? @([ab])$",
        rf"{_I} {_GIVE} {_WIN} to @([ab]){_ENDS}",
        rf"{_I} {_GIVE} @([ab]) (?:{_WIN}|(?:a |the )?(?:higher|better) (?:rating|score|mark))\b",
        rf"{_I} like @([ab]) (?:better|more|best)\b",
        rf"\b(?:{VERDICT}|(?:better|best)(?: (?:one|choice|{NOUN}))?)"
        rf"(?: (?:of @both|here|is|was|would be|goes to|for|between @both)){{0,3}}(?: that)? @([ab]){_ENDS}",
    ),
    *_for(
        Kind.PLAIN,
        rf"{_SUBJECT}{_IS} {_ADVERBS}{_BETTER}{_WHOLE}",
        rf"\b{HOLD} @([ab]) {_ADVERBS}(?:{_BETTER}{_WHOLE}|(?:as )?(?:higher|above)\b)",
        rf"^@([ab]) {_ADVERBS}better$",
        rf"\bquality of @([ab]) is {_ADVERBS}(?:better|higher|superior)\b",
        rf"{_SUBJECT}(?:{_WINS}|{_MAKES_BETTER}){_WHOLE}",
        rf"{_SUBJECT}{_BEATS}",
    ),
    *_against(Kind.PLAIN, rf"{_SUBJECT}(?:{_IS} {_ADVERBS}{_WORSE}|loses|lost){_WHOLE}"),
    *_of_both(
        Kind.PLAIN,
        "tie",
        _TIE,
        r"@both (?:are|is|as) (?:relatively |equally )?(?:tied|on par|equal(?=$| in quality\b))",
        rf"\b{HOLD} @both (?:as )?equal(?:ly)?$",
    ),
    *_of_both(
        Kind.PLAIN, "both-good", rf"@both\b.{{0,80}}?\b{_EQUALLY_GOOD}\b", r"\bsame acceptab\w+ quality\b"
    ),
    *_of_both(Kind.PLAIN, "both-bad", rf"@both\b.{{0,80}}?\bequally {_BAD}\b"),
    *_for(
        Kind.PARTIAL,
        rf"{_SUBJECT}(?:(?:{_IS}|{_HAS}|generated|created|produced|made) ){{0,2}}{_ADVERBS}more {_VIRTUE}",
        rf"{_SUBJECT}{_HAS} {_ADVERBS}(?:better|fewer|{_ER})\b",
        rf"{_SUBJECT}{_FAITHFULLY} {_FOLLOWS}",
        rf"{_SUBJECT}{_FOLLOWS} (?:\w+ ){{1,6}}?{_FAITHFULLY}\b",
        rf"{_SUBJECT}{_IS} {_ADVERBS}(?:closer to (?:the|what)|nicer|{_ER})\b",
        rf"\b(?:not as|not so|less) {_VIRTUE}.{{0,60}}? {THAN}",
        rf"\bnot (?:\w+ ){{1,8}}?as (?:well|closely|accurately|faithfully) {THAN}",
    ),
    *_against(
        Kind.PARTIAL,
        rf"{_SUBJECT}(?:{_IS}|{_HAS}) {_ADVERBS}(?:not as|not so|less) {_VIRTUE}",
        rf"\bmore {_VIRTUE}.{{0,60}}? {THAN}",
    ),
    *_of_both(
        Kind.PASSING,
        "both-good",
        rf"@both (?:{_ARE}|{_MADE}){_GOOD}{_NO_MORE}",
        r"@both (?:have )?(?:perform|performed|did|done) (?:\w+ )?well\b",
    ),
    *_of_both(
        Kind.PASSING,
        "both-bad",
        rf"@both (?:{_ARE}|{_MADE}){_BAD}{_NO_MORE}",
        rf"@neither {_IS} {_ADVERBS}{_GOOD}{_NO_MORE}",
    ),
    *_of_both(
        Kind.PASSING,
        "tie",
        rf"@both\b.{{0,80}}?\b{_ALIKE} (?:overall )?quality\b",
        rf"@both\b.{{0,80}}?\b{_ALIKE} in (?:terms of )?(?:overall )?quality\b",
        rf"\bquality of @both (?:is|are) {_ADVERBS}{_ALIKE}\b",
        rf"@both {_IS} {_ADVERBS}(?:same|equal)(?=$| and\b)",
        r"\bno (?:clear|significant|noticeable|major|obvious) differences? (?:in quality )?between @both\b",
    ),
)
