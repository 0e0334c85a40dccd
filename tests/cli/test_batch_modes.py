"""A folder of spec files in the framework's format, one for each mode, on a real server; the result is looked at."""

from __future__ import annotations

import json
from fractions import Fraction

import av
import numpy as np
import pytest
from PIL import Image

CAPTION = json.dumps({"subjects": [{"description": "a red cube"}], "temporal_caption": "A red cube turns."})
ACTING = {"domain_name": "av", "action_chunk_size": 8, "fps": 10, "view_point": "ego_view", "prompt": "Drive on."}

SPECS = {
    "t2i": {"model_mode": "text2image", "prompt": CAPTION},
    "t2v": {"model_mode": "text2video", "prompt": CAPTION, "fps": 12},
    "t2vs": {"model_mode": "text2video", "prompt": "A bell rings.", "enable_sound": True},
    "i2v": {"model_mode": "image2video", "prompt": "It moves.", "vision_path": "media/start.png"},
    "v2v": {"model_mode": "video2video", "prompt": "It moves.", "vision_path": "media/clip.mp4"},
    "fd": {
        **ACTING,
        "model_mode": "forward_dynamics",
        "vision_path": "media/clip.mp4",
        "action_path": "media/actions.json",
    },
    "id": {**ACTING, "model_mode": "inverse_dynamics", "vision_path": "media/clip.mp4"},
    "wam": {**ACTING, "model_mode": "wam", "vision_path": "media/start.png"},
    "edge": {
        "prompt_path": "media/prompt.txt",
        "vision_path": "media/clip.mp4",
        "edge": {"preset_edge_threshold": "low"},
        "num_video_frames_per_chunk": 9,
        "fps": 10,
    },
    "several": {
        "prompt": "A table.",
        "blur": {"weight": 0.5},
        "depth": {"control_path": "media/depth.mp4", "weight": 1.5},
        "vision_path": "media/clip.mp4",
        "num_video_frames_per_chunk": 9,
        "num_first_chunk_conditional_frames": 4,
        "fps": 10,
    },
    "broken": {
        "prompt": "A table.",
        "depth": {"control_path": "media/depth.mp4"},
        "seg": {"control_path": "media/tall.mp4"},
    },
}
"""`broken` is in order by itself; what is wrong with it is in its files, and only the server finds it."""


@pytest.fixture(scope="module")
def made(server, tmp_path_factory):
    """The folder that all of them are made into, and the command's result."""
    from typer.testing import CliRunner

    from cli import main

    folder = tmp_path_factory.mktemp("specs")
    (folder / "media").mkdir()
    _write_media(folder / "media")
    for name, fields in SPECS.items():
        (folder / f"{name}.json").write_text(json.dumps(fields))
    words = ["--set", "num_frames=10", "--set", "num_steps=2", "--set", "resolution=256", "--server", server.url]
    return folder / "out", CliRunner().invoke(
        main, ["generate", "-i", f"{folder}/*.json", "-o", f"{folder}/out", *words]
    )


