"""One paper, one file; prompts/ beside it, one text file a prompt."""
