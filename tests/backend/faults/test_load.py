"""Many clients at once: 200 queued jobs, 50 who ask for them, 8 pages that listen, 10,000 artefacts in the library."""

import asyncio
import json
import random
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect

from backend.database import open_database
from library_rows import fill
from machine_watch import while_the_machine_runs
from running import RunningServer

NUM_JOBS, NUM_CLIENTS, NUM_PAGES, NUM_ARTEFACTS = 200, 50, 8, 10_000
POLL_EVERY_S = 0.25
LASTS_S = 20.0

MAX_P99_S = 0.5
"""That nobody starves. The bar is 0.1 s on a machine with nothing beside it, where 0.02 s was measured: this test has
another one beside it, often on the same two cores, and its printed table is what the bar is held against."""

STALL_S, ATTEMPTS = 0.2, 2
"""A machine that stands still for so long is no measure of a server."""

MAX_RSS_BYTES = 600 * 2**20


@pytest.fixture
def loaded(tmp_path: Path, server: RunningServer) -> Iterator[RunningServer]:
    """A server of its own with much in its library, and a queue that a job runs from."""
    data = tmp_path / "data"
    shutil.copytree(server.data / "checkpoints", data / "checkpoints")
    (data / "media").mkdir()
    database = open_database(data / "orrery.db")
    with database.transaction() as session:
        fill(session, NUM_ARTEFACTS)
    database.close()
    loaded = RunningServer(data).start()
    try:
        loaded.wait_ready()
        yield loaded
    finally:
        loaded.stop()


@pytest.mark.slow
def test_fifty_clients_read_jobs_and_nobody_starves(loaded: RunningServer, tmp_path: Path):
    request = {
        "kind": "generate_image",
        "prompt": "under load",
        "resolution": "720",
        "sampling": {"num_inference_steps": 200},
    }
    batch = loaded.post(
        "/v1/batches", json={"request": request, "axes": {"sampling.seed": list(range(NUM_JOBS))}}
    ).json()
    ids = [job["id"] for job in batch["jobs"]]

    def trial(_: Path) -> None:
        reads, searches, heard = asyncio.run(crowd(loaded.url, ids))
        show(loaded, reads, searches, heard)
        if min(heard) == 0:
            pytest.fail("a page heard nothing")
        assert percentiles(reads)[1] / 1000 < MAX_P99_S

    while_the_machine_runs(trial, tmp_path, STALL_S, ATTEMPTS)
    assert rss_bytes(loaded) < MAX_RSS_BYTES


def show(loaded: RunningServer, reads: list[float], searches: list[float], heard: list[int]) -> None:
    """The table."""
    table = [
        ("job reads", len(reads), *percentiles(reads)),
        ("library searches", len(searches), *percentiles(searches)),
    ]
    lines = [
        f"{name:<18} {count:>6}  p50 {p50:6.1f}  p99 {p99:6.1f}  max {most:6.1f} ms"
        for name, count, p50, p99, most in table
    ]
    lines.append(f"{'event sockets':<18} {len(heard):>6}  changes heard by each: {min(heard)} to {max(heard)}")
    lines.append(f"{'server memory':<18} {rss_bytes(loaded) / 2**20:6.0f} MiB")
    sys.stdout.write("\n" + "\n".join(lines) + "\n")


async def crowd(url: str, ids: list[str]) -> tuple[list[float], list[float], list[int]]:
    """Seconds that each read of a job and each search took, and changes that each page heard without a gap."""
    until = time.monotonic() + LASTS_S
    reads: list[float] = []
    searches: list[float] = []
    pages = [asyncio.create_task(listen(url, until)) for _ in range(NUM_PAGES)]
    pollers = [poll(url, ids, until, reads, seed) for seed in range(NUM_CLIENTS)]
    await asyncio.gather(*pollers, search(url, until, searches), nudge(url, ids, until))
    return reads, searches, await asyncio.gather(*pages)


async def poll(url: str, ids: list[str], until: float, taken: list[float], seed: int) -> None:
    """Ask for one job after the other, over one connection."""
    chance = random.Random(seed)
    async with Asker(url) as asker:
        await asyncio.sleep(chance.random() * POLL_EVERY_S)
        while time.monotonic() < until:
            job_id = chance.choice(ids)
            began = time.perf_counter()
            job = await asker.ask("GET", f"/v1/jobs/{job_id}")
            taken.append(time.perf_counter() - began)
            if job["id"] != job_id:
                pytest.fail(f"asked for {job_id}, got {job['id']}")
            await asyncio.sleep(POLL_EVERY_S)


async def search(url: str, until: float, taken: list[float]) -> None:
    """Look through the library now and then."""
    async with Asker(url) as asker:
        while time.monotonic() < until:
            began = time.perf_counter()
            page = await asker.ask("GET", "/v1/library?q=robot&limit=60")
            taken.append(time.perf_counter() - began)
            assert page["total"] > 0
            await asyncio.sleep(1)


async def nudge(url: str, ids: list[str], until: float) -> None:
    """Put jobs into another order, so that there is something to hear."""
    async with Asker(url) as asker:
        while time.monotonic() < until:
            await asker.ask("POST", f"/v1/jobs/{ids[-1]}/move", {"before": ids[-2]})
            await asker.ask("POST", f"/v1/jobs/{ids[-1]}/move", {"before": None})
            await asyncio.sleep(0.5)


async def listen(url: str, until: float) -> int:
    """How many changes came, each with the next number."""
    heard = 0
    async with connect(url.replace("http", "ws", 1) + "/v1/events", max_size=2**26) as socket:
        seq = json.loads(await socket.recv())["seq"]
        while (left := until - time.monotonic()) > 0:
            try:
                message = json.loads(await asyncio.wait_for(socket.recv(), left))
            except TimeoutError:
                break
            if message["type"] == "snapshot":
                seq = message["seq"]
                continue
            if message["seq"] != seq + 1:
                pytest.fail(f"a page missed changes between {seq} and {message['seq']}")
            seq += 1
            heard += 1
    return heard


class Asker:
    """HTTP/1.1 over one socket, as light as it gets: what is measured is the server."""

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url)

    async def __aenter__(self) -> "Asker":
        assert self._address.hostname is not None
        self._reader, self._writer = await asyncio.open_connection(self._address.hostname, self._address.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nhost: {self._address.netloc}\r\ncontent-type: application/json\r\n"
        self._writer.write(f"{head}content-length: {len(content)}\r\n\r\n".encode() + content)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        assert answer.startswith("http/1.1 200"), answer
        length = int(answer.partition("content-length:")[2].split()[0])
        return json.loads(await self._reader.readexactly(length))


def percentiles(seconds: list[float]) -> tuple[float, float, float]:
    """The median, the 99th percentile and the most, in milliseconds."""
    rising = sorted(seconds)
    return tuple(1000 * rising[min(len(rising) - 1, int(len(rising) * share))] for share in (0.5, 0.99, 1.0))  # type: ignore[return-value]


def rss_bytes(server: RunningServer) -> int:
    """Resident memory of its process alone."""
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024
