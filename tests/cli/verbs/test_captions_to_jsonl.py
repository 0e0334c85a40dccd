from __future__ import annotations

import json

import pytest

CAPTION = {"subjects": [{"description": "a robot arm"}], "temporal_caption": "The arm lifts a cup."}


@pytest.fixture
def dataset(tmp_path, write_clip):
    """A training split: one clip with both captions, one with prose alone, and others that training would not see."""
    train = tmp_path / "train"
    for folder in ("captions", "videos"):
        (train / folder).mkdir(parents=True)

    def clip(name, num_frames, *, fps=5, **files):
        if num_frames:
            write_clip(train / "videos" / f"{name}.mp4", num_frames, fps=fps, size=(64, 64))
        (train / "captions" / name).mkdir()
        for suffix, text in files.items():
            (train / "captions" / name / f"caption.{suffix}").write_text(text)

    clip("both", 87, json=json.dumps(CAPTION), txt="The arm lifts a cup.\n")
    clip("prose", 70, txt="A cup is lifted.")
    clip("short", 60, json=json.dumps(CAPTION))
    clip("long", 311, json=json.dumps(CAPTION))
    clip("lost", 0, json=json.dumps(CAPTION))
    clip("torn", 0, json=json.dumps(CAPTION))
    (train / "videos" / "torn.mp4").write_bytes(b"no clip")
    clip("mute", 70, txt="  ")
    return train


def convert(orrery, train, *words):
    folders = ("--captions-dir", train / "captions", "--videos-dir", train / "videos")
    return orrery("captions-to-jsonl", *folders, "-o", train / "set.jsonl", *words)


def test_each_clip_that_training_would_see_is_a_line(orrery, dataset):
    result = convert(orrery, dataset)
    assert result.exit_code == 0, result.output
    rows = {row["uuid"]: row for row in map(json.loads, (dataset / "set.jsonl").read_text().splitlines())}
    assert rows == {
        "both": {
            "uuid": "both",
            "duration": 17.4,
            "width": 64,
            "height": 64,
            "vision_path": "videos/both.mp4",
            "t2w_windows": [
                {
                    "start_frame": 0,
                    "end_frame": 86,
                    "temporal_interval": 1,
                    "caption_json": CAPTION,
                    "caption": "The arm lifts a cup.",
                }
            ],
        },
        "prose": {
            "uuid": "prose",
            "duration": 14.0,
            "width": 64,
            "height": 64,
            "vision_path": "videos/prose.mp4",
            "t2w_windows": [{"start_frame": 0, "end_frame": 69, "temporal_interval": 1, "caption": "A cup is lifted."}],
        },
    }


def test_the_summary_counts_what_was_kept_and_why_the_rest_was_not(orrery, dataset):
    result = convert(orrery, dataset)
    summary = json.loads((dataset / "set.jsonl.summary.json").read_text())
    assert (summary["records_kept"], summary["records_with_caption_json"], summary["records_dropped"]) == (2, 1, 5)
    assert summary["drops_by_reason"] == {
        "duration_too_long": 1,
        "missing_video": 1,
        "empty_caption": 1,
        "too_few_frames": 1,
        "unreadable_video": 1,
    }
    *table, kept, where = result.stdout.splitlines()
    assert [line.split()[:2] for line in table[1:]] == [
        ["long", "duration_too_long"],
        ["lost", "missing_video"],
        ["mute", "empty_caption"],
        ["short", "too_few_frames"],
        ["torn", "unreadable_video"],
    ]
    assert kept.startswith(f"{dataset}/set.jsonl  2 kept (1 with caption_json), 5 dropped: ")
    assert where == f"{dataset}/set.jsonl.summary.json"


def test_a_recipe_with_more_frames_drops_shorter_clips_and_nothing_kept_is_a_failure(orrery, dataset):
    assert convert(orrery, dataset, "--num-video-frames", "80").exit_code == 0
    assert len((dataset / "set.jsonl").read_text().splitlines()) == 1
    assert convert(orrery, dataset, "--num-video-frames", "93").exit_code == 1
    assert (dataset / "set.jsonl").read_text() == ""


def test_bad_words_are_one_line(refused, dataset):
    def said(captions="captions", videos="videos", output="set.jsonl"):
        words = ("--captions-dir", dataset / captions, "--videos-dir", dataset / videos, "-o", dataset / output)
        return refused("captions-to-jsonl", *words)

    assert "gone is not a folder" in said(captions="gone")
    assert "videos has no captions" in said(captions="videos")
    assert "captions is a folder; expected the name of a file" in said(output="captions")
    assert "Missing option '--videos-dir'" in refused("captions-to-jsonl", "--captions-dir", dataset, "-o", "x")
