"""What a policy foresees beside what is seen: clips that come after their chunks, and how far the two diverge.

Nothing here is waited for by the loop. `link` receives clips on its own thread, `watcher` compares on another, and both
drop what comes too late.
"""

from robot.foresight.clip import ForeseenClip, label_of, read_clip
from robot.foresight.divergence import Divergence, diverged
from robot.foresight.guard import DivergenceGuard
from robot.foresight.link import ForesightLink
from robot.foresight.watcher import Foreseen, Foresight, Moment, NoForesight, Watcher

__all__ = [
    "Divergence",
    "DivergenceGuard",
    "Foreseen",
    "ForeseenClip",
    "Foresight",
    "ForesightLink",
    "Moment",
    "NoForesight",
    "Watcher",
    "diverged",
    "label_of",
    "read_clip",
]
