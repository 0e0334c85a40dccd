"""What a clip is, read with PyAV, which the command line itself does not need."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from studio.captions import VideoFacts
from studio.errors import BadInput

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.video.stream import VideoStream


async def probe_clip(path: Path) -> VideoFacts:
    """A clip's size as it is shown, its length, rate and number of frames; one frame is decoded, in a thread.

    Raises:
        BadInput: it is no clip, or PyAV is not installed.
    """
    return await asyncio.to_thread(clip_facts, path)


def clip_facts(path: Path) -> VideoFacts:
    """The same, at once."""
    try:
        import av
        import av.error
    except ModuleNotFoundError:
        raise BadInput(
            f"{path.name} is a video; reading it needs PyAV.",
            param="video",
            hint="Install it with pip install av.",
        ) from None
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise BadInput(f"{path} has no video track.", param="video", hint="Use a video file.")
            stream = container.streams.video[0]
            num_frames = sum(1 for packet in container.demux(stream) if packet.size and not packet.is_discard)
            duration_s = _duration_s(container, stream)
            rate = stream.average_rate or stream.guessed_rate
        # Anew: a file that ends in the middle of its first frame is found only by decoding it.
        with av.open(str(path)) as container:
            frame = next(container.decode(video=0), None)
    except (av.error.FFmpegError, OSError) as error:
        raise BadInput(f"{path} is not a readable video: {error}.", param="video") from None
    if frame is None or not num_frames:
        raise BadInput(f"{path} has no frame.", param="video")
    if rate is None or rate <= 0:
        raise BadInput(f"{path} does not state its frame rate.", param="video")
    width, height = (frame.height, frame.width) if frame.rotation % 180 else (frame.width, frame.height)
    return VideoFacts(
        width=width,
        height=height,
        duration_s=duration_s or num_frames / float(rate),
        fps=float(rate),
        num_frames=num_frames,
    )


def _duration_s(container: InputContainer, stream: VideoStream) -> float:
    """The container's, as the trainer's loader reads it; else the stream's; 0 where neither says."""
    if container.duration:
        return container.duration / 1e6
    return float(stream.duration * stream.time_base) if stream.duration and stream.time_base else 0.0
