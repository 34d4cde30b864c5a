"""Marks stand for texts in a rehearsal, so that these are known again wherever they are quoted.

sign_mark(0) -> "zs0z"              a text of the item
reply_mark(7, 2) -> "zr7p2z"        the third text in the reply to the eighth call
"""

import re

# The number of a text of the item; or of a call, and of a text in its reply.
MARK = re.compile(r"z(?:s(\d+)|r(\d+)p(\d+))z", re.I)


def sign_mark(number: int) -> str:
    return f"zs{number}z"


def reply_mark(call: int, text: int) -> str:
    return f"zr{call}p{text}z"
