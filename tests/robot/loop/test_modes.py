import numpy as np
import pytest

from robot.commands import Approve, Reject, Run, StepOnce
from robot.playing import Rung
from robot.safety import HOME
from robot_fakes import Reply, Rig, stay, sway
from studio.errors import Conflict


def test_in_shadow_the_arm_is_told_nothing():
    rig = Rig(lambda seen: Reply(0.2, sway()))
    rig.start(Run(mode="shadow"))

    rig.seconds(5)

    assert rig.arm.targets == []
    assert rig.state == "running"
    assert rig.reports[-1].wanted is not None
    assert rig.reports[-1].executed is not None


def test_in_shadow_nothing_that_the_policy_says_stops():
    rig = Rig(lambda seen: Reply(0.2, stay() + 1.0))
    rig.start(Run(mode="shadow"))

    rig.seconds(5)

    assert rig.state == "running"
    assert rig.reports[-1].executed is not None
    assert rig.reports[-1].executed.stop is not None


def test_in_approve_a_chunk_is_shown_and_played_after_a_yes():
    rig = Rig(lambda seen: Reply(0.2, sway()))
    rig.start(Run(mode="approve"))
    rig.seconds(60)
    assert rig.loop.view.hold == "approval"
    assert len(rig.policy.asked) == 1
    assert rig.reports[-1].pending is not None
    assert rig.arm.positions[0] == pytest.approx(HOME[0])

    rig.tell(Approve()).result(0)
    rig.seconds(1)
    assert rig.state == "running"
    assert rig.arm.positions[0] > HOME[0] + 0.1
    assert len(rig.policy.asked) == 1

    rig.seconds(3)
    assert rig.loop.view.hold == "approval"
    assert len(rig.policy.asked) == 2


def test_in_approve_a_no_asks_again():
    rig = Rig(lambda seen: Reply(0.2, sway()))
    rig.start(Run(mode="approve"))
    rig.seconds(2)

    rig.tell(Reject()).result(0)
    rig.seconds(1)

    assert len(rig.policy.asked) == 2
    assert rig.loop.view.hold == "approval"
    assert rig.arm.positions[0] == pytest.approx(HOME[0])


def test_a_yes_to_nothing_is_refused():
    rig = Rig()
    rig.start(Run(mode="approve"))

    with pytest.raises(Conflict, match="No action chunk"):
        rig.tell(Approve()).result(0)
    with pytest.raises(Conflict, match="step mode"):
        rig.tell(StepOnce()).result(0)


def test_in_step_every_press_plays_one_row():
    rig = Rig(lambda seen: Reply(0.2, sway()))
    rig.start(Run(mode="step"))
    rig.seconds(30)
    assert rig.loop.view.hold == "step"

    rig.tell(StepOnce()).result(0)
    rig.tell(StepOnce()).result(0)
    rig.seconds(30)

    played = [report for report in rig.reports if report.wanted is not None]
    assert len(played) == 2
    assert rig.loop.view.hold == "step"


def test_in_rehearsal_the_same_way_takes_longer_and_nothing_is_clipped():
    def reached(mode: str, seconds: float) -> float:
        rig = Rig(lambda seen: Reply(0.2, seen.state.joint_positions[0] * 0 + sway()))
        rig.start(Run.model_validate({"mode": mode, "speed": 0.5, "horizon": 32}))
        rig.seconds(seconds)
        assert not any(report.executed.clamps.joints.any() for report in rig.reports if report.executed is not None)
        return float(rig.arm.positions[0])

    assert reached("rehearsal", 2.0) == pytest.approx(reached("live", 1.1), abs=0.03)


def test_a_replay_goes_slowly_to_where_the_episode_begins_plays_it_and_is_ready_again():
    rows = sway(1, num_rows=45)
    rows[:, 0] += 0.5
    rig = Rig()
    rig.policy.connected = False

    rig.start(Run(mode="replay", speed=1.0, episode=3), rows)
    rig.seconds(8)

    assert rig.state == "ready"
    assert rig.policy.asked == []
    np.testing.assert_allclose(rig.arm.targets[-1], rows[-1], atol=1e-9)
    steps = np.abs(np.diff(np.array(rig.arm.targets)[:, 0]))
    assert steps.max() <= 0.4 / 15 + 1e-9
    assert {report.rung for report in rig.reports if report.rung} == {Rung.PLAY, Rung.COAST}
