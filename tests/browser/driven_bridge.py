"""A bridge whose arm swings as it is told by a test: everything that a real one says, without an arm."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np

from robot.bridge import messages
from robot.safety import HOME
from robot_servers import beating
from robot_wire import End, websocket
from running import RunningServer
from studio.wire import pack_frame

RUN = {
    "prompt": "pick up the red cube",
    "mode": "live",
    "horizon": 16,
    "speed": 0.3,
    "record": False,
    "episode": None,
    "idle_frames": None,
    "foresee": False,
    "divergence_limit": None,
    "divergence_ticks": 5,
}

SUMMARY = {
    "busy": "",
    "recording_words": "",
    "scene_seed": 7,
    "num_ticks": 900,
    "rate_hz": 15.0,
    "num_late": 0,
    "num_missed": 0,
    "lateness_p50_ms": 0.2,
    "lateness_p99_ms": 3.1,
    "lateness_max_ms": 5.5,
    "busy_p50_ms": 0.8,
    "busy_p99_ms": 1.9,
    "latency_p50_s": 0.35,
    "latency_p95_s": 0.41,
    "inference_p50_s": 0.31,
    "largest_gapless_horizon": 25,
    "jump_last_rad": 0.021,
    "jump_max_rad": 0.064,
    "num_clamped_soft": [0] * 7,
    "num_clamped_lead": [0, 0, 0, 3, 0, 0, 0],
    "num_clamped_step": [0] * 7,
    "num_clamped_acceleration": [0, 5, 0, 0, 0, 0, 0],
    "clamped_share": 0.004,
    "num_played": 800,
    "num_gaps": 12,
}


class DrivenBridge(End):
    """Says what a test wants to see."""

    def __init__(self, server: RunningServer, name: str) -> None:
        super().__init__(f"{websocket(server)}/v1/robots/bridge")
        self.say(**messages.hello(name, "simulated", "panda", "ws://policy/"))
        self.name = name
        self.tick = 0
        self.told: dict[str, Any] = {}
        self.foreseen: dict[str, Any] | None = None
        self.now: dict[str, Any] = {"state": "idle", "hold": None, "epoch": 0, "run": None, "stop": None, "words": ""}
        self.say(type="session", **self.now)

    def stand(self, state: str, **more: Any) -> None:
        """A session in a state."""
        self.now = {"state": state, "hold": None, "epoch": 1, "run": RUN, "stop": None, "words": "", **more}
        self.say(type="session", **self.now)

    def summarise(self, **changed: Any) -> None:
        self.say(type="summary", **{**SUMMARY, **changed})

    def rows(self, tick: int, count: int) -> list[list[float]]:
        """Where the arm swings from a tick on, rad and the gripper."""
        return [
            [*(HOME + 0.4 * np.sin(np.arange(7) + at / 15)).round(4), 0.5 + 0.5 * math.sin(at / 20)]
            for at in range(tick, tick + count)
        ]

    def swing(self, num_ticks: int, *, num_coming: int = 24, clamped: tuple[int, ...] = ()) -> None:
        """So many ticks at once, and a chunk. A server leaves ticks out for a page that has eight of them to read."""
        for _ in range(num_ticks):
            self.tick += 1
            wanted, state = self.rows(self.tick, 1)[0], self.rows(self.tick - 2, 1)[0]
            self.told = {
                "type": "tick",
                "tick": self.tick,
                "at_s": self.tick / 15,
                "state": self.now["state"],
                "foreseen": self.foreseen,
                "hold": self.now["hold"],
                "epoch": self.now["epoch"],
                "joints": state[:7],
                "gripper": state[7],
                "wanted": wanted,
                "executed": wanted,
                "clamped": list(clamped) if self.tick % 20 < 3 else [],
                "rung": "play",
                "num_coming": num_coming,
                "policy": "ready",
                "policy_words": "",
                "has_views": True,
                "lateness_ms": 0.2,
                "busy_ms": 0.9,
            }
            self.say(**self.told)
        self.chunk()
        self.coming(num_coming)

    def show(self, topic: str) -> None:
        """A picture."""
        self.socket.send(pack_frame(topic, jpeg()))

    def coming(self, num_coming: int) -> None:
        """What will be played from the next tick on."""
        rows = self.rows(self.tick + 1, num_coming)
        self.say(type="coming", tick=self.tick, epoch=self.now["epoch"], num_coming=num_coming, rows=rows)

    def chunk(self, *, has_video: bool = False) -> None:
        """Rows whose observation was eight ticks ago."""
        self.say(
            type="chunk",
            tick=self.tick - 8,
            epoch=self.now["epoch"],
            pending=False,
            rows=self.rows(self.tick - 8, 32),
            skipped_rows=8.0,
            jump_rad=0.021,
            latency_s=0.41,
            inference_s=0.31,
            has_video=has_video,
        )

    def wait_order(self, command: str, number: int = 0, value: Any = None) -> dict[str, Any]:
        """The order of a name after the first `number`; answered."""
        found = self.until(lambda: self.ordered(command)[number:])[0]
        self.say(type="answer", id=found["id"], error=None, value=value)
        return found

    def ordered(self, command: str) -> list[dict[str, Any]]:
        """Every order of a name."""
        return [message for message in self.heard if message.get("command") == command]


def jpeg() -> bytes:
    """A canvas of 640 x 540 as a policy's: one view above two."""
    picture = np.zeros((540, 640, 3), np.uint8)
    picture[:360] = (70, 110, 160)
    picture[360:, :320] = (90, 140, 90)
    picture[360:, 320:] = (120, 90, 140)
    cv2.circle(picture, (320, 200), 60, (40, 40, 220), -1)
    return cv2.imencode(".jpg", picture)[1].tobytes()


@contextmanager
def driven_bridge(server: RunningServer, name: str) -> Iterator[DrivenBridge]:
    """Dialled in for a while, and never silent for so long that it is taken for gone, however slow the page is."""
    end = DrivenBridge(server, name)
    try:
        with beating(lambda: end.say(type="answer", id=None)):  # to nobody, so that no page hears it
            yield end
    finally:
        end.close()
