"""The robot that a server brings along: a simulated arm beside it, and where it has no policy a scripted one."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any, Protocol

import structlog

from backend.launcher import BEFORE_OTHERS, launching
from backend.robots.hub import RobotHub
from studio.data_folder import DataFolder
from studio.errors import BadInput, Conflict
from studio.requests import shown
from studio.settings import ServerSettings

log = structlog.get_logger("orrery.own_robot")

NAME = "simulated"
CHECKPOINT, SCRIPTED = "checkpoint", "scripted"
"""Policies that a person can select, beside the address of one."""
REMOTE = re.compile(r"wss?://[^\s/]+(/\S*)?")
START_S = 60.0
GRACE_S = 5.0
"""How long a process may take to end when it is asked to: a recording is closed in that time."""

LOOK_S = 1.0
"""How often is looked which checkpoint should drive the arm."""

PAUSES_S = (1.0, 2.0, 5.0, 15.0, 30.0)
CANNOT_START = 2
"""Exit code of a program that has said why, and would say it again."""


class ArmPolicy(Protocol):
    """The server's own policy, as far as it matters here."""

    @property
    def for_an_arm(self) -> str | None:
        """Id of what is served now, where that was trained to drive one."""
        ...


class OwnRobot:
    """The arm's process and its policy's, started again together when either ends. Lives on the event loop's thread.

    Where the server's own policy is for an arm, that is asked and no other is started; a person may select another.

    Args:
        base_url: where they reach this server, on loopback.
        hub: is told the reason when there can be no robot.
    """

    def __init__(self, settings: ServerSettings, base_url: str, hub: RobotHub, policy: ArmPolicy) -> None:
        self.source = SCRIPTED if settings.robot == "scripted" else CHECKPOINT
        self._policy = policy
        recordings = DataFolder(settings.data).recordings
        self._arguments = ("--arm=simulated", f"--name={NAME}", f"--server={base_url}", f"--recordings={recordings}")
        self._token = settings.token.get_secret_value() if settings.token else ""
        self._hub = hub
        hub.own = self
        self._task: asyncio.Task[None] | None = None
        self._last_words = ""

    def start(self) -> None:
        """Begin; whatever goes wrong is in the log and, where it is final, in the hub."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """End them."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        attempt = 0
        while True:
            began_s = asyncio.get_running_loop().time()
            driver = self._driver
            try:
                code = await self._serve(driver)
                if self._driver != driver:
                    log.info("robot_starts_again", policy=self._driver)
                    continue
            except (OSError, TimeoutError, ValueError) as error:
                code, self._last_words = None, f"The arm or its policy did not start: {error or type(error).__name__}"
            if code == CANNOT_START:
                self._hub.problem = self._last_words
                log.error("robot_cannot_start", words=self._last_words)
                return
            if asyncio.get_running_loop().time() - began_s > 60:
                attempt = 0
            pause_s = PAUSES_S[min(attempt, len(PAUSES_S) - 1)]
            attempt += 1
            log.warning("robot_ended", exit_code=code, words=self._last_words, pause_s=pause_s)
            await asyncio.sleep(pause_s)

    def select(self, source: str) -> None:
        """Let another policy drive the arm, whose program starts again for it.

        Args:
            source: `CHECKPOINT`, `SCRIPTED`, or the ws:// address of a policy's server.

        Raises:
            BadInput: it is something else.
            Conflict: the default checkpoint is no policy for an arm, or the arm is in the middle of a run.
        """
        if source not in (CHECKPOINT, SCRIPTED) and not REMOTE.fullmatch(source):
            raise BadInput(
                f"source is {shown(source)}; {CHECKPOINT}, {SCRIPTED} or a ws:// address is expected.", param="source"
            )
        if source == CHECKPOINT and self._policy.for_an_arm is None:
            raise Conflict(
                "The default checkpoint is not a policy for this arm.",
                param="source",
                hint="Make one that was trained for it the default checkpoint.",
            )
        if self._hub.is_engaged(NAME):
            raise Conflict("The arm is in the middle of a run.", hint="Finish the run first.")
        self.source = source

    def describe(self) -> dict[str, str]:
        """Which policy was selected, and which drives the arm: a checkpoint's id, `SCRIPTED` or an address."""
        return {"name": NAME, "source": self.source, "driver": self._driver}

    @property
    def _driver(self) -> str:
        if self.source != CHECKPOINT:
            return self.source
        return self._policy.for_an_arm or SCRIPTED

    async def _changed(self, driver: str) -> None:
        """Until another policy should drive the arm: one that was not trained for it never may."""
        while self._driver == driver:
            await asyncio.sleep(LOOK_S)

    async def _serve(self, driver: str) -> int | None:
        """The arm's exit code; none where its policy ended first, or another one should drive it."""
        if driver != SCRIPTED:
            remote = (f"--policy={driver}",) if driver == self.source else ()
            arm = await self._spawn("robot", *self._arguments, *remote, stderr=PIPE)
            try:
                await _first(self._follow(arm), self._changed(driver))
                return arm.returncode
            finally:
                await _end(arm)
        policy = await self._spawn("robot.scripted", "--port=0", stdout=PIPE)
        try:
            assert policy.stdout is not None
            async with asyncio.timeout(START_S):
                url = str(json.loads(await policy.stdout.readline())["listening"])
            arm = await self._spawn("robot", *self._arguments, f"--policy={url}", stderr=PIPE)
            try:
                await _first(self._follow(arm), policy.wait(), self._changed(driver))
                return arm.returncode
            finally:
                await _end(arm)
        finally:
            await _end(policy)

    async def _spawn(self, *program: str, stdout: int | None = None, stderr: int | None = None) -> Process:
        # A session of its own: Ctrl+C is for the server, which ends them in order.
        return await asyncio.create_subprocess_exec(
            *launching(BEFORE_OTHERS, *program),
            env=child_environment(os.environ, self._token),
            stdin=DEVNULL,
            stdout=stdout if stdout is not None else sys.stderr.fileno(),
            stderr=stderr,
            start_new_session=True,
        )

    async def _follow(self, arm: Process) -> None:
        """What it says goes where our own log goes; the last line is kept."""
        assert arm.stderr is not None
        while line := await arm.stderr.readline():
            words = line.decode(errors="replace").rstrip()
            self._last_words = words or self._last_words
            sys.stderr.write(words + "\n")
            sys.stderr.flush()
        await arm.wait()


async def _first(*waited: Coroutine[Any, Any, Any]) -> None:
    """Until one of them is over; the others are cancelled."""
    ends = [asyncio.create_task(each) for each in waited]
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for end in ends:
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)


def child_environment(environment: Mapping[str, str], token: str) -> dict[str, str]:
    """Of both: the server's token as the robot's, in no command line; the policy listens on loopback and asks for none.

    `ORRERY_TOKEN=a` becomes `ORRERY_ROBOT_TOKEN=a`.
    """
    kept = {name: value for name, value in environment.items() if name not in ("ORRERY_TOKEN", "ORRERY_ROBOT_TOKEN")}
    return {**kept, "ORRERY_ROBOT_TOKEN": token} if token else kept


async def _end(process: Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(GRACE_S):
                await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
