"""What a list of clips (`studio.tuning.clip_lines`) names to be trained on, and what of it cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from backend.media.pictures import is_picture
from studio.captions.training_data import LISTING, file_inside, find_listing
from studio.errors import BadInput
from studio.tuning.clip_lines import ClipLine, ClipWindow
from tuning.left_out import Drops


@dataclass(frozen=True)
class Window:
    """Frames of a file, and what they are called.

    Attributes:
        name: file and frames, for people.
        path: the file.
        first, last: frames, both included; the last is none where it is the file's.
        interval: each so-manieth frame counts.
        duration_s: of the whole file as the line says; none where it does not.
        text: what is trained on.
        is_structured: the text is a JSON object, which says size and length itself.
        is_image: the file is a still image.
    """

    name: str
    path: Path
    first: int
    last: int | None
    interval: int
    duration_s: float | None
    text: str
    is_structured: bool
    is_image: bool


def find_records(folder: Path) -> Path:
    """The data set's file.

    Raises:
        BadInput: there is none.
    """
    if (found := find_listing(folder)) is None:
        raise BadInput(
            f"{folder} has no {LISTING}.",
            param="data",
            hint="Write it with orrery captions-to-jsonl, or name its folder.",
        )
    return found


def read_records(path: Path, root: Path, drops: Drops) -> list[Window]:
    """Every window that has a caption and a file in the data set.

    Args:
        path: of the list.
        root: folder of the data set.

    Raises:
        BadInput: the file is not text.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8 text.", param="data") from None
    return [
        window
        for number, line in enumerate(lines, 1)
        if line.strip()
        for window in _windows(f"line {number}", line, path.parent, root, drops)
    ]


def _windows(place: str, text: str, folder: Path, root: Path, drops: Drops) -> Iterator[Window]:
    try:
        line = ClipLine.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        said = ".".join(map(str, first["loc"])) or "the line"
        drops.add("bad_line", f"The line cannot be read: {said}: {first['msg']}.", place)
        return
    path = file_inside(root, folder, line.vision_path)
    if path is None:
        drops.add("file_missing", "The data set has no file of the name in the line.", line.vision_path)
        return
    is_image = is_picture(path)
    for window in line.windows:
        name = line.vision_path if is_image else f"{line.vision_path} {window.start_frame}-{_end(window)}"
        text_of = window.text or line.text
        if text_of is None:
            drops.add("no_caption", "The window has neither a caption_json nor a caption.", name)
            continue
        yield Window(
            name=name,
            path=path,
            first=window.start_frame,
            last=window.end_frame,
            interval=window.temporal_interval,
            duration_s=line.duration,
            text=text_of[0],
            is_structured=text_of[1],
            is_image=is_image,
        )


def _end(window: ClipWindow) -> str:
    return "" if window.end_frame is None else str(window.end_frame)
