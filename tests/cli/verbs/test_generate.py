from __future__ import annotations

import os
import pty
import signal
from contextlib import suppress

import pytest

from cli.request_flags import FLAGS
from studio.errors import EngineLost
from studio.jobs import JobState
from studio.requests import KINDS, MAX_TEXT_BYTES


@pytest.fixture
def generate(orrery, fake_server, tmp_path):
    """`orrery generate` on the fake server, into a folder of its own."""
    return lambda *words: orrery("generate", *words, "-o", tmp_path / "out.png", "--server", fake_server.url)


def test_a_prompt_becomes_a_file(generate, fake_server, tmp_path):
    result = generate("a", "red", "cube", "--seed", 7)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out.png").read_bytes() == fake_server.pictures["j0-0"]
    assert result.stdout == f"{tmp_path / 'out.png'}  256x256  seed 7\n"
    assert result.stderr == ""
    assert fake_server.bodies == [{"kind": "generate_image", "prompt": "a red cube", "sampling": {"seed": 7}}]


def test_every_flag_lands_in_its_field(generate, fake_server):
    flags = "--steps 3 --guidance 2.5 --seed 9 --flow-shift 2 --schedule checkpoint --guidance-interval 10 900 "
    flags += "--step-cache 0.05 "
    flags += "--size 832x480 --negative-prompt blur --count 2 --checkpoint speck "
    flags += "--system-prompt --no-resolution-sentence --no-duration-sentence"
    assert generate("x", *flags.split()).exit_code == 0
    assert fake_server.bodies == [
        {
            "kind": "generate_image",
            "prompt": "x",
            "checkpoint": "speck",
            "resolution": "480",
            "aspect_ratio": "16:9",
            "negative_prompt": "blur",
            "count": 2,
            "sampling": {
                "num_inference_steps": 3,
                "guidance_scale": 2.5,
                "seed": 9,
                "flow_shift": 2.0,
                "schedule": "checkpoint",
                "guidance_interval": [10.0, 900.0],
                "step_cache": 0.05,
            },
            "use_system_prompt": True,
            "use_resolution_template": False,
            "use_duration_template": False,
        }
    ]


def test_every_field_of_a_request_has_a_flag():
    fields = {name for kind in KINDS.values() for name in kind.model.model_fields} - {"kind", "sampling"}
    fields -= {"written_from"}  # the upsampler's, not a person's
    samplings = [kind.model.model_fields["sampling"].annotation for kind in KINDS.values()]
    assert set(FLAGS) == fields | {f"sampling.{name}" for model in samplings for name in model.model_fields}


def test_an_mp4_is_a_clip_and_continues_another(orrery, server, tmp_path):
    few = ["--size", "192x320", "--num-frames", 9, "--steps", 2, "--server", server.url]
    first = orrery("generate", "x", "-o", tmp_path / "first.mp4", "--sound", "--seed", 3, "--save-latents", *few)
    start = tmp_path / "first.mp4"
    second = orrery("generate", "x", "-o", tmp_path / "more.mp4", "--source-video", start, "--fps", 24, *few)
    assert first.stdout.splitlines() == [
        f"{start}  192x320  9 frames  seed 3",
        f"{tmp_path}/first.safetensors  latents",
    ]
    assert second.exit_code == 0, second.stderr
    assert (tmp_path / "more.mp4").stat().st_size > 1000


def test_flags_may_come_from_the_environment(generate, fake_server, monkeypatch):
    monkeypatch.setenv("ORRERY_STEPS", "4")
    monkeypatch.setenv("ORRERY_SIZE", "1024x1024")
    assert generate("x").exit_code == 0
    assert fake_server.bodies[0]["sampling"] == {"num_inference_steps": 4}
    assert fake_server.bodies[0]["resolution"] == "768"


def test_several_pictures_are_numbered(generate, tmp_path):
    assert generate("x", "--count", 3, "--seed", 5).stdout.splitlines() == [
        f"{tmp_path}/out-{index}.png  256x256  seed {5 + index}" for index in range(3)
    ]
    assert sorted(path.name for path in tmp_path.glob("*.png")) == ["out-0.png", "out-1.png", "out-2.png"]


