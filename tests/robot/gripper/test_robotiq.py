"""The gripper on a pseudo-terminal whose other end speaks Modbus."""

import os
import pty
import threading
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from robot.faults import ArmLost
from robot.gripper import robotiq
from robot.gripper.robotiq import Robotiq, checksum


class Gripper:
    """Answers as a 2F-85 does."""

    def __init__(self) -> None:
        self.ours, self.theirs = pty.openpty()
        tty.setraw(self.ours)
        tty.setraw(self.theirs)
        self.port = Path(os.ttyname(self.theirs))
        self.status = 0
        self.position = 3
        self.written: list[bytes] = []
        self.noise = b""
        self.silent = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        buffer = b""
        while True:
            try:
                buffer += os.read(self.ours, 64)
            except OSError:
                return
            length = 8 if buffer[1:2] == b"\x03" else 15
            if len(buffer) < length:
                continue
            request, buffer = buffer[:length], buffer[length:]
            if self.silent:
                continue
            os.write(self.ours, self.noise or self._answer(request))

    def _answer(self, request: bytes) -> bytes:
        assert checksum(request[:-2]) == request[-2:]
        if request[1] == 3:
            body = bytes([9, 3, 6, self.status, 0, 0, 0, self.position, 0])
        else:
            self.written.append(request)
            if request[7] & 1:
                self.status = 0x31
            if request[7] & 8:
                self.position = request[10]
            body = request[:6]
        return body + checksum(body)

    def close(self) -> None:
        """Its thread ends before its descriptor does: a number given anew would have two readers."""
        os.close(self.theirs)
        self.thread.join(60)
        assert not self.thread.is_alive()
        os.close(self.ours)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may let no thread answer for longer than a gripper on a wire takes."""
    monkeypatch.setattr(robotiq, "TIMEOUT_S", 60.0)


@pytest.fixture
def gripper() -> Iterator[Gripper]:
    gripper = Gripper()
    yield gripper
    gripper.close()


def test_robotiqs_own_example_of_a_checksum():
    assert checksum(bytes.fromhex("09 10 03 E8 00 03 06 00 00 00 00 00 00")) == bytes.fromhex("73 30")


def test_it_is_activated_once_and_goes_where_it_is_told(gripper: Gripper):
    fingers = Robotiq(gripper.port)
    assert len(gripper.written) == 2
    assert fingers.read() == 0

    fingers.go(1.0)
    assert fingers.read() == 1
    fingers.go(0.5)
    assert fingers.read() == pytest.approx(0.5, abs=0.01)
    fingers.close()

    Robotiq(gripper.port).close()
    assert len(gripper.written) == 4


@pytest.mark.parametrize("noise", [b"\x09\x83\x02\xc0\xf2\x00\x00\x00\x00\x00\x00", b"\x00" * 11])
def test_an_answer_that_cannot_be_right_is_said_in_words(gripper: Gripper, noise: bytes):
    fingers = Robotiq(gripper.port)
    gripper.noise = noise

    with pytest.raises(ArmLost, match="answered"):
        fingers.read()
    fingers.close()


def test_silence_is_said_in_words(gripper: Gripper, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(robotiq, "TIMEOUT_S", 0.05)
    gripper.silent = True

    with pytest.raises(ArmLost, match="nothing"):
        Robotiq(gripper.port)


def test_a_port_that_is_not_there_is_said_in_words(tmp_path: Path):
    with pytest.raises(ArmLost, match="cannot be opened"):
        Robotiq(tmp_path / "ttyUSB9")
