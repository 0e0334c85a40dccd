"""Which clips a generator is looked at by."""

import json
from pathlib import Path

from studio.tuning.held_out import held_out


def put(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_held_out_prompts_with_their_true_clips_come_first(tmp_path: Path):
    for number in range(3):
        put(tmp_path / f"val/inference_prompt_i2v/episode_{number}.json", json.dumps({"prompt": f"p{number}"}))
        put(tmp_path / f"val/videos/episode_{number}.mp4")
    put(tmp_path / "val/inference_prompt/without.json", json.dumps({"prompt": "no clip"}))
    found = held_out(tmp_path)
    assert [(one.name, one.prompt, one.learnt) for one in found] == [
        ("episode_0", "p0", False),
        ("episode_1", "p1", False),
    ]


def test_without_them_the_first_clips_that_are_trained_on(tmp_path: Path):
    rows = [
        {"uuid": "a", "vision_path": "videos/a.mp4", "t2w_windows": [{"caption_json": {"temporal_caption": "A cup."}}]},
        {"uuid": "gone", "vision_path": "videos/gone.mp4", "t2w_windows": [{"caption": "Gone."}]},
        {"uuid": "b", "vision_path": "videos/b.mp4", "t2w_windows": [{"caption": "A plate."}]},
    ]
    put(tmp_path / "train/video_dataset_file.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    for name in ("a", "b"):
        put(tmp_path / f"train/videos/{name}.mp4")
    found = held_out(tmp_path)
    assert [(one.prompt, one.learnt) for one in found] == [('{"temporal_caption": "A cup."}', True), ("A plate.", True)]


def test_files_outside_the_data_set_are_not_shown(tmp_path: Path):
    put(tmp_path / "private.mp4")
    paths = [str(tmp_path / "private.mp4"), "../../private.mp4"]
    rows = [{"vision_path": path, "t2w_windows": [{"caption": "A cup."}]} for path in paths]
    put(tmp_path / "data/train/video_dataset_file.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    assert held_out(tmp_path / "data") == ()


def test_a_data_set_without_either_shows_nothing(tmp_path: Path):
    assert held_out(tmp_path) == ()
