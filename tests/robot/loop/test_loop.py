"""One run after another, under a clock that stands still between ticks."""

import re
import threading

import numpy as np
import pytest

from robot.commands import Finish, Heartbeat, Hold, Instruct, Recovered, Resume, Run, Stop
from robot.faults import PolicyLost, StopReason
from robot.loop import DeadMan
from robot.safety import HOME
from robot_fakes import PERIOD_S, FakeClock, Reply, Rig, stay, sway
from studio.errors import Conflict


def test_a_run_plays_what_the_policy_answers():
    rig = Rig(lambda seen: Reply(0.2, sway()))
    rig.start()

    rig.seconds(2)

    assert rig.state == "running"
    assert rig.arm.positions[0] > HOME[0] + 0.2
    assert rig.policy.asked[0].prompt == "stay"


def test_until_the_first_rows_come_the_arm_is_told_nothing_and_then_begins_where_it_is():
    rig = Rig(lambda seen: Reply(0.5, stay() + 0.2))
    rig.start()

    rig.tick(3)
    assert rig.arm.targets == []
    assert rig.state == "holding"
    assert rig.loop.view.hold == "policy"
    rig.seconds(1)

    assert np.abs(rig.arm.targets[0][:7] - HOME).max() == pytest.approx(0.2 / 5)


def test_the_next_chunk_is_asked_for_ahead_and_no_tick_is_without_a_row():
    rig = Rig(lambda seen: Reply(0.4, stay()))
    rig.start(Run(horizon=16))
    rig.seconds(1)
    first = len(rig.reports)

    rig.seconds(10)

    assert all(report.wanted is not None for report in rig.reports[first:])
    splices = [report.splice for report in rig.reports[first:] if report.splice is not None]
    assert {splice.skipped_rows for splice in splices} == {7}
    assert len(splices) == pytest.approx(150 / 16, abs=1)


def test_answers_slower_than_a_chunk_lasts_make_it_stop_and_go():
    rig = Rig(lambda seen: Reply(4.1, stay()))
    rig.start()

    rig.seconds(60)
    assert sum(report.wanted is not None for report in rig.reports) > 140

    assert rig.state in ("running", "holding")
    assert {"running", "holding"} <= {report.session.state for report in rig.reports}
    assert rig.loop.view.stop is None


def test_no_answer_for_five_seconds_stops():
    answers = iter([Reply(0.2, stay()), Reply(99.0, stay())])
    rig = Rig(lambda seen: next(answers))
    rig.start()
    rig.seconds(2)
    rig.tick(8)

    rig.seconds(4.5)
    assert rig.state == "holding"
    assert rig.arm.calls[-1] == "hold"
    rig.seconds(1)

    assert rig.state == "stopped"
    assert rig.loop.view.stop is StopReason.STALE
    assert re.fullmatch(r"No fresh actions for five seconds: the policy needs [67]\.\d s .*", rig.loop.view.words)
    assert rig.arm.calls[-1] == "stop"


def test_a_lost_server_holds_after_a_second_and_stops_after_five():
    rig = Rig(lambda seen: Reply(0.1, stay()))
    rig.start()
    rig.seconds(1)
    rig.policy.connected = False

    rig.seconds(0.9)
    assert rig.state == "running"
    rig.seconds(0.4)
    assert rig.state == "holding"
    assert rig.loop.view.hold == "connection"
    rig.seconds(4)

    assert rig.state == "stopped"


def test_a_server_that_comes_back_in_time_goes_on():
    rig = Rig(lambda seen: Reply(0.1, stay()))
    rig.start()
    rig.seconds(1)
    rig.policy.connected = False
    rig.seconds(3)
    rig.policy.connected = True

    rig.seconds(1)

    assert rig.state == "running"


def test_a_stop_flushes_and_what_was_asked_before_is_never_played():
    rig = Rig(lambda seen: Reply(0.5, sway()))
    rig.start()
    rig.seconds(1)
    asked = len(rig.policy.asked)
    while not rig.policy.busy:
        rig.tick()

    rig.tell(Stop())
    targets = len(rig.arm.targets)
    rig.seconds(2)
    assert rig.state == "stopped"
    assert len(rig.arm.targets) == targets

    rig.tell(Resume()).result(0)
    rig.seconds(0.3)
    assert rig.state == "holding"
    rig.seconds(1)
    assert rig.state == "running"
    assert len(rig.policy.asked) > asked


