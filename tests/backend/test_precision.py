"""The server told to compute in 8 bits, alone and over two ranks."""

import shutil
from pathlib import Path

import pytest

from running import RunningServer, running


@pytest.mark.slow
@pytest.mark.parametrize("gpus", ["1", "2"])
def test_a_server_in_eight_bits_says_so_and_makes_what_is_asked(
    tmp_path: Path, data_with_speck: Path, server: RunningServer, gpus: str
):
    shutil.copytree(data_with_speck / "checkpoints", tmp_path / "checkpoints")
    with running(tmp_path, ORRERY_PRECISION="fp8", ORRERY_GPUS=gpus) as own:
        own.wait_ready()
        (active,) = [entry for entry in own.get("/v1/checkpoints").json()["checkpoints"] if entry["active"]]
        assert active["detail"].startswith("fp8")
        clip = own.submit(kind="generate_video", num_frames=5, sampling={"num_inference_steps": 2})
        assert own.wait_job(clip["id"])["state"] == "succeeded"
