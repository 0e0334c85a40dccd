"""What an upload is, found by decoding it: neither its name nor the content type that came with it is looked at."""

from __future__ import annotations

from pathlib import Path

from av.codec.context import CodecContext
from av.container import InputContainer
from av.stream import Stream
from av.video.stream import VideoStream

from backend.media.apart import look_apart
from backend.media.bounds import check_size
from backend.media.clip_file import open_clip
from backend.media.clip_frames import frames_from, read_frame, rotation_of
from backend.media.facts import MediaFacts
from backend.media.pictures import decode_picture, is_picture, write_thumbnail
from backend.media.timeline import read_timeline

_THUMBNAIL_PIXELS = 500e6
"""That are decoded at most on the way to a clip's middle: 240 frames of 1920x1080, which is what encoders put between
two key frames."""

_WEBM_CODECS = {"vp8", "vp9", "av1", "libdav1d", "libvpx", "libvpx-vp9", "vorbis", "opus", "libopus", "libvorbis"}

_MIME = {
    "avi": "video/x-msvideo",
    "mpegts": "video/mp2t",
    "mpeg": "video/mpeg",
    "flv": "video/x-flv",
    "asf": "video/x-ms-asf",
    "ogg": "video/ogg",
    "gif": "image/gif",
    "apng": "image/png",
}
"""By FFmpeg's name of the container; MP4 and Matroska have two each and are told apart below."""


@look_apart
def inspect_upload(path: Path) -> MediaFacts:
    """What a file is: a picture is decoded whole, of a clip every packet is read and the first frame decoded.

    Raises:
        BadInput: it is neither a picture nor a clip, it is empty, too large, too long, or it breaks off.
    """
    if is_picture(path):
        return decode_picture(path)[1]
    return inspect_clip(path)


@look_apart
def take_in(path: Path, thumbnail: Path) -> MediaFacts:
    """`inspect_upload`, and the thumbnail of what it is: of a clip its middle frame, or one that is reached sooner.

    Raises:
        BadInput: as `inspect_upload`.
        OSError: the thumbnail cannot be written.
    """
    if is_picture(path):
        pixels, facts = decode_picture(path)
    else:
        facts = inspect_clip(path)
        pixels = read_frame(path, 0.5, _THUMBNAIL_PIXELS)
    write_thumbnail(thumbnail, pixels)
    return facts


def inspect_clip(path: Path) -> MediaFacts:
    """What a clip is. Raises BadInput as `inspect_upload`."""
    timeline = read_timeline(path)
    _, frame = next(frames_from(path, timeline, timeline.ticks[0]))
    check_size(frame.width, frame.height)  # the header may have said less
    rotation = rotation_of(frame)
    width, height = (frame.height, frame.width) if rotation % 180 else (frame.width, frame.height)
    with open_clip(path) as (container, stream):
        mime = _mime_of(container, stream)
        has_sound = bool(container.streams.audio)
    return MediaFacts(
        type="video",
        mime=mime,
        width=width,
        height=height,
        num_frames=len(timeline.ticks),
        fps=float(timeline.mean_rate),
        duration_s=float(timeline.duration_s),
        has_sound=has_sound,
        rotation=rotation,
    )


def _mime_of(container: InputContainer, stream: VideoStream) -> str:
    kind = container.format.name
    if kind.startswith("mov"):
        return "video/quicktime" if container.metadata.get("major_brand") == "qt  " else "video/mp4"
    if kind.startswith("matroska"):
        codecs = set(map(_codec_of, (stream, *container.streams.audio)))
        return "video/webm" if codecs <= _WEBM_CODECS else "video/x-matroska"
    return _MIME.get(kind, "application/octet-stream")


def _codec_of(stream: Stream) -> str:
    """The decoder's name; a stream that this build cannot decode has none, whatever PyAV's types say."""
    context: CodecContext | None = getattr(stream, "codec_context", None)
    return "" if context is None else context.name
