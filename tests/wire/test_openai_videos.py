"""The real `openai` client asks for videos."""

from collections.abc import Iterator

import openai
import pytest

from running import RunningServer
from sent_files import picture_bytes

# The client warns that OpenAI's own videos have ended; the form lives on in other servers.
pytestmark = pytest.mark.filterwarnings("ignore:The Sora API:DeprecationWarning")

SMALL = {"num_frames": 5, "num_inference_steps": 2, "seed": 7}


@pytest.fixture
def client(server: RunningServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def test_create_poll_content_list_and_delete(client: openai.OpenAI):
    video = client.videos.create_and_poll(
        model="speck", prompt="The arm lifts the cube.", size="320x192", extra_body=SMALL, poll_interval_ms=100
    )

    assert (video.status, video.progress, video.object) == ("completed", 100, "video")
    assert video.size == "320x192"
    assert video.completed_at is not None
    content = client.videos.download_content(video.id)
    assert content.content[4:8] == b"ftyp"
    thumbnail = client.videos.download_content(video.id, variant="thumbnail")
    assert thumbnail.content[8:12] == b"WEBP"
    assert client.videos.download_content(video.id, variant="spritesheet").content[8:12] == b"WEBP"
    assert video.id in [each.id for each in client.videos.list(limit=5)]
    deleted = client.videos.delete(video.id)
    assert (deleted.id, deleted.deleted) == (video.id, True)
    with pytest.raises(openai.NotFoundError):
        client.videos.retrieve(video.id)


def test_a_video_is_extended_from_its_last_frames(client: openai.OpenAI, server: RunningServer):
    first = client.videos.create_and_poll(
        model="speck", prompt="The arm lifts the cube.", size="320x192", extra_body=SMALL, poll_interval_ms=100
    )

    asked = {"prompt": "It puts the cube down.", "seconds": "4", **SMALL, "num_frames": 9}
    named = server.post("/v1/videos/extensions", json={**asked, "video": {"id": first.id}}).json()
    # This client refuses {"id": ...} before it sends anything, though its types allow it; it sends the file.
    content = client.videos.download_content(first.id).content
    sent = client.videos.extend(
        prompt="It puts the cube down.",
        seconds="4",
        video=("first.mp4", content),
        extra_body={**SMALL, "num_frames": 9},
    )

    for video, source in ((named["id"], f"{first.id}-0"), (sent.id, None)):
        request = server.wait_job(video)["request"]
        assert request["condition_end"] == "last"
        assert source in (None, request["source_video"])
        assert (request["prompt"], request["num_frames"]) == ("It puts the cube down.", 9)
    assert client.videos.retrieve(sent.id).size == "320x192"


def test_what_cannot_be_extended_says_why(client: openai.OpenAI, server: RunningServer):
    for video in (None, 7):
        answer = server.post("/v1/videos/extensions", json={"prompt": "x", "video": video})
        assert (answer.status_code, answer.json()["error"]["param"]) == (422, "video")
    picture = server.wait_job(server.submit(sampling={"num_inference_steps": 1})["id"])["id"]
    answer = server.post("/v1/videos/extensions", json={"prompt": "x", "video": {"id": picture}})
    assert answer.status_code == 422


def test_nested_extras_and_a_picture_come_as_a_form(client: openai.OpenAI, server: RunningServer):
    video = client.videos.create(
        model="speck",
        prompt="Pick it up.",
        input_reference=("first.png", picture_bytes()),
        extra_body={
            "extra_params": {
                "action_mode": "policy",
                "domain_name": "umi",
                "action_chunk_size": 4,
                "num_inference_steps": 2,
            }
        },
    )

    server.wait_job(video.id)
    video = client.videos.retrieve(video.id)
    assert video.model_extra is not None
    assert video.model_extra["action"]["shape"] == [4, 10]


def test_rows_of_actions_come_through_the_form(client: openai.OpenAI, server: RunningServer):
    rows = [[0.5, 0.0, 0.01, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]] * 4
    video = client.videos.create(
        prompt="x",
        input_reference=("first.png", picture_bytes()),
        extra_body={"extra_params": {"action_mode": "forward_dynamics", "domain_name": "umi", "action": rows}},
    )

    assert server.job(video.id)["request"]["actions"] == rows


def test_a_running_one_is_really_cancelled(client: openai.OpenAI, server: RunningServer):
    video = client.videos.create(prompt="x", size="320x192", extra_body={"num_frames": 61, "num_inference_steps": 200})
    server.wait_job(video.id, lambda job: job["state"] == "running")

    client.videos.delete(video.id)

    assert server.wait_job(video.id)["state"] == "cancelled"
    assert video.id not in [each.id for each in client.videos.list(limit=100)]


def test_pages_go_both_ways(client: openai.OpenAI, server: RunningServer):
    made = [
        client.videos.create(prompt=f"page {n}", extra_body={"num_frames": 5, "num_inference_steps": 1})
        for n in range(3)
    ]
    for video in made:
        server.delete(f"/v1/jobs/{video.id}")

    newest = client.videos.list(limit=2)
    assert [each.id for each in newest.data] == [made[2].id, made[1].id]
    following = client.videos.list(limit=1, after=made[1].id)
    assert following.data[0].id == made[0].id
    ascending = client.videos.list(limit=2, order="asc", after=made[0].id)
    assert [each.id for each in ascending.data] == [made[1].id, made[2].id]


@pytest.mark.parametrize("variant", ["7", "-1", "audio", "²"])
def test_an_unknown_variant_is_refused(server: RunningServer, variant: str):
    job = server.submit(kind="generate_video", num_frames=5, sampling={"num_inference_steps": 1})
    server.wait_job(job["id"])

    answer = server.get(f"/v1/videos/{job['id']}/content", params={"variant": variant})

    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "variant")


