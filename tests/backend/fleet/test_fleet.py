"""Several checkpoints on one server: loaded when their jobs' turn comes, unloaded when another needs the room."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from running import START_S, RunningServer, about, children, running, wait_for

PRESET = (
    'id = "{0}"\ntitle = "{0}"\nsummary = "Another."\nbuilt_here = true\nrandom_weights = true\nweights_gb = 0.01\n'
)
ROOM_FOR_TWO_GB = "1.3"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def fleet(
    tmp_path_factory: pytest.TempPathFactory, data_with_speck: Path, server: RunningServer
) -> Iterator[RunningServer]:
    """A server with room for two of four checkpoints, one of them broken."""
    data = tmp_path_factory.mktemp("fleet")
    (data / "presets").mkdir()
    built = data_with_speck / "checkpoints" / "speck"
    for name in ("speck", "second", "third", "broken"):
        shutil.copytree(built, data / "checkpoints" / name)
        if name != "speck":
            (data / "presets" / f"{name}.toml").write_text(PRESET.format(name))
    shards = sorted((data / "checkpoints" / "broken" / "transformer").glob("*.safetensors"))
    shards[0].write_bytes(shards[0].read_bytes()[:1000])
    with running(data, ORRERY_MEMORY_GB=ROOM_FOR_TWO_GB) as own:
        own.wait_ready()
        yield own


def states(server: RunningServer) -> dict[str, str]:
    listing = server.get("/v1/checkpoints").json()["checkpoints"]
    return {entry["id"]: entry["state"] for entry in listing if "speck" in entry["id"] or entry["id"] in OTHERS}


OTHERS = ("second", "third", "broken")


def error_of(answer: httpx.Response) -> dict[str, str]:
    return answer.json()["error"]


def test_checkpoints_come_with_their_jobs_and_the_longest_unused_leaves(fleet: RunningServer):
    for name in ("second", "third"):
        job = fleet.submit(checkpoint=name)
        assert job["waiting_for"] == f"checkpoint {name}"
        done = fleet.wait_job(job["id"])
        assert (done["state"], done["checkpoint"], done["waiting_for"]) == ("succeeded", name, None)

    assert states(fleet) == {"speck": "installed", "second": "ready", "third": "ready", "broken": "installed"}
    # Nothing was said of the active one: a job without a name brings it back, and the second is the longest unused.
    assert fleet.wait_job(fleet.submit()["id"])["checkpoint"] == "speck"
    assert states(fleet)["second"] == "installed"


def test_jobs_of_a_checkpoint_that_cannot_be_loaded_fail_and_no_others(fleet: RunningServer):
    bad, good = fleet.submit(checkpoint="broken"), fleet.submit(checkpoint="speck")

    assert fleet.wait_job(good["id"])["state"] == "succeeded"
    failed = fleet.wait_job(bad["id"])
    assert (failed["state"], failed["error"]["code"]) == ("failed", "broken_checkpoint")
    assert str(fleet.data) not in json.dumps(failed), "where it lies is nobody's business over a socket"
    again = fleet.post("/v1/jobs", json={"kind": "generate_image", "prompt": "x", "checkpoint": "broken"})
    assert error_of(again)["code"] == "broken_checkpoint"
    assert error_of(fleet.post("/v1/checkpoints/broken/load"))["code"] == "broken_checkpoint"


def test_loading_a_checkpoint_leaves_the_default_as_it_is(fleet: RunningServer):
    fleet.post("/v1/checkpoints/speck/default")
    assert fleet.post("/v1/checkpoints/third/load").status_code == 202
    wait_for(lambda: states(fleet)["third"] == "ready", START_S)
    assert fleet.get("/v1/choices/generate_image").json()["checkpoint"] == "speck"
    assert fleet.submit()["checkpoint"] == "speck"


def test_the_default_checkpoint_is_loaded_and_the_page_hears_of_it(fleet: RunningServer):
    with connect(fleet.url.replace("http", "ws") + "/v1/events") as page:
        assert "checkpoints" in json.loads(page.recv(timeout=60))["state"]["system"]
        assert fleet.post("/v1/checkpoints/second/default").status_code == 202
        told: list[str] = []
        while not told or told[-1] != "second ready":
            message = json.loads(page.recv(timeout=60))
            if message.get("key") == "system" and "checkpoint" in message["value"]:
                told.append(f"{message['value']['checkpoint']['id']} {message['value']['checkpoint']['state']}")
        assert "second loading" in told

    assert fleet.get("/v1/choices/generate_image").json()["checkpoint"] == "second"
    assert fleet.get("/v1/models").json()["data"][0]["id"] == "second"
    assert fleet.submit()["checkpoint"] == "second"


def test_what_others_leave_of_the_grant_is_said(fleet: RunningServer):
    listing = fleet.get("/v1/checkpoints").json()
    taken_gb = sum(entry["needed_gb"] for entry in listing["checkpoints"] if entry["loaded"])
    assert taken_gb
    assert listing["memory"]["spare_gb"] == pytest.approx(float(ROOM_FOR_TWO_GB) - taken_gb, abs=0.1)
    assert listing["memory"]["total_gb"] > float(ROOM_FOR_TWO_GB)


def test_unloading_frees_the_place_and_a_conversation_then_says_what_to_do(fleet: RunningServer):
    fleet.post("/v1/checkpoints/speck/default")
    wait_for(lambda: fleet.get("/readyz").text == "ready", START_S)
    fleet.post("/v1/checkpoints/speck/unload")
    wait_for(lambda: fleet.get("/readyz").text == "unloaded", 60)

    asked = fleet.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": "hm?"}]})

    assert asked.status_code == 409
    assert "POST /v1/checkpoints/speck/load" in error_of(asked)["hint"]
    assert error_of(fleet.post("/v1/checkpoints/speck/unload"))["code"] == "conflict"


def test_a_sleeper_wakes_for_a_job_and_for_a_conversation(fleet: RunningServer):
    fleet.post("/v1/checkpoints/speck/default")
    wait_for(lambda: fleet.get("/readyz").text == "ready", START_S)
    chat = {"messages": [{"role": "user", "content": "hm?"}], "max_tokens": 2}
    for ask in (
        lambda: fleet.wait_job(fleet.submit(checkpoint="speck")["id"])["error"],
        lambda: fleet.post("/v1/chat/completions", json=chat).json().get("error"),
    ):
        assert fleet.post("/v1/checkpoints/speck/sleep").status_code == 202
        wait_for(lambda: fleet.get("/readyz").text == "asleep", 60)
        wait_for(lambda: not workers_of(fleet, "speck"), 60)
        assert fleet.get("/readyz").is_success
        assert error_of(fleet.post("/v1/checkpoints/speck/sleep"))["code"] == "conflict"
        assert ask() is None
        assert fleet.get("/readyz").text == "ready"


def workers_of(server: RunningServer, checkpoint: str) -> list[int]:
    """Process ids of the workers that hold a checkpoint."""
    assert server.process is not None
    every = [(pid, about(pid, "cmdline")) for pid in children(server.process.pid)]
    return [pid for pid, line in every if f"--checkpoint={checkpoint}\0" in line]


def test_what_was_active_is_active_again_unless_the_server_is_told(
    tmp_path: Path, data_with_speck: Path, server: RunningServer
):
    shutil.copytree(data_with_speck / "checkpoints", tmp_path / "checkpoints")
    shutil.copytree(tmp_path / "checkpoints" / "speck", tmp_path / "checkpoints" / "second")
    (tmp_path / "presets").mkdir()
    (tmp_path / "presets" / "second.toml").write_text(PRESET.format("second"))
    (tmp_path / "active-checkpoint").write_text("speck")
    with running(tmp_path, ORRERY_CHECKPOINT="") as first:
        first.post("/v1/checkpoints/second/default")
        assert first.get("/v1/checkpoints").json()["starts_with"] == "second"
    with running(tmp_path, ORRERY_CHECKPOINT="") as again:
        assert again.get("/v1/models").json()["data"][0]["id"] == "second"
    with running(tmp_path, ORRERY_CHECKPOINT="speck") as told:
        assert told.get("/v1/models").json()["data"][0]["id"] == "speck"
        told.post("/v1/checkpoints/second/default")
        assert told.get("/v1/checkpoints").json()["starts_with"] == "speck"


def test_what_is_unknown_or_elsewhere_is_refused_with_the_way_to_it(fleet: RunningServer):
    assert error_of(fleet.post("/v1/checkpoints/nobody/load"))["code"] == "checkpoint_not_found"
    assert "pull" in error_of(fleet.post("/v1/checkpoints/cosmos3-nano/load"))["hint"]
    assert error_of(fleet.post("/v1/checkpoints/second/pull"))["code"] == "bad_input"
    assert error_of(fleet.delete("/v1/checkpoints/second/pull"))["code"] == "conflict"
    assert error_of(fleet.post("/v1/checkpoints/cosmos3-nano/verify"))["code"] == "conflict"


def test_every_tensor_is_accounted_for_while_the_server_goes_on(fleet: RunningServer):
    assert fleet.post("/v1/checkpoints/third/verify").json()["state"] == "running"

    def ended() -> dict[str, str] | None:
        with connect(fleet.url.replace("http", "ws") + "/v1/events") as page:
            errand = json.loads(page.recv(timeout=60))["state"]["system"]["errands"]["third"]
        return errand if errand["state"] != "running" else None

    errand = wait_for(ended, 120)
    assert errand["state"] == "succeeded"
    assert "every one accounted for" in errand["said"]
    assert "/" not in errand["said"]


def test_replicas_share_a_queue_and_run_side_by_side(tmp_path: Path, data_with_speck: Path, server: RunningServer):
    shutil.copytree(data_with_speck / "checkpoints", tmp_path / "checkpoints")
    with running(tmp_path, ORRERY_REPLICAS="2") as two:
        two.wait_ready()
        # The first two last until both replicas are loaded, of which one alone says that it is ready.
        long = [two.submit(resolution="720", sampling={"num_inference_steps": 200}) for _ in range(2)]
        short = [two.submit(sampling={"num_inference_steps": 2}) for _ in range(6)]
        wait_for(lambda: len(two.get("/v1/jobs?state=running").json()["jobs"]) == 2, 120)
        assert {two.job(job["id"])["state"] for job in long} == {"running"}
        for job in long:
            two.wait_job(job["id"], lambda job: job["progress"]["step"] > 0)
            two.post(f"/v1/jobs/{job['id']}/stop")
        done = [two.wait_job(job["id"]) for job in (*long, *short)]
    assert {job["state"] for job in done} == {"succeeded"}
    assert len({job["id"] for job in done}) == 8
