"""The robot that a server brings along: a simulated arm beside it, and where it has no policy a scripted one."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any, Protocol

import structlog

from backend.robots.hub import RobotHub
from backend.robots.launcher import LAUNCHER
from studio.settings import ServerSettings

log = structlog.get_logger("orrery.own_robot")

NAME = "simulated"
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

    Where the server's own policy is for an arm, that is asked and no other is started.

    Args:
        base_url: where they reach this server, on loopback.
        hub: is told the reason when there can be no robot.
    """

    def __init__(self, settings: ServerSettings, base_url: str, hub: RobotHub, policy: ArmPolicy) -> None:
        self._is_scripted = settings.robot == "scripted"
        self._policy = policy
        recordings = settings.data / "recordings"
        self._arguments = ("--arm=simulated", f"--name={NAME}", f"--server={base_url}", f"--recordings={recordings}")
        self._token = settings.token.get_secret_value() if settings.token else ""
        self._hub = hub
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
                    log.info("robot_starts_anew", policy=self._driver or "scripted")
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

    @property
    def _driver(self) -> str | None:
        """Id of the checkpoint that drives the arm; none where the scripted policy does."""
        return None if self._is_scripted else self._policy.for_an_arm

    async def _changed(self, driver: str | None) -> None:
        """Until another policy should drive the arm: one that was not trained for it never may."""
        while self._driver == driver:
            await asyncio.sleep(LOOK_S)

    async def _serve(self, driver: str | None) -> int | None:
        """The arm's exit code; none where its policy ended first, or another one should drive it."""
        if driver is not None:
            arm = await self._spawn("robot", *self._arguments, stderr=PIPE)
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
            *(*LAUNCHER, str(os.getpid()), "-m", *program),
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
