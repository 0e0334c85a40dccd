"""Episodes in LeRobot's v3 layout with NVIDIA's DROID names, whole after a crash, and how they are read back.

It knows ticks and files, and no arm: the replay arm and cameras read through it.
"""

from robot.recording.dataset import Dataset, EpisodeSummary
from robot.recording.reader import Episode, read_episode, success_interval
from robot.recording.recorder import Recorder

__all__ = ["Dataset", "Episode", "EpisodeSummary", "Recorder", "read_episode", "success_interval"]
