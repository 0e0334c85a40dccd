"""Videos are trimmed to the frame and joined, with their sound."""

from typing import Any

import httpx
import numpy as np
import pytest

from backend.media import read_timeline
from backend.media.clip_reader import stream_frames
from running import RunningServer
from sent_files import clip_bytes, picture_bytes


def uploaded(server: RunningServer, content: bytes) -> str:
    return httpx.post(f"{server.url}/v1/media", files={"file": ("a", content)}, timeout=30).json()["id"]


@pytest.fixture(scope="module")
def clip(server: RunningServer) -> dict[str, Any]:
    job = server.submit(
        kind="generate_video", resolution="256", aspect_ratio="1:1", num_frames=9, fps=12, sound=True,
        sampling={"num_inference_steps": 1},
    )  # fmt: skip
    return server.wait_job(job["id"])["results"][0]


def cut(server: RunningServer, *parts: dict[str, Any], **more: Any) -> Any:
    return server.post("/v1/library/cuts", json={"parts": list(parts), **more})


def frames_of(server: RunningServer, media_id: str) -> list[np.ndarray]:
    (path,) = server.data.glob(f"media/*/{media_id}.mp4")
    timeline = read_timeline(path)
    return list(stream_frames(path, timeline, range(len(timeline.ticks))))


def test_a_part_is_kept_frame_by_frame_with_its_sound(server: RunningServer, clip: dict[str, Any]):
    answer = cut(server, {"media": clip["id"], "first": 2, "last": 6}, title="the middle")

    assert answer.status_code == 201
    kept = answer.json()
    assert (kept["num_frames"], kept["fps"], kept["has_sound"]) == (5, 12.0, True)
    before, after = frames_of(server, clip["id"]), frames_of(server, kept["id"])
    for index, frame in enumerate(after):  # encoded anew
        distances = [float(np.abs(frame.astype(int) - other).mean()) for other in before]
        assert int(np.argmin(distances)) == index + 2
    found = server.get(f"/v1/library/{kept['id']}").json()
    assert found["title"] == "the middle"
    assert [item["id"] for item in found["made_from"]] == [clip["id"]]


def test_parts_are_joined_in_their_order(server: RunningServer, clip: dict[str, Any]):
    joined = cut(server, {"media": clip["id"], "first": 6}, {"media": clip["id"], "last": 3}).json()
    assert joined["num_frames"] == 7
    assert joined["duration_s"] == pytest.approx(7 / 12, abs=0.02)


@pytest.mark.parametrize(
    ("part", "param"),
    [
        ({"first": 5, "last": 4}, "parts.0.first"),
        ({"last": 9}, "parts.0.last"),
        ({"first": -1}, "parts.0.first"),
        ({"media": "u" + 16 * "0"}, "media_id"),
    ],
)
def test_what_cannot_be_cut_names_the_part(
    server: RunningServer, clip: dict[str, Any], part: dict[str, Any], param: str
):
    answer = cut(server, {"media": clip["id"], **part})
    assert answer.status_code in (404, 422)
    if answer.status_code == 422:
        assert answer.json()["error"]["param"] == param


def test_parts_of_another_size_or_rate_and_pictures_are_refused(server: RunningServer, clip: dict[str, Any]):
    other = uploaded(server, clip_bytes())
    answer = cut(server, {"media": clip["id"]}, {"media": other})
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "parts.1.media")
    picture = uploaded(server, picture_bytes())
    assert cut(server, {"media": picture}).status_code == 422