def test_a_file_that_is_there_is_replaced_only_by_force(generate, tmp_path):
    (tmp_path / "out.png").write_text("mine")
    result = generate("x")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "already exists. Replace it with --force" in result.stderr
    assert (tmp_path / "out.png").read_text() == "mine"
    assert generate("x", "--force").exit_code == 0
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_goes_to_stdout_as_bytes(orrery, fake_server):
    result = orrery("generate", "x", "-o", "-", "--server", fake_server.url)
    assert result.stdout_bytes == fake_server.pictures["j0-0"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([""], "prompt: the prompt is empty; write at least one word. It is set by PROMPT."),
        (["é" * MAX_TEXT_BYTES], "131,072 bytes; at most 65,536 are accepted. It is set by PROMPT."),
        (
            ["x", "--steps", "0"],
            "num_inference_steps is '0'; expected at least 1. Use a number from 1 to 200. It is set",
        ),
        (["x", "--steps", "10000"], "num_inference_steps is '10000'; the maximum is 200."),
        (["x", "--steps", "many"], "num_inference_steps is 'many': input should be a valid integer"),
        (["x", "--guidance", "nan"], "guidance_scale is 'nan'; expected a finite number."),
        (["x", "--guidance", "inf"], "guidance_scale is 'inf'; expected a finite number."),
        (["x", "--seed", "-1"], "seed is '-1'; expected at least 0"),
        (["x", "--count", "11"], "count is '11'; the maximum is 10"),
        (["x", "--schedule", "fast"], "schedule is 'fast': input should be 'native' or 'checkpoint'."),
        (["x", "--guidance-interval", "9", "1"], "guidance_interval is [9, 1]"),
        (["x", "--size", "1000x1000"], "1000x1000 is not a size that Cosmos 3 supports. The nearest is 1024x1024."),
        (["x", "--size", "big"], "expected WIDTHxHEIGHT"),
        (
            ["x", "--checkpoint", "spek"],
            "There is no checkpoint 'spek': it is neither a preset nor a folder. Did you mean",
        ),
        (["x", "--checkpoint", "/"], "is not a Cosmos 3 checkpoint: missing model_index.json"),
        (["x", "--output", "out.jpg"], "images are .png files, videos .mp4 files, actions .json or .npy files."),
        (["x", "--output", "out.png", "--num-frames", "9"], "--num-frames is not a field of generate_image."),
        (["x", "--output", "out.mp4", "--start-image", "none.png"], "There is no file 'none.png'."),
        (["x", "--output", "out.mp4", "--num-frames", "10"], "use 9 or 13"),
        (["x", "--output", "/missing/out.png"], "The folder /missing of out.png was not found. Create it first."),
        (["x", "--output", "/"], "/ is a folder"),
        (["x", "--output", "-", "--count", "2"], "2 images cannot be written to stdout."),
        (["x", "--data", "~nobody-of-this-name"], "starts with the home of an unknown user"),
        (["x", "--stepz", "3"], "No such option: --stepz"),
        ([], "Missing argument 'PROMPT...'"),
    ],
)
def test_bad_input_is_one_line(refused, tmp_path, words, says):
    output = [] if "--output" in words else ["--output", tmp_path / "out.png"]
    assert says in refused("generate", *words, *output)
    assert list(tmp_path.rglob("*.png")) == []


def test_a_server_that_does_not_answer_is_named(refused, tmp_path):
    said = refused("generate", "x", "-o", tmp_path / "out.png", "--server", "http://127.0.0.1:1")
    assert "No server answers at http://127.0.0.1:1" in said
    assert "orrery serve" in said


def test_an_address_or_token_that_cannot_be_used_is_told(refused, tmp_path):
    words = ("generate", "x", "-o", tmp_path / "out.png")
    assert "expected a URL" in refused(*words, "--server", "ftp://x")
    assert "characters that are not allowed in an HTTP header" in refused(
        *words, "--server", "localhost:1", "--token", "clé"
    )


def test_a_job_that_fails_says_why(refused, fake_server, tmp_path):
    fake_server.failure = EngineLost("The worker\ndied \x1b[31mtwice.", hint="Look at the log.")
    said = refused("generate", "x", "-o", tmp_path / "out.png", "--server", fake_server.url)
    assert said == "orrery: The worker died  [31mtwice. Look at the log.\n"
    assert list(tmp_path.glob("*.png")) == []


def test_ctrl_c_cancels_the_job_and_leaves_with_130(spawn, fake_server, tmp_path):
    fake_server.endless = True
    process = spawn("generate", "x", "-o", tmp_path / "out.png", "--server", fake_server.url)
    assert fake_server.watched.wait(60)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    *late, last = stderr.splitlines()
    assert last == b"orrery: cancelled."
    # A busy machine may not answer in the five seconds that are waited for it.
    assert late in ([], [b"orrery: the server could not be reached; the job may still be running."])
    assert fake_server.cancelled.wait(60)
    assert list(tmp_path.glob("*.png")) == []


def test_a_job_that_somebody_else_cancels_is_no_success(spawn, fake_server, tmp_path):
    fake_server.endless = True
    process = spawn("generate", "x", "-o", tmp_path / "out.png", "--server", fake_server.url)
    assert fake_server.watched.wait(60)
    fake_server.jobs["j0"] = fake_server.jobs["j0"].model_copy(update={"state": JobState.CANCELLED})
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (2, b"orrery: Job j0 was cancelled. orrery jobs retry runs it again.\n")


def test_a_terminal_shows_the_step_and_the_time_left(spawn, fake_server, tmp_path):
    ours, theirs = pty.openpty()
    fake_server.endless = True
    words = ("generate", "x", "-o", tmp_path / "out.png", "--server", fake_server.url)
    process = spawn(*words, stderr=theirs, env={**os.environ, "TERM": "xterm", "COLUMNS": "120"})
    os.close(theirs)
    shown = b""
    while b"step 3 of 3" not in shown or b"0 s left" not in shown:
        shown += os.read(ours, 4096)
    fake_server.endless = False
    # A terminal that nobody reads would keep the process; once that has left, reading is an error.
    with suppress(OSError):
        while os.read(ours, 4096):
            pass
    assert process.wait(60) == 0
    os.close(ours)
