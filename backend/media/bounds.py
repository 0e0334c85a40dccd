"""What is accepted of a file from outside, known from its header, and what decoding it may cost.

The bounds lie above what cameras, telephones and screen recorders write; what lies above them was made to be large.
"""

from __future__ import annotations

from studio.errors import BadInput

MAX_SIDE = 8192
"""Pixels."""

MAX_PIXELS = 64 * 10**6
"""Of a picture, or of a frame. Telephones take 50 megapixels; 64 take 256 MB as Pillow holds them."""

MAX_PICTURE_BYTES = 400 * 10**6
"""Of a picture's pixels before they are packed: 64 megapixels of three colours in 16 bits are 384 MB."""

MAX_CLIP_S = 600.0

MAX_FRAMES = 72_000
"""Of a clip: ten minutes at 120 frames per second."""

MAX_CLIP_PIXELS = 300 * 10**9
"""Of all frames of a clip together: ten minutes of 3840x2160 at 60 frames per second."""

MAX_DRAWN_PIXELS = 4 * 10**9
"""The same of GIF and APNG, where a few bytes draw a whole frame and only decoding from the beginning leads to a later
one: a minute of 1920x1080 at 30 frames per second is 3.7e9."""

MAX_PACKETS = 250_000
"""Of a clip's tracks together: its frames, and ten minutes of Opus in its shortest packets of 2.5 ms are 240,000."""

MAX_SOUND_RATE, MAX_SOUND_CHANNELS = 384_000, 32
"""Samples per second and track: the most that sound cards record."""

MAX_TEXT_BYTES = 2**20
"""Of a recipe inside a file; one with the longest prompts, every character of them escaped, has 400 kB."""

LOOK_CPU_S = 4.0
"""Processor time for finding out what a file is and drawing its thumbnail. 64 megapixels take 2 s on a slow core."""

DRAW_CPU_S = 60.0
"""For what somebody asked of a file that was accepted: a spritesheet, a waveform, or the next frame of a clip, which
may lie far behind the last key frame."""

CPU_S_PER_MB = 1.0
"""More for each megabyte of the file: packing much into little is what makes a bomb."""

WALL_FACTOR, WALL_S = 10.0, 20.0
"""How much longer than its processor time an answer may take, where all cores are busy."""

MAX_MEMORY_BYTES = 2**30
"""Of a decoder's own memory, beside the libraries that it has loaded. 64 megapixels with alpha take 0.6 GB, a frame of
7680x4320 and those that it is drawn from 0.9 GB."""

_HINT = "Scale it down."


def check_size(width: int, height: int) -> None:
    """Raises BadInput over `MAX_SIDE` or `MAX_PIXELS`; called before anything is decoded."""
    if max(width, height) > MAX_SIDE or width * height > MAX_PIXELS:
        raise BadInput(
            f"The file is {width}x{height} pixels; at most {MAX_SIDE} a side and {MAX_PIXELS // 10**6} megapixels "
            "are accepted.",
            param="file",
            hint=_HINT,
        )


def check_depth(width: int, height: int, bits_per_pixel: int) -> None:
    """Raises BadInput for a picture over `MAX_PICTURE_BYTES`; called before anything is decoded."""
    if width * height * bits_per_pixel > 8 * MAX_PICTURE_BYTES:
        raise BadInput(
            f"The image is {width}x{height} pixels of {bits_per_pixel} bits, "
            f"{width * height * bits_per_pixel // 8 // 10**6:,} MB; at most {MAX_PICTURE_BYTES // 10**6} MB are "
            "accepted.",
            param="file",
            hint="Save it with 8 bits a channel, or scale it down.",
        )


def check_frames(num_frames: int, num_pixels: int, *, is_drawn: bool) -> None:
    """Raises BadInput for too many frames, or too many pixels in all of them.

    Args:
        num_frames: as the header says or, where that is more, as were counted.
        num_pixels: of one frame.
        is_drawn: it is a GIF or an APNG.
    """
    if num_frames > MAX_FRAMES:
        raise BadInput(
            f"The video has {num_frames:,} frames; at most {MAX_FRAMES:,} are accepted.",
            param="file",
            hint="Trim it to the part that you need.",
        )
    most = MAX_DRAWN_PIXELS if is_drawn else MAX_CLIP_PIXELS
    if num_frames * num_pixels > most:
        raise BadInput(
            f"The video has {num_frames:,} frames of {num_pixels / 1e6:,.2f} megapixels, {num_frames * num_pixels:.1e} "
            f"pixels together; at most {most:.1e} are accepted"
            + (" of a GIF or an animated PNG." if is_drawn else "."),
            param="file",
            hint="Send it as MP4." if is_drawn else "Scale it down, or trim it to the part that you need.",
        )


def check_packets(num_packets: int) -> None:
    """Raises BadInput over `MAX_PACKETS`."""
    if num_packets > MAX_PACKETS:
        raise BadInput(
            f"The video has {num_packets:,} packets or more; at most {MAX_PACKETS:,} are accepted.",
            param="file",
            hint="Trim it to the part that you need, or encode it again.",
        )


def check_sound(rate: int, num_channels: int) -> None:
    """Raises BadInput over `MAX_SOUND_RATE` or `MAX_SOUND_CHANNELS`."""
    if rate > MAX_SOUND_RATE or num_channels > MAX_SOUND_CHANNELS:
        raise BadInput(
            f"The video's sound has {num_channels} channels of {rate:,} samples per second; at most "
            f"{MAX_SOUND_CHANNELS} of {MAX_SOUND_RATE:,} are accepted.",
            param="file",
            hint="Encode its sound again, in stereo at 48 kHz.",
        )
