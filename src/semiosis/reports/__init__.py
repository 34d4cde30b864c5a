"""What came out, for eyes: pages, pictures with their boxes, a terminal summary.

save_html(judgment, "judgment.html"); show(judgment)
"""
