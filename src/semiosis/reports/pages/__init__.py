"""One file a kind of outcome: its page, and its lines in a terminal."""
