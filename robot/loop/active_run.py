"""The run that is on: its session, the driver of its epoch, and the mover of its arm, changed together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot.arms import Arm
from robot.chunk import ActionChunk
from robot.clock import Clock
from robot.commands import (
    Approve,
    Finish,
    Hold,
    Instruct,
    Propose,
    Ready,
    Recovered,
    Reject,
    Replay,
    Resume,
    Run,
    RunCommand,
    Start,
    StepOnce,
)
from robot.faults import ArmLost, StopReason
from robot.gripper import Closing
from robot.loop.driver import Driver
from robot.loop.mover import Mover
from robot.loop.session import Session
from robot.observation import ArmState
from robot.playing import Rung, Splice
from robot.playing.rows import approach
from robot.safety import Executed, check_rows
from robot.safety.filter import STOP_LEAD_RAD
from robot.tick_report import HoldReason
from studio.errors import BadInput, Conflict


@dataclass(frozen=True)
class Driven:
    """What was done in one tick; see TickReport."""

    rung: Rung
    wanted: NDArray[np.float64] | None = None
    executed: Executed | None = None


class ActiveRun:
    """Keeps one rule: a new epoch has a new driver, and a stop has none.

    Args:
        closing: how the policy's gripper number is understood.
    """

    def __init__(self, arm: Arm, clock: Clock, closing: Closing) -> None:
        self._arm = arm
        self._clock = clock
        self._mover = Mover(arm, clock, closing)
        self.session = Session()
        self.driver: Driver | None = None

    def obey(self, command: RunCommand) -> None:
        """Do what a person said.

        Raises:
            Conflict: it cannot be done from here.
            ArmLost: the arm does not answer.
        """
        session = self.session
        match command:
            case Ready():
                session.ready()
            case Start(run=run):
                self._start(run)
            case Replay(run=run, rows=rows):
                self._replay(rows, self._start(run))
            case Instruct(prompt=prompt):
                self._begin(session.instruct(prompt))
            case Resume():
                self._begin(session.resume())
            case Hold():
                self._begin(session.hold(), held="person")
            case Finish():
                self._finish()
            case Recovered():
                session.recover()
            case Approve():
                self._approve()
            case Reject():
                self._driver_or_conflict().reject()
            case Propose(epoch=epoch, rows=rows):
                self._propose(np.array(rows, np.float64), epoch)
            case StepOnce():
                self._driver_or_conflict().step()

    def offer(self, chunk: ActionChunk, state: ArmState) -> tuple[Splice | None, StopReason | None]:
        """Let a checked chunk take over: how it did, and why the arm must stop instead.

        A fade would hide a jump from the filter, which sees one row at a time.
        """
        resting, now_s = self._mover.resting_row(state), self._clock.now()
        splice = self.driver.offer(chunk, resting, now_s) if self.driver is not None else None
        return splice, StopReason.TOO_FAR if _jumps(splice) and not self._in_shadow else None

    def drive(self, state: ArmState, *, is_reachable: bool) -> tuple[Driven, StopReason | None]:
        """One tick of the run that is on: what was done, and why it must stop.

        Args:
            is_reachable: whether the policy is there.
        """
        run, driver = self.session.view.run, self.driver
        assert run is not None
        assert driver is not None
        choice = driver.choose(self._clock.now(), is_reachable=is_reachable)
        if choice.finished:
            self._finish()
            return Driven(choice.rung), None
        if choice.rung is Rung.STOP:
            return Driven(choice.rung), StopReason.STALE
        if choice.row is None:
            self.session.wait(choice.waits_for)
            if choice.rung is Rung.REST:
                self._mover.rest()
                return Driven(choice.rung), None
            executed = self._mover.coast(state)
            return Driven(choice.rung, executed=executed), executed.stop if executed is not None else None
        self.session.play()
        if self._in_shadow:
            return Driven(choice.rung, choice.row, self._mover.imagine(choice.row, state)), None
        executed = self._mover.move(choice.row, state)
        return Driven(choice.rung, choice.row, executed), executed.stop

    def diverge(self, words: str) -> None:
        """Hold until a person resumes: what is seen is not what was foreseen."""
        self._begin(self.session.diverged(words), held="divergence")

    @property
    def playing(self) -> tuple[int, float] | None:
        """Of the chunk in play: see `Driver.playing`. None in shadow mode, where the arm does not do what is played."""
        return None if self.driver is None or self._in_shadow else self.driver.playing

    def stop(self, reason: StopReason, words: str = "") -> ArmLost | None:
        """End whatever is on; the error of an arm that could not be told."""
        self.driver = None
        self.session.stop(reason, words)
        try:
            self._mover.stop()
        except ArmLost as error:
            return error
        return None

    def _start(self, run: Run) -> ArmState:
        """Where the arm is then; one that is lost changes nothing."""
        state = self._arm.state()
        self.session.start(run)
        self._begin(run)
        return state

    def _begin(self, run: Run, *, held: HoldReason | None = None) -> None:
        self.driver = Driver(run, self._clock.now(), held=held)

    def _replay(self, rows: NDArray[np.float64], state: ArmState) -> None:
        assert self.driver is not None
        now_s, resting = self._clock.now(), self._mover.resting_row(state)
        chunk = ActionChunk(-1, self.session.view.epoch, now_s, now_s, approach(resting, rows))
        self.driver.replay(chunk, resting, now_s)

    def _approve(self) -> None:
        driver = self._driver_or_conflict()
        splice = driver.approve(self._mover.resting_row(self._arm.state()), self._clock.now())
        if splice is not None and _jumps(splice):
            self._begin(driver.run)
            raise Conflict(
                f"The chunk begins {splice.jump_rad:.2f} rad from the arm; the limit is {STOP_LEAD_RAD} rad."
            )

    def _propose(self, rows: NDArray[np.float64], epoch: int) -> None:
        driver = self._driver_or_conflict()
        if epoch != self.session.view.epoch:
            raise Conflict("The run was stopped, held or told something else since the chunk was planned.")
        if check_rows(rows):
            raise BadInput("A value of the proposed rows is not finite, or far out of range.", param="rows")
        driver.propose(rows, epoch, self._clock.now())

    @property
    def _in_shadow(self) -> bool:
        return self.session.view.run is not None and self.session.view.run.mode == "shadow"

    def _finish(self) -> None:
        self.session.finish()
        self.driver = None
        self._mover.rest()

    def _driver_or_conflict(self) -> Driver:
        if self.driver is None:
            raise Conflict(f"The robot is {self.session.view.state}; no run is active.")
        return self.driver


def _jumps(splice: Splice | None) -> bool:
    return splice is not None and splice.jump_rad > STOP_LEAD_RAD