def test_an_answer_to_the_old_instruction_is_dropped():
    rig = Rig(lambda seen: Reply(0.5, sway(0 if seen.prompt == "left" else 1)))
    rig.start(Run(prompt="left"))
    rig.tick(2)
    assert rig.policy.busy

    rig.tell(Instruct(prompt="up")).result(0)
    rig.seconds(1.5)

    assert "old_epoch" in rig.codes()
    assert rig.arm.positions[0] == pytest.approx(HOME[0])
    assert rig.arm.positions[1] > HOME[1]


def test_a_person_holds_as_long_as_they_like_and_resumes():
    rig = Rig()
    rig.start()
    rig.seconds(1)

    rig.tell(Hold()).result(0)
    rig.seconds(60)
    assert rig.state == "holding"
    assert rig.loop.view.hold == "person"
    rig.tell(Resume()).result(0)
    rig.seconds(1)

    assert rig.state == "running"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (np.full((32, 8), np.nan), StopReason.NOT_FINITE),
        (stay()[:, :7], StopReason.WRONG_WIDTH),
        (np.zeros((0, 8)), StopReason.WRONG_WIDTH),
        (stay() + 1.0, StopReason.TOO_FAR),
    ],
)
def test_rows_that_may_not_be_played_stop_the_arm(rows: np.ndarray, reason: StopReason):
    rig = Rig(lambda seen: Reply(0.1, rows))
    rig.start()

    rig.seconds(1)

    assert rig.state == "fault"
    assert rig.loop.view.stop is reason
    assert reason.value in rig.codes()
    assert reason.sentence
    assert "stop" in rig.arm.calls
    assert np.isfinite(rig.arm.targets).all()


def test_a_jump_of_one_radian_in_the_middle_of_a_chunk_is_never_commanded():
    rows = stay()
    rows[10:, 2] += 1.0
    rig = Rig(lambda seen: Reply(0.1, rows))
    rig.start()

    rig.seconds(3)

    assert rig.loop.view.stop is StopReason.TOO_FAR
    assert np.abs(np.array(rig.arm.targets)[:, 2] - HOME[2]).max() < 1e-9


def test_a_policy_that_has_to_be_clamped_all_the_time_stops():
    rows = np.repeat(stay(16), 2, axis=0)
    rows[::2, :7] += 0.25
    rows[1::2, :7] -= 0.25
    rig = Rig(lambda seen: Reply(0.1, rows))
    rig.start()

    rig.seconds(3)

    assert rig.loop.view.stop is StopReason.CLAMP_RATE


def test_a_lost_arm_is_a_fault_and_recovering_makes_it_ready():
    rig = Rig()
    rig.start()
    rig.seconds(1)
    rig.arm.lost = True

    rig.tick()
    assert rig.state == "fault"
    assert rig.loop.view.stop is StopReason.ARM_LOST
    assert "The fake arm is lost." in rig.loop.view.words

    rig.arm.lost = False
    rig.tell(Recovered()).result(0)
    assert rig.state == "ready"


def test_an_arm_beyond_its_limits_is_stopped():
    rig = Rig()
    rig.start()
    rig.seconds(1)
    rig.arm.velocities = np.array([3.0, 0, 0, 0, 0, 0, 0])

    rig.tick()

    assert rig.loop.view.stop is StopReason.BEYOND_VELOCITY


def test_a_defect_of_our_own_stops_the_arm_and_the_loop_goes_on():
    rig = Rig()
    rig.start()
    rig.seconds(1)
    rig.arm.broken = True

    rig.tick(3)

    assert rig.state == "fault"
    assert rig.loop.view.stop is StopReason.LOOP_ERROR
    assert rig.arm.calls[-1] == "stop"


@pytest.mark.parametrize("how", ["lost", "frozen"])
def test_without_cameras_nothing_is_asked_and_the_ladder_goes_down(how: str):
    rig = Rig()
    rig.start()
    rig.seconds(1)
    if how == "lost":
        rig.cameras.lost = True
    else:
        rig.cameras.frozen_at_s = rig.clock.now_s
    rig.seconds(1.1)
    asked = len(rig.policy.asked)

    rig.seconds(9)

    assert len(rig.policy.asked) == asked
    assert rig.codes().count("camera_lost") == 1
    assert rig.state == "stopped"
    assert rig.loop.view.stop is StopReason.STALE
    assert "the policy needs camera images" in rig.loop.view.words


def test_a_page_that_is_closed_while_the_arm_moves_stops_it():
    rig = Rig(dead_man=DeadMan(required=True))
    rig.tell(Heartbeat()).result(0)
    rig.start()
    for _ in range(10):
        rig.tick(3)
        rig.tell(Heartbeat()).result(0)
    assert rig.state == "running"

    rig.seconds(0.6)

    assert rig.loop.view.stop is StopReason.DEAD_MAN
    assert rig.state == "stopped"


