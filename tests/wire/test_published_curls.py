"""Every published command of curl for Cosmos 3, run by curl on a server that calls speck nvidia/Cosmos3-Nano.

What speck has no time for is made smaller, and nothing else: the size, frames, steps and what follows from them
(the length of the sound, chunks, rows of actions). Files lie where the commands look for them: the server is started
in a checkout of the cookbooks, and may read it.
"""

import base64
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import presets
import published_curls as published
from backend.dialects.video_actions import DROID_FRAMING
from clip_facts import clip_facts
from curl_commands import Curl
from engine.planning.trained_strings import FRAMING
from running import RunningServer, wait_for
from sent_files import clip_bytes, moving_square

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")]

SMALL = {"size": "320x192", "num_frames": "5", "num_inference_steps": "2"}
HEARD = {**SMALL, "sound_duration": "0.208"}  # 5 frames at 24 a second
SHORT = {"num_video_frames_per_chunk": 5, "max_frames": 5}
ACTED = {**SMALL, "size": "320x256"}

VIDEO_SHAPE = {
    "id": str,
    "object": str,
    "model": str,
    "prompt": str,
    "status": str,
    "progress": int,
    "created_at": int,
    "seconds": str,
    "size": str,
    "quality": str,
    "num_outputs": int,
}
FINAL_SHAPE = VIDEO_SHAPE | {"completed_at": int, "inference_time_s": float}
CLIP_SHAPE = FINAL_SHAPE | {"media_type": str, "file_name": str, "url": str, "fps": float, "num_frames": int}


@pytest.fixture(scope="module")
def cookbooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with the files that the commands name."""
    folder = tmp_path_factory.mktemp("cosmos")
    for name in (published.AV_CLIP, published.DEPTH_CLIP, "motion_clip.mp4"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(clip_bytes(width=160, height=96))
    (folder / "action.json").write_text(json.dumps(published.TRAJECTORY[:4]))
    Image.fromarray(moving_square(0, 320, 192)).save(folder / "first_frame.jpg")
    Image.fromarray(moving_square(0, 320, 270)).save(folder / published.DROID_PICTURE)
    return folder


@pytest.fixture(scope="module")
def nano(cookbooks: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server of cosmos3-nano, as small as speck."""
    data = tmp_path_factory.mktemp("data")
    preset = (Path(presets.__file__).parent / "checkpoints" / "cosmos3-nano.toml").read_text()
    (data / "presets").mkdir()
    (data / "presets" / "cosmos3-nano.toml").write_text(f"built_here = true\n{preset}")
    settings = {"ORRERY_CHECKPOINT": "cosmos3-nano", "ORRERY_ALLOWED_MEDIA_FOLDERS": str(cookbooks)}
    server = RunningServer(data, folder=cookbooks, **settings).start()
    try:
        server.wait_ready()
        yield server
    finally:
        server.stop()


def assert_shape(answer: dict[str, Any], shape: dict[str, type]) -> None:
    assert {name: type(answer[name]) for name in shape} == shape


def polled(server: RunningServer, command: Curl, folder: Path) -> dict[str, Any]:
    """What the samples do: post, and ask until it has ended."""
    answer = command.run(server, folder)
    assert (answer.status, answer.content_type) == (200, "application/json"), answer.content
    first = answer.json()
    assert_shape(first, VIDEO_SHAPE)
    assert first["status"] in ("queued", "in_progress")
    url = f"/v1/videos/{first['id']}"
    final = wait_for(
        lambda: (lambda now: now if now["status"] in ("completed", "failed") else None)(server.get(url).json()), 60
    )
    assert (final["status"], final["progress"]) == ("completed", 100), final
    assert_shape(final, FINAL_SHAPE)
    return final


