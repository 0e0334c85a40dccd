"""The page's own style sheets and scripts, under a path that names their content, so that a browser may keep them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent / "static"


def static_path() -> str:
    """`/ui/` and eight digits of the hash of every file: a new version is a new path."""
    content = hashlib.sha256()
    for file in sorted(FOLDER.iterdir()):
        content.update(file.name.encode() + b"\0" + file.read_bytes())
    return f"/ui/{content.hexdigest()[:8]}"


class KeptFiles(StaticFiles):
    """Static files that never change under their path."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, with leave to keep it for a year."""
        response = await super().get_response(path, scope)
        if response.status_code == 200:
            response.headers["cache-control"] = "private, max-age=31536000, immutable"
        return response
