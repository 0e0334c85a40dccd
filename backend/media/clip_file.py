"""Opening a clip that a stranger sent: only containers that hold everything themselves, and errors in our words."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import av
from av.container import InputContainer
from av.error import FFmpegError
from av.stream import Disposition
from av.video.stream import VideoStream

from studio.errors import BadInput

CONTAINERS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,gif,apng,ivf,mxf,nut,yuv4mpegpipe,"
    "h264,hevc,m4v,mjpeg,dv,rm,wtv,mp3,wav,flac,aac,aiff,caf"
)
"""FFmpeg's names. Playlists (hls, concat, dash, sdp) are left out: they open other files and addresses. The sound
formats at the end are there to be recognised and refused by name."""

_STILL_BRANDS = frozenset({"heic", "heix", "heim", "heis", "mif1", "msf1", "avif", "avis"})
"""Pictures in an MP4 container, as telephones take them; FFmpeg reads one of their tiles."""

NUM_THREADS = 4
"""Each holds frames of its own: sixteen would fill a decoder's memory with 3840x2160."""

EXPECTED = "Send an image (PNG, JPEG, WebP) or a video (MP4, WebM, MOV, MKV, AVI, GIF)."


@contextmanager
def open_clip(path: Path) -> Generator[tuple[InputContainer, VideoStream]]:
    """A clip and its first moving stream; reading it further inside the block raises the same errors.

    Raises:
        BadInput: it is no clip, has no moving picture, or breaks off.
    """
    try:
        options = {"format_whitelist": CONTAINERS, "protocol_whitelist": "file"}
        with av.open(str(path), "r", options=options, metadata_errors="replace") as container:
            yield container, _moving(container)
    except FFmpegError as error:
        raise _refusal(path, error) from None


def _moving(container: InputContainer) -> VideoStream:
    brand = container.metadata.get("major_brand", "")
    if brand in _STILL_BRANDS:
        raise BadInput(
            f"The file has the {brand.upper()} format; expected PNG, JPEG or WebP.",
            param="file",
            hint="Export it as JPEG.",
        )
    for stream in container.streams.video:
        if not stream.disposition & Disposition.attached_pic:
            # Its codec may be one that this build cannot decode.
            if getattr(stream, "codec_context", None) is None:
                raise BadInput("The video's codec is not supported.", param="file", hint="Send H.264 in MP4.")
            stream.thread_type = "AUTO"  # pyright: ignore[reportAttributeAccessIssue]
            stream.codec_context.thread_count = min(NUM_THREADS, os.cpu_count() or 1)
            return stream
    what = "sound and no video" if container.streams.audio else "no video"
    raise BadInput(f"The file has {what}; expected a video.", param="file", hint=EXPECTED)


def _refusal(path: Path, error: FFmpegError) -> BadInput:
    if isinstance(error, MemoryError):  # said in our words by whoever set the bound
        raise MemoryError from None
    head = _head(path)
    if not head:
        return BadInput("The file is empty; expected an image or a video.", param="file", hint=EXPECTED)
    text = _named_text(head)
    if text:
        return BadInput(f"The file is {text}; expected an image or a video.", param="file", hint=EXPECTED)
    if b"ftyp" in head[:16]:
        return BadInput(
            "The video is truncated: the MP4 cannot be read to its end.",
            param="file",
            hint="Send the whole file again.",
        )
    return BadInput(f"The file cannot be decoded: {error.strerror}.", param="file", hint=EXPECTED)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(1024)


def _named_text(head: bytes) -> str:
    """What text this is, or nothing where it is none. A cut character at the end is no reason to doubt."""
    lowered = head.lower()
    if b"<svg" in lowered:
        return "an SVG drawing"
    if re.search(rb"<!doctype html|<html|<script", lowered):
        return "an HTML page"
    is_text = b"\0" not in head and "\ufffd" not in head.decode("utf-8", "replace")[:-3]
    return "text" if is_text else ""
