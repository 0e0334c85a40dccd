"""An episode as files that a person can open."""

from __future__ import annotations

import json
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pocket.world.controls import depth_pictures, segmentation_pictures
from pocket.world.episode import SAMPLES_PER_SECOND, Episode

_STRIP_FRAMES = 8


def write_preview(episode: Episode, folder: Path) -> list[Path]:
    """Write a clip as MP4 with its sound, a strip of frames over depth and segmentation, and the words as JSON.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{episode.view}-{episode.seed}"
    written = [folder / f"{name}.png", folder / f"{name}.json"]
    Image.fromarray(strip(episode)).save(written[0])
    written[1].write_text(json.dumps(words(episode), indent=2))
    if episode.fps:
        written.append(folder / f"{name}.mp4")
        _write_clip(episode, written[-1])
    return written


def strip(episode: Episode) -> NDArray[np.uint8]:
    """uint8 [H', W', 3]: up to eight frames side by side, below them their depth and their segmentation."""
    chosen = np.unique(np.linspace(0, len(episode.frames) - 1, _STRIP_FRAMES).astype(int))
    rows = [np.concatenate(list(episode.frames[chosen]), axis=1)]
    if episode.depth is not None and episode.segmentation is not None:
        rows.append(np.concatenate(list(depth_pictures(episode.depth)[chosen]), axis=1))
        rows.append(np.concatenate(list(segmentation_pictures(episode.segmentation)[chosen]), axis=1))
    return np.concatenate(rows)


def words(episode: Episode) -> dict[str, object]:
    """Everything of an episode that is not an array."""
    return {
        "seed": episode.seed,
        "view": episode.view,
        "fps": episode.fps,
        "num_frames": len(episode.frames),
        "things": [f"{thing.material} {thing.name}" for thing in episode.things],
        "task": asdict(episode.task),
        "events": [asdict(event) for event in episode.events],
        "wordings": [
            {"detail": wording.detail, "prose": wording.prose, "caption": json.loads(wording.caption)}
            for wording in episode.wordings
        ],
        "questions": [asdict(question) for question in episode.questions],
        "critiques": [asdict(critique) for critique in episode.critiques],
    }


def _write_clip(episode: Episode, path: Path) -> None:
    with av.open(str(path), "w") as container:
        video = container.add_stream("libx264", rate=episode.fps, options={"crf": "14"})
        video.height, video.width = episode.frames.shape[1:3]
        video.pix_fmt = "yuv420p"
        audio = None if episode.sound is None else container.add_stream("aac", rate=SAMPLES_PER_SECOND, layout="stereo")
        for pixels in episode.frames:
            container.mux(video.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(video.encode())
        if audio is not None and episode.sound is not None:
            frame = av.AudioFrame.from_ndarray(episode.sound.astype(np.float32), format="fltp", layout="stereo")
            frame.sample_rate, frame.pts, frame.time_base = SAMPLES_PER_SECOND, 0, Fraction(1, SAMPLES_PER_SECOND)
            container.mux(audio.encode(frame))
            container.mux(audio.encode())
