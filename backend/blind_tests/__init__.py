"""Blind tests of policies: pairs of episodes and verdicts are rows, each written down before the next is asked for."""

from backend.blind_tests.service import BlindTestService

__all__ = ["BlindTestService"]
