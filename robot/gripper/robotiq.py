"""A Robotiq 2F-85 on a serial port, by Modbus RTU.

Source: Robotiq, "2F-85 and 2F-140 instruction manual", chapter 4: 115200 baud, 8N1, slave 9; the outputs are written
from register 0x03E8 on (action, position, speed, force), the inputs read from 0x07D0 on (status, fault, echo, position,
current).

Two requests of fixed length are all of Modbus that it takes, so that no Modbus package and no serial one stands between
the gripper and its deadline.
"""

from __future__ import annotations

import os
import select
import termios
import time
import tty
from pathlib import Path

from robot.faults import ArmLost

SLAVE = 9
OUTPUTS, INPUTS = 0x03E8, 0x07D0
_READ, _WRITE = 0x03, 0x10

ACTIVATE, GO = 0x01, 0x08
_ACTIVATED = 3
"""gSTA when the activation is complete."""

OPEN_COUNT, CLOSED_COUNT = 3, 230
"""Counts of the fingers at their ends: 3 is the widest a 2F-85 opens and 230 where its fingers meet."""

SPEED, FORCE = 255, 100
TIMEOUT_S = 0.5
ACTIVATION_TIMEOUT_S = 10.0


class Robotiq:
    """A GripperDriver.

    Args:
        port: as in `/dev/ttyUSB0`.

    Raises:
        ArmLost: nobody answers there, or it does not activate.
    """

    def __init__(self, port: Path) -> None:
        self._port = port
        try:
            self._descriptor = os.open(port, os.O_RDWR | os.O_NOCTTY)
            tty.setraw(self._descriptor)
            settings = termios.tcgetattr(self._descriptor)
            settings[4] = settings[5] = termios.B115200
            termios.tcsetattr(self._descriptor, termios.TCSANOW, settings)
        except (OSError, termios.error) as error:
            raise ArmLost(f"The gripper's port {port} cannot be opened: {error}.", param="gripper") from None
        try:
            self._activate()
        except ArmLost:
            os.close(self._descriptor)
            raise

    def read(self) -> float:
        """Where the fingers are, 0 open to 1 closed."""
        count = self._inputs()[4]
        return min(1.0, max(0.0, (count - OPEN_COUNT) / (CLOSED_COUNT - OPEN_COUNT)))

    def go(self, position: float) -> None:
        """Start moving there; it does not wait for the fingers."""
        count = round(OPEN_COUNT + position * (CLOSED_COUNT - OPEN_COUNT))
        self._outputs(ACTIVATE | GO, count)

    def close(self) -> None:
        """Let go of the port."""
        os.close(self._descriptor)

    def _activate(self) -> None:
        if self._inputs()[0] >> 4 & 0x03 == _ACTIVATED:
            return
        self._outputs(0, 0)
        self._outputs(ACTIVATE, 0)
        deadline_s = time.monotonic() + ACTIVATION_TIMEOUT_S
        while self._inputs()[0] >> 4 & 0x03 != _ACTIVATED:
            if time.monotonic() > deadline_s:
                raise ArmLost(f"The gripper at {self._port} did not activate within {ACTIVATION_TIMEOUT_S:g} s.")

    def _inputs(self) -> bytes:
        """[gACT gGTO gSTA gOBJ, reserved, gFLT, gPR, gPO, gCU]"""
        request = bytes([SLAVE, _READ, *INPUTS.to_bytes(2, "big"), 0, 3])
        return self._ask(request, 3 + 6 + 2)[3:9]

    def _outputs(self, action: int, position: int) -> None:
        registers = bytes([action, 0, 0, position, SPEED, FORCE])
        self._ask(bytes([SLAVE, _WRITE, *OUTPUTS.to_bytes(2, "big"), 0, 3, 6]) + registers, 8)

    def _ask(self, request: bytes, reply_length: int) -> bytes:
        try:
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
            os.write(self._descriptor, request + checksum(request))
            reply = self._receive(reply_length)
        except (OSError, termios.error) as error:
            raise ArmLost(f"The gripper at {self._port} was disconnected: {error}.") from None
        if len(reply) != reply_length or reply[:2] != request[:2] or checksum(reply[:-2]) != reply[-2:]:
            raise ArmLost(f"The gripper at {self._port} answered {reply.hex(' ') or 'nothing'}.")
        return reply

    def _receive(self, length: int) -> bytes:
        reply = b""
        while len(reply) < length and select.select([self._descriptor], [], [], TIMEOUT_S)[0]:
            reply += os.read(self._descriptor, length - len(reply))
        return reply


def checksum(frame: bytes) -> bytes:
    """Modbus' CRC-16, low byte first: of 09 10 03 E8 00 03 06 00 00 00 00 00 00 it is 73 30 (Robotiq's own example)."""
    value = 0xFFFF
    for byte in frame:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0xA001 if value & 1 else value >> 1
    return value.to_bytes(2, "little")
