"""The guardrail is asked, its state is told, and what it has not read does not run in silence."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import guardrail_fake
from backend.guarding import Guard
from guardrail_fake import WordReader, guarding
from running import running, wait_for
from scripted_endpoint import ANSWER, scripted_endpoint
from studio.errors import BadInput, GuardrailBlocked, GuardrailLost
from studio.events import GuardrailStatus
from studio.requests import GenerateImage
from studio.settings import ServerSettings, read_settings

CLIP = {
    "kind": "generate_video",
    "prompt": "the robot arm lifts the red cup",
    "upsample": True,
    "resolution": "256",
    "aspect_ratio": "16:9",
    "num_frames": 73,
    "fps": 10,
    "sampling": {"num_inference_steps": 1, "seed": 1},
}
"""What the scripted caption fits."""

FINE = GenerateImage(prompt="a red cube")
BAD = GenerateImage(prompt="a forbidden cube")


def asked(settings: ServerSettings, act: Callable[[Guard], Awaitable[Any]]) -> tuple[Any, list[GuardrailStatus]]:
    told: list[GuardrailStatus] = []

    async def run() -> Any:
        guard = Guard(settings, told.append)
        try:
            return await act(guard)
        finally:
            await guard.close()

    return asyncio.run(run()), told


def test_without_one_jobs_say_that_it_is_not_installed():
    assert asked(ServerSettings(), lambda guard: guard.check(FINE, wanted=True))[0] == "not_installed"
    assert asked(ServerSettings(), lambda guard: guard.check(BAD))[0] == "not_installed"


@pytest.mark.parametrize("wanted", [None, True, False])
def test_a_server_that_requires_one_refuses_without_it(wanted: bool | None):
    with pytest.raises(GuardrailLost, match="requires a guardrail"):
        asked(ServerSettings(require_guardrail=True), lambda guard: guard.check(FINE, wanted=wanted))


def test_words_are_read_before_they_are_let_through():
    reader = WordReader()
    with guarding(reader) as url:
        settings = ServerSettings(guardrail_url=url)
        verdict, told = asked(settings, lambda guard: guard.check(FINE))
        assert verdict == "passed"
        assert [status.state for status in told] == ["on"]
        with pytest.raises(GuardrailBlocked, match="it says forbidden") as blocked:
            asked(settings, lambda guard: guard.check(BAD))
        assert blocked.value.param == "prompt"
        with pytest.raises(GuardrailBlocked) as blocked:
            asked(settings, lambda guard: guard.check(GenerateImage(prompt="x", negative_prompt="forbidden")))
        assert blocked.value.param == "negative_prompt"
        read = len(reader.read_texts)
        assert asked(settings, lambda guard: guard.check(BAD, wanted=False))[0] == "off"
        assert len(reader.read_texts) == read
        required = ServerSettings(guardrail_url=url, require_guardrail=True)
        with pytest.raises(GuardrailLost):
            asked(required, lambda guard: guard.check(FINE, wanted=False))


def test_one_that_is_dead_still_starting_or_broken_lets_nothing_through():
    with guarding(WordReader()) as dead:
        pass
    with pytest.raises(GuardrailLost):
        asked(ServerSettings(guardrail_url=dead), lambda guard: guard.check(FINE))
    with guarding(WordReader(), loaded=False) as url:
        settings = ServerSettings(guardrail_url=url)
        assert asked(settings, lambda guard: guard.look())[0].state == "starting"
        with pytest.raises(GuardrailLost):
            asked(settings, lambda guard: guard.check(FINE))
    with guarding(WordReader(fault=OSError("401, gated"))) as url:
        status, _ = asked(ServerSettings(guardrail_url=url), lambda guard: guard.look())
        assert (status.state, "gated" in status.detail) == ("failed", True)
    with guarding(WordReader()) as url, pytest.raises(GuardrailLost):
        asked(ServerSettings(guardrail_url=url), lambda guard: guard.check(GenerateImage(prompt="break")))


def test_what_was_written_in_place_of_a_prompt_is_read_too():
    reader = WordReader()
    with guarding(reader) as url:
        settings = ServerSettings(guardrail_url=url)
        asked(settings, lambda guard: guard.check_written("a longer caption"))
        assert reader.read_texts == ["a longer caption"]
        with pytest.raises(GuardrailBlocked, match="upsampled prompt") as blocked:
            asked(settings, lambda guard: guard.check_written("a forbidden caption"))
        assert blocked.value.param == "prompt"
    with pytest.raises(GuardrailLost, match="no longer running"):
        asked(ServerSettings(), lambda guard: guard.check_written("a caption"))


@pytest.mark.parametrize(
    "url", ["http://example.com:80", "https://127.0.0.1:1", "file:///etc/passwd", "127.0.0.1:7861"]
)
def test_prompts_are_sent_to_this_machine_alone(monkeypatch: pytest.MonkeyPatch, url: str):
    monkeypatch.setenv("ORRERY_GUARDRAIL_URL", url)

    with pytest.raises(BadInput, match="not on this machine"):
        read_settings()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"text": 3}', b"[" * 10_000])
def test_the_program_answers_nonsense_in_words(body: bytes):
    with guarding(WordReader()) as url:
        assert httpx.post(f"{url}/text", content=body).status_code == 422
        assert httpx.get(f"{url}/").status_code == 404
        assert httpx.post(f"{url}/text", content=b"x" * (2**20 + 1)).status_code == 413


def test_the_program_says_why_it_cannot_load_and_goes_on():
    """Without its environment the package is missing: a state of its own, and not the end of the program."""
    program = subprocess.Popen(
        [sys.executable, "-P", "-m", "guardrail", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(Path(guardrail_fake.__file__).parent.parent)},
    )
    try:
        assert program.stdout is not None
        url = program.stdout.readline().removeprefix("guardrail listening on ").strip()
        state = wait_for(
            lambda: (told := httpx.get(f"{url}/state", timeout=60).json())["state"] != "starting" and told, 120
        )
        assert (state["state"], "cosmos_guardrail" in state["detail"]) == ("failed", True)
        assert httpx.post(f"{url}/text", json={"text": "x"}, timeout=60).status_code == 503
    finally:
        program.kill()
        program.communicate()


@pytest.mark.slow
def test_what_waited_without_one_is_read_after_a_restart_with_one(tmp_path: Path):
    cube = {"kind": "generate_image", "sampling": {"num_inference_steps": 1}, "resolution": "256"}
    with running(tmp_path) as server:
        server.wait_ready()
        server.post("/v1/queue/pause")
        waiting = [server.submit(prompt=prompt, **cube) for prompt in ("a red cube", "a forbidden cube")]
        assert [job["guardrail"] for job in waiting] == ["not_installed", "not_installed"]
    reader = WordReader()
    with guarding(reader) as url, running(tmp_path, ORRERY_GUARDRAIL_URL=url) as server:
        server.wait_ready()
        server.post("/v1/queue/resume")
        good, bad = (server.wait_job(job["id"]) for job in waiting)
    assert (good["state"], good["guardrail"]) == ("succeeded", "passed")
    assert reader.looks, "its frames were seen, too"
    assert (bad["state"], bad["guardrail"], bad["error"]["code"]) == ("failed", "blocked", "guardrail_blocked")


@pytest.mark.slow
def test_a_server_with_one_marks_blocks_and_refuses(tmp_path: Path):
    reader = WordReader()
    with (
        guarding(reader) as url,
        scripted_endpoint() as endpoint,
        running(tmp_path, ORRERY_GUARDRAIL_URL=url, ORRERY_UPSAMPLER_URL=endpoint.address) as server,
    ):
        server.wait_ready()
        cube = {"kind": "generate_image", "prompt": "a red cube", "sampling": {"num_inference_steps": 1}}
        good = server.post("/v1/jobs", json={**cube, "guardrails": True})
        assert (good.headers["x-orrery-guardrail"], good.json()["guardrail"]) == ("passed", "passed")
        assert server.wait_job(good.json()["id"])["guardrail"] == "passed"
        off = server.post(
            "/v1/videos", json={"prompt": "forbidden", "num_frames": 5, "extra_params": {"guardrails": False}}
        )
        assert off.headers["x-orrery-guardrail"] == "off"
        blocked = server.post("/v1/jobs", json={**cube, "prompt": "forbidden"})
        assert (blocked.status_code, blocked.json()["error"]["code"]) == (422, "guardrail_blocked")
        endpoint.answers = [json.dumps(ANSWER).replace("a workshop", "a forbidden workshop")]
        written = server.post("/v1/jobs", json=CLIP).json()
        assert written["guardrail"] == "passed"
        ended = server.wait_job(written["id"])
        assert (ended["state"], ended["guardrail"], ended["error"]["code"]) == (
            "failed",
            "blocked",
            "guardrail_blocked",
        )
        assert "upsampled prompt" in ended["error"]["message"]
        endpoint.answers = [json.dumps(ANSWER)]
        again = server.post(f"/v1/jobs/{written['id']}/retry").json()
        assert again["guardrail"] == "passed"
        assert server.wait_job(again["id"])["state"] == "succeeded"
        assert reader.looks
        batch = {"request": cube, "axes": {"prompt": ["a cube", "forbidden"]}}
        assert server.post("/v1/batches", json=batch).json()["error"]["code"] == "guardrail_blocked"
    with guarding(WordReader()) as dead:
        pass
    with running(tmp_path, ORRERY_GUARDRAIL_URL=dead) as server:
        refused = server.post("/v1/jobs", json=cube)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "guardrail_lost")
        assert server.post("/v1/jobs", json={**cube, "guardrails": False}).json()["guardrail"] == "off"
