"""Depth and objects through a whole server, with tiny models that lie where pulled ones do."""

import io
import shutil
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest

from running import RunningServer, running, wait_for
from tiny_perception import write_pulled

CANVAS = {"resolution": "256", "aspect_ratio": "4:3"}


@pytest.mark.slow
def test_depth_and_objects_are_shown_computed_followed_and_measured(
    server: RunningServer, make_clip: Callable[..., bytes], tmp_path: Path
):
    cache, data = tmp_path / "hub", tmp_path / "data"
    for hint in ("depth", "seg"):
        write_pulled(cache, hint)
    shutil.copytree(server.data / "checkpoints", data / "checkpoints")
    with running(data, own_imports=True, HF_HUB_CACHE=str(cache)) as own:
        own.wait_ready()
        source = own.post("/v1/media", files={"file": ("x.mp4", make_clip(5, 128, 96, 12))}).json()["id"]
        for hint in ("depth", "seg"):
            shown = own.get(f"/v1/media/{source}/control", params={"hint": hint, **CANVAS})
            assert shown.headers["content-type"] == "image/png", shown.text
            whole = own.post("/v1/controls", json={"source_video": source, "hint": hint, "fps": 12, **CANVAS})
            assert whole.status_code == 201, whole.text
            with av.open(io.BytesIO(own.get(whole.json()["url"]).content)) as clip:
                frames = [frame.to_ndarray(format="rgb24") for frame in clip.decode(video=0)]
            assert np.stack(frames).shape == (5, 256, 320, 3)
        request = {
            "kind": "transfer_video",
            "prompt": "x",
            "source_video": source,
            "controls": [{"hint": "depth"}, {"hint": "seg"}],
            "num_chunk_frames": 5,
            "fps": 12,
            "sampling": {"num_inference_steps": 1},
            **CANVAS,
        }
        items = [{"id": "one", "media": [source], "request": request}]
        added = own.post("/v1/benchmarks", json={"name": "views", "form": "generation", "items": items})
        assert added.status_code == 201, added.text
        run = own.post("/v1/runs", json={"benchmark": added.json()["id"]}).json()["id"]
        ended = wait_for(lambda: (found := own.get(f"/v1/runs/{run}").json())["state"] != "running" and found, 240)
        assert ended["state"] == "succeeded", ended
        scores = own.get(f"/v1/runs/{run}/scores").json()
        values = {each["metric"]: each["value"] for each in scores["overall"]["measurements"]}
        assert values["depth_si_rmse"] is not None
        assert 0 <= values["mask_miou"] <= 1
