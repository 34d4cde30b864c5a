"""What came out, for eyes: pages, pictures with their boxes, a terminal summary.

save_html(judgment, "judgment.html"); save_overlays(judgment, "overlays"); show(judgment)
"""

from .html import IndexedPair, Room, notebook, render, save_html, save_index
from .overlay import save_overlays
from .terminal import show

__all__ = [
    "IndexedPair",
    "Room",
    "notebook",
    "render",
    "save_html",
    "save_index",
    "save_overlays",
    "show",
]
