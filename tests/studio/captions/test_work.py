from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.captions.caption_files import read_work
from studio.errors import BadInput


def test_a_folder_gives_its_clips_in_order(tmp_path: Path):
    for name in ("b.mp4", "a.MOV", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "c.mp4").mkdir()

    assert [(item.name, item.video.name) for item in read_work(video=tmp_path)] == [("a", "a.MOV"), ("b", "b.mp4")]


def test_a_file_is_one_clip_whatever_it_is_called(tmp_path: Path):
    (tmp_path / "clip.bin").touch()

    assert [item.name for item in read_work(video=tmp_path / "clip.bin")] == ["clip"]


def test_a_manifest_lists_clips_from_its_own_folder(tmp_path: Path):
    manifest = tmp_path / "samples.jsonl"
    lines = [{"vision_path": "clips/a.mp4"}, {"vision_path": "/elsewhere/b.mp4", "name": "second", "more": 1}]
    manifest.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n")

    assert [(item.name, item.video) for item in read_work(manifest=manifest)] == [
        ("a", tmp_path / "clips/a.mp4"),
        ("second", Path("/elsewhere/b.mp4")),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[]",
        "[" * 100_000,
        '{"name": "a"}',
        '{"vision_path": 3}',
        '{"vision_path": "a\\u0000.mp4"}',
        '{"vision_path": "http://10.0.0.1/a.mp4"}',
        '{"vision_path": "a.mp4", "name": "../up"}',
        '{"vision_path": "a.mp4", "name": ".."}',
        '{"vision_path": "a.mp4", "name": 7}',
        '{"vision_path": "/"}',
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str):
    manifest = tmp_path / "samples.jsonl"
    manifest.write_text(f'{{"vision_path": "ok.mp4"}}\n{line}\n')
    with pytest.raises(BadInput, match="line 2"):
        read_work(manifest=manifest)


def test_two_clips_of_one_name_are_refused(tmp_path: Path):
    (tmp_path / "a.mp4").touch()
    (tmp_path / "a.mov").touch()
    with pytest.raises(BadInput, match="both get the name 'a'"):
        read_work(video=tmp_path)


def test_nothing_to_do_is_said(tmp_path: Path):
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe")
    for wrong in ({}, {"video": tmp_path, "manifest": tmp_path}, {"video": tmp_path}, {"video": tmp_path / "no"}):
        with pytest.raises(BadInput):
            read_work(**wrong)
    for name in ("empty.jsonl", "binary.jsonl", "no.jsonl"):
        with pytest.raises(BadInput):
            read_work(manifest=tmp_path / name)
