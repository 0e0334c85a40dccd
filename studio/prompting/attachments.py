"""Files as data URIs, for an answering side that cannot read this machine's folders."""

from __future__ import annotations

import base64
from pathlib import Path

from studio.errors import BadInput, TooLarge
from studio.prompting.question import ImagePart, VideoPart

MAX_IMAGE_BYTES = 20 * 1024 * 1024
MAX_VIDEO_BYTES = 200 * 1024 * 1024

_IMAGES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


def attach_image(path: Path) -> ImagePart:
    """A picture file as part of a message.

    Raises:
        BadInput: it cannot be read, or is no PNG, JPEG, WebP or GIF.
        TooLarge: more than 20 MiB.
    """
    raw = _content(path, MAX_IMAGE_BYTES)
    mime = next((mime for start, mime in _IMAGES.items() if raw.startswith(start)), "")
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        mime = "image/webp"
    if not mime:
        raise BadInput(f"{path} is no picture: a PNG, JPEG, WebP or GIF file is expected.", param="image")
    return ImagePart(url=_data_uri(mime, raw))


def attach_video(path: Path) -> VideoPart:
    """A clip file as part of a message.

    Raises:
        BadInput: it cannot be read, or is neither MP4 or MOV nor Matroska or WebM nor AVI.
        TooLarge: more than 200 MiB.
    """
    raw = _content(path, MAX_VIDEO_BYTES)
    if raw[4:8] == b"ftyp":
        mime = "video/quicktime" if raw[8:10] == b"qt" else "video/mp4"
    elif raw.startswith(b"\x1aE\xdf\xa3"):
        mime = "video/webm" if path.suffix.lower() == ".webm" else "video/x-matroska"
    elif raw[:4] == b"RIFF" and raw[8:12] == b"AVI ":
        mime = "video/x-msvideo"
    else:
        raise BadInput(f"{path} is no clip: an MP4, MOV, MKV, WebM or AVI file is expected.", param="video")
    return VideoPart(url=_data_uri(mime, raw))


def _content(path: Path, most: int) -> bytes:
    try:
        size = path.stat().st_size
        if size > most:
            raise TooLarge(
                f"{path} has {size:,} bytes; at most {most:,} can be sent with a question.",
                hint="Let the endpoint read it by its path or address.",
            )
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None


def _data_uri(mime: str, raw: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(raw).decode()}"
