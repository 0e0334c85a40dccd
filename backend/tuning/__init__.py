"""Tune: data sets, the post-trainings that read them, and the saves that are served.

A tuning is a row, each told step another. The trainer is a process of its own, which keeps its state in the tuning's
folder: a server that starts again lets it continue from there.
"""
