"""Episodes on the simulated table with policies behind real websockets."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from robot.clock import MonotonicClock
from robot.evaluation.scenes import TableTask, table_benchmark, task_of
from robot.evaluation.trials import TableTrials
from robot.faults import CameraLost, PolicyRefused
from robot.settings import RobotSettings
from robot.simulation.library import GRAPHICS, Graphics
from robot_servers import OURS, answer, policy_server, scripted, stay_here

VELOCITIES = {**OURS, "action_space": "joint_velocity"}

draws = pytest.mark.skipif(not GRAPHICS.can_draw, reason=GRAPHICS.problem or "it draws")


@contextmanager
def trials(url: str, folder: Path) -> Iterator[TableTrials]:
    own = TableTrials(RobotSettings(policy=url, recordings=folder), MonotonicClock())
    try:
        yield own
    finally:
        own.close()


@draws
def test_a_policy_that_may_not_drive_this_arm_is_refused(tmp_path: Path):
    with (
        policy_server(lambda socket: answer(socket, VELOCITIES)) as (url, _),
        trials(url, tmp_path) as own,
        pytest.raises(PolicyRefused, match="joint_velocity"),
    ):
        own.make_ready()


def test_without_rendering_it_is_said_before_anything_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    off = Graphics("disable", "The cameras are off because of MUJOCO_GL.")
    monkeypatch.setattr("robot.cameras.simulated.GRAPHICS", off)

    with pytest.raises(CameraLost, match="MUJOCO_GL"):
        TableTrials(RobotSettings(policy="ws://127.0.0.1:9", recordings=tmp_path), MonotonicClock())


@draws
@pytest.mark.slow
def test_in_real_time_answers_are_timed_and_every_episode_ends(tmp_path: Path):
    """Whether it lifts hangs on how busy the machine is; `test_stepped` says that it does when answers are in time."""
    with policy_server(scripted) as (url, _), trials(url, tmp_path) as own:
        own.make_ready()
        results = [own.try_it(task_of(item)) for item in table_benchmark(1, ("vague", "specific"), 0).items]
        refused = own.try_it(TableTask(1_000_000_000, 0, "sing a song"))
    with policy_server(stay_here) as (url, _), trials(url, tmp_path) as own:
        own.make_ready()
        stayed = own.try_it(task_of(table_benchmark(1, ("default",), 0).items[0]))

    assert all(result.answer_s is not None and result.answer_s > 0 for result in results)
    assert not refused.success
    assert (stayed.success, stayed.reached) == (False, False)
    assert stayed.seconds is not None
    assert stayed.seconds >= 5.0
