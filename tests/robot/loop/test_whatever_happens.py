"""For any order of delays, losses, garbage and people: what reaches the arm is fresh, finite and within every limit.

Rows carry their question's number and their own index in the gripper's column, which is never mixed: row 5 of question
12 is 0.001205. So every executed row can be traced to the observation that it answers.
"""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robot.chunk import STALE_AFTER_S
from robot.commands import (
    Approve,
    Finish,
    Heartbeat,
    Hold,
    Instruct,
    Ready,
    Recovered,
    Resume,
    Run,
    Start,
    StepOnce,
    Stop,
)
from robot.faults import PolicyLost
from robot.loop import DeadMan
from robot.observation import Observation
from robot.safety import HOME, LIMITS, velocity_limits
from robot.safety.filter import STOP_LEAD_RAD
from robot_fakes import PERIOD_S, Reply, Rig, stay

TINY = 1e-9


@dataclass(frozen=True)
class Question:
    epoch: int
    tick: int
    asked_at_s: float
    row_number: int


@dataclass
class Garbler:
    """A policy that answers as it was drawn."""

    drawn: list[tuple[str, float, float]]
    rig: Rig | None = None
    questions: list[Question] = field(default_factory=list)

    def __call__(self, seen: Observation) -> Reply:
        assert self.rig is not None
        number = len(self.questions)
        what, after_s, by = self.drawn[number % len(self.drawn)]
        played = sum(report.wanted is not None for report in self.rig.reports)
        self.questions.append(Question(seen.epoch, seen.tick, self.rig.clock.now(), played))
        rows = stay(32)
        rows[:, :7] = seen.state.joint_positions + by * np.linspace(0.1, 1, 32)[:, None]
        rows[:, 7] = number / 1e4 + np.arange(32) / 1e6
        match what:
            case "lost":
                return Reply(after_s, PolicyLost("lost"))
            case "never":
                return Reply(1e9, rows)
            case "nan":
                rows[7, 3] = np.nan
            case "inf":
                rows[0, 7] = np.inf
            case "narrow":
                rows = rows[:, :7]
            case "flat":
                rows = rows.reshape(-1)
            case "empty":
                rows = rows[:0]
            case "jump":
                rows[11:, 2] += 1.0
            case "short":
                rows = rows[:3]
            case _:
                pass
        return Reply(after_s, rows)


GARBAGE = ["lost", "never", "nan", "inf", "narrow", "flat", "empty", "short"]
ANSWERS = st.lists(
    st.tuples(
        st.sampled_from(["good"] * 24 + ["jump"] * 3 + GARBAGE),
        st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.5, 2.5, 4.2, 4.99, 5.05, 7.0]),
        st.sampled_from([0.0, 0.2, -0.2, 0.5, -0.5, 2.0]),
    ),
    min_size=1,
    max_size=20,
)
COMMANDS = {
    "hold": Hold(),
    "resume": Resume(),
    "stop": Stop(),
    "recover": Recovered(),
    "instruct": Instruct(prompt="something else"),
    "finish": Finish(),
    "approve": Approve(),
    "step": StepOnce(),
    "beat": Heartbeat(),
    "ready": Ready(),
}
WORLD = [
    "late",
    "disconnect",
    "connect",
    "connect",
    "blind",
    "see",
    "see",
    "lose arm",
    "find arm",
    "find arm",
    "push",
] + ["push at rest"] * 3
HAPPENINGS = st.lists(
    st.tuples(
        st.integers(1, 40), st.sampled_from(["restart"] * 6 + ["approve", "step", "silent"] + [*COMMANDS, *WORLD])
    ),
    min_size=5,
    max_size=25,
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(["live", "live", "rehearsal", "shadow", "approve", "step"]),
    st.integers(1, 32),
    ANSWERS,
    HAPPENINGS,
)
def test_no_executed_row_is_stale_late_of_an_old_epoch_or_over_a_limit(
    mode: str, horizon: int, drawn: list[tuple[str, float, float]], happenings: list[tuple[int, str]]
):
    policy = Garbler(drawn[:100])
    rig = Rig(policy, dead_man=DeadMan(required=True))
    policy.rig = rig
    run = Run.model_validate({"mode": mode, "horizon": horizon})
    rig.tell(Heartbeat())
    rig.start(run)
    for num_ticks, what in [*happenings, (60, "nothing")]:
        tick(rig, policy, num_ticks, beats=what != "silent")
        if what == "push at rest":
            rig.loop.tell(Hold())
            tick(rig, policy, 20)
        happen(rig, run, what)


