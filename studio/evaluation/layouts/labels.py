"""Label files, as the recipe for captions of driving has them: `videos/ID*.mp4` and `metas/ID.label.json`.

A label file is an annotation. What the schema does not ask for, as `critical_object`, is not scored.
"""

from __future__ import annotations

from pathlib import Path

from studio.captions.caption_files import VIDEO_SUFFIXES
from studio.evaluation.benchmark import Benchmark, Settings
from studio.evaluation.layouts.rows import LocatedRow, Origin, assemble, name_of, read_object
from studio.evaluation.schema import AnnotationSchema

VIDEOS, METAS, SUFFIX = "videos", "metas", ".label.json"

SETTINGS = Settings(fps=2, max_pixels=16 * 9 * 28 * 28, max_tokens=4096)
"""Frames a second and pixels of a frame of the recipe (cosmos-cookbook, av_video_caption_vqa/scripts/avha_sft.py)."""


def holds_labels(folder: Path) -> bool:
    """Whether a folder is of this layout."""
    return (folder / VIDEOS).is_dir() and (folder / METAS).is_dir()


def read_labels(folder: Path, schema: AnnotationSchema) -> Benchmark:
    """A folder of videos and labels.

    Raises:
        BadInput: a label has no video or a video no label, or a label does not fit the schema.
    """
    fields = {"name": name_of(folder), "form": "fields", "annotation": schema, "settings": SETTINGS}
    return assemble(fields, label_rows(folder), folder, METAS)


def label_rows(folder: Path) -> list[LocatedRow]:
    """The id, video and annotation of every label.

    Raises:
        BadInput: a label has no video or a video no label.
    """
    labels = sorted((folder / METAS).glob(f"*{SUFFIX}"))
    videos = sorted(path for path in (folder / VIDEOS).iterdir() if path.suffix.lower() in VIDEO_SUFFIXES)
    by_id: dict[str, Path] = {}
    rows: list[LocatedRow] = []
    for label in labels:
        name = label.name.removesuffix(SUFFIX)
        file = f"{METAS}/{label.name}"
        video = next((path for path in videos if path.name.startswith(f"{name}.")), None)
        if video is None:
            raise Origin(file).fault(f"its video {VIDEOS}/{name}*.mp4 was not found.", "video")
        by_id[name] = video
        reference = read_object(label, file)
        item = {"id": name, "media": [f"{VIDEOS}/{video.name}"], "reference": reference.fields}
        rows.append(LocatedRow(reference.origin, item))
    labelled = set(by_id.values())
    for video in videos:
        if video not in labelled:
            name = video.name.partition(".")[0]
            raise Origin(f"{VIDEOS}/{video.name}").fault(
                f"its label {METAS}/{name}{SUFFIX} was not found.", "label", hint="Add the label or remove the video."
            )
    return rows
