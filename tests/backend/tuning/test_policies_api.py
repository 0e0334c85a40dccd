"""A policy's tuning over HTTP with a scripted trainer: its saves are checkpoints that are tried on tables."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from running import wait_for
from tuning_server import put_file, start, tuning, tuning_server

LONG_S = 120


def test_each_save_is_tried_and_its_success_has_an_interval(tmp_path: Path):
    with tuning_server(tmp_path) as own:
        own.wait_ready()
        put_file(own, "lifts", "meta/info.json", b'{"codebase_version": "v3.0"}')
        how = {"steps": 20, "save_every": 10}
        recipe = {"task": "policy", "name": "lift", "checkpoint": "speck", "data": "lifts", "scenes": 4}
        begun = start(own, recipe={**recipe, "optimisation": how}, evaluates_saves=True)

        def tried() -> list[dict[str, object]] | None:
            saves = tuning(own, begun["id"])["saves"]
            return saves if len(saves) == 2 and all(save["success"] for save in saves) else None

        saves = wait_for(tried, LONG_S)
        assert [(save["name"], save["makes"]) for save in saves] == [
            ("lift@10", "checkpoint"),
            ("lift@20", "checkpoint"),
        ]
        success = saves[0]["success"]
        assert (success["value"], success["num_episodes"]) == (0.5, 4)
        assert success["low"] == pytest.approx(0.150, abs=1e-3)  # Wilson's of 2 of 4
        run = own.get(f"/v1/runs/{saves[0]['runs'][0]}").json()
        assert (run["state"], run["reasoner"], run["form"]) == ("succeeded", "lift@10", "policy")
        preset = tomllib.loads((tmp_path / "presets" / "lift@10.toml").read_text())
        assert preset["defaults"]["run_policy"] == {"embodiment": "droid_joint_position", "fps": 15.0}
        curves = own.get("/v1/runs/curves", params={"benchmark": "simulated-table"}).json()["curves"]
        assert [point["step"] for point in curves[0]["lines"][0]["points"]] == [10, 20]
