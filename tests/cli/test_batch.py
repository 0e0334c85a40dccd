from __future__ import annotations

import fcntl
import json
import os
import signal

import pytest
from PIL import Image

from cli.batch_folder import BatchFolder
from studio.checkpoints import SHIPPED
from studio.errors import EngineLost, PromptTooLong


@pytest.fixture
def specs(tmp_path):
    """Three pictures: two in a file of lines, one by itself."""
    (tmp_path / "a.json").write_text('{"model_mode": "text2image", "prompt": "a", "seed": 5}')
    lines = [{"model_mode": "text2image", "prompt": word} for word in ("b", "c")]
    (tmp_path / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return tmp_path


@pytest.fixture
def batch(orrery, fake_server, specs):
    """`orrery generate -i` on the fake server."""

    def call(*words, files=("a.json", "lines.jsonl"), out="out"):
        inputs = [word for name in files for word in ("-i", specs / name)]
        return orrery("generate", *inputs, "-o", specs / out, "--server", fake_server.url, *words)

    return call


def read(path):
    return json.loads(path.read_text())


def test_every_sample_has_a_folder_of_its_own(batch, fake_server, specs):
    result = batch("--set", "num_steps=3")
    assert result.exit_code == 0, result.output
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [
        ["sample", "state"],
        ["a", "made"],
        ["lines_0", "made"],
        ["lines_1", "made"],
    ]
    assert sorted(path.name for path in (specs / "out").iterdir()) == ["a", "lines_0", "lines_1"]
    with Image.open(specs / "out" / "a" / "vision.jpg") as picture:
        assert (picture.format, picture.size) == ("JPEG", (16, 16))
    args, outputs = (read(specs / "out" / "a" / f"sample_{name}.json") for name in ("args", "outputs"))
    assert args["spec"] == {"model_mode": "text2image", "prompt": "a", "seed": 5, "num_steps": 3}
    assert args["asked"]["sampling"]["num_inference_steps"] == args["request"]["sampling"]["num_inference_steps"] == 3
    assert (outputs["status"], outputs["seed"]) == ("success", 5)
    assert outputs["outputs"] == [{"content": {"seed": 5}, "files": ["vision.jpg"]}]
    assert outputs["timings"]["total_s"] > 0
    assert {body["prompt"] for body in fake_server.bodies} == {"a", "b", "c"}


def test_further_words_are_further_files_as_in_the_frameworks_own_command(orrery, fake_server, specs):
    words = ("-i", specs / "a.json", specs / "lines.jsonl", "-o", specs / "out", "--server", fake_server.url)
    assert orrery("generate", *words).exit_code == 0
    assert len(fake_server.bodies) == 3


def test_several_outputs_of_a_sample_are_numbered_folders(batch, specs):
    assert batch("--set", "num_outputs=2", files=["a.json"]).exit_code == 0
    outputs = read(specs / "out" / "a" / "sample_outputs.json")["outputs"]
    assert [output["files"] for output in outputs] == [["0/vision.jpg"], ["1/vision.jpg"]]
    assert [output["content"]["seed"] for output in outputs] == [5, 6]
    assert (specs / "out" / "a" / "1" / "vision.jpg").is_file()


def test_finished_samples_are_skipped(batch, fake_server, specs):
    assert batch(files=["a.json"]).exit_code == 0
    before = (specs / "out" / "a" / "vision.jpg").stat().st_mtime_ns
    result = batch()
    assert result.exit_code == 0
    assert "a        skipped" in result.stdout
    assert len(fake_server.bodies) == 3
    assert (specs / "out" / "a" / "vision.jpg").stat().st_mtime_ns == before


def test_a_sample_that_was_made_otherwise_is_replaced_only_by_force(batch, fake_server, specs):
    assert batch(files=["a.json"]).exit_code == 0
    refused = batch("--set", "seed=6")
    assert refused.exit_code == 2
    assert "sample a: " in refused.stderr
    assert "already exists and was made with other settings. Replace it with --force" in refused.stderr
    assert len(fake_server.bodies) == 1
    assert batch("--set", "seed=6", "--force").exit_code == 0
    assert read(specs / "out" / "a" / "sample_outputs.json")["seed"] == 6
    assert not [path for path in (specs / "out").iterdir() if path.name.startswith(".a")]


def test_a_folder_of_somebody_else_is_not_touched(batch, specs):
    (specs / "out" / "a").mkdir(parents=True)
    (specs / "out" / "a" / "mine.txt").write_text("mine")
    assert batch().exit_code == 2
    assert (specs / "out" / "a" / "mine.txt").read_text() == "mine"


def test_nothing_runs_while_one_sample_has_an_error(batch, fake_server, specs):
    (specs / "bad.json").write_text('{"prompt": "x", "num_fames": 9}')
    (specs / "worse.json").write_text('{"prompt": "x", "model_mode": "image2image"}')
    result = batch(files=["a.json", "bad.json", "worse.json"])
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"orrery: {specs}/bad.json, sample bad: num_fames is not a known field. Did you mean num_frames?",
        f"orrery: {specs}/worse.json, sample worse: model_mode image2image is not supported: images are generated "
        "from text only; image input is not supported yet.",
    ]
    assert fake_server.bodies == []
    assert not (specs / "out").exists()


def test_failures_are_written_down_and_tried_again(batch, fake_server, specs):
    fake_server.failure = EngineLost("The worker died.", hint="Look at the log.")
    result = batch()
    assert result.exit_code == 1
    assert result.stdout.count("failed") == 3
    outputs = read(specs / "out" / "a" / "sample_outputs.json")
    assert (outputs["status"], outputs["message"]) == ("error", "The worker died. Look at the log.")
    fake_server.failure = None
    assert batch().exit_code == 0
    assert read(specs / "out" / "a" / "sample_outputs.json")["status"] == "success"


