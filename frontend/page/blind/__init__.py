"""Blind A/B in Evaluate: two policies at the same tasks, judged by keys without their names, and their scores."""
