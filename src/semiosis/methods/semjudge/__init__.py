"""SemJudge, and the gap, which reads as it does."""