def test_a_failure_does_not_take_away_what_was_there(batch, fake_server, specs):
    assert batch(files=["a.json"]).exit_code == 0
    fake_server.failure = EngineLost("The worker died.")
    assert batch("--set", "seed=6", "--force", files=["a.json"]).exit_code == 1
    assert read(specs / "out" / "a" / "sample_outputs.json")["seed"] == 5


def test_a_sample_whose_prompt_is_too_long_fails_alone(batch, fake_server, specs):
    fake_server.failure = PromptTooLong("prompt comes to 5,390 tokens; at most 4,096 are read.", param="prompt")
    fake_server.failing_words = "b"
    result = batch("--fit", "--checkpoint", "pocket")
    assert result.exit_code == 1
    assert [line.split()[:2] for line in result.stdout.splitlines()[1:]] == [
        ["a", "made"],
        ["lines_0", "failed"],
        ["lines_1", "made"],
    ]
    assert "prompt comes to 5,390 tokens; at most 4,096 are read." in result.stdout
    assert read(specs / "out" / "lines_0" / "sample_outputs.json")["status"] == "error"


def test_fit_brings_a_sample_to_what_the_checkpoint_takes_and_says_so(batch, fake_server, specs, monkeypatch):
    monkeypatch.setattr("studio.checkpoints.SHIPPED", SHIPPED)  # the pocket draws squares of 256, 17 frames long
    clip = {
        "model_mode": "text2video",
        "prompt": "A cube.",
        "aspect_ratio": "16,9",
        "resolution": 720,
        "num_frames": 189,
    }
    (specs / "clip.json").write_text(json.dumps(clip))
    assert batch("--checkpoint", "pocket", files=["clip.json"]).exit_code == 2
    assert fake_server.bodies == []

    result = batch("--fit", "--checkpoint", "pocket", files=["clip.json"])

    assert result.exit_code == 0, result.output
    [body] = fake_server.bodies
    assert [body[name] for name in ("resolution", "aspect_ratio", "num_frames")] == ["256", "1:1", 17]
    notes = read(specs / "out" / "clip" / "sample_args.json")["notes"]
    fitted = [note for note in notes if note.endswith("(--fit).")]
    for said in ("resolution 256 is used", "aspect_ratio 1:1 is used", "num_frames 17 is used"):
        assert any(said in note for note in fitted)
        assert said in result.stderr


def test_a_killed_run_leaves_no_folder_that_counts_as_finished(spawn, batch, fake_server, specs):
    fake_server.endless = True
    process = spawn("generate", "-i", specs / "a.json", "-o", specs / "out", "--server", fake_server.url)
    assert fake_server.watched.wait(60)
    process.kill()
    process.wait(60)
    assert not (specs / "out" / "a").exists()
    fake_server.endless = False
    result = batch(files=["a.json"])
    assert (result.exit_code, "made" in result.stdout) == (0, True)


def test_half_a_folder_of_a_killed_run_is_cleared_away(batch, specs):
    (specs / "out" / ".a.part").mkdir(parents=True)
    (specs / "out" / ".a.part" / "vision.jpg").write_bytes(b"half")
    assert batch(files=["a.json"]).exit_code == 0
    assert sorted(path.name for path in (specs / "out").iterdir()) == ["a"]


def test_ctrl_c_cancels_what_runs(spawn, fake_server, specs):
    fake_server.endless = True
    process = spawn("generate", "-i", specs / "a.json", "-o", specs / "out", "--server", fake_server.url)
    assert fake_server.watched.wait(60)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    *late, last = stderr.splitlines()
    assert last == b"orrery: cancelled."
    # A busy machine may not answer in the five seconds that are waited for it.
    assert late in ([], [b"orrery: the server could not be reached; the job may still be running."])
    assert fake_server.cancelled.wait(60)


def test_one_command_at_a_time_makes_samples_into_a_folder(batch, specs):
    with BatchFolder(specs / "out"):
        assert "Another command is writing samples to" in batch().stderr
    assert batch().exit_code == 0


def test_the_hold_on_a_folder_ends_with_its_command(specs):
    with BatchFolder(specs / "out"):
        pass
    held = os.open(specs / "out", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(held)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["--steps", "3"],
            "--steps cannot be combined with spec files. Use --set with the spec file's field name:",
        ),
        (["--kind", "generate_image"], "--kind cannot be combined with spec files."),
        (["--set", "num_steps"], "expected field=value"),
        (["--set", "num_stepz=3"], "num_stepz is not a known field. Did you mean num_steps?"),
        (["--jobs", "0"], "Input should be greater than or equal to 1"),
        (["nowhere.json"], "There is no spec file 'nowhere.json'"),
        (["--checkpoint", "spek"], "There is no checkpoint 'spek'"),
    ],
)
def test_bad_words_are_one_line(refused, specs, words, says):
    assert says in refused("generate", "-i", specs / "a.json", "-o", specs / "out", *words)


def test_samples_go_into_a_folder(refused, specs):
    assert "is a file; expected a folder" in refused("generate", "-i", specs / "a.json", "-o", specs / "a.json")


def test_set_goes_with_spec_files(refused, tmp_path):
    assert "--set needs spec files" in refused("generate", "x", "-o", tmp_path / "a.png", "--set", "num_steps=3")
