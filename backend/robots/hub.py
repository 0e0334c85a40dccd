"""Every robot that has dialled in since the server started."""

from __future__ import annotations

from typing import Any, Protocol

from backend.robots.hello import parse_hello
from backend.robots.incoming_files import IncomingFiles
from backend.robots.page import Outbox
from backend.robots.robot import Robot
from studio.errors import Busy, Conflict, RobotNotFound
from studio.requests import shown

MAX_ROBOTS = 32

ENGAGED = ("running", "holding")
"""States of a session in which a run is on."""


class OwnArm(Protocol):
    """The arm that a server brings along, as `OwnRobot`."""

    def select(self, source: str) -> None:
        """Let another policy drive it."""
        ...

    def describe(self) -> dict[str, str]:
        """Its name, and which policy drives it."""
        ...


class RobotHub:
    """Robots by name.

    Attributes:
        own: the arm that the server brings along; none where it brings none.
        problem: why the server's own robot is not there; empty for no reason.
        files: that robots are asked for.
    """

    def __init__(self) -> None:
        self.own: OwnArm | None = None
        self.problem = ""
        self.files = IncomingFiles()
        self._robots: dict[str, Robot] = {}

    def describe(self) -> dict[str, Any]:
        """The answer of `GET /v1/robots`."""
        robots = [robot.describe() for _, robot in sorted(self._robots.items())]
        return {"robots": robots, "problem": self.problem, "own": self.own.describe() if self.own else None}

    def is_engaged(self, name: str) -> bool:
        """Whether a robot is connected and in the middle of a run."""
        robot = self._robots.get(name)
        session = robot.describe()["session"] if robot is not None and robot.connected else None
        return session is not None and session["state"] in ENGAGED

    def arrive(self, message: dict[str, Any]) -> tuple[Robot, Outbox]:
        """A bridge that said its hello.

        Raises:
            BadInput: that is no hello.
            Conflict: a robot of this name is connected.
            Busy: there are as many as are kept.
        """
        hello = parse_hello(message)
        robot = self._robots.get(hello.name)
        if robot is None:
            self._make_room()
            robot = self._robots[hello.name] = Robot(hello)
        elif robot.connected:
            raise Conflict(f"A robot named {hello.name} is already connected.", hint="Give this one another --name.")
        return robot, robot.arrive(hello, message)

    def named(self, name: str) -> Robot:
        """The robot of a name.

        Raises:
            RobotNotFound: none has dialled in.
        """
        if name not in self._robots:
            raise RobotNotFound(f"No robot named {shown(name)} has connected.", hint="orrery robot starts one.")
        return self._robots[name]

    def _make_room(self) -> None:
        if len(self._robots) < MAX_ROBOTS:
            return
        unused = [name for name, robot in self._robots.items() if not robot.connected and not robot.num_watchers]
        if not unused:
            raise Busy(f"{MAX_ROBOTS} robots are connected or viewed, which is the limit.")
        del self._robots[unused[0]]
