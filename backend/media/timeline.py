"""When each frame of a clip is shown, known without decoding one, and which of them another frame rate shows."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream

from backend.media.apart import look_apart
from backend.media.bounds import MAX_CLIP_S, check_frames, check_packets, check_size, check_sound
from backend.media.clip_file import open_clip
from studio.errors import BadInput

SLACK_S = Fraction(1, 1000)
"""Matroska and FLV count milliseconds: a frame of 1/24 s is written at 0.042 s and meant at 0.0417 s."""

_ASSUMED_RATE = Fraction(25)
"""What FFmpeg takes a stream for that does not say."""

_DRAWN = ("gif", "apng")

_CHECK_EVERY = 1000
"""Packets."""

_CUT_SHARE, _CUT_S = 0.02, 0.5
"""How far a Matroska file may end before the length in its header."""


@dataclass(frozen=True)
class Timeline:
    """Timestamps of a clip's frames.

    Attributes:
        ticks: when each frame is shown, ascending, in `time_base`.
        end: when the last frame is over, in `time_base`.
        time_base: seconds of a tick.
        counted: the file has no timestamps; frame i is at i / mean rate.
    """

    ticks: tuple[int, ...]
    end: int
    time_base: Fraction
    counted: bool

    @property
    def duration_s(self) -> Fraction:
        """From the first frame until the last is over."""
        return (self.end - self.ticks[0]) * self.time_base

    @property
    def mean_rate(self) -> Fraction:
        """Frames per second."""
        return len(self.ticks) / self.duration_s

    def num_frames_at(self, rate: Fraction) -> int:
        """Frames of the clip at another rate: those i for which i / rate is before the end."""
        return max(1, math.ceil((self.duration_s - SLACK_S) * rate))

    def shown_at(self, index: int, rate: Fraction) -> int:
        """The tick of the frame that is shown at index / rate seconds."""
        tick = self.ticks[0] + (index / rate + SLACK_S) / self.time_base
        return self.ticks[bisect_right(self.ticks, tick) - 1]


@look_apart
def read_timeline(path: Path) -> Timeline:
    """A clip's timestamps; packets are read, nothing is decoded.

    Raises:
        BadInput: it is no clip, has no frame, is longer than `MAX_CLIP_S`, too large, too many
            frames, or breaks off.
    """
    with open_clip(path) as (container, stream):
        _check_header(container, stream)
        if container.duration is not None:
            _check_length(container.duration / 1e6)
        time_base = stream.time_base or Fraction(1, 90_000)
        packets, end_s = _packets(container, stream, time_base)
        _check_whole(container, stream, packets, end_s)
        rate = stream.average_rate or stream.guessed_rate or _ASSUMED_RATE
    shown = [packet for packet in packets if not packet[2]]
    if not shown:
        raise BadInput("The video has no frames; expected at least one.", param="file", hint="Record it again.")
    stamps = [pts for pts, _, _ in shown if pts is not None]
    if len(stamps) < len(shown):
        # Counted in a base in which every frame is a whole number of ticks: one over the rate's numerator.
        step, base = rate.denominator, Fraction(1, rate.numerator)
        _check_length(float(len(shown) * step * base))
        return Timeline(tuple(index * step for index in range(len(shown))), len(shown) * step, base, counted=True)
    ticks = tuple(sorted(set(stamps)))
    last = ticks[-1]
    lasting = {pts: duration for pts, duration, _ in shown}[last]
    if not lasting:  # it does not say: as long as the frame before it
        lasting = last - ticks[-2] if len(ticks) > 1 else round(1 / rate / time_base)
    return Timeline(ticks, last + max(lasting, 1), time_base, counted=False)


Seen = tuple[int | None, int, bool]
"""Timestamp, duration in ticks (0 is unknown), and whether an edit list hides the frame."""


def _packets(container: InputContainer, stream: VideoStream, time_base: Fraction) -> tuple[list[Seen], float]:
    """The packets of one stream, and when the last packet of any stream is over, in seconds."""
    seen: list[Seen] = []
    num_pixels, is_drawn = stream.width * stream.height, container.format.name in _DRAWN
    first_s, end_s = math.inf, 0.0
    for number, packet in enumerate(container.demux(), 1):
        if packet.size == 0 and packet.dts is None:  # the mark that a stream has ended
            continue
        check_packets(number)
        end_s = max(end_s, _end_s(packet))
        if packet.stream_index != stream.index:
            continue
        seen.append((packet.pts, packet.duration or 0, packet.is_discard))
        if number % _CHECK_EVERY == 0:  # a header may say less, or nothing
            check_frames(len(seen), num_pixels, is_drawn=is_drawn)
        if packet.pts is not None:
            first_s = min(first_s, float(packet.pts * time_base))
            _check_length(float(packet.pts * time_base) - first_s)
    check_frames(len(seen), num_pixels, is_drawn=is_drawn)
    return seen, end_s


def _check_header(container: InputContainer, stream: VideoStream) -> None:
    """What the container says of itself; a GIF is searched for its frames when it is opened."""
    check_size(stream.width, stream.height)
    check_packets(sum(max(0, track.frames) for track in container.streams))
    check_frames(stream.frames, stream.width * stream.height, is_drawn=container.format.name in _DRAWN)
    for track in container.streams.audio:
        if getattr(track, "codec_context", None) is not None:  # one that this build knows
            check_sound(track.rate or 0, track.channels)


def _end_s(packet: Packet[Stream]) -> float:
    return float((packet.pts or packet.dts or 0) + (packet.duration or 0)) * float(packet.time_base)


def _check_length(length_s: float) -> None:
    if length_s > MAX_CLIP_S + 1:
        raise BadInput(
            f"The video is {length_s:,.0f} s long; at most {MAX_CLIP_S:.0f} s are accepted.",
            param="file",
            hint="Trim it to the part that you need.",
        )


def _check_whole(container: InputContainer, stream: VideoStream, packets: list[Seen], end_s: float) -> None:
    """MP4 says how many frames it has, Matroska how long it is; both up front, so a cut file shows."""
    kind = container.format.name
    said_s = (container.duration or 0) / 1e6
    cut_mp4 = kind.startswith("mov") and len(packets) < stream.frames
    cut_matroska = kind.startswith("matroska") and end_s < said_s * (1 - _CUT_SHARE) - _CUT_S
    if cut_mp4 or cut_matroska:
        has = f"{len(packets):,} of {stream.frames:,} frames are" if cut_mp4 else f"{end_s:.1f} of {said_s:.1f} s are"
        raise BadInput(f"The video is truncated: {has} present.", param="file", hint="Send the whole file again.")


_NTSC_TOLERANCE = 2e-4
"""23.98, 23.976 and 24000/1001 are one rate; it differs from 24 by 1e-3."""


def frame_rate(fps: float | Fraction) -> Fraction:
    """The exact rate that a number means, so that nothing drifts: 23.976 is 24000/1001, 29.97 is 30000/1001."""
    if isinstance(fps, Fraction):
        return fps
    assert fps > 0, fps
    ntsc = Fraction(round(fps * 1.001) * 1000, 1001)
    if abs(float(ntsc) / fps - 1) < _NTSC_TOLERANCE:
        return ntsc
    return Fraction(fps).limit_denominator(1000)
