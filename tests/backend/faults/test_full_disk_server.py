"""A real server and its worker when files do not fit any more, and when they do again."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from room_on_disk import room_for
from running import RunningServer, running, wait_for
from sent_files import picture_bytes

CLIP: dict[str, Any] = {"kind": "generate_video", "resolution": "256", "num_frames": 9}
FEW: dict[str, Any] = {"sampling": {"num_inference_steps": 2, "seed": 5}}
MANY: dict[str, Any] = {"resolution": "480", "sampling": {"num_inference_steps": 120, "seed": 5}}
"""So many that it runs on for seconds after its first step was heard of."""


@pytest.fixture
def data(tmp_path: Path, server: RunningServer) -> Path:
    """A data folder of its own, with the speck that the shared server has built."""
    folder = tmp_path / "data"
    shutil.copytree(server.data / "checkpoints", folder / "checkpoints")
    return folder


@pytest.mark.slow
def test_what_does_not_fit_fails_and_what_can_wait_goes_on_once_there_is_room(data: Path):
    # What the page is told lies here until it is looked at, and its connection is kept alive meanwhile.
    with running(data) as server, connect(server.url.replace("http", "ws") + "/v1/events", max_queue=None) as page:
        server.wait_ready()
        kept = server.wait_job(server.submit(**CLIP, **FEW)["id"])["results"][0]
        content = server.get(kept["url"]).content
        before = {path for path in (data / "media").rglob("*") if path.is_file()}

        with room_for(1000, server.worker_pid()):
            failed = server.wait_job(server.submit(**CLIP, **FEW)["id"])
        # To the worker the limit is "File too large": a full disk's number cannot be had without being root.
        assert (failed["state"], failed["error"]["code"], failed["results"]) == ("failed", "storage_failed", [])
        assert {path for path in (data / "media").rglob("*") if path.is_file()} == before

        running_job, next_job = server.submit(**MANY), server.submit(**FEW)
        server.wait_job(running_job["id"], lambda job: job["progress"]["step"] > 0)
        assert server.process is not None
        with room_for(1000, server.process.pid):
            wait_for(lambda: server.get("/readyz").text == "lost", 120)
            for path, body in (
                ("/v1/jobs", {"json": {"kind": "generate_image", "prompt": "x"}}),
                ("/v1/media", {"files": {"file": ("x.png", picture_bytes())}}),
            ):
                assert server.post(path, **body).json()["error"]["code"] == "storage_failed"
            assert server.get("/v1/library/export").status_code == 500
            assert server.get(kept["url"]).content == content
            assert server.job(running_job["id"])["state"] == "running"

        done = [server.wait_job(job["id"]) for job in (running_job, next_job)]
        assert [job["state"] for job in done] == ["succeeded", "succeeded"]
        wait_for(lambda: server.get("/readyz").text == "ready", 60)
        told: set[str] = set()
        while told != {running_job["id"], next_job["id"]}:
            message = json.loads(page.recv(timeout=60))
            if (
                message.get("id") in (running_job["id"], next_job["id"])
                and message["value"].get("state") == "succeeded"
            ):
                told.add(message["id"])
        assert not list((data / "media").rglob("*.part"))
        assert not server.tracebacks()
