"""`orrery annotate`: a label file for each video, bound to a schema, and tags in the library."""

from __future__ import annotations

import json

import pytest

from studio.evaluation import load_schema
from studio.evaluation.layouts import read

SCHEMA = """
id = "desk"
title = "Desk"
system = "You look at desks."
prompt = "Look at the video."

[[fields]]
name = "light"
title = "Light"
question = "How bright is it?"
type = "enum"
values = ["Bright", "Dark"]

[[fields]]
name = "tidy"
title = "Tidy"
question = "Is the desk tidy?"
type = "boolean"

[[fields]]
name = "notes"
title = "Notes"
question = "What lies there?"
type = "text"
"""
SAID = {"light": "Dark", "tidy": True, "notes": "A cup."}


@pytest.fixture
def schema(tmp_path):
    path = tmp_path / "desk.toml"
    path.write_text(SCHEMA)
    return path


@pytest.fixture
def videos(tmp_path, write_clip):
    folder = tmp_path / "set" / "videos"
    folder.mkdir(parents=True)
    # Lengths of no other test's: the library keeps equal files once, under one of their names.
    for name, num_frames in (("one", 23), ("two", 29)):
        write_clip(folder / f"{name}.mp4", num_frames)
    return folder


def test_every_video_gets_a_label_file_and_the_folder_is_a_benchmark(orrery, endpoint, videos, schema):
    endpoint.answers = [json.dumps(SAID)]
    words = ("annotate", videos, "-o", videos.parent, "--schema", schema, "--endpoint", endpoint.address)
    result = orrery(*words)

    assert result.exit_code == 0, result.output
    assert "2 written, 0 skipped, 0 failed" in result.output
    assert json.loads((videos.parent / "metas" / "one.label.json").read_text()) == SAID
    asked = endpoint.bodies[0]["response_format"]["json_schema"]["schema"]
    assert list(asked["properties"]) == ["light", "tidy", "notes"]
    benchmark = read(videos.parent, load_schema(str(schema)))
    assert [item.reference for item in benchmark.items] == [SAID, SAID]
    assert "0 written, 2 skipped" in orrery(*words).output


def test_an_answer_that_repeats_itself_is_refused_and_counted(orrery, endpoint, videos, schema):
    endpoint.answers = [json.dumps({**SAID, "notes": "top of " * 200})]
    result = orrery(
        "annotate", videos / "one.mp4", "-o", videos.parent, "--schema", schema, "--endpoint", endpoint.address
    )

    assert result.exit_code == 1
    assert "0 written, 0 skipped, 1 failed" in result.output
    assert not (videos.parent / "metas").exists()
    assert len(endpoint.bodies) == 3


def test_values_become_tags_and_a_video_is_found_by_several(orrery, server, videos, schema):
    result = orrery(
        "annotate", videos, "-o", videos.parent, "--schema", schema, "--server", server.url, "--max-tokens", "200"
    )

    assert result.exit_code == 0, result.output
    said = json.loads((videos.parent / "metas" / "one.label.json").read_text())
    tags = list(load_schema(str(schema)).tags(said))
    assert tags[0] in ("Light: Bright", "Light: Dark")
    assert tags[1] in ("Tidy: true", "Tidy: false")
    found = server.get("/v1/library", params={"tag": tags}).json()["items"]
    assert "one.mp4" in [item["title"] for item in found]
