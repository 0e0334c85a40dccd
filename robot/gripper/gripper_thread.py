"""A gripper beside the loop: it is told the newest target and says where it was last."""

from __future__ import annotations

import threading
from typing import Protocol

import structlog

from robot.faults import ArmLost

log = structlog.get_logger("orrery.robot.gripper")

POLL_S = 0.1
"""A Franka Hand's width takes as long to read (franky issue 35)."""

SAME = 0.02
"""A target that differs by less is no new one: a gripper that is told the same again stutters."""

ENDS = (0.0, 1.0)


class GripperDriver(Protocol):
    """0 is open, 1 closed. Every method may block, and raises ArmLost when the gripper does not answer."""

    def read(self) -> float:
        """Where the fingers are."""
        ...

    def go(self, position: float) -> None:
        """Move the fingers there."""
        ...

    def close(self) -> None:
        """Let go of the connection."""
        ...


class GripperThread:
    """Never blocks: a target that comes while the fingers move replaces the one before it.

    Raises ArmLost from `position` and `move` once the gripper failed, until `recover`.
    """

    def __init__(self, driver: GripperDriver) -> None:
        self._driver = driver
        self._position = driver.read()
        self._target: float | None = None
        self._told: float | None = None
        self._lost = ""
        self._num_recoveries = 0
        self._lock = threading.Lock()  # held for moments: never while the driver works
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="gripper", daemon=True)
        self._thread.start()

    def position(self) -> float:
        """Where the fingers were last seen, 0 open to 1 closed."""
        self._check()
        return self._position

    def move(self, position: float) -> None:
        """Go there, soon."""
        self._check()
        with self._lock:
            told = self._told
            if told is None or abs(position - told) > SAME or (position != told and position in ENDS):
                self._told = self._target = position
                self._wake.set()

    def recover(self) -> None:
        """Forget that it failed, and what it was told; a failure of what began before this is no new one."""
        with self._lock:
            self._lost, self._told, self._target = "", None, None
            self._num_recoveries += 1

    def close(self) -> None:
        """End the thread and let go of the gripper."""
        self._ended.set()
        self._wake.set()
        self._thread.join(timeout=5)
        self._driver.close()

    def _check(self) -> None:
        if self._lost:
            raise ArmLost(self._lost, hint="Check that the gripper is powered and connected.")

    def _run(self) -> None:
        while not self._ended.is_set():
            self._wake.wait(POLL_S)
            self._wake.clear()
            with self._lock:
                num_recoveries = self._num_recoveries
                target, self._target = self._target, None
            try:
                if target is not None and not self._ended.is_set():
                    self._driver.go(target)
                self._position = self._driver.read()
            except ArmLost as error:
                with self._lock:
                    if num_recoveries != self._num_recoveries:
                        continue
                    is_news, self._lost = not self._lost, error.message
                if is_news:
                    log.warning("gripper lost", words=str(error))
