"""A checkpoint that knows a body in units of its own and sees a robot's canvas in a layout of its own."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.codecs import read_actions
from engine.planning.action import plan_policy
from engine.planning.embodiments import FILE, ActionUnits, OwnEmbodiment, OwnEmbodiments, OwnUnits, read_own_embodiments
from engine.planning.segments import ActionSegment
from engine.planning.setting import Media, read_setting
from engine.weights import open_folder
from studio.errors import BrokenCheckpoint
from studio.requests.actions import RunPolicy
from studio.requests.embodiments import EMBODIMENTS
from studio.rules.view_layout import Rectangle, View, ViewLayout

JOINTS = EMBODIMENTS["droid_joint_position"]
OWN = OwnUnits(middle=(0.0, 0.0, 0.0, -2.0, 0.0, 2.0, 0.0, 0.5), unit=(0.5,) * 8)
STATE = (0.25, 0.0, 0.0, -2.5, 0.0, 2.0, 0.0, 1.0)
MEDIA_ID = "u0123456789abcdef"


def test_units_are_undone_as_they_are_done():
    units = ActionUnits.of(JOINTS, 8, OWN)
    values = torch.rand(5, 8)
    torch.testing.assert_close(units.done(units.known(values)), values)
    assert units.known(torch.tensor(STATE)).tolist() == [0.5, 0, 0, -1, 0, 0, 0, -1]


def test_without_units_of_its_own_a_flipped_value_is_one_minus_it_and_the_rest_as_it_is():
    values = torch.rand(5, 8)
    known = ActionUnits.of(JOINTS, 8, None).known(values)
    assert torch.equal(known[:, :7], values[:, :7])
    assert torch.equal(known[:, 7], 1 - values[:, 7])


def test_units_of_another_width_are_refused():
    with pytest.raises(BrokenCheckpoint, match="gives 8 units for an embodiment of 10 values"):
        ActionUnits.of(EMBODIMENTS["droid_lerobot"], 10, OWN)


def test_a_folder_without_the_file_says_nothing(tmp_path: Path):
    assert read_own_embodiments(tmp_path).of("droid_joint_position") == OwnEmbodiment()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "Invalid JSON"),
        ('{"a robot": {}}', "a robot"),
        ('{"umi": {"units": {"middle": [0], "unit": [0]}}}', "no unit is 0"),
        ('{"umi": {"units": {"middle": [0, 1], "unit": [1]}}}', "as many"),
    ],
)
def test_a_broken_file_is_named_with_its_problem(tmp_path: Path, text: str, problem: str):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(BrokenCheckpoint, match=problem) as refused:
        read_own_embodiments(tmp_path)
    assert FILE in str(refused.value)


def test_a_policy_is_planned_and_read_in_its_units_and_sees_its_layout(speck: Path):
    whole = Rectangle(left=0, top=0, width=640, height=540)
    layout = ViewLayout(
        canvas=(640, 540),
        size=(128, 96),
        views=(View(cut=whole, shown=Rectangle(left=0, top=0, width=128, height=96)),),
    )
    own = OwnEmbodiments({"droid_joint_position": OwnEmbodiment(units=OWN, layout=layout)})
    setting = dataclasses.replace(read_setting(open_folder(speck)), embodiments=own)
    request = RunPolicy.model_validate(
        {
            "prompt": "pick up the red cube",
            "embodiment": "droid_joint_position",
            "start_image": MEDIA_ID,
            "state": STATE,
            "num_actions": 16,
            "resolution": "256",
        }
    )
    seen: list[tuple[int, ...]] = []

    def encode(frames: np.ndarray, fit: object = None) -> torch.Tensor:
        seen.append(frames.shape)
        return torch.zeros(48, 1, 16, 20)

    for height, width in ((540, 640), (96, 128)):
        media = Media(frames={"start_image": np.zeros((1, height, width, 3), np.uint8)}, encode=encode)
        plan = plan_policy(request, setting, media)
    assert [shape[-3:] for shape in seen] == [(96, 128, 3), (96, 128, 3)]
    segment = plan.segments[1]
    assert isinstance(segment, ActionSegment)
    assert segment.given is not None
    assert segment.given.values[0, :8].tolist() == [0.5, 0, 0, -1, 0, 0, 0, -1]
    done = read_actions(segment, segment.given.values.expand(17, -1).clone())
    assert done is not None
    np.testing.assert_allclose(done, np.tile(STATE, (16, 1)), atol=1e-6)
