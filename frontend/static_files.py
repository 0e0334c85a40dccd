"""The page's own style sheets and scripts, under a path that names their content, so that a browser may keep them."""

from __future__ import annotations

import gzip
import hashlib
from mimetypes import guess_type
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent / "static"

TEXTS = (".css", ".js", ".svg")

KEPT = {"cache-control": "private, max-age=31536000, immutable"}

PACKED = {"content-encoding": "gzip", "vary": "accept-encoding"}


def static_path() -> str:
    """`/ui/` and eight digits of the hash of every file: a new version is a new path."""
    content = hashlib.sha256()
    for file in sorted(FOLDER.iterdir()):
        content.update(file.name.encode() + b"\0" + file.read_bytes())
    return f"/ui/{content.hexdigest()[:8]}"


class KeptFiles(StaticFiles):
    """Static files that never change under their path.

    What every page begins with, some fifty texts, is answered from memory: looked up on the disk in a thread, each
    would take twice as long.
    """

    def __init__(self) -> None:
        super().__init__(directory=FOLDER)
        self._texts = {
            file.name: (content, gzip.compress(content, mtime=0), guess_type(file.name)[0])
            for file in FOLDER.iterdir()
            if file.suffix in TEXTS
            for content in [file.read_bytes()]
        }

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, with leave to keep it for a year."""
        text = self._texts.get(path)
        if text is not None and scope["method"] in ("GET", "HEAD"):
            content, packed, media_type = text
            if "gzip" in Headers(scope=scope).get("accept-encoding", ""):
                return Response(packed, headers={**KEPT, **PACKED}, media_type=media_type)
            return Response(content, headers={**KEPT, "vary": PACKED["vary"]}, media_type=media_type)
        response = await super().get_response(path, scope)
        if response.status_code == 200:
            response.headers.update(KEPT)
        return response
