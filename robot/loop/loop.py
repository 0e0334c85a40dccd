"""The loop: fifteen times a second obey, look, take what the policy answered, ask ahead, and do what is safe of it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

import structlog

from robot.arms import Arm
from robot.clock import Clock, Pace, Tick
from robot.commands import Heartbeat, LoopCommand, Release, Stop
from robot.faults import StopReason
from robot.foresight import DivergenceGuard, Foreseen, Foresight, Moment, NoForesight
from robot.gripper import Closing
from robot.loop.active_run import ActiveRun, Driven
from robot.loop.conversation import NOTHING, Conversation, Received
from robot.loop.sensors import Sensed, Sensors
from robot.observation import ROWS_PER_SECOND, Observation
from robot.playing import Splice
from robot.policy.policy import Policy
from robot.safety import LIMITS
from robot.safety.filter import check_state
from robot.tick_report import Event, SessionView, TickReport
from studio.errors import StudioError

log = structlog.get_logger("orrery.robot")

PERIOD_S = 1 / ROWS_PER_SECOND

DEAD_MAN_TIMEOUT_S = 0.5
"""The page beats five times a second."""

Listener = Callable[[TickReport], None]
"""Told of every tick on the loop's own thread; it must not wait for anything."""


class DeadMan:
    """The heartbeat of the page in control: lost when a page that has begun to beat falls silent.

    It does not replace the button on the wall.

    Args:
        required: whether nothing may move before the first beat.
    """

    def __init__(self, *, required: bool, timeout_s: float = DEAD_MAN_TIMEOUT_S) -> None:
        self._required = required
        self._timeout_s = timeout_s
        self._last_s: float | None = None

    def beat(self, now_s: float) -> None:
        """The page is there."""
        self._last_s = now_s

    def release(self) -> None:
        """The page gave control back, and need not beat any more."""
        self._last_s = None

    def lost(self, now_s: float) -> bool:
        """Whether nobody is holding on."""
        return self._required if self._last_s is None else now_s - self._last_s > self._timeout_s


@dataclass(frozen=True)
class _Told:
    """A command on its way; the future is done when it was obeyed, or holds the StudioError that says why not."""

    command: LoopCommand
    done: Future[None] = field(default_factory=Future[None])


