"""What a connection's first frame declares of what the policy sees."""

import json
from pathlib import Path

from backend.policy.contract import metadata
from studio.checkpoints import Checkpoint
from studio.presets import CheckpointPreset

PRESET = CheckpointPreset(id="x", title="x", summary="")


def test_a_checkpoint_that_says_nothing_sees_the_canvas_as_it_is_sent(tmp_path: Path):
    for folder in (None, tmp_path):
        declared = metadata(Checkpoint("x", PRESET, folder, True))
        assert (declared["canvas"], declared["sees"]) == ([540, 640], [540, 640])


def test_who_drives_an_arm_by_what_knows_a_simulated_one_alone_is_warned_wherever_its_folder_lies():
    assert metadata(Checkpoint("x", PRESET, None, True))["warning"] == ""
    copy = PRESET.model_copy(update={"built_here": True, "simulated": True})
    assert "only on a simulated arm" in str(metadata(Checkpoint("x", copy, None, True))["warning"])
    random = copy.model_copy(update={"random_weights": True})
    assert "random" in str(metadata(Checkpoint("x", random, None, True))["warning"])


def test_a_checkpoint_with_a_layout_of_its_own_declares_how_large_that_is(tmp_path: Path):
    whole = {"left": 0, "top": 0, "width": 640, "height": 540}
    shown = {"left": 0, "top": 0, "width": 256, "height": 216}
    layout = {"canvas": [640, 540], "size": [256, 224], "views": [{"cut": whole, "shown": shown}]}
    (tmp_path / "embodiments.json").write_text(json.dumps({"droid_joint_position": {"layout": layout}}))

    declared = metadata(Checkpoint("x", PRESET, tmp_path, True))

    assert (declared["canvas"], declared["sees"]) == ([540, 640], [224, 256])
