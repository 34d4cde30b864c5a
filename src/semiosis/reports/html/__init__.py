"""Pages: one outcome as one self-contained HTML file.

save_html(judgment, "judgment.html")
"""

from .page import fill, fill_outcome, notebook, render, save_html, write

__all__ = ["fill", "fill_outcome", "notebook", "render", "save_html", "write"]
