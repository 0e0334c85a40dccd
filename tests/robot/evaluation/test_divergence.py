"""Two runs, one of them disturbed, with a policy that acts by a script and foresees that everything stands still."""

import queue
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from websockets.sync.server import ServerConnection

from robot.evaluation.divergence import DisturbedRuns, ForeseeingServer, summed_up
from robot.evaluation.scenes import table_benchmark, task_of
from robot.foresight.clip import WHOLE_VIEWS
from robot.scripted import wire
from robot.settings import RobotSettings
from robot.simulation.library import GRAPHICS
from robot_servers import policy_server
from studio.wire.arrays import pack_message, unpack_message

FORESEEN = "/foreseen"
VIEWS = ("wrist_image_left", "exterior_image_1_left", "exterior_image_2_left")


class StillPolicy:
    """The scripted policy, with 33 times the frame that it was asked about as what it foresees."""

    def __init__(self) -> None:
        self.clips: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def __call__(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        if socket.request.path == FORESEEN:
            while True:
                socket.send(self.clips.get())
        socket.send(pack_message({**wire.METADATA, "predicts_video": True, "foresight": FORESEEN}))
        while True:
            frame = socket.recv(decode=False)
            socket.send(wire.answer(frame))
            self._foresee(unpack_message(frame))

    def _foresee(self, asked: dict[str, Any]) -> None:
        wrist, first, second = (np.asarray(asked[f"observation/{name}"]) for name in VIEWS)
        canvas = np.vstack([wrist, np.hstack([first, second])])
        jpeg = cv2.imencode(".jpg", canvas[:, :, ::-1])[1].tobytes()
        views = [list(view) for view in WHOLE_VIEWS]
        self.clips.put(pack_message({"label": asked["foresee"], "frames": [jpeg] * 33, "views": views}))


@pytest.mark.slow
@pytest.mark.skipif(not GRAPHICS.can_draw, reason=GRAPHICS.problem or "it draws")
def test_a_run_has_a_divergence_for_each_tick_whose_frame_came_in_time(tmp_path: Path):
    task = task_of(table_benchmark(1, ("default",), 0).items[0])
    policy = StillPolicy()
    with policy_server(policy) as (url, _):
        server = ForeseeingServer(RobotSettings(policy=url, recordings=tmp_path))
        trials = DisturbedRuns(server.ask)
        try:
            server.make_ready()
            calm, shifted = trials.run(task, "none"), trials.run(task, "camera")
        finally:
            trials.close()
            server.close()
            policy.clips.put(b"")  # its socket is closed: the thread that waits for a clip ends with that

    known = [value for value in calm if value is not None]
    assert len(known) > 10
    assert max(known) > 0.3, "the arm moves, and stillness was foreseen"
    assert calm[:12] == shifted[:12] == [None] * 12, "what was foreseen comes 0.8 s after the question"
    assert calm[12:15] == shifted[12:15], "the camera is shifted a second after the start"
    assert summed_up([("none", calm), ("camera", shifted)], 1.0, 5)["num_disturbed"] == 1
