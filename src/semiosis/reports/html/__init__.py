"""Pages: one outcome as one self-contained HTML file, and an index over many.

save_html(judgment, "judgment.html")
save_index(rooms, "index.html")
"""

from .index import IndexedPair, Room, save_index
from .page import notebook, render, save_html

__all__ = ["IndexedPair", "Room", "notebook", "render", "save_html", "save_index"]
