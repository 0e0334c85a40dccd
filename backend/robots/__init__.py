"""Robots that dialled in, the pages that look at them, and who of those may order."""