def test_what_is_not_served_says_so(client: openai.OpenAI, server: RunningServer):
    with pytest.raises(openai.InternalServerError) as refused:
        client.videos.remix("abc", prompt="x")
    assert (refused.value.status_code, refused.value.code) == (501, "not_implemented")
    with pytest.raises(openai.InternalServerError) as refused:
        client.images.edit(image=picture_bytes(), prompt="x")
    assert refused.value.status_code == 501
    for path in ("/v1/videos/edits", "/v1/videos/characters", "/v1/images/variations"):
        assert server.post(path, json={}).status_code == 501, path


def test_the_content_of_one_that_has_not_ended_is_not_there(server: RunningServer):
    answer = server.post(
        "/v1/videos", json={"prompt": "x", "size": "320x192", "num_frames": 61, "num_inference_steps": 200}
    )
    video = answer.json()["id"]

    assert server.get(f"/v1/videos/{video}/content").status_code == 404
    server.delete(f"/v1/jobs/{video}")
    server.wait_job(video)
    assert server.get(f"/v1/videos/{video}/content").status_code == 422
    shown = server.get(f"/v1/videos/{video}").json()
    assert (shown["status"], shown["error"]["code"]) == ("failed", "cancelled")


def test_a_key_makes_one_job_of_two_calls(server: RunningServer):
    said = {"prompt": "once", "num_frames": 5, "num_inference_steps": 1}
    answers = [server.post("/v1/videos", json=said, headers={"Idempotency-Key": "abc"}) for _ in range(2)]
    form = server.post("/v1/videos", data=said, headers={"Idempotency-Key": "abc"})
    other = server.post("/v1/videos", json={**said, "prompt": "twice"}, headers={"Idempotency-Key": "abc"})

    assert answers[0].json()["id"] == answers[1].json()["id"]
    assert "idempotency-replayed" not in answers[0].headers
    assert answers[1].headers["idempotency-replayed"] == "true"
    assert form.json()["id"] == answers[0].json()["id"]
    assert (other.status_code, other.json()["error"]["param"]) == (409, "Idempotency-Key")
