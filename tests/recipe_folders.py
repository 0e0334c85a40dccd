"""Folders as the Cosmos recipes lay them out, with videos made on the spot; people's figures and values are theirs."""

import json
from pathlib import Path
from typing import Any

from sent_files import clip_bytes

EVENTS_SYSTEM = "You are a behaviour analyst. Give two times for each event."
TASKS: dict[str, tuple[tuple[str, float, float], ...]] = {
    "coffee_d0_demo2_agentview": (("grasping the pod", 2.2, 5.6),),
    "nut_assembly_d0_demo1_agentview": (
        ("grasping the square nut", 2.7, 5.5),
        ("inserting the square nut", 5.5, 8.1),
        ("grasping the round nut", 8.1, 10.6),
    ),
}
"""Two of the six tasks of MimicGen with their events (NVIDIA, "Cosmos Reason for Mimic Gen temporal localization")."""

LABEL: dict[str, Any] = {
    "weather": "Partly cloudy",
    "lighting": "Daytime (diffused light)",
    "road_conditions": "Dry, clean asphalt",
    "additional_traffic_rules": "A crosswalk ahead.",
    "interactive_expanded_metaaction": ["Vehicle following"],
    "noninteractive_expanded_metaaction": None,
    "driving_difficulty": 2,
    "rule_violation": "False",
    "interesting_scenario": "True",
    "critical_object": [
        {
            "box": {"x1": 2755.46, "y1": 748.28, "x2": 2858.53, "y2": 825.2},
            "box_time": 2,
            "critical_reasoning": "The ego vehicle follows it.",
            "object_type": "Vehicles - Light trucks & SUVs",
        }
    ],
}
"""An annotation by people, shortened (NVIDIA and Uber, "Post-train Cosmos Reason 2 for Autonomous Vehicle Video
Captioning and VQA", 3)."""
BY_VISION: dict[str, Any] = {
    "event_start_frame": 40,
    "event_start_timestamp": 1635960777652742,
    "final_content": {"ego_behavior_schema": {"effect_on_ego_behavior": "Turning right.", "difficulty_score": 3}},
}
BY_REASONING: dict[str, Any] = {
    "response": {
        "description": "I drive in a residential area.",
        "driving difficulty explanation": "It rains.",
        "notice": [{"Between time 10.18s and 17.07s": "I turn left."}],
    }
}
"""Annotations of the other two sources (the same)."""

BLEND = """
[custom.dataset]
dataset_root = "data"
subdirectories = ["cv_annotated", "human_annotated", "reason1_sft"]
weights = [0.3, 0.5, 0.2]
meta_file = "meta.json"

[custom.vision]
min_pixels = 3136
max_pixels = 360000
nframes = 16

[train]
epoch = 3
"""
NUM_BLENDED = {"cv_annotated": 4, "human_annotated": 5, "reason1_sft": 3}


def temporal_localisation(root: Path) -> Path:
    """`mimicgen_dataset/train.jsonl`: a conversation a line, its paths beginning with the folder's name."""
    folder = root / "mimicgen_dataset"
    (folder / "videos_ts").mkdir(parents=True)
    rows: list[dict[str, Any]] = []
    for number, (name, events) in enumerate(TASKS.items()):
        (folder / "videos_ts" / f"{name}.mp4").write_bytes(clip_bytes(24 + number, 64, 64))
        video = {"type": "video", "video": f"mimicgen_dataset/videos_ts/{name}.mp4"}
        asked = "\n".join(f"Event {at}: {what}" for at, (what, *_) in enumerate(events, 1))
        said = "\n".join(f"Event {at}: <{start}> <{end}> {what}" for at, (what, start, end) in enumerate(events, 1))
        turns = [
            {"role": "system", "content": EVENTS_SYSTEM},
            {"role": "user", "content": [video, {"type": "text", "text": asked}]},
            {"role": "assistant", "content": f"<answer>\n{said}\n\n</answer>"},
        ]
        rows.append({"messages": turns})
    return _lines(folder / "train.jsonl", rows)


def driving_labels(root: Path) -> Path:
    """`eval/` with `videos/ID.camera_front_wide_120fov.mp4` and `metas/ID.label.json`."""
    folder = root / "eval"
    for name in ("videos", "metas"):
        (folder / name).mkdir(parents=True)
    for number, weather in enumerate(("Partly cloudy", "Heavy rain")):
        name = f"01a6de83-ac02-4689-a901-f0d1dfc0672{number}"
        (folder / "videos" / f"{name}.camera_front_wide_120fov.mp4").write_bytes(clip_bytes(12 + number, 64, 48))
        (folder / "metas" / f"{name}.label.json").write_text(json.dumps({**LABEL, "weather": weather}))
    return folder


def driving_blend(root: Path) -> Path:
    """`uber_sft_blended.toml` and the three subdirectories that it blends, each with its `meta.json`."""
    said = {"cv_annotated": BY_VISION, "human_annotated": LABEL, "reason1_sft": BY_REASONING}
    for at, (name, count) in enumerate(NUM_BLENDED.items()):
        folder = root / "data" / name
        (folder / "clips").mkdir(parents=True)
        (folder / "clips" / "7.mp4").write_bytes(clip_bytes(8 + at, 64, 48))
        turns = [
            {"from": "human", "value": "<video>\nAnnotate the video."},
            {"from": "gpt", "value": json.dumps(said[name])},
        ]
        rows = [{"id": str(number), "video": "clips/7.mp4", "conversations": turns} for number in range(count)]
        (folder / "meta.json").write_text(json.dumps(rows))
    file = root / "uber_sft_blended.toml"
    file.write_text(BLEND)
    return file


def multiple_choice(root: Path) -> Path:
    """`vqa/eval.jsonl`: four choices, the letter of the right one, and a category."""
    folder = root / "vqa"
    folder.mkdir(parents=True)
    (folder / "drive.mp4").write_bytes(clip_bytes(16, 64, 48))
    rows = [
        {
            "id": f"drive-{number}",
            "media": ["drive.mp4"],
            "question": "What does the car ahead do?",
            "choices": {"A": "It brakes.", "B": "It turns left.", "C": "It parks.", "D": "It is not there."},
            "answer": letter,
            "category": category,
        }
        for number, (letter, category) in enumerate((("A", "Actions & Motion"), ("B", "Key Objects")))
    ]
    return _lines(folder / "eval.jsonl", rows).parent


def _lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path
