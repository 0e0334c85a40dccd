import numpy as np
import pytest

from robot.commands import Approve, Hold, Mode, Propose, Reject, Run, StepOnce
from robot.playing import Rung
from robot.safety import HOME
from robot_fakes import Reply, Rig, stay, sway
from studio.errors import BadInput, Conflict


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


def test_a_proposed_chunk_takes_the_place_of_the_one_that_waits_and_is_played_after_a_yes():
    rig = Rig(lambda seen: Reply(0.2, sway()))
    rig.start(Run(mode="approve"))
    rig.seconds(2)
    epoch = rig.loop.view.epoch

    rig.tell(proposal(epoch, HOME[1] + 0.2)).result(0)
    rig.seconds(60)
    assert rig.loop.view.hold == "approval"
    assert rig.reports[-1].pending is not None
    assert rig.reports[-1].pending.rows[0][1] == HOME[1] + 0.2
    assert len(rig.policy.asked) == 1
    assert rig.arm.positions[1] == pytest.approx(HOME[1])

    rig.tell(Approve()).result(0)
    rig.seconds(1.5)
    assert rig.arm.positions[1] == pytest.approx(HOME[1] + 0.2, abs=0.02)
    assert rig.arm.positions[0] == pytest.approx(HOME[0])
    rig.seconds(3)
    assert len(rig.policy.asked) == 2


def test_an_answer_that_comes_later_does_not_exchange_what_was_proposed():
    rig = Rig(lambda seen: Reply(2.0, sway()))
    rig.start(Run(mode="approve"))
    rig.seconds(0.5)
    rig.tell(proposal(rig.loop.view.epoch, HOME[1] + 0.2)).result(0)

    rig.seconds(5)

    assert rig.reports[-1].pending is not None
    assert rig.reports[-1].pending.rows[0][1] == HOME[1] + 0.2


def test_a_proposed_chunk_passes_the_same_filter_and_the_same_check_of_its_beginning():
    rig = Rig(lambda seen: Reply(0.2, sway()))
    rig.start(Run(mode="approve"))
    rig.seconds(1)
    rig.tell(proposal(rig.loop.view.epoch, HOME[1] + 0.7)).result(0)

    with pytest.raises(Conflict, match=r"the limit is 0\.6 rad"):
        rig.tell(Approve()).result(0)
    rig.seconds(1)
    assert rig.arm.positions[1] == pytest.approx(HOME[1])


@pytest.mark.parametrize("mode", ["live", "shadow", "step"])
def test_a_chunk_is_proposed_only_in_approve_mode(mode: Mode):
    rig = Rig(lambda seen: Reply(0.2, sway()))
    rig.start(Run(mode=mode))
    rig.seconds(1)

    with pytest.raises(Conflict, match="approve mode"):
        rig.tell(proposal(rig.loop.view.epoch, HOME[1])).result(0)


def test_a_proposal_counts_only_in_its_own_epoch_while_the_arm_waits_and_with_numbers_that_can_be_played():
    rig = Rig(lambda seen: Reply(0.2, sway()))
    rig.start(Run(mode="approve"))
    rig.seconds(1)
    epoch = rig.loop.view.epoch

    with pytest.raises(BadInput, match="far out of range"):
        rig.tell(proposal(epoch, 1e6)).result(0)
    with pytest.raises(Conflict, match="since the chunk was planned"):
        rig.tell(proposal(epoch - 1, HOME[1])).result(0)
    rig.tell(Approve()).result(0)
    rig.seconds(0.5)
    with pytest.raises(Conflict, match="playing a chunk"):
        rig.tell(proposal(epoch, HOME[1])).result(0)
    rig.tell(Hold()).result(0)
    with pytest.raises(Conflict, match="since the chunk was planned"):
        rig.tell(proposal(epoch, HOME[1])).result(0)
    with pytest.raises(Conflict, match="held"):
        rig.tell(proposal(rig.loop.view.epoch, HOME[1])).result(0)


def proposal(epoch: int, second_joint: float) -> Propose:
    """Rows at home but for one joint."""
    return Propose(epoch=epoch, rows=tuple((HOME[0], second_joint, *HOME[2:], 0.0) for _ in range(32)))


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
