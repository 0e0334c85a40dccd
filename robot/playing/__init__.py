"""From chunks to one row a tick: splicing, fading, asking ahead, and what to do when rows run out.

Nothing here waits, and nothing knows an arm or a socket; the loop calls it.
"""

from robot.playing.player import Latency, Player, Rung, Splice, largest_gapless_horizon, rung, should_ask
from robot.playing.rows import coast

__all__ = [
    "Latency",
    "Player",
    "Rung",
    "Splice",
    "coast",
    "largest_gapless_horizon",
    "rung",
    "should_ask",
]
