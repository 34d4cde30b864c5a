"""Runs: a method on a benchmark, estimated before, capped during, resumed after, traceable afterwards."""
