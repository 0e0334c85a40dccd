"""Small episodes, written as the recorder writes them."""

import sys
import time
from pathlib import Path

import numpy as np

from robot.recording import Dataset
from robot.recording.features import VIDEOS, Frame
from robot.safety import HOME


def frame(number: int) -> Frame:
    """The arm turns its first joint by a hundredth a tick; pictures get brighter."""
    positions = np.append(HOME, 0.5)
    positions[0] += number / 100
    views = {name: np.full((height, width, 3), 5 * number % 250, np.uint8) for name, (width, height) in VIDEOS.items()}
    return Frame(
        at_s=number / 15,
        lateness_s=0.001,
        epoch=1,
        state=positions,
        action=positions + 0.01,
        wanted=positions + 0.02,
        clamped=np.arange(7) == 2,
        views=views,
    )


def write_episode(dataset: Dataset, task: str = "pick the red cube", num_frames: int = 20, ended: str = "ready") -> int:
    writer = dataset.begin(task)
    for number in range(num_frames):
        writer.add(frame(number))
    return dataset.commit(writer, task, {"ended": ended, "success": None, "run": {"prompt": task}, "events": []})


def recorded(folder: Path, *num_frames: int) -> Path:
    """A data set with an episode of each length."""
    with Dataset(folder, "panda") as dataset:
        for number in num_frames:
            write_episode(dataset, num_frames=number)
    return folder


if __name__ == "__main__":  # one whole episode, and then a second one until somebody kills this process
    recordings = Dataset(Path(sys.argv[1]), "panda")
    write_episode(recordings)
    second = recordings.begin("the second")
    for tick in range(100_000):
        second.add(frame(tick % 40))
        if tick == 30:
            sys.stdout.write("in the middle of the second\n")
            sys.stdout.flush()
        if tick > 30:
            time.sleep(0.01)
