"""The arm that the simulated table has, as geometry: NumPy alone.

kinematics   where the hand is for seven joint angles
cameras      where the table's three cameras see it
"""

from studio.panda.cameras import hand_paths
from studio.panda.kinematics import locate_hand

__all__ = ["hand_paths", "locate_hand"]