def _write_media(folder):
    def clip(name, size):
        blocks = np.random.default_rng(0).integers(0, 255, (size[1] // 8, size[0] // 8, 3), np.uint8)
        with av.open(str(folder / name), "w") as container:
            stream = container.add_stream("libx264", rate=10)
            (stream.width, stream.height), stream.pix_fmt = size, "yuv420p"
            for index in range(14):
                frame = np.roll(blocks.repeat(8, 0).repeat(8, 1), 4 * index, 1)
                container.mux(stream.encode(av.VideoFrame.from_ndarray(frame)))
            container.mux(stream.encode())

    clip("clip.mp4", (160, 96))
    clip("depth.mp4", (160, 96))
    clip("tall.mp4", (96, 160))
    Image.new("RGB", (160, 96), (200, 30, 30)).save(folder / "start.png")
    (folder / "prompt.txt").write_text("A table.\n")
    (folder / "actions.json").write_text(json.dumps(np.full((8, 9), 0.1).tolist()))


def read(path):
    return json.loads(path.read_text())


@pytest.mark.slow
def test_one_failure_does_not_stop_the_rest_and_the_status_says_so(made):
    folder, result = made
    assert result.exit_code == 1, result.output
    states = {line.split()[0]: line.split()[1] for line in result.stdout.splitlines()[1:]}
    assert states == {name: "failed" if name == "broken" else "made" for name in SPECS}
    assert "a different aspect ratio" in read(folder / "broken" / "sample_outputs.json")["message"]
    assert "num_frames is 10; using 13" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "num_frames", "size", "fps", "sound"),
    [
        ("t2v", 13, (320, 192), 12, False),
        ("t2vs", 13, (320, 192), 24, True),
        ("i2v", 13, (320, 192), 24, False),
        ("v2v", 13, (320, 192), 24, False),
        ("fd", 9, (160, 96), 10, False),
        ("wam", 9, (160, 96), 10, False),
        ("edge", 10, (320, 192), 10, False),
        ("several", 10, (320, 192), 10, False),
    ],
)
def test_a_clip_is_what_its_spec_asks_for(made, name, num_frames, size, fps, sound):
    folder, _ = made
    with av.open(str(folder / name / "vision.mp4")) as container:
        picture = container.streams.video[0]
        assert (picture.codec_context.name, picture.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert (picture.width, picture.height, picture.average_rate) == (*size, Fraction(fps))
        assert [(stream.codec_context.name, stream.rate, stream.channels) for stream in container.streams.audio] == (
            [("aac", 48_000, 2)] if sound else []
        )
        assert sum(1 for _ in container.decode(video=0)) == num_frames
        recipe = json.loads(container.metadata["comment"])
    args = read(folder / name / "sample_args.json")
    assert recipe["prompt"] == args["request"]["prompt"]
    assert recipe["sampling"] == args["request"]["sampling"]
    assert args["spec"] == {**SPECS[name], "num_frames": 10, "num_steps": 2, "resolution": 256}


@pytest.mark.slow
def test_a_picture_is_a_jpeg_with_its_recipe_beside_it(made):
    folder, _ = made
    with Image.open(folder / "t2i" / "vision.jpg") as picture:
        assert (picture.format, picture.size, picture.mode) == ("JPEG", (256, 256), "RGB")
    recipe = read(folder / "t2i" / "vision.recipe.json")
    assert json.loads(recipe["prompt"])["resolution"] == {"H": 256, "W": 256}
    assert read(folder / "t2i" / "sample_outputs.json")["outputs"][0]["files"] == ["vision.jpg", "vision.recipe.json"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["id", "wam"])
def test_actions_are_json_and_numpy(made, name):
    folder, _ = made
    rows = read(folder / name / "actions.json")["actions"]
    array = np.load(folder / name / "actions.npy")
    assert array.shape == (8, 9)
    assert np.array_equal(np.array(rows, np.float32), array)
    outputs = read(folder / name / "sample_outputs.json")
    assert outputs["outputs"][0]["content"]["action"] == rows
    assert outputs["status"] == "success"
    assert outputs["timings"]["making_s"] > 0


@pytest.mark.slow
def test_what_is_finished_is_not_made_again(made, orrery, server):
    folder, _ = made
    words = ("--set", "num_frames=10", "--set", "num_steps=2", "--set", "resolution=256", "--server", server.url)
    result = orrery("generate", "-i", folder.parent / "t2i.json", folder.parent / "several.json", "-o", folder, *words)
    assert result.exit_code == 0, result.output
    assert [line.split()[1] for line in result.stdout.splitlines()] == ["state", "skipped", "skipped"]


def test_what_the_checkpoint_refuses_is_told_before_anything_runs(orrery, server, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"prompt": "x", "num_frames": 397, "resolution": "720"}))
    (tmp_path / "b.json").write_text(json.dumps({"model_mode": "text2image", "prompt": "x", "resolution": "256"}))
    result = orrery("generate", "-i", tmp_path / "*.json", "-o", tmp_path / "out", "--server", server.url)
    assert result.exit_code == 2
    assert (
        f"{tmp_path}/a.json, sample a: num_frames: speck does not support videos of 397 frames at this resolution."
        in result.stderr
    )
    assert [path.name for path in (tmp_path / "out").iterdir()] == []
