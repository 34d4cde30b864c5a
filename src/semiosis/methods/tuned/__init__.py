"""Models tuned to evaluate or to describe art, behind a server: each is asked in the words it knows."""
