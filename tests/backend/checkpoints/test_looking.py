"""The token budget of a video over HTTP, as a checkpoint's own files have it."""

from running import RunningServer

PATH = "/v1/checkpoints/speck/vision-budget"


def test_a_video_takes_what_the_checkpoint_makes_of_it(server: RunningServer):
    look = {"width": 320, "height": 320, "duration_s": 7, "fps": 2, "max_tokens": 4096}
    found = server.get(PATH, params=look).json()

    layers = -(-found["num_frames"] // found["frames_per_token"])
    assert found["num_frames"] == 14
    assert found["num_tokens"] == layers * (found["width"] // 32) * (found["height"] // 32)
    assert found["num_left"] == 4096 - found["num_tokens"]


def test_what_cannot_be_looked_at_is_refused(server: RunningServer):
    both = server.get(PATH, params={"num_frames": 4, "fps": 2})
    assert (both.status_code, both.json()["error"]["param"]) == (422, "fps")
    still = server.get(PATH, params={"source_fps": 1e-320})
    assert (still.status_code, still.json()["error"]["param"]) == (422, "source_fps")
    unknown = server.get("/v1/checkpoints/spek/vision-budget")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "checkpoint_not_found")
