"""Our own layout, and what its errors name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.errors import BadInput
from studio.evaluation import layouts

Write = Callable[..., Path]

ROW: dict[str, Any] = {
    "id": "1",
    "media": "clips/a.mp4",
    "question": "What is it?",
    "choices": {"A": "a car", "B": "a dog"},
    "answer": "A",
    "category": "Key Objects",
}

MANIFEST = """
name = "dogs"
title = "Cars and dogs"
form = "choice"
metrics = ["accuracy"]

[settings]
num_frames = 16
max_pixels = 360000
"""


def test_a_manifest_and_its_items_are_a_benchmark(tmp_path: Path, write: Write):
    write("benchmark.toml", MANIFEST)
    write("items.jsonl", [ROW, {**ROW, "id": "2", "media": ["clips/a.mp4"], "answer": "B"}])
    write("clips/a.mp4")

    benchmark = layouts.read(tmp_path)

    assert (benchmark.name, benchmark.form, benchmark.settings.num_frames) == ("dogs", "choice", 16)
    assert [item.reference for item in benchmark.items] == ["A", "B"]
    assert benchmark.items[0].media == ("clips/a.mp4",)
    assert layouts.read(tmp_path / "benchmark.toml") == layouts.read(tmp_path / "items.jsonl") == benchmark
    assert layouts.folder_of(tmp_path) == layouts.folder_of(tmp_path / "benchmark.toml") == tmp_path


def test_without_a_manifest_the_form_is_that_of_the_first_row(tmp_path: Path, write: Write):
    write("clips/a.mp4")

    write("eval.jsonl", [ROW])
    assert layouts.read(tmp_path).form == "choice"
    write("eval.jsonl", [{"id": "1", "question": "?", "reference": "a car"}])
    assert layouts.read(tmp_path).form == "text"
    write("eval.jsonl", [{"id": "1", "question": "?", "reference": 3, "choices": None}])
    assert layouts.read(tmp_path).form == "number"
    write("eval.jsonl", [{"id": "1", "question": "?", "reference": [{"box_2d": [0, 0, 1, 1]}]}])
    with pytest.raises(BadInput, match=r"eval\.jsonl, row 1: its form cannot be told"):
        layouts.read(tmp_path)


def test_the_files_of_a_request_are_found_in_it_and_in_its_reference(tmp_path: Path, write: Write):
    request = {"kind": "generate_video", "prompt": "go", "start_image": f"{tmp_path.name}/start.png"}
    write("items.jsonl", [{"id": "1", "request": request, "reference": {"media": "clips/a.mp4"}}])
    write("start.png")
    with pytest.raises(BadInput, match=r"media is 'clips/a.mp4'"):
        layouts.read(tmp_path)
    write("clips/a.mp4")
    benchmark = layouts.read(tmp_path)
    (item,) = benchmark.items
    assert benchmark.form == "generation"
    assert item.media == ("start.png", "clips/a.mp4")
    assert item.request is not None
    assert item.request["start_image"] == "start.png"


def test_a_manifest_may_name_a_schema_or_its_file(tmp_path: Path, write: Write):
    write("items.jsonl", [{"id": "1", "reference": {"colour": "red"}}])
    write(
        "table.toml",
        'id = "table"\ntitle = "T"\nsystem = "s"\nprompt = "p"\n'
        '[[fields]]\nname = "colour"\ntitle = "C"\nquestion = "?"\ntype = "enum"\nvalues = ["red", "blue"]\n',
    )

    write("benchmark.toml", 'form = "fields"\nannotation = "table.toml"')
    own = layouts.read(tmp_path)
    assert own.annotation is not None
    assert own.annotation.id == "table"
    write("benchmark.toml", 'form = "fields"\nannotation = "av"')
    with pytest.raises(BadInput, match=r"items\.jsonl, row 1: reference has no field of the schema av"):
        layouts.read(tmp_path)


@pytest.mark.parametrize(
    ("changes", "why", "param"),
    [
        ({"media": "clips/b.mp4"}, r"items\.jsonl, row 2: media is 'clips/b\.mp4', and .* was not found", "media"),
        ({"media": "../a.mp4"}, r"row 2: media is '\.\./a\.mp4', which is not inside", "media"),
        ({"media": "/etc/passwd"}, "row 2: media is '/etc/passwd', which is not inside", "media"),
        ({"media": [3]}, "row 2: media has 3; expected a path", "media"),
        ({"answer": "C"}, "row 2: reference is 'C'", "reference"),
        ({"reference": "A"}, "row 2: answer and reference are both given", "answer"),
        ({"qestion": "?"}, "row 2: qestion is not a known field", "qestion"),
        ({"id": "1"}, "row 2: id is '1', which row 1 has too", "id"),
        ({"video": ["a.mp4"]}, r"row 2: video is \['a\.mp4'\]", "video"),
        ({"choices": {"A": 3}}, "row 2: choices.A is 3", "choices.A"),
    ],
)
def test_a_wrong_row_is_named_with_its_field(
    tmp_path: Path, write: Write, changes: dict[str, Any], why: str, param: str
):
    write("clips/a.mp4")
    write("benchmark.toml", MANIFEST)
    write("items.jsonl", [ROW, {**ROW, "id": "2", **changes}])

    with pytest.raises(BadInput, match=why) as refused:
        layouts.read(tmp_path)
    assert refused.value.param == f"items.jsonl:2.{param}"


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        ("form = ", r"benchmark\.toml: it is not TOML"),
        ('form = "chioce"', r"benchmark\.toml: form is 'chioce'"),
        ('form = "choice"\n[settings]\nfps = 2\nnum_frames = 4', "use one of them"),
        ('form = "choice"\nmetrics = ["bleu"]', "bleu is not a metric of the form choice"),
        ('form = "choice"\nannotation = "aw"', "no annotation schema 'aw'"),
    ],
)
def test_a_wrong_manifest_is_named(tmp_path: Path, write: Write, manifest: str, why: str):
    write("clips/a.mp4")
    write("benchmark.toml", manifest)
    write("items.jsonl", [ROW])

    with pytest.raises(BadInput, match=why):
        layouts.read(tmp_path)


def test_corrections_beside_the_items_are_read_and_a_wrong_one_is_named(tmp_path: Path, write: Write):
    assert layouts.read_corrections(tmp_path) == ()
    said = {"item": "1", "reference": [[0.5, 1.0]], "by": "ada", "created_at": "2026-11-26T10:00:00Z"}
    write("corrections.jsonl", [said])
    (found,) = layouts.read_corrections(tmp_path)
    assert (found.item, found.by, found.created_at.year) == ("1", "ada", 2026)

    write("corrections.jsonl", [said, {**said, "by": ""}])
    with pytest.raises(BadInput, match=r"corrections\.jsonl, row 2: .*name") as refused:
        layouts.read_corrections(tmp_path)
    assert refused.value.param == "corrections.jsonl:2.by"


@pytest.mark.parametrize("line", ["{", "[1]", "3", '{"id": NaN}'])
def test_a_row_that_is_no_object_is_named(tmp_path: Path, write: Write, line: str):
    write("benchmark.toml", MANIFEST)
    (tmp_path / "items.jsonl").write_text(f"\n{line}\n")

    with pytest.raises(BadInput, match=r"items\.jsonl, row 2: it "):
        layouts.read(tmp_path)


def test_an_empty_set_is_refused(tmp_path: Path, write: Write):
    write("benchmark.toml", MANIFEST)
    with pytest.raises(BadInput, match="has no items"):
        layouts.read(tmp_path)
    write("items.jsonl", [])
    with pytest.raises(BadInput, match="has no items"):
        layouts.read(tmp_path)


def test_what_has_no_known_layout_is_told_what_has(tmp_path: Path, write: Write):
    with pytest.raises(BadInput, match="neither a file nor a folder"):
        layouts.read(tmp_path / "missing")
    with pytest.raises(BadInput, match="no known layout") as refused:
        layouts.read(tmp_path)
    assert "metas/*.label.json" in refused.value.hint
    write("a.jsonl", [ROW])
    write("b.jsonl", [ROW])
    with pytest.raises(BadInput, match=r"It has a\.jsonl, b\.jsonl; name one of them"):
        layouts.read(tmp_path)
    with pytest.raises(BadInput, match="no known layout"):
        layouts.read(write("notes.txt", "x"))
    with pytest.raises(BadInput, match="no known layout"):
        layouts.read(write("other.toml", "x = 1"))
