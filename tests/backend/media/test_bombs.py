"""Small files that are large once decoded: refused for little, and nobody else waits for them."""

import base64
import os
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from backend.media import DECODERS, MediaStore, apart, inspect_upload
from backend.media.decoder_process import DecoderPool
from media_bombs import gif, mp4, png
from running import RunningServer, about, running
from studio.errors import BadInput, Busy

JOB = {"kind": "generate_image", "prompt": "a cube", "sampling": {"num_inference_steps": 1}}

BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "many frames": (lambda: gif(3000, 20_000), "20,000 frames of 9.00 megapixels"),
    "large frames": (lambda: gif(8000, 3000), "3,000 frames of 64.00 megapixels"),
    "deep pixels": (lambda: png(8000, 16, 6, 4), "8000x8000 pixels of 64 bits"),
    "many samples": (lambda: mp4(5_000_000), "5,000,000 packets"),
}


def cpu_s(pid: int) -> float:
    fields = about(pid, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mb(pid: int) -> float:
    found = re.search(r"VmHWM:\s+(\d+)", about(pid, "status"))
    assert found
    return int(found[1]) / 1e3


def look_often(path: Path) -> None:
    """Until a decoder's time is spent: the kernel counts whole seconds."""
    for _ in range(1000):
        inspect_upload(path)


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_by_its_header(name: str, tmp_path: Path):
    make, said = BOMBS[name]
    path = tmp_path / "x"
    path.write_bytes(make())
    DECODERS.start()

    with pytest.raises(BadInput, match=said) as refused:
        inspect_upload(path)

    assert refused.value.hint


def test_a_bomb_costs_the_server_neither_time_nor_memory(server: RunningServer):
    assert server.process is not None
    pid = server.process.pid
    contents = [make() for make, _ in BOMBS.values()]
    before_s = cpu_s(pid)
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    before_mb = peak_mb(pid)

    answers = [server.post("/v1/media", files={"file": ("x", content)}).status_code for content in contents]

    assert answers == [422] * len(contents)
    assert cpu_s(pid) - before_s < len(contents)
    assert peak_mb(pid) - before_mb < 100


def test_writes_do_not_wait_for_hostile_uploads(server: RunningServer):
    server.wait_ready()
    # These pass every bound, and cost a decoder more than a second each.
    heavy = [png(8000, 16, 0, 1, str(number).encode()) for number in range(2)]
    hostile = [gif(3000, 20_000, str(number).encode()) for number in range(6)]
    took: list[float] = []
    with ThreadPoolExecutor(8) as pool:
        sent = [
            pool.submit(httpx.post, server.url + "/v1/media", files={"file": ("x", content)}, timeout=120)
            for content in (*heavy, *hostile)
        ]
        while not all(upload.done() for upload in sent) or len(took) < 20:
            begun = time.monotonic()
            job = server.submit(**JOB)
            took.append(time.monotonic() - begun)
            begun = time.monotonic()
            assert server.get("/v1/checkpoints").status_code == 200
            took.append(time.monotonic() - begun)
            server.delete(f"/v1/jobs/{job['id']}")
        answers = [upload.result().status_code for upload in sent]

    assert answers == [201, 201] + [422] * 6
    # Generous: the machine is busy with the decoders and with the worker.
    assert sorted(took)[int(0.99 * (len(took) - 1))] < 1.0


@pytest.mark.slow
def test_a_server_that_decodes_stops_at_once(tmp_path: Path):
    with running(tmp_path / "data") as server:
        contents = [png(8000, 16, 0, 1, str(number).encode()) for number in range(8)]
        with ThreadPoolExecutor(8) as pool:
            for content in contents:
                pool.submit(httpx.post, server.url + "/v1/media", files={"file": ("x", content)}, timeout=60)
            time.sleep(1)
            begun = time.monotonic()
            server.stop()
            assert time.monotonic() - begun < 5


def test_a_clip_in_a_chat_is_bounded_like_an_upload(server: RunningServer):
    server.wait_ready()
    clip = "data:image/gif;base64," + base64.b64encode(gif(3000, 4000)).decode()
    content = [{"type": "video_url", "video_url": {"url": clip}}, {"type": "text", "text": "What is it?"}]

    answer = server.post(
        "/v1/chat/completions", json={"messages": [{"role": "user", "content": content}], "max_tokens": 4}
    )

    assert answer.status_code == 422, answer.text
    assert "4,000 frames of 9.00 megapixels" in answer.json()["error"]["message"]
    incoming = server.data / "media" / "incoming"
    assert not incoming.exists() or not list(incoming.iterdir())


def test_a_decoder_that_takes_too_long_is_ended_and_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path, easy = tmp_path / "x", tmp_path / "y"
    path.write_bytes(gif(4000, 240))
    easy.write_bytes(png(16, 8, 0, 1))
    pool = DecoderPool()
    monkeypatch.setattr(apart, "DECODERS", pool)

    with monkeypatch.context() as short:
        short.setattr(apart, "LOOK_CPU_S", -0.5)
        with pytest.raises(BadInput, match="processor time"):
            look_often(path)

    assert inspect_upload(easy).width == 16
    pool.close()


def test_whoever_waits_for_a_decoder_is_told_that_the_server_stops(tmp_path: Path):
    pool = DecoderPool()
    pool.close()

    with pytest.raises(Busy, match="shutting down"):
        pool.draw(apart._order(inspect_upload, (tmp_path,), {}, 1.0))  # type: ignore[reportPrivateUsage]


def test_facts_are_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = MediaStore(tmp_path)
    source = tmp_path / "x.png"
    source.write_bytes(png(16, 8, 0, 1))
    with source.open("rb") as file:
        kept = store.put_upload(file)
    first = store.facts(kept.id)
    monkeypatch.setattr(DECODERS, "look", lambda order: pytest.fail("it was looked at again"))

    assert store.facts(kept.id) == first
