"""Which clips a generator is looked at by."""

import json
from pathlib import Path

from studio.tuning import GeneratorRecipe
from studio.tuning.held_out import held_out

RECIPE = GeneratorRecipe(name="grasp", checkpoint="pocket", data="cups", num_frames=17, min_window_frames=17)


def put(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_held_out_prompts_with_their_true_clips_come_first(tmp_path: Path):
    for number in range(3):
        put(tmp_path / f"val/inference_prompt_i2v/episode_{number}.json", json.dumps({"prompt": f"p{number}"}))
        put(tmp_path / f"val/videos/episode_{number}.mp4")
    put(tmp_path / "val/inference_prompt/without.json", json.dumps({"prompt": "no clip"}))
    found = held_out(tmp_path, RECIPE)
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
    found = held_out(tmp_path, RECIPE)
    assert [(one.prompt, one.learnt) for one in found] == [('{"temporal_caption": "A cup."}', True), ("A plate.", True)]


def test_a_clip_is_shown_only_with_the_caption_of_its_beginning(tmp_path: Path):
    later = {"start_frame": 100, "end_frame": 160, "caption": "Later."}
    sparse = {"temporal_interval": 2, "caption": "Every second frame."}
    short = {"end_frame": 9, "caption": "Too short to be learnt."}
    first = {"end_frame": 60, "caption": "First."}
    windows = {"a": [later], "b": [sparse], "c": [short], "d": [later, first]}
    rows: list[object] = [{"vision_path": f"{name}.mp4", "t2w_windows": own} for name, own in windows.items()]
    rows += [{"vision_path": "e.mp4", "duration": 61.5, "t2w_windows": [first]}]
    rows += [{"vision_path": "still.png", "caption": "A picture."}]
    put(tmp_path / "video_dataset_file.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    for name in ("a.mp4", "b.mp4", "c.mp4", "d.mp4", "e.mp4", "still.png"):
        put(tmp_path / name)
    assert [(one.name, one.prompt) for one in held_out(tmp_path, RECIPE)] == [("d", "First.")]


def test_lines_that_the_trainer_counts_as_bad_are_left_out(tmp_path: Path):
    rows = [b'{"vision_path": "a.mp4", "t2w_windows": ["x"]}', b'{"t2w_windows": {}}', b"[]", b"{", b"", b'"\xff"']
    good = b'{"vision_path": "a.mp4", "t2w_windows": [{"caption": "A cup."}]}'
    (tmp_path / "video_dataset_file.jsonl").write_bytes(b"\n".join([*rows, good]))
    put(tmp_path / "a.mp4")
    put(tmp_path / "val/videos/a.mp4")
    (tmp_path / "val/inference_prompt").mkdir()
    (tmp_path / "val/inference_prompt/a.json").write_bytes(b'{"prompt": "\xff"}')
    assert [one.prompt for one in held_out(tmp_path, RECIPE)] == ["A cup."]


def test_files_outside_the_data_set_are_not_shown(tmp_path: Path):
    put(tmp_path / "private.mp4")
    paths = [str(tmp_path / "private.mp4"), "../../private.mp4"]
    rows = [{"vision_path": path, "t2w_windows": [{"caption": "A cup."}]} for path in paths]
    put(tmp_path / "data/train/video_dataset_file.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    assert held_out(tmp_path / "data", RECIPE) == ()


def test_a_data_set_without_either_shows_nothing(tmp_path: Path):
    assert held_out(tmp_path, RECIPE) == ()
