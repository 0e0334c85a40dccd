"""Recordings as the trainer sees them: what is kept, what is left out and why, and what is refused."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from engine.planning import read_setting
from engine.planning.action import fit
from engine.planning.embodiments import ActionUnits
from engine.weights import open_folder
from studio.errors import BadInput, NotAllowed
from studio.requests.embodiments import EMBODIMENTS
from studio.tuning import Checked, DataReport, PolicyRecipe
from tuning.left_out import Drops
from tuning.policy.columns import find_columns
from tuning.policy.lerobot import open_set
from tuning.policy.sequences import PolicySequences
from tuning.policy.units import units_of_data
from tuning.policy.windows import Recordings, WindowFinder
from tuning_data import Train
from tuning_recordings import (
    LEFT,
    RIGHT,
    TASK,
    WRIST,
    add_images,
    droid_rows,
    grey,
    libero_rows,
    policy_recipe,
    record,
    write_set,
)

DROID_VIEWS = (WRIST, LEFT, RIGHT)
LIBERO_VIEWS = ("observation.images.image", "observation.images.wrist_image")
VERSIONS = ["v2.1", "v3.0"]


def windows_of(folder: Path, **changes: object) -> tuple[Recordings, dict[str, int]]:
    """What is found, and how many were left out by reason."""
    recipe: PolicyRecipe = policy_recipe(**changes)
    drops, data = Drops(), open_set(folder)
    columns = find_columns(data, recipe.embodiment)
    finder = WindowFinder(data, columns, recipe, None, partial(fit, "256"), drops)
    return finder.find(lambda done: None), {left.reason: left.count for left in drops.told()}


def report_of(train_policy: Train, data: Path, **changes: object) -> DataReport:
    (checked,) = [
        event
        for event in train_policy(policy_recipe(**changes), data=data, only_checks=True)
        if isinstance(event, Checked)
    ]
    return checked.report


@pytest.mark.parametrize("version", VERSIONS)
def test_droids_columns_are_read_of_both_versions(tmp_path: Path, version: str):
    folder = write_set(tmp_path / "droid", version, [droid_rows(12), droid_rows(14)], DROID_VIEWS)
    found, dropped = windows_of(folder)
    assert dropped == {}
    assert [window.name for window in found.windows] == [
        "episode 0, frames 0-8",
        "episode 1, frames 0-8",
        "episode 1, frames 4-12",
    ]
    last = found.windows[-1]
    rows = droid_rows(14)
    assert last.text == TASK
    assert last.state is not None
    np.testing.assert_allclose(last.actions[:, 7], rows["action.gripper_position"][4:12, 0], atol=1e-6)
    np.testing.assert_allclose(last.state[:7], rows["observation.state.joint_position"][4], atol=1e-6)
    frames = last.frames()
    assert frames.shape == (9, 540, 640, 3)
    # The wrist above, in front of black bars; the exteriors below. v3's second episode begins behind the first one.
    first = 4 + (12 if version == "v3.0" else 0)
    for number, (row, column) in enumerate([(180, 320), (450, 160), (450, 480)]):
        assert abs(int(frames[0, row, column, 0]) - (20 + 40 * number + 4 * first)) <= 3


@pytest.mark.parametrize("version", VERSIONS)
def test_liberos_views_stand_side_by_side_and_its_width_is_the_datas(tmp_path: Path, version: str):
    folder = write_set(tmp_path / "libero", version, [libero_rows(12)], LIBERO_VIEWS, fps=20, size=(64, 64))
    found, _ = windows_of(folder, embodiment="libero")
    (window,) = found.windows
    assert window.actions.shape == (8, 7)
    assert window.fps == 20
    assert window.frames().shape == (9, 64, 128, 3)


def test_views_that_are_images_in_the_table_are_read(tmp_path: Path):
    rows = [libero_rows(10), libero_rows(12)]
    folder = write_set(tmp_path / "libero", "v3.0", [rows[0], rows[1]], (), fps=10)
    shown = grey(22, 20, (64, 64))
    add_images(folder, {"observation.images.image": shown, "observation.images.image2": shown + 100})
    found, dropped = windows_of(folder, embodiment="libero")
    assert dropped == {}
    assert [window.name for window in found.windows] == ["episode 0, frames 0-8", "episode 1, frames 0-8"]
    frames = found.windows[1].frames()
    assert frames.shape == (9, 64, 128, 3)
    assert frames[0, 0, [0, -1], 0].tolist() == [20 + 4 * 10, 120 + 4 * 10]
    assert found.windows[1].state is None


def test_what_is_not_trained_on_is_counted_by_reason(tmp_path: Path):
    record(tmp_path / "own", 20, 20, 6, success=[True, False])
    assert windows_of(tmp_path / "own")[1] == {"failed": 1, "too_short": 1}
    record(tmp_path / "watched", 20, mode="shadow")
    assert windows_of(tmp_path / "watched")[1] == {"only_watched": 1}
    record(tmp_path / "unnamed", 20, task=" ")
    assert windows_of(tmp_path / "unnamed")[1] == {"no_task": 1}
    broken = write_set(tmp_path / "broken", "v2.1", [droid_rows(12), droid_rows(12)], DROID_VIEWS)
    (broken / f"videos/chunk-000/{LEFT}/episode_000001.mp4").unlink()
    assert windows_of(broken)[1] == {"unreadable": 1}


def test_windows_in_which_the_arm_stands_still_are_left_out_unless_they_are_wanted(tmp_path: Path):
    rows = droid_rows(24)
    for values in rows.values():
        values[:14] = values[0]
    folder = write_set(tmp_path / "idle", "v2.1", [rows], DROID_VIEWS)
    found, dropped = windows_of(folder)
    assert dropped == {"idle": 2}
    assert len(found.windows) == 2
    assert len(windows_of(folder, leaves_out_idle=False)[0].windows) == 4


def test_only_kept_ranges_are_trained_on_where_a_set_has_some(tmp_path: Path):
    folder = write_set(tmp_path / "kept", "v2.1", [droid_rows(24)], DROID_VIEWS)
    (folder / "meta" / "keep_ranges.json").write_text(json.dumps({"0": [[4, 14]]}))
    found, dropped = windows_of(folder)
    assert [window.name for window in found.windows] == ["episode 0, frames 4-12"]
    assert dropped == {"outside_keep_ranges": 3}


def test_a_video_of_another_rate_than_its_rows_is_left_out(tmp_path: Path):
    folder = write_set(tmp_path / "mixed", "v2.1", [droid_rows(12)], DROID_VIEWS)
    other = write_set(tmp_path / "other", "v2.1", [droid_rows(12)], DROID_VIEWS, fps=10)
    (other / f"videos/chunk-000/{LEFT}/episode_000000.mp4").replace(
        folder / f"videos/chunk-000/{LEFT}/episode_000000.mp4"
    )
    assert windows_of(folder)[1] == {"unreadable": 1}


def test_a_set_that_says_two_rates_or_another_width_is_refused(tmp_path: Path):
    slow = write_set(tmp_path / "slow", "v2.1", [droid_rows(12)], DROID_VIEWS, fps=10)
    with pytest.raises(BadInput, match="10 rows a second; droid_joint_position expects 15"):
        windows_of(slow)
    features = json.loads((slow / "meta/info.json").read_text())["features"]
    features[LEFT]["info"] = {"video.fps": 30}
    mixed = write_set(tmp_path / "mixed", "v2.1", [droid_rows(12)], DROID_VIEWS, features=features)
    with pytest.raises(BadInput, match="has 30 frames a second, and the rows 15"):
        windows_of(mixed)
    libero = write_set(tmp_path / "libero", "v2.1", [libero_rows(12)], LIBERO_VIEWS)
    with pytest.raises(BadInput, match="actions have 7 values; bridge_orig_lerobot expects 10"):
        windows_of(libero, embodiment="bridge_orig_lerobot")
    with pytest.raises(BadInput, match="no columns for droid_joint_position: it has action, observation"):
        windows_of(libero)


def test_a_set_of_another_format_or_with_files_elsewhere_is_refused(tmp_path: Path):
    old = write_set(tmp_path / "old", "v2.1", [droid_rows(12)], DROID_VIEWS, codebase_version="v1.6")
    with pytest.raises(BadInput, match=r"LeRobot v1\.6; expected v2\.0, v2\.1 or v3\.0"):
        open_set(old)
    out = write_set(tmp_path / "out", "v2.1", [droid_rows(12)], DROID_VIEWS, data_path="../{episode_index}.parquet")
    assert windows_of(out)[1] == {"unreadable": 1}
    with pytest.raises(BadInput, match=r"info\.json cannot be read"):
        open_set(tmp_path)


def test_the_check_shows_three_samples_as_the_trainer_sees_them(train_policy: Train, recordings: Path, tmp_path: Path):
    report = report_of(train_policy, recordings, fresh_heads=True)
    assert (report.num_kept, len(report.samples)) == (7, 3)
    first = report.samples[0]
    assert first.name == "episode 0, frames 0-8"
    assert "Lift the red cube." in first.text
    facts = dict(first.facts)
    assert (facts["views"], facts["frames"], facts["fps"]) == ("640x540", "9", "15")
    assert facts["state"].endswith(" 0.25")
    with Image.open(tmp_path / "out" / str(first.picture)) as sheet:
        assert sheet.height == 192
    assert report.memory is not None
    assert report.num_trained > 0


def test_rows_that_nothing_can_be_learnt_from_are_refused_with_what_was_left_out(train_policy: Train, tmp_path: Path):
    data = record(tmp_path / "short", 5)
    with pytest.raises(BadInput, match=r"Nothing of the data set can be trained on\. 1 × It has fewer than 9 frames"):
        report_of(train_policy, data)
    with pytest.raises(BadInput, match="num_actions is 6; expected a multiple of four"):
        report_of(train_policy, data, num_actions=6)


def test_units_take_most_of_the_data_to_one_and_what_stands_still_stays():
    rows = np.linspace(-1, 3, 1001)[:, None] * np.array([1.0] * 7 + [0.0])
    body = EMBODIMENTS["droid_joint_position"]
    own = units_of_data(body, rows)
    known = ActionUnits.of(body, 8, own).known(torch.from_numpy(rows)).numpy()
    assert np.quantile(known[:, 0], [0.01, 0.99]) == pytest.approx([-1, 1], abs=1e-3)
    assert known[:, 7] == pytest.approx(0)
    assert own.unit[7] == 1


def test_a_checkpoint_that_has_no_room_for_a_body_refuses_it(speck: Path):
    setting = read_setting(open_folder(speck))
    units = ActionUnits.of(EMBODIMENTS["libero"], 100, None)
    with pytest.raises(NotAllowed, match="libero needs 100"):
        PolicySequences(setting, "libero", 100, units)
