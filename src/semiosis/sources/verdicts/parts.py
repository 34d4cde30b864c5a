"""A judge's reply as sentences, each with what holds for its line, without the menus that it repeats.

    for part in parts("Overall, B is nicer. [[B>A]]"): part.text, part.tokens

A menu is two different options or more, one after another: on one line, on lines that follow each other, or
as a list of them with a word about each; one is enough where it is said to be of several. What is announced
after it ("my verdict is:") is no item of it. What the judge lets its user say is not its reply.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .grammar import Kind, Said
from .sentences import concludes, statements
from .sides import in_sides

_LOOK_BACK = 120
# Of what leads in to a line its end says what to.
_LEAD = 200

_BRACKETED = re.compile(r"\[\[([^\[\]\n]{1,40})\]\]")
_COMPARED = re.compile(
    r"(?:(?<![\w<>=])|(?<=[Mm]odel)|(?<=[Ii]mage))([AB])\s?(>{1,2}|<{1,2}|=)\s?"
    r"(?:(?:[Mm]odel|[Ii]mage|[Pp]icture) ?)?([AB])"
    r"(?:\s?=\s?(?i:(good|bad)))?(?![\w<>=])"
)
_WORDS: dict[str, Said] = {"a": "a", "b": "b", "tie": "tie"}
# A token that is an example, or that stands beside its condition, is not given.
_UNREAL = re.compile(
    r"(?<!even )\bif\b|\b(?:whether|unless|example|e\.g|such as|told|asked|instructed|ordered)\b|"
    r"(?:\bnot|n't|\bthan)\W*$|\b(?:text|words?|format|instructions?|reads|says)\b(?! prompt)[\w ]{0,30}\W*$",
    re.I,
)
_CONDITION = re.compile(r"\W{0,6}(?:if|when|unless)\b", re.I)

_OTHERS_TURN = re.compile(r"\n[ \t]{0,8}(?:User|Human|Question) ?:")
_FENCE = re.compile(r"\s*```")
_MARKUP = re.compile(r"[*_`#]+")
_NUMBER = re.compile(r"^\s*(?:[*_#]{0,6}\s?\d{1,2}[.)]|[-•*+])\s+")
_HEADING = re.compile(r"\s*(?:#+\s|\*\*[^*]{1,80}\*\*:?\s*$)")
_LABEL = re.compile(r"[A-Za-z][\w /&'-]{0,60}:\s")
_CHOICES = re.compile(r"\b(?:choices|options|one of)\b", re.I)
_OPTION = re.compile(r"[^:\[.!?]{1,80}(?=$|:|\[\[)")
_OPTION_WORDS = re.compile(r"(?:@|(?:a )?(?:tie|draw)\b).*[^,]$")
_BOTH_OPTION = re.compile(r"@both (?:(?:are|is) )?(?:equally )?(?:good|bad)")
# Labels and headings of the whole, and of no criterion.
_GENERAL = re.compile(
    r"explanation|reason|rationale|compar|evaluation|analysis|response|judge|assistant|summary|result|"
    r"assessment|outcome|opinion",
    re.I,
)
_SENTENCES = re.compile(r"(?<=[^\s\d][.!?])[\"”’)\]]*\s+")


@dataclass(frozen=True)
class ReplyLine:
    """What holds for all sentences of a line.

    after_gap    an empty line is before it
    listed       it is numbered, or has a bullet
    label        what it begins with, before a colon
    about        the heading that it is under, or what leads in to it
    """

    after_gap: bool
    listed: bool
    label: str
    about: str

    @property
    def labelled(self) -> bool:
        """With the name of a criterion."""
        return _is_criterion(self.label)

    @property
    def of_a_criterion(self) -> bool:
        return self.labelled or _is_criterion(self.about)


@dataclass(frozen=True)
class ReplyPart:
    """A sentence.

    leads        it is the first of its line
    tokens       what it says as [[A>B]], or else as A>B
    bracketed    it says so in double brackets
    option       what the line says in no more words than an option of a menu has
    """

    line: ReplyLine
    text: str
    leads: bool
    tokens: tuple[Said, ...]
    bracketed: bool
    option: Said | None

    @property
    def offers(self) -> tuple[Said, ...]:
        """What it states, taken as an item of a menu."""
        return self.tokens or ((self.option,) if self.option else ())

    @property
    def names_a_side(self) -> bool:
        """In the label of its line: it is about that side."""
        return "@" in in_sides(self.line.label)

    @property
    def is_token(self) -> bool:
        """And nothing else."""
        return bool(self.tokens) and not _COMPARED.sub("", self.text).strip(" .[]()\"'")

    @property
    def is_worded(self) -> bool:
        return self.option is not None or (self.line.listed and self.leads and bool(self.tokens))

    @property
    def begins_paragraph(self) -> bool:
        return self.leads and self.line.after_gap

    @property
    def announces(self) -> bool:
        return not self.offers and self.text.endswith(":") and concludes(self.text)

    @property
    def opens_menu(self) -> bool:
        return not self.offers and self.text.endswith(":") and _CHOICES.search(self.text) is not None


@dataclass
class _Menu:
    """The places of its items. It is `walked` where something is said about each."""

    first: int
    last: int
    offers: set[Said] = field(default_factory=set[Said])
    walked: bool = False
    opened: bool = False

    @property
    def is_one(self) -> bool:
        return self.opened or len(self.offers) > 1


def parts(reply: str) -> Iterator[ReplyPart]:
    every = list(_every(reply))
    rest = 0
    for menu in _menus(every):
        yield from every[rest : menu.first]
        rest = menu.last + 1
        # What is said about the last item ends where its paragraph does.
        while menu.walked and rest < len(every) and not every[rest].begins_paragraph:
            rest += 1
    yield from every[rest:]


def _every(reply: str) -> Iterator[ReplyPart]:
    heading = lead = ""
    after_gap = fenced = False
    for raw in _OTHERS_TURN.split(reply, maxsplit=1)[0].splitlines():
        text = _MARKUP.sub("", _NUMBER.sub("", raw, count=1)).strip()
        if _FENCE.match(raw):
            fenced = not fenced
        elif not text:
            after_gap = True
        # Code is no prose; a token alone in it is one.
        elif not fenced or _BRACKETED.fullmatch(text):
            option = _option(text)
            label = None if option else _LABEL.match(text)
            line = ReplyLine(
                after_gap=after_gap,
                listed=_NUMBER.match(raw) is not None,
                label=label[0] if label else "",
                about=lead or heading,
            )
            sentences = list(_of_line(line, text, option))
            yield from sentences
            after_gap, lead = False, ""
            if not any(part.offers for part in sentences):
                if _HEADING.match(raw):
                    heading = text[-_LEAD:]
                elif text.endswith(":"):
                    lead = text[-_LEAD:]


def _of_line(line: ReplyLine, text: str, option: Said | None) -> Iterator[ReplyPart]:
    for number, each in enumerate(_SENTENCES.split(text)):
        tokens, bracketed = _tokens(each)
        yield ReplyPart(
            line=line,
            text=each,
            leads=not number,
            tokens=tokens,
            bracketed=bracketed,
            option=None if number else option,
        )


def _tokens(text: str) -> tuple[tuple[Said, ...], bool]:
    """Those that differ, and whether they stand in double brackets."""
    bracketed = [match for match in _BRACKETED.finditer(text) if _inside(match)]
    tokens: dict[Said, None] = {}
    for match in bracketed or _COMPARED.finditer(text):
        said = _inside(match) if bracketed else _compared(match)
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        if said and not _UNREAL.search(before) and not _CONDITION.match(text, match.end()):
            tokens[said] = None
    return tuple(tokens), bool(bracketed)


def _inside(brackets: re.Match[str]) -> Said | None:
    word = brackets[1].strip()
    match = _COMPARED.fullmatch(word.upper())
    return _compared(match) if match else _WORDS.get(word.lower()) or _option(word)


def _compared(match: re.Match[str]) -> Said | None:
    one, sign, two, quality = match[1], match[2][0], match[3], (match[4] or "").lower()
    if one == two or (quality and sign != "="):
        return None
    if sign == "=":
        return "both-good" if quality == "good" else "both-bad" if quality else "tie"
    return "a" if (sign == ">") == (one == "A") else "b"


def _option(text: str) -> Said | None:
    match = _OPTION.match(text)
    if match is None or concludes(match[0]):
        return None
    words = in_sides(match[0].strip())
    stated = [each for each in statements(match[0]) if each.kind is Kind.PLAIN]
    if _BOTH_OPTION.fullmatch(words):
        return "both-good" if words.endswith("good") else "both-bad"
    return stated[0].said if len(stated) == 1 and _OPTION_WORDS.match(words) else None


def _is_criterion(title: str) -> bool:
    return bool(title) and not concludes(title) and not _GENERAL.search(title) and "@" not in in_sides(title)


def _menus(every: Sequence[ReplyPart]) -> Iterator[_Menu]:
    menu: _Menu | None = None
    for at, part in enumerate(every):
        if not part.offers:
            continue
        if menu and _goes_on(every, menu.last, at):
            menu.walked = menu.walked or at > menu.last + 1
            menu.last = at
        else:
            if menu and menu.is_one:
                yield menu
            menu = _Menu(at, at, opened=part.leads and at > 0 and every[at - 1].opens_menu)
        menu.offers.update(part.offers)
    if menu and menu.is_one:
        yield menu


def _goes_on(every: Sequence[ReplyPart], last: int, at: int) -> bool:
    """Whether what is offered at `at` belongs to the menu whose item is at `last`."""
    part = every[at]
    if concludes(part.text) or (part.leads and every[at - 1].announces):
        return False
    if every[last].is_worded:
        return part.is_worded or (last == at - 1 and not part.begins_paragraph)
    return last == at - 1
