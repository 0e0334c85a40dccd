"""One arm with everything about it: the loop on its thread, the recorder, the self-test; what may be ordered when."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from typing import Any

import structlog

from robot.clock import Clock
from robot.commands import (
    Command,
    Confirm,
    GoHome,
    Heartbeat,
    ListEpisodes,
    LoopCommand,
    MarkEpisode,
    ReadEpisode,
    Ready,
    Recover,
    Recovered,
    Replay,
    ResetScene,
    Resume,
    RunSelfTest,
    SendFile,
    Start,
    Stop,
)
from robot.foresight import ForeseenClip, ForesightLink, Watcher
from robot.loop import DeadMan, Loop, Sensors
from robot.loop.loop import Listener
from robot.policy import NoPolicy, Policy, PolicyAddress, PolicyConnection, PolicyStatus
from robot.recording import Dataset, Recorder, read_episode, success_interval
from robot.recording.reader import list_episodes, mark, plotted
from robot.settings import RobotSettings
from robot.station.hardware import Hardware
from robot.station.self_test import Check, SelfTest
from robot.station.telemetry import Meter
from robot.tick_report import SessionView, TickReport
from studio.errors import Conflict, StudioError

log = structlog.get_logger("orrery.robot.station")

OBEY_TIMEOUT_S = 5.0


class Station:
    """Built from hardware that is connected; `order` may be called from any thread.

    Args:
        listeners: told of every tick, on the loop's thread.
        on_check: told every finding of a self-test.
        on_clip: told of what the policy foresees with a chunk, when that comes.
        needs_page: whether a page must beat while a run is on.
    """

    def __init__(
        self,
        settings: RobotSettings,
        hardware: Hardware,
        clock: Clock,
        *,
        listeners: Sequence[Listener] = (),
        on_check: Callable[[Check], None] = lambda _: None,
        on_clip: Callable[[ForeseenClip], None] = lambda _: None,
        needs_page: bool = False,
    ) -> None:
        self._settings = settings
        self._hardware = hardware
        self._clock = clock
        self._on_check = on_check
        self._checks: dict[str, Check] = {}
        self._confirmed = hardware.confirmed
        self._busy = ""
        self._watched = False
        self._busy_lock = threading.Lock()
        self._cancelled = threading.Event()
        self._until = threading.Event()
        self.meter = Meter()
        self._video_watched = False
        self._watcher = Watcher(on_clip)
        self._connection = connect_policy(settings, clock, self._watcher.take)
        self._link = self._link_foresight(self._connection)
        self._recorder = Recorder(Dataset(settings.recordings, hardware.arm.model))
        policy: Policy = self._connection or NoPolicy()
        self._policy = policy
        self._loop = Loop(
            hardware.arm,
            Sensors(hardware.arm, hardware.cameras, clock, hardware.objects),
            policy,
            clock,
            dead_man=DeadMan(required=needs_page),
            listeners=(self.meter, self._recorder, self._park_or_wake, self._want_foresight, *listeners),
            closing=settings.closing,
            foresight=self._watcher,
        )
        self._thread = threading.Thread(target=self._loop.run, args=(self._until,), name="loop")
        self._thread.start()

    @property
    def view(self) -> SessionView:
        """Where the session stands."""
        return self._loop.view

    @property
    def engaged(self) -> bool:
        """Whether a run is on."""
        return self.view.state in ("running", "holding")

    @property
    def busy(self) -> str:
        """What is being done outside the loop: self_test, home, recover; empty for nothing."""
        return self._busy

    @property
    def has_policy(self) -> bool:
        """Whether the policy is connected and may drive this arm."""
        return self.policy_status.connection == "ready"

    @property
    def policy_status(self) -> PolicyStatus:
        """How it stands with the policy."""
        return self._policy.status()

    def watch(self, watched: bool) -> None:
        """Whether anybody looks at the cameras; a simulated scene is parked while nobody does and nothing is done."""
        self._watched = watched

    def want_video(self, wanted: bool) -> None:
        """Whether somebody looks at the frames that the policy foresees, where it can."""
        self._video_watched = wanted

    @property
    def scene_seed(self) -> int | None:
        """Of a simulated scene."""
        return self._hardware.scene.seed if self._hardware.scene is not None else None

    @property
    def recording_words(self) -> str:
        """What went wrong with the recording; empty for nothing."""
        return self._recorder.words

    def order(self, command: Command) -> Any:
        """Do it, or begin to; what is to be answered.

        Raises:
            Conflict: not from here, or something else is being done.
            StudioError: whatever its own reason is.
        """
        match command:
            case Stop():
                self._cancelled.set()
                return self._tell(command)
            case Heartbeat():
                self._loop.tell(command)  # nobody waits for it, so that a stop never waits behind it
                return None
            case Start(run=run):
                self._refuse_while_busy()
                if run.mode != "replay":
                    return self._tell(command)
                return self._tell(Replay(run, read_episode(self._settings.recordings, run.episode or 0).actions))
            case Resume():
                return self._resume()
            case RunSelfTest():
                return self._begin("self_test", self._self_test)
            case Confirm(check=name):
                self._confirmed |= {name}
                return self._note(self._checks[name]) if name in self._checks else None
            case GoHome():
                return self._begin("home", self._hardware.arm.home)
            case Recover():
                return self._begin("recover", self._recover)
            case ListEpisodes():
                return self._episodes()
            case ReadEpisode(episode=episode):
                return plotted(read_episode(self._settings.recordings, episode))
            case MarkEpisode(episode=episode, success=success):
                return mark(self._settings.recordings, episode, success)
            case ResetScene(seed=seed):
                return self._reset_scene(seed)
            case SendFile():
                raise Conflict("Files can be sent only through a bridge.")
            case _:
                return self._tell(command)

    def close(self) -> None:
        """Stop whatever is on, finish the recording, let go of everything."""
        self._cancelled.set()
        self._until.set()
        self._thread.join(timeout=10)
        self._recorder.close()
        self._policy.close()
        if self._link is not None:
            self._link.close()
        self._watcher.close()
        self._hardware.close()

    def _tell(self, command: LoopCommand) -> None:
        done: Future[None] = self._loop.tell(command)
        done.result(OBEY_TIMEOUT_S)

    def _park_or_wake(self, _: TickReport) -> None:
        scene = self._hardware.scene
        if scene is not None:
            (scene.wake if self._watched or self.engaged or self._busy else scene.park)()

    def _want_foresight(self, report: TickReport) -> None:
        run = report.session.run
        wanted = self._video_watched or (self.engaged and run is not None and run.foresees)
        if self._connection is not None and self._link is not None:
            self._connection.wants_video = self._link.wanted = wanted

    def _link_foresight(self, connection: PolicyConnection | None) -> ForesightLink | None:
        if connection is None:
            return None
        token = policy_token(self._settings)
        return ForesightLink(
            self._settings.policy_url, token, lambda: connection.status().foresight, self._watcher.take
        )

    def _refuse_while_busy(self) -> None:
        if self._busy:
            raise Conflict(f"The robot is busy: {self._busy.replace('_', ' ')}.", hint="Wait for it, or stop it.")

    def _begin(self, name: str, work: Callable[[], None]) -> None:
        with self._busy_lock:
            self._refuse_while_busy()
            if self.engaged:
                raise Conflict(f"The robot is {self.view.state}.", hint="Finish or stop the run first.")
            if name not in ("recover", "resume") and self.view.state in ("stopped", "fault"):
                raise Conflict(f"The robot is {self.view.state}.", hint="Recover it first.")
            self._busy = name
            self._cancelled.clear()
        threading.Thread(target=self._work, args=(name, work), name=name, daemon=True).start()

    def _work(self, name: str, work: Callable[[], None]) -> None:
        try:
            work()
        except StudioError as error:
            log.warning("failed", what=name, words=str(error))
            self._on_check(Check(name, "failed", str(error)))
        finally:
            self._busy = ""

    def _self_test(self) -> None:
        self._checks = {}
        if not self._hardware.can_self_test:
            self._note(Check("arm", "passed", "A replayed recording needs no test."))
            return
        test = SelfTest(
            self._hardware.arm,
            self._hardware.cameras,
            self._clock,
            policy=self._connection,
            objects=self._hardware.objects,
            confirmed=self._confirmed,
            cancelled=self._cancelled,
            timed=self.meter.add_latency,
        )
        for check in test.run():
            self._note(check, is_last=False)
        self._become_ready()

    def _note(self, check: Check, *, is_last: bool = True) -> None:
        if check.outcome == "ask" and check.name in self._confirmed:
            check = Check(check.name, "passed", check.words)
        self._checks[check.name] = check
        self._on_check(check)
        if is_last:
            self._become_ready()

    def _become_ready(self) -> None:
        if self._checks and all(check.outcome == "passed" for check in self._checks.values()):
            self._tell(Ready())

    def _recover(self) -> None:
        self._hardware.arm.recover()
        if self.view.state in ("stopped", "fault"):
            self._tell(Recovered())

    def _resume(self) -> None:
        self._refuse_while_busy()
        if self.view.state == "stopped" and self.view.run is not None:
            self._begin("resume", self._recover_and_resume)
        else:
            self._tell(Resume())

    def _recover_and_resume(self) -> None:
        self._hardware.arm.recover()
        self._tell(Resume())

    def _reset_scene(self, seed: int) -> None:
        if self._hardware.scene is None:
            raise Conflict("Only a simulated scene can be reset.")
        self._refuse_while_busy()
        if self.engaged:
            raise Conflict(f"The robot is {self.view.state}.", hint="Finish or stop the run first.")
        self._hardware.scene.reset(seed)

    def _episodes(self) -> dict[str, Any]:
        episodes = list_episodes(self._settings.recordings)
        judged = [episode.success for episode in episodes if episode.success is not None]
        low, high = success_interval(sum(judged), len(judged))
        return {
            "episodes": [asdict(episode) for episode in episodes],
            "num_judged": len(judged),
            "num_successes": sum(judged),
            "success_interval": [low, high],
        }


def policy_token(settings: RobotSettings) -> str:
    """The token of the settings' policy: its own, or the server's where it is the server's."""
    return (settings.policy_token if settings.policy else settings.token).get_secret_value()


def connect_policy(
    settings: RobotSettings, clock: Clock, take_clip: Callable[[ForeseenClip], None] = lambda _: None
) -> PolicyConnection | None:
    """The client of the settings' policy; none where they name none, or need none."""
    if not settings.policy_url:
        return None
    if settings.mode == "replay" and not settings.server:
        return None
    address = PolicyAddress(
        url=settings.policy_url,
        token=policy_token(settings),
        dialect=settings.dialect,
        declared=settings.declare,
        reply_timeout_s=settings.reply_timeout_s,
    )
    return PolicyConnection(address, clock, take_clip)
