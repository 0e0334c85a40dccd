"""Refinements at the server's side: loops that make, judge and rewrite, each surviving whatever happens to it.

A loop makes its results as ordinary jobs and asks its three reasoners itself. After every step its tree is written
down whole, so that after a kill it goes on with the first thing that is missing.
"""
