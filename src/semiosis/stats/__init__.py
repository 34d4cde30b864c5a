"""Arrays and counts in, numbers and intervals out."""
