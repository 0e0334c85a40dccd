"""The simulated tabletop that teaches the pocket checkpoint: seeded episodes of pictures, motion, sound and words."""

from pocket.world.episode import Episode, View
from pocket.world.making import Settings, make_episode

__all__ = ["Episode", "Settings", "View", "make_episode"]
