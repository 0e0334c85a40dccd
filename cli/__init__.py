"""The `orrery` command, one command a file. Programs are started as processes; no other room is imported."""

from cli.app import app as main

__all__ = ["main"]