@pytest.mark.parametrize(
    ("command", "facts"),
    [
        pytest.param(published.OMNI_T2V.small(**SMALL), (5, 320, 192, False), id="readme-t2v"),
        pytest.param(published.OMNI_UNGUARDED.small(**SMALL), (5, 320, 192, False), id="readme-without-guardrails"),
        pytest.param(published.OMNI_V2V.small(**SMALL | {"num_frames": "9"}), (9, 320, 192, False), id="readme-v2v"),
        pytest.param(published.OMNI_TRANSFER.small(SHORT, **SMALL), (5, 320, 192, False), id="readme-transfer"),
        pytest.param(published.RECIPE_T2V.small(**SMALL), (5, 320, 192, False), id="recipe-t2v"),
        pytest.param(published.RECIPE_I2V.small(**SMALL), (5, 320, 192, False), id="recipe-i2v"),
        pytest.param(published.RECIPE_V2V.small(**SMALL | {"num_frames": "9"}), (9, 320, 192, False), id="recipe-v2v"),
        pytest.param(published.RECIPE_SOUND.small(**HEARD), (5, 320, 192, True), id="recipe-sound"),
        pytest.param(published.RECIPE_TRANSFER.small(SHORT, **SMALL), (5, 320, 192, False), id="recipe-transfer"),
        pytest.param(
            published.RECIPE_TRANSFER_UPLOADED.small(SHORT | {"resolution": "256"}, num_inference_steps="2"),
            (5, 320, 192, False),
            id="recipe-transfer-uploaded",
        ),
        pytest.param(
            published.RECIPE_FD.small({"action_chunk_size": 4, "action": published.TRAJECTORY[:4]}, **ACTED),
            (5, 320, 192, False),
            id="recipe-forward-dynamics",
        ),
        pytest.param(
            published.RECIPE_FD.small({"action_chunk_size": 4, "action": None, "action_path": "action.json"}, **ACTED),
            (5, 320, 192, False),
            id="readme-forward-dynamics-by-path",
        ),
    ],
)
def test_vllm_omni_answers_with_the_clip(
    nano: RunningServer, cookbooks: Path, command: Curl, facts: tuple[int, int, int, bool]
):
    answer = command.run(nano, cookbooks)

    assert (answer.status, answer.content_type) == (200, "video/mp4"), answer.content
    assert clip_facts(answer.content) == facts


@pytest.mark.parametrize(
    ("command", "mode", "makes_clip"),
    [
        pytest.param(published.RECIPE_POLICY, "policy", True, id="recipe-policy"),
        pytest.param(published.RECIPE_ID, "inverse_dynamics", False, id="recipe-inverse-dynamics"),
    ],
)
def test_vllm_omnis_jobs_have_their_actions(
    nano: RunningServer, cookbooks: Path, command: Curl, mode: str, makes_clip: bool
):
    final = polled(nano, command.small({"action_chunk_size": 4}, **ACTED), cookbooks)

    action = final["action"]
    assert (action["shape"], action["dtype"], action["raw_action_dim"], action["domain_id"]) == (
        [4, 10],
        "float32",
        10,
        7,
    )
    assert action["action_mode"] == mode
    assert [len(row) for row in action["data"]] == [10] * 4
    content = nano.get(f"/v1/videos/{final['id']}/content")
    # What was watched is not made anew, so there is no clip beside the actions of inverse dynamics.
    assert content.status_code == (200 if makes_clip else 404)
    if makes_clip:
        assert clip_facts(content.content)[0] == 5


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(published.OMNI_T2I.small(size="320x192", num_inference_steps=2), id="readme"),
        pytest.param(published.RECIPE_T2I.small(size="320x192", num_inference_steps=2), id="recipe"),
        pytest.param(published.SGLANG_T2I.small(size="320x192", num_inference_steps=2), id="sglang"),
    ],
)
def test_pictures_come_as_base64(nano: RunningServer, cookbooks: Path, command: Curl):
    answer = command.run(nano, cookbooks)

    assert answer.status == 200, answer.content
    assert_shape(answer.json(), {"id": str, "created": int, "data": list, "size": str, "output_format": str})
    (picture,) = answer.json()["data"]
    with Image.open(io.BytesIO(base64.b64decode(picture["b64_json"]))) as image:
        assert (image.format, image.size) == ("PNG", (320, 192))


@pytest.mark.parametrize(
    ("command", "facts"),
    [
        pytest.param(published.SGLANG_T2V.small(**SMALL), (5, 320, 192, False), id="t2v"),
        pytest.param(published.SGLANG_SOUND.small(**HEARD), (5, 320, 192, True), id="sound"),
        pytest.param(published.SGLANG_I2V.small(**SMALL), (5, 320, 192, False), id="i2v"),
        pytest.param(published.SGLANG_I2V_SOUND.small(**HEARD), (5, 320, 192, True), id="i2v-sound"),
        pytest.param(
            published.SGLANG_V2V_SOUND.small(**HEARD | {"num_frames": "9", "sound_duration": "0.375"}),
            (9, 320, 192, True),
            id="v2v-sound",
        ),
        pytest.param(published.SGLANG_README_T2V.small(**SMALL), (5, 320, 192, False), id="readme-t2v"),
        pytest.param(
            published.SGLANG_README_V2V_SOUND.small(**SMALL | {"num_frames": "9"}),
            (9, 320, 192, True),
            id="readme-v2v-sound",
        ),
        pytest.param(
            published.SGLANG_FD.small({"action": published.TRAJECTORY[:4]}, **ACTED),
            (5, 320, 192, False),
            id="forward-dynamics",
        ),
        pytest.param(published.SGLANG_EDGE.small(SHORT, **SMALL), (5, 320, 192, False), id="transfer-edge"),
        pytest.param(published.SGLANG_SEG.small(SHORT, **SMALL), (5, 320, 192, False), id="transfer-seg"),
    ],
)
def test_sglangs_jobs_are_polled_and_downloaded(
    nano: RunningServer, cookbooks: Path, command: Curl, facts: tuple[int, int, int, bool]
):
    final = polled(nano, command, cookbooks)

    assert_shape(final, CLIP_SHAPE)
    content = nano.get(f"/v1/videos/{final['id']}/content")
    assert content.headers["content-type"] == "video/mp4"
    assert clip_facts(content.content) == facts
    assert final["num_frames"] == facts[0]


