"""Three connected cameras, by OpenCV: V4L2 devices, addresses of streams, or files."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, cast

import cv2
import numpy as np
import structlog
from numpy.typing import NDArray

from robot.clock import Clock
from robot.faults import CameraLost
from robot.observation import EXTERIOR_SIZE, WRIST_SIZE, Views, letterbox

log = structlog.get_logger("orrery.robot.cameras")

MAX_AGE_S = 1.0
REOPEN_S = 1.0
FIRST_PICTURE_S = 10.0


@dataclass(frozen=True)
class CameraAddress:
    """One camera.

    Attributes:
        device: `/dev/video0`, the number 0, or the address of a stream.
        upside_down: whether it is mounted so; its picture is turned by half.
    """

    device: str
    upside_down: bool = False


class OpenCvCamera:
    """One camera on a thread of its own; it is opened again whenever it is lost.

    Args:
        name: for the operator.
        size: (width, height) of the pictures that come out, their shape kept.
    """

    def __init__(self, name: str, address: CameraAddress, size: tuple[int, int], clock: Clock) -> None:
        self._name = name
        self._address = address
        self._size = size
        self._clock = clock
        self._newest: tuple[float, NDArray[np.uint8]] | None = None
        self._ended = threading.Event()
        self._has_picture = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"camera {name}", daemon=True)
        self._thread.start()

    def newest(self) -> tuple[float, NDArray[np.uint8]]:
        """When it was taken, and the picture, uint8 [height, width, 3] RGB. Raises CameraLost."""
        newest = self._newest
        if newest is None:
            raise CameraLost(f"The {self._name} camera at {self._address.device} delivers no image.", param="cameras")
        age_s = self._clock.now() - newest[0]
        if age_s > MAX_AGE_S:
            raise CameraLost(
                f"The {self._name} camera's last image is {age_s:.1f} s old.", hint="Check that it is plugged in."
            )
        return newest

    def wait_first(self) -> None:
        """Until there is a picture, or none to be had."""
        self._has_picture.wait(FIRST_PICTURE_S)

    def close(self) -> None:
        """End the thread and let go of the camera."""
        self._ended.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._ended.is_set():
            capture = cv2.VideoCapture(self._source())
            capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)  # else what comes out is what was seen three pictures ago
            while not self._ended.is_set() and self._take(capture):
                pass
            capture.release()
            self._has_picture.set()
            if not self._ended.is_set():
                log.info("camera lost", camera=self._name, device=self._address.device)
                self._clock.wait_until(self._clock.now() + REOPEN_S, self._ended)

    def _take(self, capture: cv2.VideoCapture) -> bool:
        if not capture.grab():
            return False
        taken_at_s = self._clock.now()
        came, picture = cast("tuple[bool, NDArray[np.uint8]]", capture.retrieve())
        if not came:
            return False
        turned = picture[::-1, ::-1] if self._address.upside_down else picture
        self._newest = taken_at_s, letterbox(np.ascontiguousarray(turned[:, :, ::-1]), *self._size)
        self._has_picture.set()
        return True

    def _source(self) -> Any:
        return int(self._address.device) if self._address.device.isdigit() else self._address.device


class OpenCvCameras:
    """Cameras of a real arm. It is made once each has given a picture, or has not in ten seconds."""

    def __init__(
        self, wrist: CameraAddress, exterior_1: CameraAddress, exterior_2: CameraAddress, clock: Clock
    ) -> None:
        self._cameras = (
            OpenCvCamera("wrist", wrist, WRIST_SIZE, clock),
            OpenCvCamera("exterior 1", exterior_1, EXTERIOR_SIZE, clock),
            OpenCvCamera("exterior 2", exterior_2, EXTERIOR_SIZE, clock),
        )
        for camera in self._cameras:
            camera.wait_first()

    def views(self) -> Views:
        """The newest three pictures. Raises CameraLost, naming the camera."""
        newest = [camera.newest() for camera in self._cameras]
        wrist, exterior_1, exterior_2 = (picture for _, picture in newest)
        return Views(min(taken_at_s for taken_at_s, _ in newest), wrist, exterior_1, exterior_2)

    def close(self) -> None:
        """Let go of all three."""
        for camera in self._cameras:
            camera.close()
