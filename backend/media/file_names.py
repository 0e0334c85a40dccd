"""What files of the store are called: by the job that made them or by their content, and by what they are."""

from __future__ import annotations

import re
from pathlib import Path

NAME = re.compile(r"[0-9a-f]{12}-\d{1,3}(-latents|-actions|-array)?|u[0-9a-f]{16}")

MIME = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".picture.webp": "image/webp",
    ".gif": "image/gif",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
    ".mov": "video/quicktime",
    ".mkv": "video/x-matroska",
    ".avi": "video/x-msvideo",
    ".ts": "video/mp2t",
    ".mpg": "video/mpeg",
    ".flv": "video/x-flv",
    ".asf": "video/x-ms-asf",
    ".ogv": "video/ogg",
    ".json": "application/json",
    ".npy": "application/x-npy",
    ".safetensors": "application/octet-stream",
    ".clip": "application/octet-stream",
}
"""What a file is served as, by its suffix, which says what it was decoded as. Thumbnails are plain `.webp`."""

SUFFIXES = {mime: suffix for suffix, mime in MIME.items() if suffix != ".safetensors"}
"""Of an upload; `.clip` is a container that has no content type of its own."""

SHEET = ".sheet.webp"
"""Of a clip's spritesheet, beside it."""


def is_media_name(name: str) -> bool:
    """Whether a file of the store may be called so."""
    return NAME.fullmatch(name) is not None


def is_media_file(file_name: str) -> bool:
    """Whether this is the name of a file that the store keeps, or of a thumbnail."""
    name, dot, suffix = file_name.partition(".")
    return is_media_name(name) and (f"{dot}{suffix}" in MIME or f"{dot}{suffix}" == ".webp")


def mime_of(path: Path) -> str:
    """The content type that a file of the store is served as."""
    return next(mime for suffix, mime in MIME.items() if path.name.endswith(suffix))
