"""Which lines of a data set are trained on, and how."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.media import write_clip
from studio.errors import BadInput
from studio.tuning import GeneratorRecipe, TuningWork
from tuning.generator.clips import _resampled, nearest_shape
from tuning.generator.data import ClipData, read_clip_data
from tuning.task import Place
from tuning_data import CAPTION, NUM_FRAMES, line_of, moving_square, recipe_of, write_lines


def place_of(checkpoint: Path, data: Path, recipe: GeneratorRecipe) -> Place:
    work = TuningWork(recipe=recipe, checkpoint=checkpoint, data={"squares": data}, out=data, cache=data)
    return Place.of(work)


def ignore(doing: str, done: int, total: int) -> None:
    del doing, done, total


@pytest.fixture
def read(speck: Path, clips: Path):
    def read(lines: list[dict[str, Any]], **changes: Any) -> ClipData:
        write_lines(clips, lines)
        return read_clip_data(place_of(speck, clips, recipe_of(**changes)), recipe_of(**changes), ignore)

    return read


def reasons(data: ClipData) -> dict[str, int]:
    return {left.reason: left.count for left in data.dropped}


def test_the_text_is_the_captions_json_and_else_the_caption_with_sentences(read):
    plain = line_of("1.mp4", NUM_FRAMES, caption_json=None, caption="A square.")
    data = read([line_of("0.mp4", NUM_FRAMES, caption="Not this."), plain])
    structured, sentence = (data.sequences.text(clip) for clip in data.clips)
    assert structured == json.dumps(CAPTION)
    assert sentence == (
        "A square. The video is 0.9 seconds long and is of 10 FPS. This video is of 256x256 resolution."
    )
    dropped = [data.sequences.text(clip, dropped=True) for clip in data.clips]
    assert dropped[0] == ""
    assert dropped[1].startswith("The video is not 0.9 seconds long and is not of 10 FPS.")


def test_what_the_frameworks_loader_skips_in_silence_is_counted(read, clips):
    (clips / "text.mp4").write_text("no video")
    data = read(
        [
            line_of("0.mp4", NUM_FRAMES),
            line_of("0.mp4", NUM_FRAMES) | {"duration": 61.5},
            line_of("0.mp4", 5),
            line_of("1.mp4", NUM_FRAMES, end_frame=NUM_FRAMES),
            line_of("gone.mp4", NUM_FRAMES),
            line_of("text.mp4", NUM_FRAMES),
            line_of("1.mp4", NUM_FRAMES, caption_json=None, caption="  "),
            line_of("still.png", 1),
            {"t2w_windows": "none"},
            line_of("2.mp4", 13, caption_json=None, caption="word " * 5000),
        ]
    )
    assert len(data.clips) == 1
    assert reasons(data) == {
        "clip_too_long": 1,
        "window_too_short": 1,
        "window_outside_file": 1,
        "file_missing": 1,
        "unreadable": 1,
        "no_caption": 1,
        "mode_not_trained": 1,
        "bad_line": 1,
        "caption_too_long": 1,
    }
    by_reason = {left.reason: left for left in data.dropped}
    assert by_reason["window_too_short"].message == "The window has fewer than 9 frames."
    assert by_reason["window_too_short"].examples == ("0.mp4 0-4",)


def test_files_outside_the_data_set_are_as_if_they_were_not_there(read, clips, tmp_path):
    shutil.copy(clips / "0.mp4", tmp_path / "private.mp4")
    lines = [line_of(path, NUM_FRAMES) for path in (str(tmp_path / "private.mp4"), "../private.mp4")]
    data = read([line_of("../data/0.mp4", NUM_FRAMES), *lines])
    assert [clip.window.path for clip in data.clips] == [clips / "0.mp4"]
    assert reasons(data) == {"file_missing": 2}


def test_windows_are_cut_to_the_recipes_frames_and_the_nearest_shape(read):
    data = read([line_of("2.mp4", 13, start_frame=2)], num_frames=5, min_window_frames=5, modes={"t2v": 1})
    (clip,) = data.clips
    assert clip.indexes == (2, 3, 4, 5, 6)
    assert (clip.canvas, clip.fps) == ((320, 192), 10.0)
    assert clip.frames().shape == (5, 192, 320, 3)


def test_an_image_is_one_frame_without_a_rate(read):
    data = read([{"vision_path": "still.png", "caption": "A square."}], modes={"t2i": 1})
    (clip,) = data.clips
    assert (clip.num_frames, clip.fps) == (1, None)
    assert data.sequences.text(clip) == "A square. This image is of 256x256 resolution."


def test_every_second_frame_is_half_the_rate(read):
    data = read([line_of("2.mp4", 13, temporal_interval=2)], num_frames=5, min_window_frames=5, modes={"t2v": 1})
    assert data.clips[0].indexes == (0, 2, 4, 6, 8)
    assert data.clips[0].fps == 5.0


def test_another_rate_shows_the_frame_of_its_time():
    assert _resampled(range(10, 20), Fraction(10), 5.0) == [10, 12, 14, 16, 18]
    assert _resampled(range(4), Fraction(10), 20.0) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_frames_are_those_of_the_file(read, tmp_path):
    data = read([line_of("0.mp4", NUM_FRAMES)])
    shown = data.clips[0].frames()
    truth = moving_square(NUM_FRAMES, 0)
    small = shown[:, 4::8, 4::8][:, :32, :32].astype(int)
    # 96 pixels on 256: cell centres 8 pixels apart are 3 apart.
    wanted = truth[:, 1::3, 1::3][:, :32, :32].astype(int)
    assert np.median(np.abs(small - wanted)) < 12


def test_nothing_to_train_on_says_why(read):
    with pytest.raises(BadInput, match=r"1 × The window has fewer than 9 frames"):
        read([line_of("0.mp4", 5)])


def test_a_folder_without_the_file_says_what_is_missing(speck, tmp_path):
    with pytest.raises(BadInput, match=r"has no video_dataset_file\.jsonl"):
        read_clip_data(place_of(speck, tmp_path, recipe_of()), recipe_of(), ignore)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"num_frames": 10}, "expected 1 plus a multiple of 4"),
        ({"num_frames": 5}, "v2v needs at least 9 frames"),
        ({"modes": {"t2v": 0}}, "No mode has a share"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused(read, changes, said):
    with pytest.raises(BadInput, match=said):
        read([line_of("0.mp4", NUM_FRAMES)], **changes)


def test_the_nearest_shape_differs_least_in_proportion():
    recipe = recipe_of(resolution="480")
    assert nearest_shape(recipe, 1920, 1080) == (832, 480)
    assert nearest_shape(recipe, 1000, 990) == (640, 640)


def test_a_still_in_the_place_of_a_video_may_be_any_size(clips, read):
    write_clip(clips / "big.mp4", moving_square(NUM_FRAMES, 5, (128, 64)), fps=24)
    data = read([line_of("big.mp4", NUM_FRAMES)])
    assert data.clips[0].fps == 24.0
