"""Evaluate: benchmarks, runs, their tables, and the answers one by one."""
