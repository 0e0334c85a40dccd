"""Small recordings of an arm: the Robot page's own, and foreign data sets of LeRobot v2.1 and v3."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.media import write_clip
from robot.recording import Dataset
from robot.recording.features import VIDEOS, Frame
from robot.recording.parquet import read_columns, write_columns
from robot.safety import HOME
from studio.tuning import Lora, Optimisation, PolicyRecipe

TASK = "Lift the red cube."
STATE = "observation.state.joint_position"
GRIPPER = "observation.state.gripper_position"
WRIST, LEFT, RIGHT = (f"observation.images.{name}" for name in ("wrist_left", "exterior_1_left", "exterior_2_left"))

Rows = dict[str, NDArray[np.float64]]


def policy_recipe(**changes: Any) -> PolicyRecipe:
    """A short training; keywords of the recipe or of its optimisation change it."""
    how = {"steps": 2, "batch_size": 2, "learning_rate": 0.01, "warmup_steps": 1, "save_every": 2}
    how |= {name: changes.pop(name) for name in list(changes) if name in Optimisation.model_fields}
    fields: dict[str, Any] = {
        "name": "lifts",
        "checkpoint": "speck",
        "data": "recordings",
        "num_actions": 8,
        "lora": Lora(rank=4),
        "optimisation": how,
    }
    return PolicyRecipe.model_validate(fields | changes)


def record(
    folder: Path,
    *lengths: int,
    success: Sequence[bool | None] = (),
    mode: str = "live",
    moves: float = 0.01,
    task: str = TASK,
) -> Path:
    """Episodes of the Robot page: the first joint turns, the gripper is closed by 0.25, pictures get brighter."""
    with Dataset(folder, "panda") as dataset:
        for number, length in enumerate(lengths):
            writer = dataset.begin(task)
            for at in range(length):
                writer.add(_frame(at, moves))
            said = success[number] if number < len(success) else None
            dataset.commit(writer, task, {"ended": "ready", "success": said, "run": {"mode": mode}, "events": []})
    return folder


def _frame(at: int, moves: float) -> Frame:
    state = np.append(HOME, 0.25)
    state[0] += moves * at
    action = state + np.append(np.full(7, moves), 0)
    views = {
        name: np.full((height, width, 3), 10 * (at % 20) + 20 * place, np.uint8)
        for place, (name, (width, height)) in enumerate(VIDEOS.items())
    }
    return Frame(
        at_s=at / 15,
        lateness_s=0.0,
        epoch=1,
        state=state,
        action=action,
        wanted=action,
        clamped=np.zeros(7, bool),
        views=views,
    )


def droid_rows(length: int) -> Rows:
    """Columns as DROID in LeRobot's format has them; the first joint turns, the gripper closes."""
    steps = np.arange(length)
    joints = np.tile(HOME, (length, 1))
    joints[:, 0] += 0.01 * steps
    return {
        STATE: joints,
        GRIPPER: steps[:, None] / length,
        "action.joint_position": joints + 0.01,
        "action.gripper_position": (steps[:, None] + 1) / length,
    }


def libero_rows(length: int) -> Rows:
    """Columns as LIBERO in LeRobot's format has them."""
    dice = np.random.default_rng(length)
    return {"observation.state": dice.normal(size=(length, 8)), "action": dice.normal(size=(length, 7))}


def grey(length: int, level: int, size: tuple[int, int] = (64, 48)) -> NDArray[np.uint8]:
    """uint8 [T, height, width, 3]; each frame a little brighter."""
    return np.stack([np.full((size[1], size[0], 3), level + 4 * at, np.uint8) for at in range(length)])


def write_set(
    folder: Path,
    version: str,
    episodes: Sequence[Rows],
    views: Sequence[str],
    *,
    fps: int = 15,
    size: tuple[int, int] = (64, 48),
    **info: Any,
) -> Path:
    """A foreign data set: v2.1 with a file for each episode, v3.0 with all of them in one file of each kind."""
    lengths = [len(next(iter(rows.values()))) for rows in episodes]
    kinds = {name: ("float32", values.shape[1]) for name, values in episodes[0].items()}
    (folder / "meta").mkdir(parents=True)
    by_file = [[index] for index in range(len(episodes))] if version == "v2.1" else [[*range(len(episodes))]]
    paths = {
        "data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        "video_path": "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
    }
    if version == "v3.0":
        paths = {
            "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
            "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
        }
    for number, indexes in enumerate(by_file):
        place = {"episode_chunk": 0, "episode_index": number, "chunk_index": 0, "file_index": number}
        data = folder / paths["data_path"].format(**place)
        data.parent.mkdir(parents=True, exist_ok=True)
        columns: dict[str, Any] = {
            name: [value if kind[1] > 1 else value[0] for index in indexes for value in episodes[index][name].tolist()]
            for name, kind in kinds.items()
        }
        columns["episode_index"] = [index for index in indexes for _ in range(lengths[index])]
        write_columns(data, columns, kinds)
        for view_number, view in enumerate(views):
            path = folder / paths["video_path"].format(video_key=view, **place)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_clip(path, grey(sum(lengths[index] for index in indexes), 20 + 40 * view_number, size), fps=fps)
    said = {
        "codebase_version": version,
        "fps": fps,
        "chunks_size": 1000,
        "features": {
            **{name: {"dtype": "float32", "shape": [width]} for name, (_, width) in kinds.items()},
            **{view: {"dtype": "video", "shape": [size[1], size[0], 3]} for view in views},
        },
        **paths,
    }
    (folder / "meta" / "info.json").write_text(json.dumps(said | info))
    lines = [{"episode_index": at, "tasks": [TASK], "length": length} for at, length in enumerate(lengths)]
    if version == "v2.1":
        (folder / "meta" / "episodes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return folder
    for view in views:
        for at, line in enumerate(lines):
            line |= {f"videos/{view}/chunk_index": 0, f"videos/{view}/file_index": 0}
            line |= {f"videos/{view}/from_timestamp": sum(lengths[:at]) / fps}
    path = folder / "meta/episodes/chunk-000/file-000.parquet"
    path.parent.mkdir(parents=True)
    write_columns(path, {name: [line[name] for line in lines] for name in lines[0]})
    return folder


def add_images(folder: Path, views: dict[str, NDArray[np.uint8]]) -> None:
    """Put views as PNG files into the one table of a set that has none."""
    path = folder / "data/chunk-000/file-000.parquet"
    columns: dict[str, Any] = dict(read_columns(path))
    for name, frames in views.items():
        columns[name] = [{"bytes": png(frame), "path": None} for frame in frames]
    write_columns(path, columns)
    info = json.loads((folder / "meta/info.json").read_text())
    info["features"] |= {name: {"dtype": "image", "shape": [*frames.shape[1:]]} for name, frames in views.items()}
    (folder / "meta/info.json").write_text(json.dumps(info))


def png(frame: NDArray[np.uint8]) -> bytes:
    out = io.BytesIO()
    Image.fromarray(frame).save(out, "PNG")
    return out.getvalue()
