"""Judges that are simulated on the items of bias tests, and the pictures for a small audit.

asked = Asked(Audit(material()))
asked.findings(coin(seed), "both")
"""

import io
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from PIL import Image, ImageDraw

from semiosis.benchmarks.audit.items import Audit, every_test
from semiosis.benchmarks.audit.report import AuditedTest, accused
from semiosis.benchmarks.bias import PairBiasTest, Ruling
from semiosis.benchmarks.material import Material
from semiosis.core.item import Candidate, candidate
from semiosis.core.kinds.pair import PairItem
from semiosis.core.sign import Pair, Side
from semiosis.core.vote import Order

# Whether the picture that is shown first wins, by the number of what is asked.
Judge = Callable[[int], bool]
Voting = Literal["both", "once", "unsaid"]


def drawing(number: int, size: tuple[int, int] = (96, 72)) -> bytes:
    """A small picture with edges and colours, each number another one."""
    toss = random.Random(number)
    image = Image.new("RGB", size, (toss.randrange(256), toss.randrange(256), toss.randrange(256)))
    draw = ImageDraw.Draw(image)
    for _ in range(12):
        x, y = toss.randrange(size[0]), toss.randrange(size[1])
        colour = toss.randrange(256), toss.randrange(256), toss.randrange(256)
        draw.rectangle((x, y, x + size[0] // 4, y + size[1] // 4), fill=colour)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


class Drawings:
    """As many pairs as the bundled samples have, with as many labels, of small pictures."""

    name = "drawings"

    def candidates(self) -> Iterator[Candidate]:
        for prompt in range(9):
            one, two, three = (drawing(3 * prompt + number) for number in range(3))
            for name, a, b, winner in (("1", one, two, "a"), ("2", one, three, "a"), ("3", two, three, None)):
                pair = Pair(f"Nothing lasts, {prompt}.", a, b)
                yield candidate(PairItem(id=f"{prompt}/{name}", pair=pair, labels={"winner": winner}))


def material() -> Material:
    return Material(Drawings())


@dataclass(frozen=True)
class AskedPair:
    """An item, and the numbers of what is asked of it in both orders: the same question has one number."""

    item: PairItem
    ab: int
    ba: int

    def ruling(self, judge: Judge, voting: Voting) -> Ruling:
        first: Side = "a" if judge(self.ab) else "b"
        if voting != "both":
            order: Order | None = "ab" if voting == "once" else None
            return Ruling(self.item.labels, first, ((order, first),))
        second: Side = "b" if judge(self.ba) else "a"
        return Ruling(self.item.labels, first if first == second else None, (("ab", first), ("ba", second)))


class Asked:
    """The pairs that an audit asks about, by test."""

    def __init__(self, audit: Audit) -> None:
        numbers: dict[tuple[str, ...], int] = {}
        self.by_test: dict[str, list[AskedPair]] = {}
        for row in audit.candidates():
            assert isinstance(row, Candidate)
            item = row.make()
            assert isinstance(item, PairItem)
            text, a, b = item.pair.prompt.text, item.pair.a.sha256, item.pair.b.sha256
            ab, ba = (numbers.setdefault(each, len(numbers)) for each in ((text, a, b), (text, b, a)))
            self.by_test.setdefault(str(item.labels["test"]), []).append(AskedPair(item, ab, ba))
        self.questions = len(numbers)

    def audited(self, judge: Judge, voting: Voting = "both") -> tuple[AuditedTest, ...]:
        tests = [test for test in every_test() if isinstance(test, PairBiasTest)]
        return accused(
            tests,
            [
                test.judged([each.ruling(judge, voting) for each in self.by_test.get(test.name, [])])
                for test in tests
            ],
        )


def coin(seed: int, questions: int) -> Judge:
    """Heads or tails for each question, the same when it is asked again."""
    bits = random.Random(seed).getrandbits(questions)
    return lambda number: bool(bits >> number & 1)
