"""Where a run stands: a state, the legal moves between states, and the epoch that makes old answers worthless."""

from __future__ import annotations

from robot.commands import Run
from robot.faults import StopReason
from robot.tick_report import HoldReason, SessionView, State
from studio.errors import Conflict

MOVES: dict[State, frozenset[State]] = {
    "idle": frozenset({"ready", "stopped", "fault"}),
    "ready": frozenset({"idle", "running", "stopped", "fault"}),
    "running": frozenset({"holding", "ready", "stopped", "fault"}),
    "holding": frozenset({"running", "ready", "stopped", "fault"}),
    "stopped": frozenset({"idle", "ready", "running", "stopped", "fault"}),
    "fault": frozenset({"idle", "ready", "fault"}),
}


class Session:
    """Changed by the loop's thread alone; everybody may look at `view`.

    Every method raises Conflict when its move is not legal, naming both states.
    """

    def __init__(self) -> None:
        self.view = SessionView("idle", epoch=0)
        self._passed = False

    @property
    def engaged(self) -> bool:
        """Whether a run is on."""
        return self.view.state in ("running", "holding")

    def ready(self) -> None:
        """The self-test passed."""
        if self.view.state not in ("idle", "ready"):
            raise _conflict(self.view.state, "ready")
        self._passed = True
        self.view = SessionView("ready", self.view.epoch)

    def start(self, run: Run) -> None:
        """Begin a run; it holds until the first rows are there."""
        if self.view.state != "ready":
            raise _conflict(self.view.state, "running")
        self._move("running", self.view.epoch + 1, run)

    def instruct(self, prompt: str) -> Run:
        """Another instruction for the run that is on; the run as it is now."""
        if not self.engaged or self.view.run is None:
            raise _conflict(self.view.state, "running")
        return self._renew(self.view.run.model_copy(update={"prompt": prompt}))

    def hold(self) -> Run:
        """A person says wait."""
        if not self.engaged or self.view.run is None:
            raise _conflict(self.view.state, "holding")
        return self._renew(self.view.run, hold="person")

    def diverged(self, words: str) -> Run:
        """What is seen is not what was foreseen: wait for a person."""
        if not self.engaged or self.view.run is None:
            raise _conflict(self.view.state, "holding")
        return self._renew(self.view.run, "divergence", words)

    def resume(self) -> Run:
        """A person says go on, after a hold or a stop."""
        held = self.view.state == "holding" and self.view.hold in ("person", "divergence")
        if self.view.run is None or not (held or self.view.state == "stopped"):
            raise _conflict(self.view.state, "running")
        return self._renew(self.view.run)

    def wait(self, hold: HoldReason) -> None:
        """There is no row for this tick."""
        if (self.view.state, self.view.hold) != ("holding", hold):
            if self.view.state == "running":
                self._move("holding", self.view.epoch, self.view.run, hold=hold)
            else:
                self.view = SessionView("holding", self.view.epoch, self.view.run, hold)

    def play(self) -> None:
        """There is one."""
        if self.view.state != "running":
            self._move("running", self.view.epoch, self.view.run)

    def finish(self) -> None:
        """The run is over, and another one may begin."""
        if not self.engaged:
            raise _conflict(self.view.state, "ready")
        self._move("ready", self.view.epoch + 1)

    def stop(self, reason: StopReason, words: str = "") -> None:
        """Whatever is on ends; a fault stays one until it is recovered from."""
        target: State = "fault" if reason.is_fault or self.view.state == "fault" else "stopped"
        self._move(target, self.view.epoch + 1, self.view.run, stop=reason, words=words or reason.sentence)

    def recover(self) -> None:
        """A person had the arm's faults cleared."""
        if self.view.state not in ("stopped", "fault"):
            raise _conflict(self.view.state, "ready")
        self._move("ready" if self._passed else "idle", self.view.epoch + 1)

    def _renew(self, run: Run, hold: HoldReason | None = None, words: str = "") -> Run:
        self.view = SessionView("holding" if hold else "running", self.view.epoch + 1, run, hold, None, words)
        return run

    def _move(
        self,
        to: State,
        epoch: int,
        run: Run | None = None,
        *,
        hold: HoldReason | None = None,
        stop: StopReason | None = None,
        words: str = "",
    ) -> None:
        if to not in MOVES[self.view.state]:
            raise _conflict(self.view.state, to)
        self.view = SessionView(to, epoch, run, hold, stop, words)


def _conflict(state: State, to: State) -> Conflict:
    hints: dict[State, str] = {
        "idle": "Run the self-test first.",
        "fault": "Recover the arm first.",
        "stopped": "Resume or recover first.",
    }
    return Conflict(f"The robot is {state}; it cannot change to {to}.", hint=hints.get(state, ""))