class Loop:
    """One arm's. All of it happens on the thread that calls `run`; `tell` and `view` are for everybody.

    Args:
        sensors: where it reads the arm and the cameras.
        dead_man: what must keep beating while a run is on.
        closing: how the policy's gripper number is understood.
        foresight: what is asked what was foreseen for each tick.
    """

    def __init__(
        self,
        arm: Arm,
        sensors: Sensors,
        policy: Policy,
        clock: Clock,
        *,
        dead_man: DeadMan,
        listeners: Sequence[Listener] = (),
        closing: Closing = "binary",
        foresight: Foresight | None = None,
    ) -> None:
        self._sensors = sensors
        self._clock = clock
        self._dead_man = dead_man
        self._listeners = tuple(listeners)
        self._limits = LIMITS[arm.model]
        self._run = ActiveRun(arm, clock, closing)
        self._talk = Conversation(policy, clock)
        self._foresight: Foresight = foresight or NoForesight()
        self._guard = DivergenceGuard()
        self._inbox: queue.SimpleQueue[_Told] = queue.SimpleQueue()
        self._wake = threading.Event()
        self._events: list[Event] = []
        self._camera_lost = False

    @property
    def view(self) -> SessionView:
        """Where the session stands."""
        return self._run.session.view

    def tell(self, command: LoopCommand) -> Future[None]:
        """Hand in a command. A stop is obeyed at once, everything else at the next tick."""
        told = _Told(command)
        self._inbox.put(told)
        if isinstance(command, Stop):
            self._wake.set()
        return told.done

    def run(self, until: threading.Event) -> None:
        """Tick until told to end; a run that is on then is stopped."""
        pace = Pace(self._clock, PERIOD_S)
        while not until.is_set():
            tick = pace.wait(self._wake)
            if tick is None:
                self._obey()
            else:
                self.run_tick(tick)
        if self._run.session.engaged:
            self._stop(StopReason.BUTTON)

    def run_tick(self, tick: Tick) -> None:
        """One tick. Whatever goes wrong inside ends with a stopped arm."""
        began_s, before = self._clock.now(), self.view
        try:
            report = self._report(tick)
        except Exception:
            log.exception("the loop failed", tick=tick.number, epoch=before.epoch)
            self._stop(StopReason.LOOP_ERROR)
            report = TickReport(tick, self.view, self._talk.status())
        self._notice_change(before)
        events, self._events = tuple(self._events), []
        report = replace(report, session=self.view, events=events, busy_s=self._clock.now() - began_s)
        for listener in self._listeners:
            listener(report)

    def _report(self, tick: Tick) -> TickReport:
        self._obey()
        seen = self._sensors.read()
        self._watch(seen)
        received, splice = self._receive(seen)
        self._ask_ahead(tick, seen)
        foreseen = self._foresee(tick, seen)
        driven = self._drive(seen)
        return self._account(tick, seen, received, splice, driven, foreseen)

    def _obey(self) -> None:
        self._wake.clear()
        while True:
            try:
                told = self._inbox.get_nowait()
            except queue.Empty:
                return
            try:
                match told.command:
                    case Stop():
                        self._stop(StopReason.BUTTON)
                    case Heartbeat():
                        self._dead_man.beat(self._clock.now())
                    case Release():
                        self._dead_man.release()
                    case command:
                        self._run.obey(command)
            except StudioError as error:
                told.done.set_exception(error)
            else:
                told.done.set_result(None)

    def _watch(self, seen: Sensed) -> None:
        if seen.arm_lost is not None and self.view.state in ("ready", "running", "holding"):
            self._stop(StopReason.ARM_LOST, str(seen.arm_lost))
        if not self._run.session.engaged:
            return
        if seen.camera_lost is not None and not self._camera_lost:
            self._note(seen.camera_lost.code, str(seen.camera_lost))
        self._camera_lost = seen.camera_lost is not None
        if seen.state is not None and (stop := check_state(seen.state, self._limits)):
            self._stop(stop)
        elif self._dead_man.lost(self._clock.now()):
            self._stop(StopReason.DEAD_MAN)

    def _receive(self, seen: Sensed) -> tuple[Received, Splice | None]:
        if not self._run.session.engaged:
            return NOTHING, None  # what a self-test asks is its own
        received = self._talk.receive(self.view.epoch)
        if received.failure is not None:
            self._note(received.failure.code, str(received.failure))
        if received.dropped is not None:
            self._note(*received.dropped)
        if received.stop is not None:
            self._stop(received.stop)
        if received.chunk is None or seen.state is None:
            return received, None
        splice, stop = self._run.offer(received.chunk, seen.state)
        if stop is not None:
            self._stop(stop)
        return received, splice

    def _ask_ahead(self, tick: Tick, seen: Sensed) -> None:
        run, driver = self.view.run, self._run.driver
        if run is None or driver is None or seen.state is None or seen.views is None or not self._talk.may_ask():
            return
        if driver.wants_chunk(self._talk.latency.rows(run.pace)):
            objects = tuple(self._sensors.objects())
            self._talk.ask(
                Observation(tick.number, self.view.epoch, seen.state, seen.views, run.prompt, objects, run.idle_frames)
            )
            driver.asked(tick.number, self._clock.now())

    def _foresee(self, tick: Tick, seen: Sensed) -> Foreseen | None:
        """Compare, without waiting for it, and hold where the operator's limit says so."""
        run, playing = self.view.run, self._run.playing
        if run is None or playing is None or seen.views is None or not self._run.session.engaged:
            self._foresight.forget()
            return None
        found = self._foresight.look(Moment(tick.number, self.view.epoch, *playing, seen.views))
        words = self._guard.judge(found, self.view.epoch, run.divergence_limit, run.divergence_ticks)
        if words:
            self._run.diverge(words)
            self._note("divergence", words)
        return found

    def _drive(self, seen: Sensed) -> Driven | None:
        if not self._run.session.engaged or seen.state is None:
            return None
        driven, stop = self._run.drive(seen.state, is_reachable=self._talk.is_reachable())
        if stop is not None:
            self._stop(stop, self._starved_by(seen) if stop is StopReason.STALE else "")
        return driven

    def _starved_by(self, seen: Sensed) -> str:
        """Why no rows came, for the person who is to put it right."""
        sentence = StopReason.STALE.sentence.removesuffix(".")
        if seen.camera_lost is not None:
            return f"{sentence}: the policy needs camera images. {seen.camera_lost}"
        if not self._talk.is_reachable():
            return f"{sentence}: the policy server cannot be reached."
        return f"{sentence}: the policy needs {self._talk.answers_in_s():.1f} s per answer."

    def _account(
        self,
        tick: Tick,
        seen: Sensed,
        received: Received,
        splice: Splice | None,
        driven: Driven | None,
        foreseen: Foreseen | None,
    ) -> TickReport:
        driver = self._run.driver
        return TickReport(
            tick,
            self.view,
            self._talk.status(),
            state=seen.state,
            views=seen.views,
            rung=driven.rung if driven is not None else None,
            wanted=driven.wanted if driven is not None else None,
            executed=driven.executed if driven is not None else None,
            coming=driver.coming if driver is not None else None,
            pending=driver.pending if driver is not None else None,
            answered=received.chunk,
            splice=splice,
            latency_s=received.latency_s,
            foreseen=foreseen,
        )

    def _stop(self, reason: StopReason, words: str = "") -> None:
        lost = self._run.stop(reason, words)
        self._note(reason.value, words or reason.sentence)
        if lost is not None:
            self._note(lost.code, f"The stop command did not reach the arm: {lost}")

    def _notice_change(self, before: SessionView) -> None:
        after = self.view
        if after.hold == "divergence":  # which has been said, with its figures
            return
        if (after.state, after.hold) != (before.state, before.hold) and after.stop is None:
            what = f"{after.state}, waiting for the {after.hold}" if after.hold else after.state
            self._note(after.state, f"The robot is {what}.")

    def _note(self, code: str, words: str) -> None:
        self._events.append(Event(self._clock.now(), code, words))
