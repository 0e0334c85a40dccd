"""A real server with the scripted trainer, and a data set of clips to train on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from running import RunningServer, running, wait_for
from sent_files import clip_bytes

TRAINER = Path(__file__).parent / "scripted_trainer"
ENDED = ("succeeded", "stopped", "failed", "checked")


@contextmanager
def tuning_server(data: Path, step_s: float = 0.01, **environment: str) -> Iterator[RunningServer]:
    with running(data, PYTHONPATH=str(TRAINER), SCRIPTED_STEP_S=str(step_s), **environment) as server:
        yield server


def send_clips(server: RunningServer, name: str, **more: bytes) -> None:
    files = {"videos/a.mp4": clip_bytes(), "videos/a.txt": b"A red cup.", "videos/b.mp4": clip_bytes(64, 48), **more}
    for path, content in {**files, "videos/b.txt": b"A blue cup."}.items():
        put_file(server, name, path, content)


def put_file(server: RunningServer, name: str, path: str, content: bytes) -> None:
    answer = httpx.put(f"{server.url}/v1/datasets/{name}/files/{path}", content=content, timeout=60)
    assert answer.status_code == 201, answer.text


def recipe(name: str, data: str = "cups", *, steps: int = 20, save_every: int = 10, **fields: Any) -> dict[str, Any]:
    return {
        "task": "generator",
        "name": name,
        "checkpoint": "speck",
        "data": data,
        "num_frames": 17,
        "min_window_frames": 5,
        "optimisation": {"steps": steps, "save_every": save_every},
        **fields,
    }


def start(server: RunningServer, **asked: Any) -> dict[str, Any]:
    answer = server.post("/v1/tunings", json={"evaluates_saves": False, **asked})
    assert answer.status_code == 202, answer.text
    return answer.json()


def tuning(server: RunningServer, tuning_id: str) -> dict[str, Any]:
    return server.get(f"/v1/tunings/{tuning_id}").json()


def wait_tuning(server: RunningServer, tuning_id: str, state: tuple[str, ...] = ENDED) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        found = tuning(server, tuning_id)
        return found if found["state"] in state else None

    return wait_for(look, 120)
