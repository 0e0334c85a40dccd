"""Boundaries as other programs read them: MimicGen's subtasks, LeRobot's episodes, and conversations to train on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.boundaries import VideoLength
from studio.evaluation.corrections import TIME_DIGITS
from studio.evaluation.forms import FORMS
from studio.prompting.question import PlainText, Turn
from studio.prompting.results import Interval

BoundaryLayout = Literal["mimicgen", "lerobot", "messages"]

_DEMO = re.compile(r"(?:demo|episode)[_-]?0*(\d{1,9})", re.IGNORECASE)
_UNNAMED = "interval"


def number_of(item: str, index: int) -> int:
    """The demonstration or episode that an item names, as in `coffee_d0_demo2_agentview`; without one its index."""
    found = _DEMO.findall(item)
    return int(found[-1]) if found else index


def is_whole(spans: Sequence[Interval], length: VideoLength) -> bool:
    """Whether the last span ends with the video, so that no step is left for a subtask after it."""
    return max(_subtask_end(span, length) for span in spans) >= length.num_frames


def mimicgen(
    item: str, index: int, spans: Sequence[Interval], length: VideoLength, *, ends_with_demo: bool
) -> dict[str, Any]:
    """One demonstration's subtask boundaries.

    `datagen_info.subtask_term_signals` is what MimicGen keeps under `data/demo_N` of a robomimic HDF5: by the name of
    each signal an integer for every step, 0 until the subtask is complete and 1 after. The step in which a subtask ends
    is the last 0, as MimicGen's own annotation by hand has it (github.com/NVlabs/mimicgen,
    `mimicgen/scripts/annotate_subtasks.py`), and `subtask_indices` are the [start, end) that
    `mimicgen/utils/file_utils.py: parse_source_dataset` makes of them, where the last subtask has no signal and ends
    with the demonstration. A step is taken to be a frame of the video.

    Args:
        item: its id, which may name the demonstration.
        index: of the item, from 0.
        spans: at least one; the end of each is the end of a subtask.
        length: of the video.
        ends_with_demo: whether the last span is the last subtask; else one more follows it. It is the same for all
            demonstrations of a task, which need the same signals.

    Raises:
        BadInput: a subtask would be empty.
    """
    steps = length.num_frames
    ordered = sorted(spans, key=lambda span: span.end_s)
    signals: dict[str, list[int]] = {}
    ends: list[int] = []
    for span in ordered[:-1] if ends_with_demo else ordered:
        ends.append(_subtask_end(span, length))
        first = ends[-1] - 1
        signals[_signal(span.label, signals)] = [0] * first + [1] * (steps - first)
    subtasks = [[begin, end] for begin, end in pairwise((0, *ends, steps))]
    if empty := next((number for number, (begin, end) in enumerate(subtasks, 1) if begin >= end), None):
        raise BadInput(
            f"Subtask {empty} of {item} ends where the one before it ends; MimicGen needs a step for each.",
            param="layout",
            hint="Correct the times of this item, or use another layout.",
        )
    return {
        "demo": f"demo_{number_of(item, index)}",
        "item": item,
        "fps": length.fps,
        "num_samples": steps,
        "subtask_term_signals": [*signals, None],
        "subtask_indices": subtasks,
        "datagen_info": {"subtask_term_signals": signals},
    }


def lerobot(item: str, index: int, spans: Sequence[Interval], length: VideoLength) -> dict[str, Any]:
    """One row of LeRobot's `meta/episodes`, to be joined on `episode_index`.

    The columns are those of LeRobot's subtask annotations (github.com/huggingface/lerobot,
    `src/lerobot/data_processing/sarm_annotations/subtask_annotation.py: save_annotations_to_dataset`): names, times in
    seconds and frames, where a frame is the time × fps, cut off.

    Args:
        item: its id, which may name the episode.
        index: of the item, from 0.
        spans: in order.
        length: of the video.
    """
    return {
        "episode_index": number_of(item, index),
        "item": item,
        "sparse_subtask_names": [span.label or _UNNAMED for span in spans],
        "sparse_subtask_start_times": [span.start_s for span in spans],
        "sparse_subtask_end_times": [span.end_s for span in spans],
        "sparse_subtask_start_frames": [int(span.start_s * length.fps) for span in spans],
        "sparse_subtask_end_frames": [int(span.end_s * length.fps) for span in spans],
    }


def messages(benchmark: Benchmark, item: Item, spans: Sequence[Interval], video: str) -> dict[str, Any]:
    """One conversation of the recipe for temporal localisation, as `studio.evaluation.layouts` reads it back.

    The question is the one that a run asks, the answer the one that it expects.

    Args:
        benchmark: of the form "events".
        item: what is asked.
        spans: the answer, one for each event.
        video: its path in the set.

    Raises:
        BadInput: the form is another.
    """
    if benchmark.form != "events":
        raise BadInput(f"{benchmark.name} has the form {benchmark.form}; expected events.", param="layout")
    asked = FORMS["events"].question(item, benchmark, (), 0)
    system, user = (_words(turn) for turn in asked.messages)
    lines = [
        f"Event {number}: <{span.start_s:.{TIME_DIGITS}f}> <{span.end_s:.{TIME_DIGITS}f}> {span.label}"
        for number, span in enumerate(spans, 1)
    ]
    content = [{"type": "video", "video": video}, {"type": "text", "text": user}]
    return {
        "id": item.id,
        "category": item.category,
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": content},
            {"role": "assistant", "content": "\n".join(["<answer>", *lines, "</answer>"])},
        ],
    }


def _words(turn: Turn) -> str:
    return "".join(part.text for part in turn.parts if isinstance(part, PlainText))


def _subtask_end(span: Interval, length: VideoLength) -> int:
    """The step after a subtask, as MimicGen counts: the first 1 of its signal still belongs to it."""
    return min(round(span.end_s * length.fps), length.num_frames - 1) + 2


def _signal(label: str, taken: dict[str, list[int]]) -> str:
    """`grasping the red cube` is `grasping_the_red_cube`; a name that is taken gets a number."""
    name = re.sub(r"\W+", "_", label.casefold()).strip("_") or _UNNAMED
    return name if name not in taken else f"{name}_{len(taken) + 1}"
