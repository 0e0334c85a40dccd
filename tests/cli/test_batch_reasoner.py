"""The framework's three reasoner samples, with files of our own, on a real server."""

from __future__ import annotations

import json

import pytest

SPECS = {
    "reasoner": {"prompt": "Describe a modern robotics research laboratory in one sentence."},
    "reasoner_image": {
        "prompt": "Describe what is happening in this image in one sentence.",
        "vision_path": "seen.png",
    },
    "reasoner_video": {
        "prompt": "Describe what is happening in this video in one sentence.",
        "vision_path": "clip.mp4",
    },
}


@pytest.fixture
def batch(orrery, server, tmp_path, write_clip, write_picture):
    """`orrery generate -i` on those samples."""
    write_picture(tmp_path / "seen.png")
    write_clip(tmp_path / "clip.mp4", 12)
    for name, fields in SPECS.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"model_mode": "reasoner", **fields}))
    words = ("-o", tmp_path / "out", "--server", server.url, "--set", "max_new_tokens=12")
    return lambda *more: orrery("generate", "-i", tmp_path / "*.json", *words, *more)


def read(path):
    return json.loads(path.read_text())


def test_an_answer_is_a_text_file_and_stands_in_the_outputs(batch, tmp_path):
    result = batch()
    assert result.exit_code == 0, result.output
    for name, fields in SPECS.items():
        folder = tmp_path / "out" / name
        assert sorted(path.name for path in folder.iterdir()) == [
            "reasoner_text.txt",
            "sample_args.json",
            "sample_outputs.json",
        ]
        outputs = read(folder / "sample_outputs.json")
        text = (folder / "reasoner_text.txt").read_text()
        assert text
        assert outputs["status"] == "success"
        assert outputs["outputs"] == [{"content": {"reasoner_text": text}, "files": ["reasoner_text.txt"]}]
        assert outputs["args"]["prompt"] == fields["prompt"]
        assert read(folder / "sample_args.json")["asked"]["sampling"]["max_tokens"] == 12


def test_what_is_answered_is_skipped_and_greedy_answers_are_always_the_same(batch, tmp_path):
    assert batch().exit_code == 0
    before = (tmp_path / "out" / "reasoner_image" / "reasoner_text.txt").read_text()
    assert [line.split()[1] for line in batch().stdout.splitlines()[1:]] == ["skipped"] * 3
    assert batch("--set", "seed=8", "--force").exit_code == 0
    assert (tmp_path / "out" / "reasoner_image" / "reasoner_text.txt").read_text() == before
    assert batch("--set", "seed=8", "--set", "do_sample=true", "--force").exit_code == 0
    assert (tmp_path / "out" / "reasoner_image" / "reasoner_text.txt").read_text() != before


def test_a_sample_that_the_server_refuses_fails_alone(batch, tmp_path):
    (tmp_path / "clip.mp4").write_bytes(b"no clip")
    result = batch()
    assert result.exit_code == 1
    assert {line.split()[0]: line.split()[1] for line in result.stdout.splitlines()[1:]} == {
        "reasoner": "made",
        "reasoner_image": "made",
        "reasoner_video": "failed",
    }
    assert "clip.mp4" in read(tmp_path / "out" / "reasoner_video" / "sample_outputs.json")["message"]
