"""LLaVA's rows, and blends of several such sets by weight."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.errors import BadInput
from studio.evaluation import layouts

Write = Callable[..., Path]

TURNS = [{"from": "human", "value": "<video>\nWhat happens?"}, {"from": "gpt", "value": "A car stops."}]
ROW: dict[str, Any] = {"id": "7", "video": "clips/7.mp4", "conversations": TURNS}


def test_each_pair_of_turns_is_an_item(tmp_path: Path, write: Write):
    write("clips/7.mp4")
    more = [{"from": "human", "value": "Why?"}, {"from": "gpt", "value": "The light is red."}]
    write("meta.json", [ROW, {**ROW, "id": "8", "conversations": TURNS + more}])

    benchmark = layouts.read(tmp_path)

    assert benchmark.form == "text"
    assert [(item.id, item.question, item.reference) for item in benchmark.items] == [
        ("7", "What happens?", "A car stops."),
        ("8-1", "What happens?", "A car stops."),
        ("8-2", "Why?", "The light is red."),
    ]


@pytest.mark.parametrize(
    ("changes", "why", "param"),
    [
        ({"video": None}, "video is None; expected a path", "video"),
        ({"video": "clips/8.mp4"}, "media is 'clips/8.mp4', and .* was not found", "media"),
        ({"conversations": TURNS[:1]}, "conversations do not alternate", "conversations"),
        ({"conversations": [{"from": "human"}]}, "conversations.0 is .*expected", "conversations.0"),
        ({"conversations": 3}, "conversations is 3; expected a list", "conversations"),
    ],
)
def test_a_wrong_row_is_named_with_its_field(
    tmp_path: Path, write: Write, changes: dict[str, Any], why: str, param: str
):
    write("clips/7.mp4")
    write("meta.json", [ROW, {**ROW, "id": "8", **changes}])

    with pytest.raises(BadInput, match=rf"meta\.json, row 2: {why}") as refused:
        layouts.read(tmp_path)
    assert refused.value.param == f"meta.json:2.{param}"


BLEND = """
[custom.dataset]
dataset_root = "data"
subdirectories = ["cv_annotated", "human_annotated", "reason1_sft"]
weights = [0.3, 0.5, 0.2]
meta_file = "meta.json"

[custom.vision]
min_pixels = 3136
max_pixels = 360000
nframes = 16

[train]
epoch = 3
"""


@pytest.fixture
def blend(write: Write) -> Path:
    for name, count in (("cv_annotated", 40), ("human_annotated", 10), ("reason1_sft", 12)):
        write(f"data/{name}/clips/7.mp4")
        write(f"data/{name}/meta.json", [{**ROW, "id": str(number)} for number in range(count)])
    return write("uber_sft_blended.toml", BLEND)


def test_a_blend_has_the_ratio_of_its_weights_and_is_always_the_same(blend: Path):
    benchmark = layouts.read(blend)

    # Of 40, 10 and 12 at 0.3 : 0.5 : 0.2 the second runs out first, at 20 in all.
    assert Counter(item.category for item in benchmark.items) == {
        "cv_annotated": 6,
        "human_annotated": 10,
        "reason1_sft": 4,
    }
    assert benchmark == layouts.read(blend)
    assert benchmark.items[0].id.startswith("cv_annotated/")
    assert benchmark.items[0].media == ("cv_annotated/clips/7.mp4",)
    assert (benchmark.settings.num_frames, benchmark.settings.min_pixels) == (16, 3136)
    assert (layouts.folder_of(blend) / benchmark.items[0].media[0]).is_file()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("[0.3, 0.5, 0.2]", "[0.3, 0.5]", "weights has 2 numbers for 3 subdirectories"),
        ("[0.3, 0.5, 0.2]", "[0, 0, 0]", "one above 0"),
        ("[0.3, 0.5, 0.2]", "[-1, 1, 1]", "weights.0 is -1"),
        ('"reason1_sft"]', '"reason2_sft"]', r"reason2_sft/meta\.json was not found"),
        ("nframes = 16", "nframes = 16\nfps = 2", "use one of them"),
        ("nframes = 16", "nframes = ", "it is not TOML"),
        ('dataset_root = "data"', "", "dataset_root is missing"),
    ],
)
def test_a_wrong_blend_is_named(blend: Path, old: str, new: str, why: str):
    blend.write_text(BLEND.replace(old, new))

    with pytest.raises(BadInput, match=rf"uber_sft_blended\.toml: .*{why}"):
        layouts.read(blend)
