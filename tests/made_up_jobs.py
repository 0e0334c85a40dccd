"""Jobs that are made up: they succeed at once, and what they are asked is kept."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from studio.media import MediaReference


def reference(own: str, kind: str = "video", mime: str = "video/mp4") -> MediaReference:
    made: Any = {"id": own, "type": kind, "mime": mime, "size_bytes": 1, "sha256": "0" * 64, "url": f"/v1/media/{own}"}
    return MediaReference.model_validate(made)


def clip(number: int) -> str:
    """Id of the video of the n-th turn."""
    return f"{number:012x}-0"


class MadeUpJobs:
    """The n-th policy answers rows of n."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.payloads: list[Mapping[str, Any]] = []
        self.given_up: list[str] = []
        self.fails: Exception | None = None
        self.hangs = False

    async def succeeded(self, job_id: str, payload: Mapping[str, Any]) -> Any:
        self.payloads.append(payload)
        number = sum(one["kind"] == payload["kind"] for one in self.payloads)
        if self.hangs:
            await asyncio.Event().wait()
        if self.fails is not None:
            raise self.fails
        results: list[Any] = []
        if payload["kind"] == "run_policy":
            (self.folder / f"{job_id}-actions").write_text(json.dumps({"actions": [[number / 100] * 8] * 32}))
            results.append(SimpleNamespace(id=f"{job_id}-actions", type="actions", mime="application/json"))
        if payload.get("decode_video", True):
            results.append(reference(clip(number)))
        return SimpleNamespace(id=job_id, checkpoint="made-up", results=tuple(results))

    async def give_up(self, job_id: str) -> None:
        self.given_up.append(job_id)

    def file(self, name: str) -> Path:
        return self.folder / name
