"""How busy the machine is, and what the server logs."""

import pytest

from backend import machine
from running import RunningServer


def test_the_load_is_within_its_bounds(server: RunningServer):
    load = server.get("/v1/system").json()
    assert 0 <= load["cpu_percent"] <= 100
    assert load["num_cores"] >= 1
    assert 0 < load["memory_used_gb"] < load["memory_total_gb"]


def test_the_newest_lines_of_the_log_are_read(server: RunningServer):
    server.get("/v1/jobs/00000000-0000-4000-8000-000000000000")
    entries = server.get("/v1/system/log", params={"limit": 1000}).json()["entries"]
    assert "refused" in [entry["event"] for entry in entries[-20:]]
    assert len(server.get("/v1/system/log", params={"limit": 1}).json()["entries"]) == 1
    assert server.get("/v1/system/log", params={"limit": 0}).status_code == 422


def test_what_nvidia_smi_says_is_read_and_what_a_card_does_not_tell_is_nought(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "nvidia-smi"
    program.write_text(
        "#!/bin/sh\necho '0, NVIDIA H100, 37, 1024, 81559'\necho '1, NVIDIA GB10, [N/A], [N/A], [N/A]'\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    first, second = machine._gpus()
    assert (first.index, first.name, first.percent, first.used_gb) == (0, "NVIDIA H100", 37.0, 1.07)
    assert (second.percent, second.total_gb) == (0.0, 0.0)
    program.write_text("#!/bin/sh\nexit 9\n")
    assert machine._gpus() == ()
