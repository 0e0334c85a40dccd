"""The layout of the recipe for captions of driving: videos and label files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.errors import BadInput
from studio.evaluation import layouts

Write = Callable[..., Path]

LABEL: dict[str, Any] = {
    "weather": "Light rain",
    "lighting": "Daytime (low\u2011contrast daylight)",
    "additional_traffic_rules": None,
    "interactive_expanded_metaaction": ["Yield to VRUs", "Vehicle following"],
    "noninteractive_expanded_metaaction": None,
    "driving_difficulty": 3,
    "rule_violation": "False",
    "critical_object": [{"box": {"x1": 2755.46, "y1": 748.28, "x2": 2858.53, "y2": 825.2}, "box_time": 2}],
}


def test_videos_and_labels_are_paired_by_their_id(tmp_path: Path, write: Write):
    for name in ("a1", "a10"):
        write(f"videos/{name}.camera_front_wide_120fov.mp4")
        write(f"metas/{name}.label.json", LABEL)

    benchmark = layouts.read(tmp_path)

    assert benchmark.form == "fields"
    assert benchmark.annotation is not None
    assert benchmark.annotation.id == "av"
    assert (benchmark.settings.fps, benchmark.settings.max_pixels) == (2, 112_896)
    assert {item.id: item.media for item in benchmark.items} == {
        "a1": ("videos/a1.camera_front_wide_120fov.mp4",),
        "a10": ("videos/a10.camera_front_wide_120fov.mp4",),
    }
    assert layouts.folder_of(tmp_path) == tmp_path


def test_what_has_no_partner_is_named(tmp_path: Path, write: Write):
    write("metas/a1.label.json", LABEL)
    write("videos/a10.mp4")

    with pytest.raises(BadInput, match=r"metas/a1\.label\.json: its video .* was not found"):
        layouts.read(tmp_path)
    write("videos/a1.mp4")
    with pytest.raises(BadInput, match=r"videos/a10\.mp4: its label metas/a10\.label\.json was not found"):
        layouts.read(tmp_path)


@pytest.mark.parametrize(
    ("label", "why", "param"),
    [
        ("{", "it is not JSON", ""),
        ([LABEL], "it holds a list; expected an object", ""),
        ({**LABEL, "weather": "Hail"}, "reference.weather is 'Hail'", ".reference.weather"),
        ({**LABEL, "driving_difficulty": 9}, "reference.driving_difficulty is 9", ".reference.driving_difficulty"),
    ],
)
def test_a_wrong_label_is_named_with_its_field(tmp_path: Path, write: Write, label: Any, why: str, param: str):
    write("videos/a1.mp4")
    write("metas/a1.label.json", label)

    with pytest.raises(BadInput, match=rf"metas/a1\.label\.json: {why}") as refused:
        layouts.read(tmp_path)
    assert refused.value.param == f"metas/a1.label.json{param}"
