"""The rows of a training set (`t2w_windows`) as samples: one a window, its structured caption first.

The format is cosmos_framework's docs/dataset_jsonl.md: a row is a clip, a window of it has `start_frame` and
`end_frame` (both included, data/generator/local_datasets/transfer_sft_dataset.py), `caption_json` and `caption`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.errors import BadInput
from studio.requests import explain

WINDOWS = "t2w_windows"
SHAPES = {"16:9": 16 / 9, "4:3": 4 / 3, "1:1": 1.0, "3:4": 3 / 4, "9:16": 9 / 16}
FRAMES = (5, 397)
RATES = (10, 30)
"""Fewest and most frames, and lowest and highest rate, of a clip that is made (`studio.requests.GenerateVideo`)."""


class _Lenient(BaseModel):
    """A row says more than is read here."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Window(_Lenient):
    """A stretch of a clip and what is seen in it."""

    start_frame: Annotated[int, Field(ge=0)] = 0
    end_frame: Annotated[int, Field(ge=0)]
    caption_json: dict[str, Any] | None = None
    caption: str | None = None


class DatasetRow(_Lenient):
    """A clip of a training set."""

    uuid: str | None = None
    width: Annotated[int, Field(ge=1)] | None = None
    height: Annotated[int, Field(ge=1)] | None = None
    vision_path: str | None = None
    t2w_windows: tuple[Window, ...]


@dataclass(frozen=True)
class Written:
    """A window as a sample.

    Attributes:
        fields: by the framework's names.
        name: of the sample.
        start_frame: where in its clip the window begins.
        notes: what of the window could not be kept, in sentences.
    """

    fields: Mapping[str, Any]
    name: str
    start_frame: int
    notes: tuple[str, ...]


def is_dataset_row(row: Mapping[str, Any]) -> bool:
    """Whether an object is a clip of a training set rather than a sample."""
    return WINDOWS in row


def read_windows(row: Mapping[str, Any], name: str) -> list[Written]:
    """Each window as a sample, in the order in which they are written.

    They are made from words alone unless model_mode says that the clip's first frames are kept. What the caption says
    of its clip (length, shape, rate) is kept where clips of that kind can be made.

    Args:
        row: a clip of a training set.
        name: where it has no `uuid`.

    Raises:
        BadInput: it is none, or a window has no caption.
    """
    try:
        clip = DatasetRow.model_validate(row)
    except ValidationError as error:
        why = explain(error, DatasetRow)
        raise BadInput(f"{name}: {why.message}", param=why.param, hint=why.hint) from None
    name = clip.uuid or name
    if not clip.t2w_windows:
        raise BadInput(f"{name}: {WINDOWS} is empty; expected at least one window.", param=WINDOWS)
    several = len(clip.t2w_windows) > 1
    return [
        _written(clip, window, f"{name}_w{index}" if several else name) for index, window in enumerate(clip.t2w_windows)
    ]


def _written(clip: DatasetRow, window: Window, name: str) -> Written:
    caption = window.caption_json or {}
    prompt = json.dumps(caption, ensure_ascii=False) if caption else (window.caption or "").strip()
    if not prompt:
        raise BadInput(f"{name}: the window has neither caption_json nor caption.", param="caption_json")
    fields: dict[str, Any] = {"name": name, "model_mode": "text2video", "prompt": prompt}
    notes = list[str]()
    if clip.vision_path is not None:
        fields["vision_path"] = clip.vision_path
    if shape := _shape(clip, caption):
        fields["aspect_ratio"] = shape
    length = window.end_frame - window.start_frame + 1
    fields["num_frames"] = min(max(length, FRAMES[0]), FRAMES[1])
    if fields["num_frames"] != length:
        notes.append(f"The window has {length} frames; {fields['num_frames']} are generated.")
    rate = caption.get("fps")
    if isinstance(rate, int | float) and RATES[0] <= rate <= RATES[1]:
        fields["fps"] = rate
    elif rate is not None:
        notes.append(
            f"The window's video has {rate} frames per second; videos are generated at {RATES[0]} to {RATES[1]}."
        )
    return Written(fields, name, window.start_frame, tuple(notes))


def _shape(clip: DatasetRow, caption: Mapping[str, Any]) -> str | None:
    said = str(caption.get("aspect_ratio", "")).replace(",", ":").replace(" ", "")
    if said in SHAPES:
        return said
    if clip.width is None or clip.height is None:
        return None
    ratio = math.log(clip.width / clip.height)
    return min(SHAPES, key=lambda shape: abs(math.log(SHAPES[shape]) - ratio))
