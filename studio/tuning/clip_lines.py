"""The lines of `video_dataset_file.jsonl`, as `orrery captions-to-jsonl` writes them: windows of files, with captions.

    {"uuid", "duration", "width", "height", "vision_path", "t2w_windows": [
        {"start_frame": 0, "end_frame": 86, "temporal_interval": 1, "caption_json": {…}, "caption": "…"}]}

What is trained on is `json.dumps(caption_json)`, the very string of inference, and `caption` where there is none. A
line of an image may have its caption itself, without windows.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class ClipWindow(BaseModel):
    """Frames of a file, both ends included, of which each so-manieth counts; without an end, all that follow."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    start_frame: int = Field(0, ge=0)
    end_frame: int | None = Field(None, ge=0)
    temporal_interval: int = Field(1, ge=1)
    caption_json: dict[str, Any] | None = None
    caption: str | None = None

    @property
    def text(self) -> tuple[str, bool] | None:
        """What is trained on, and whether it is a JSON object; none without a caption."""
        if self.caption_json:
            return json.dumps(self.caption_json), True
        caption = (self.caption or "").strip()
        return (caption, False) if caption else None


class ClipLine(ClipWindow):
    """A file and its windows; without any it is one itself.

    Attributes:
        duration: of the whole file, in seconds.
        vision_path: of the file, relative to the folder of the list.
    """

    uuid: str = ""
    duration: float | None = None
    vision_path: str
    t2w_windows: tuple[ClipWindow, ...] = ()

    @property
    def windows(self) -> tuple[ClipWindow, ...]:
        """At least one."""
        return self.t2w_windows or (self,)
