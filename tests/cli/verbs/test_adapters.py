from __future__ import annotations

import json

from studio.requests import Adapter


def test_adapters_of_the_data_folder_are_listed_without_a_server(orrery, tmp_path):
    rack = tmp_path / "adapters"
    (rack / "folder").mkdir(parents=True)
    (rack / "folder" / "adapter_model.safetensors").write_bytes(bytes(2_000_000))
    (rack / "style.safetensors").write_bytes(bytes(500_000))
    (rack / "notes.txt").write_text("no adapter")
    (rack / "empty").mkdir()
    rows = orrery("adapters", "--data", tmp_path).stdout.splitlines()
    assert [row.split() for row in rows] == [["name", "size"], ["folder", "2.0", "MB"], ["style", "0.5", "MB"]]
    listed = json.loads(orrery("adapters", "--data", tmp_path, "--json").stdout)
    assert [Adapter(name=adapter["name"]).name for adapter in listed["adapters"]] == ["folder", "style"]


def test_a_folder_without_adapters_lists_none(orrery, tmp_path):
    assert orrery("adapters", "--data", tmp_path).stdout.split() == ["name", "size"]


def test_the_adapters_of_a_server_are_listed(orrery, server, data_with_speck):
    result = orrery("adapters", "--server", server.url, "--json")
    assert result.exit_code == 0, result.stderr
    here = orrery("adapters", "--data", data_with_speck, "--json")
    assert json.loads(result.stdout) == json.loads(here.stdout)
