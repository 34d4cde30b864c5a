"""How a benchmark is made: steps that resume, asks, reviews and votes by file, and what votes say."""