def test_a_policy_that_fails_is_asked_again_and_said_in_words():
    answers = iter([Reply(0.1, PolicyLost("It sent nonsense.")), *[Reply(0.1, stay())] * 99])
    rig = Rig(lambda seen: next(answers))
    rig.start()

    rig.seconds(2)

    assert rig.state == "running"
    assert [event.words for report in rig.reports for event in report.events if "nons" in event.words] == [
        "It sent nonsense."
    ]


def test_an_answer_after_its_deadline_is_not_played():
    rig = Rig(lambda seen: Reply(5.2, sway()))
    rig.start()
    rig.seconds(4)
    rig.loop._run.driver._starved_since_s = rig.clock.now_s  # the ladder would have stopped it first  # type: ignore

    rig.seconds(2)

    assert "late" in rig.codes()
    assert rig.arm.positions[0] == pytest.approx(HOME[0])


def test_a_run_that_is_finished_leaves_the_arm_ready():
    rig = Rig()
    rig.start()
    rig.seconds(1)

    rig.tell(Finish()).result(0)

    assert rig.state == "ready"
    assert rig.arm.calls[-1] == "hold"


def test_what_cannot_be_done_is_said_to_whoever_asked():
    rig = Rig()

    done = rig.tell(Hold())

    with pytest.raises(Conflict, match="idle"):
        done.result(0)


def test_a_stop_is_obeyed_between_two_ticks_and_the_loops_end_stops_the_arm():
    rig = Rig()
    rig.start()
    rig.seconds(1)
    until = threading.Event()
    waits: list[float] = []

    def on_wait(deadline_s: float) -> None:
        waits.append(deadline_s)
        if len(waits) == 3:
            rig.loop.tell(Stop())
        if len(waits) == 5:
            until.set()

    rig.clock.on_wait = on_wait
    rig.loop.run(until)

    assert rig.loop.view.stop is StopReason.BUTTON
    assert rig.arm.calls[-1] == "stop"


def test_a_loop_that_ends_while_a_run_is_on_stops_the_arm():
    rig = Rig()
    rig.start()
    rig.seconds(1)
    until = threading.Event()
    rig.clock.on_wait = lambda _: until.set()

    rig.loop.run(until)

    assert rig.state == "stopped"
    assert rig.arm.calls[-1] == "stop"


def test_fake_clock_and_loop_agree_on_the_rate():
    clock = FakeClock(0.0)
    clock.wait_until(PERIOD_S)

    assert clock.now() == PERIOD_S


def test_an_answer_that_took_longer_than_five_seconds_is_dropped_although_there_is_time_to_play_it():
    answers = iter([Reply(0.2, sway()), Reply(5.2, sway(1)), Reply(0.2, sway())])
    rig = Rig(lambda seen: next(answers, Reply(99.0)))
    rig.start(Run(mode="rehearsal", speed=0.2, horizon=1))
    rig.seconds(0.5)

    rig.seconds(6)

    assert "late" in rig.codes()
    assert rig.state == "running"
    assert all(report.latency_s is None or report.latency_s < 1 for report in rig.reports)
    assert all(target[1] == pytest.approx(HOME[1]) for target in rig.arm.targets)


def test_old_answers_count_for_nothing_however_bad_they_are():
    bad = stay()
    bad[3, 3] = np.nan
    answers = iter([Reply(0.2, stay()), Reply(0.5, bad)])
    rig = Rig(lambda seen: next(answers, Reply(0.2, stay())))
    rig.start(Run(horizon=4))
    while len(rig.policy.asked) < 2:
        rig.tick()

    rig.tell(Instruct(prompt="something else")).result(0)
    rig.seconds(2)

    assert "old_epoch" in rig.codes()
    assert rig.loop.view.stop is None
    assert all(report.answered is None or report.answered.epoch == report.session.epoch for report in rig.reports)


def test_an_arm_that_was_pushed_away_while_it_rested_goes_on_from_where_it_is():
    rig = Rig(lambda seen: Reply(0.1, np.tile(np.append(seen.state.joint_positions, 0.0), (32, 1))))
    rig.start()
    rig.seconds(1)
    rig.tell(Hold()).result(0)
    rig.seconds(2)
    assert rig.arm.calls[-1] == "hold"
    rig.arm.target = rig.arm.positions = HOME + 0.45
    sent = len(rig.arm.targets)

    rig.tell(Resume()).result(0)
    rig.seconds(0.5)

    assert np.abs(rig.arm.targets[sent][:7] - HOME - 0.45).max() < 1e-6
