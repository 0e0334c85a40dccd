"""Computing in 8 bits: the server told to, alone and over two ranks, and one checkpoint beside itself."""

import shutil
from pathlib import Path

import pytest

from running import RunningServer, running, wait_for


@pytest.mark.slow
@pytest.mark.parametrize(("precision", "gpus"), [("fp8", "1"), ("fp8", "2"), ("fp8-attention", "2")])
def test_a_server_in_eight_bits_says_so_and_makes_what_is_asked(
    tmp_path: Path, data_with_speck: Path, server: RunningServer, precision: str, gpus: str
):
    shutil.copytree(data_with_speck / "checkpoints", tmp_path / "checkpoints")
    with running(tmp_path, ORRERY_PRECISION=precision, ORRERY_GPUS=gpus) as own:
        own.wait_ready()
        (active,) = [entry for entry in own.get("/v1/checkpoints").json()["checkpoints"] if entry["active"]]
        assert active["detail"].startswith(f"{precision} · ")
        clip = own.submit(kind="generate_video", num_frames=5, sampling={"num_inference_steps": 2})
        assert own.wait_job(clip["id"])["state"] == "succeeded"


@pytest.mark.slow
def test_precisions_of_one_checkpoint_are_columns_of_a_comparison(tmp_path: Path, server: RunningServer):
    shutil.copytree(server.data / "checkpoints", tmp_path / "checkpoints")
    (tmp_path / "presets").mkdir()
    (tmp_path / "presets" / "eight.toml").write_text(
        'id = "eight"\ntitle = "Eight bits"\nsummary = "s"\nvariant_of = "speck"\nprecision = "fp8"\n'
    )
    asked = {
        "request": {"kind": "generate_image", "prompt": "a cube", "resolution": "256"},
        "axes": {"checkpoint": ["speck", "eight"], "sampling.num_inference_steps": [8]},
        "subjects": [{}],
    }
    with running(tmp_path) as own:
        own.wait_ready()
        name = own.post("/v1/comparisons", json=asked).json()["id"]
        grid = wait_for(lambda: (now := own.get(f"/v1/comparisons/{name}").json())["num_done"] == 2 and now, 120)

        exact, eight = grid["cells"]
        assert [column["label"].split(" · ")[0] for column in grid["columns"]] == ["speck", "Eight bits"]
        assert [cell["job"]["state"] for cell in (exact, eight)] == ["succeeded"] * 2
        pictures = [own.get(cell["job"]["results"][0]["url"]).content for cell in (exact, eight)]
        assert pictures[0] != pictures[1]
        listed = {entry["id"]: entry for entry in own.get("/v1/checkpoints").json()["checkpoints"]}
        assert listed["speck"]["detail"].startswith("float32")
        assert listed["eight"]["detail"].startswith("fp8")
        assert (listed["eight"]["variant_of"], listed["eight"]["precision"]) == ("speck", "fp8")
        assert listed["eight"]["disk_gb"] == listed["speck"]["disk_gb"]