def tick(rig: Rig, policy: Garbler, num_ticks: int, *, beats: bool = True) -> None:
    for _ in range(num_ticks):
        if beats:
            rig.loop.tell(Heartbeat())
        sent = len(rig.arm.targets)
        rig.tick()
        check_turn(rig, policy, sent)


def happen(rig: Rig, run: Run, what: str) -> None:
    match what:
        case "restart":
            for command in (Resume(), Recovered(), Start(run=run)):
                rig.loop.tell(command)
        case "late":
            rig.clock.now_s += 0.4
            rig.number += 6
        case "disconnect" | "connect":
            rig.policy.connected = what == "connect"
        case "blind" | "see":
            rig.cameras.lost = what == "blind"
        case "lose arm" | "find arm":
            rig.arm.lost = what == "lose arm"
        case "push":
            rig.arm.positions = rig.arm.positions + 0.25
        case "push at rest":
            # It stays where it is pushed to: further than one step, back and forth.
            away = -0.45 if rig.arm.positions[0] > HOME[0] + 0.2 else 0.45
            rig.arm.target = rig.arm.positions = rig.arm.positions + away
            rig.loop.tell(Resume())
        case "nothing" | "silent":
            pass
        case _:
            rig.loop.tell(COMMANDS[what])


def check_turn(rig: Rig, policy: Garbler, sent: int) -> None:
    report = rig.reports[-1]
    new = rig.arm.targets[sent:]
    assert len(new) <= 1
    check_answer(rig, policy)
    if report.session.run is not None and report.session.run.mode == "shadow":
        assert not new
    if not new:
        return
    assert report.session.state in ("running", "holding")
    # What brought it to rest may have let it be pushed away: motion begins again from where the arm is.
    since = rig.arm.calls[: len(rig.arm.calls) - 1 - rig.arm.calls[::-1].index("target")]
    moves_on = bool(since) and since[-1] == "target"
    check_limits(rig, new[0], rig.arm.targets[sent - 1] if moves_on else None)
    if report.wanted is not None and report.session.run is not None and report.session.run.pace == 1:
        check_origin(rig, policy, new[0])


def check_limits(rig: Rig, row: np.ndarray, last: np.ndarray | None) -> None:
    limits = LIMITS["fr3"]
    state = rig.reports[-1].state
    assert state is not None
    measured = state.joint_positions
    assert np.isfinite(row).all()
    assert (np.abs(row[:7] - measured) <= STOP_LEAD_RAD + TINY).all()
    origin = measured if last is None else last[:7]
    down, up = velocity_limits(limits, origin)
    assert (row[:7] - origin <= up * PERIOD_S + TINY).all()
    assert (origin - row[:7] <= down * PERIOD_S + TINY).all()
    origins = [measured, origin]
    lowest = np.minimum(limits.soft_min, np.min(origins, axis=0))
    highest = np.maximum(limits.soft_max, np.max(origins, axis=0))
    assert ((row[:7] >= lowest - TINY) & (row[:7] <= highest + TINY)).all()


def check_answer(rig: Rig, policy: Garbler) -> None:
    """What counts as an answer is one to a question of this epoch, in time; whether anything of it is played or not."""
    report = rig.reports[-1]
    if report.answered is None:
        return
    question = next(found for found in policy.questions if found.tick == report.answered.tick)
    before = rig.reports[-2].session.epoch
    assert question.epoch == report.answered.epoch in (before, report.session.epoch)
    assert report.tick.began_s - question.asked_at_s <= STALE_AFTER_S + TINY


def check_origin(rig: Rig, policy: Garbler, row: np.ndarray) -> None:
    code = round(row[7] * 1e6)
    question, index = policy.questions[code // 100], code % 100
    report = rig.reports[-1]
    assert question.epoch == report.session.epoch
    played = sum(earlier.wanted is not None for earlier in rig.reports[:-1])
    assert index == played - question.row_number
    answered = next(
        earlier for earlier in rig.reports if earlier.answered is not None and earlier.answered.tick == question.tick
    )
    assert answered.tick.began_s - question.asked_at_s <= STALE_AFTER_S + TINY
