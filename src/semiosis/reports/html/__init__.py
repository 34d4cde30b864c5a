"""What pages are filled with: a template, pictures with their boxes, graphs as cards, citations."""
