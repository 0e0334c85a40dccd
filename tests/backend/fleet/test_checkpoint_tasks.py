"""Pulling through the server: told as it goes, stopped, gone on with, verified."""

import json
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from fake_hub import fake_hub
from running import RunningServer, running, wait_for

FILES = {"model_index.json": b"{}", "transformer/weights.safetensors": b"w" * 300_000}
NAME = "cosmos3-nano"


def errand(server: RunningServer) -> dict[str, Any]:
    with connect(server.url.replace("http", "ws") + "/v1/events") as page:
        return json.loads(page.recv(timeout=60))["state"]["system"]["errands"].get(NAME, {})


@pytest.mark.slow
def test_a_checkpoint_is_pulled_stopped_and_gone_on_with(tmp_path: Path):
    with (
        fake_hub(FILES) as (url, let_through),
        # huggingface_hub reads its environment when it is imported.
        running(tmp_path / "data", own_imports=True, HF_ENDPOINT=url, HF_HOME=str(tmp_path / "hub")) as server,
    ):
        assert server.post(f"/v1/checkpoints/{NAME}/pull").json()["state"] == "running"
        assert server.post(f"/v1/checkpoints/{NAME}/pull").status_code == 409
        wait_for(lambda: errand(server).get("total") == 300_002, 60)
        assert server.delete(f"/v1/checkpoints/{NAME}/pull").json()["state"] == "cancelled"

        let_through.set()
        server.post(f"/v1/checkpoints/{NAME}/pull")
        wait_for(lambda: errand(server)["state"] == "succeeded", 60)
        # What came is no whole checkpoint, and verifying it says so.
        answer = server.post(f"/v1/checkpoints/{NAME}/verify")
        assert answer.is_success, answer.text
        ended = wait_for(lambda: (seen := errand(server))["state"] == "failed" and seen, 60)
        assert ended["what"] == "verify"
        assert ended["error"]["code"] == "broken_checkpoint"
