"""`orrery evaluate --saves`: every save of a tuning on one benchmark, beside the checkpoint that it began with."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from adapter_saves import write_saves
from cli.tuning_saves import Save, saves_of
from running import RunningServer
from studio.catalogue import AdapterInfo, AdapterList
from studio.errors import BadInput

LINEAGE: dict[str, Any] = {
    "tuning": "a" * 12,
    "step": 100,
    "recipe": {"task": "generator", "name": "grasp", "checkpoint": "speck", "data": "cups"},
    "version": "1",
    "created_at": "2026-11-26T10:00:00Z",
}


class Client:
    """A server with these adapters and checkpoints."""

    def __init__(self, adapters: tuple[str, ...], checkpoints: tuple[str, ...] = ()) -> None:
        self._adapters = AdapterList(
            adapters=tuple(
                AdapterInfo.model_validate({"name": name, "size_bytes": 1, "lineage": LINEAGE}) for name in adapters
            )
        )
        self._checkpoints = checkpoints

    async def adapters(self) -> AdapterList:
        return self._adapters

    async def checkpoints(self) -> Any:
        entry = type("Entry", (), {"lineage": None})
        found = []
        for name in self._checkpoints:
            one = entry()
            one.id = name
            found.append(one)
        return type("Listing", (), {"checkpoints": found})()


@pytest.mark.anyio
async def test_saves_are_found_by_their_name_in_the_order_of_their_steps():
    client: Any = Client(("grasp@1000", "grasp@200", "grasp", "other@5"), ("speck", "whole@7"))

    found = await saves_of(client, "grasp")
    assert found.base == "speck"
    assert found.saves == (
        Save(200, "grasp@200", "speck", "grasp@200"),
        Save(1000, "grasp@1000", "speck", "grasp@1000"),
    )
    whole = await saves_of(client, "whole", "speck")
    assert (whole.base, whole.saves) == ("speck", (Save(7, "whole@7", "whole@7", None),))
    with pytest.raises(BadInput, match="no saves 'grsp'@STEP") as refused:
        await saves_of(client, "grsp")
    assert "grasp" in refused.value.hint


def test_every_save_runs_after_its_checkpoint_on_one_benchmark(server: RunningServer, orrery: Any, tmp_path: Path):
    write_saves(server.data)
    request = {"kind": "generate_image", "prompt": "one", "resolution": "256", "aspect_ratio": "1:1"}
    folder = tmp_path / "stills"
    folder.mkdir()
    (folder / "items.jsonl").write_text(json.dumps({"id": "1", "request": request}))
    (folder / "benchmark.toml").write_text(
        'name = "saved-stills"\nform = "generation"\n[settings.request.sampling]\nnum_inference_steps = 1\n'
    )
    words = ("evaluate", folder, "--saves", "grasp", "--server", server.url)

    result = orrery(*words, "-o", tmp_path / "scores.csv")

    assert result.exit_code == 0, result.output
    runs = server.get("/v1/runs").json()["runs"][:3]
    assert [run["adapter"] and run["adapter"]["name"] for run in runs] == ["grasp@200", "grasp@100", None]
    assert {run["reasoner"] for run in runs} == {"speck"}
    rows = list(csv.DictReader((tmp_path / "scores.csv").read_text().splitlines()))
    assert [row["run"] for row in rows if row["group"] == "all"][-1] == "grasp@200"
    assert orrery(*words, "--adapter", "grasp@100").exit_code == 2
    assert orrery(*words[:3], "mugs", *words[4:]).exit_code == 2
    for step in (100, 200):
        (server.data / "adapters" / f"grasp@{step}.safetensors").unlink()
