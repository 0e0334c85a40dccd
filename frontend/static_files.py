"""Files that a browser may keep, because their path names their content."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable, Mapping
from functools import partial
from mimetypes import guess_type
from pathlib import Path

import brotli  # pyright: ignore[reportMissingTypeStubs]
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent / "static"
"""The page's own icon, its typeface (Inter, of @fontsource-variable/inter 5.3.0), its sample pictures and clips."""

KEPT = {"cache-control": "private, max-age=31536000, immutable"}

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "br": partial(brotli.compress, quality=6),  # pyright: ignore[reportUnknownMemberType]
    "gzip": partial(gzip.compress, compresslevel=6, mtime=0),
}
"""By content encoding, the best first. Browsers take Brotli over TLS and from the machine that they run on."""


def static_path(texts: Mapping[str, bytes]) -> str:
    """`/ui/` and eight digits of the hash of every file of ours: a new version, a new path.

    Args:
        texts: by name, the scripts and style sheets that are served beside the files.
    """
    content = hashlib.sha256()
    for name, file in sorted({**{file.name: file.read_bytes() for file in FOLDER.iterdir()}, **texts}.items()):
        content.update(name.encode() + b"\0" + file)
    return f"/ui/{content.hexdigest()[:8]}"


class KeptFiles(StaticFiles):
    """Static files that never change under their path.

    What pages begin with is answered from memory: looked up on the disk in a thread and packed each time, a script
    takes up to fifteen times as long, and a page has dozens.

    Args:
        folder: where the others are.
        texts: by name, those that are answered from memory.
    """

    def __init__(self, folder: Path, texts: Mapping[str, bytes]) -> None:
        super().__init__(directory=folder)
        self._texts = {
            name: (guess_type(name)[0], content, {encoding: pack(content) for encoding, pack in PACKERS.items()})
            for name, content in texts.items()
        }

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, with leave to keep it for a year."""
        text = self._texts.get(path)
        if text is not None and scope["method"] in ("GET", "HEAD"):
            media_type, content, forms = text
            taken = re.findall(r"\w+", Headers(scope=scope).get("accept-encoding", ""))
            encoding = next((name for name in forms if name in taken), None)
            headers = {**KEPT, "vary": "accept-encoding"} | ({"content-encoding": encoding} if encoding else {})
            return Response(forms.get(encoding or "", content), headers=headers, media_type=media_type)
        response = await super().get_response(path, scope)
        if response.status_code == 200:
            response.headers.update(KEPT)
        return response