def test_sglangs_jobs_are_listed_and_deleted(nano: RunningServer, cookbooks: Path):
    made = [published.SGLANG_README_T2V.small(**SMALL).run(nano, cookbooks).json()["id"] for _ in range(2)]

    listed = nano.get("/v1/videos", params={"limit": 2}).json()
    assert_shape(listed, {"object": str, "data": list, "first_id": str, "last_id": str, "has_more": bool})
    assert [video["id"] for video in listed["data"]] == made[::-1]
    gone = nano.delete(f"/v1/videos/{made[0]}").json()
    assert gone == {"id": made[0], "deleted": True, "object": "video.deleted"}
    assert nano.get(f"/v1/videos/{made[0]}").status_code == 404
    assert made[0] not in [video["id"] for video in nano.get("/v1/videos").json()["data"]]


@pytest.mark.parametrize(
    ("command", "shape"),
    [
        pytest.param(published.SGLANG_ID, (4, 9), id="inverse-dynamics"),
        pytest.param(published.SGLANG_POLICY.small(size="320x256"), (4, 10), id="policy"),
        pytest.param(
            # The policy of joints was trained to begin with where they are, which SGLang cannot say: ours is told.
            published.SGLANG_POLICY_OF_JOINTS.small({"state": [0.0] * 8}, width="320", height="256"),
            (4, 8),
            id="policy-of-joints",
        ),
    ],
)
def test_sglangs_actions_are_the_answer(nano: RunningServer, cookbooks: Path, command: Curl, shape: tuple[int, int]):
    answer = command.small(num_frames="5", num_inference_steps="2").run(nano, cookbooks)

    assert answer.status == 200, answer.content
    body = answer.json()
    assert_shape(body, {"id": str, "object": str, "created": int, "model": str, "data": list, "usage": dict})
    assert body["object"] == "action.generation"
    (choice,) = body["data"]
    assert (choice["index"], choice["input_index"], choice["candidate_index"]) == (0, 0, 0)
    action = choice["action"]
    assert (action["type"], action["dtype"], tuple(action["shape"])) == ("continuous", "float32", shape)
    assert [len(row) for row in action["values"]] == [shape[1]] * shape[0]
    assert (body["usage"]["action_horizon"], body["usage"]["action_dim"], body["usage"]["denoise_steps"]) == (*shape, 2)


def test_the_words_of_a_droid_picture_are_those_it_was_trained_with():
    assert FRAMING["droid_view"].endswith(DROID_FRAMING)
    assert published.SGLANG_POLICY_OF_JOINTS.params["action_cinematography_framing"] == DROID_FRAMING


def test_sglangs_policy_of_joints_is_asked_where_they_are(nano: RunningServer, cookbooks: Path):
    answer = published.SGLANG_POLICY_OF_JOINTS.run(nano, cookbooks)

    assert answer.status == 422, answer.content
    assert "state has none" in answer.json()["error"]["message"]


def test_a_clip_at_an_address_on_the_web_is_refused_until_that_is_allowed(nano: RunningServer, cookbooks: Path):
    answer = published.RECIPE_V2V_BY_ADDRESS.run(nano, cookbooks)

    assert answer.status == 422, answer.content
    assert answer.json()["error"]["param"] == "video_reference"
    assert "--allow-remote-media" in answer.json()["error"]["hint"]


def test_sglangs_rollout_shows_what_its_policy_answered(nano: RunningServer, cookbooks: Path):
    """Its notebook sends the actions of the policy to forward dynamics, with a size that is no canvas."""
    rows = published.SGLANG_POLICY.small(size="320x256", num_frames="5", num_inference_steps="2").run(nano, cookbooks)
    rollout = Curl(
        "/v1/videos",
        {**published.SGLANG_POLICY.fields, **ACTED, "size": "320x256", "flow_shift": "10.0"},
        {
            "action_mode": "forward_dynamics",
            "domain_name": "droid_lerobot",
            "action_view_point": "concat_view",
            "action": rows.json()["data"][0]["action"]["values"],
            "guardrails": False,
        },
        published.SGLANG_POLICY.files,
    )

    assert polled(nano, rollout, cookbooks)["num_frames"] == 5
