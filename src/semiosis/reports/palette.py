"""The colours that tie a node's card to its box and its words; one source for page and overlay."""

LINES = ("#8a6a1f", "#1f66c1", "#1d7d42", "#c92a68", "#7440cc", "#b3560a")
"""Box colours: sand for a root, then five for its parts. Each carries white text at AA contrast."""

PARTS = len(LINES) - 1


def hue_of(position: int) -> int:
    """The hue of the part at a position counted from 1; 0 is the root's."""
    return 0 if position == 0 else (position - 1) % PARTS + 1
