from __future__ import annotations

import json

import pytest

from scripted_endpoint import ANSWER

WORDS = "a robot arm quietly lifting the red cup"


@pytest.fixture
def upsample(orrery, endpoint):
    """`orrery upsample` by the scripted endpoint, which answers for the clip that the flags describe."""
    endpoint.answers = [json.dumps(ANSWER)]
    return lambda *words: orrery("upsample", WORDS, "--endpoint", endpoint.address, *words)


def block(body, name):
    """One of the four tagged blocks of the message."""
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else content[-1]["text"]
    return text.partition(f"<{name}>")[2].partition(f"</{name}>")[0]


def test_the_caption_is_one_line_for_programs(upsample, endpoint):
    result = upsample("--num-frames", "189", "--resolution", "480", "--aspect-ratio", "16:9", "--fps", "24")
    assert result.exit_code == 0, result.output
    caption = json.loads(result.stdout)
    assert result.stdout.count("\n") == 1
    assert caption["subjects"] == ANSWER["subjects"]
    assert (caption["duration"], caption["fps"]) == ("7s", 24)
    assert "scene_imagination" not in caption
    assert WORDS in block(endpoint.bodies[0], "video_description")
    assert 'duration="7s", fps=24, aspect_ratio="16,9"' in block(endpoint.bodies[0], "task_constraints")


def test_a_picture_is_meant_unless_a_flag_of_clips_is_set(upsample, endpoint):
    upsample("--attempts", "1", "--size", "256x256")
    assert WORDS in block(endpoint.bodies[-1], "image_description")
    upsample("--attempts", "1", "--kind", "generate_video")
    assert WORDS in block(endpoint.bodies[-1], "video_description")


def test_what_a_clip_starts_from_is_shown(upsample, endpoint, tmp_path, write_picture, write_clip):
    upsample("--start-image", write_picture(tmp_path / "a.png"))
    assert endpoint.bodies[-1]["messages"][-1]["content"][0]["image_url"]["url"].startswith("data:image/png;base64,")
    upsample("--source-video", write_clip(tmp_path / "a.mp4", 20))
    assert endpoint.bodies[-1]["messages"][-1]["content"][0]["video_url"]["url"].startswith("data:video/mp4;base64,")


def test_a_transfer_is_shown_what_it_follows_and_is_as_long(upsample, endpoint, tmp_path, write_clip):
    clip = write_clip(tmp_path / "a.mp4", 73, fps=10)
    follows = ("--control", "edge", "--control", f"depth={clip}:0.5", "--source-video", clip)

    result = upsample(*follows, "--fps", "24", "--resolution", "480", "--aspect-ratio", "16:9")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["duration"] == "7s"
    *clips, words = endpoint.bodies[-1]["messages"][-1]["content"]
    assert [part["video_url"]["url"].partition(",")[0] for part in clips] == ["data:video/mp4;base64"] * 2
    assert "clip 1, the source clip" in words["text"]
    assert "clip 2, how far away" in words["text"]
    upsample(*follows, "--num-frames", "121", "--attempts", "1")
    assert 'duration="5s"' in block(endpoint.bodies[-1], "task_constraints")


def test_the_diff_shows_lost_words_and_who_keeps_the_others(upsample, tmp_path):
    result = upsample("--num-frames", "189", "--diff", "-o", tmp_path / "caption.json")
    assert result.exit_code == 0, result.output
    first, prompt, count, *table = result.stdout.splitlines()
    assert first.startswith(f"{tmp_path / 'caption.json'}  ")
    assert prompt == "a robot arm [-quietly-] lifting the red cup"
    assert count == "5 of 6 words kept"
    assert ["subjects.0.action", "lifting,", "red,", "cup"] in [line.split() for line in table]
    assert json.loads((tmp_path / "caption.json").read_text())["subjects"] == ANSWER["subjects"]


def test_the_diff_leaves_stdout_to_the_caption(upsample):
    result = upsample("--num-frames", "189", "--diff")
    assert json.loads(result.stdout)["subjects"]
    assert "5 of 6 words kept" in result.stderr


def test_what_was_mended_is_told(upsample, endpoint):
    endpoint.answers = [json.dumps({**ANSWER, "fps": 30})]
    result = upsample("--num-frames", "189", "--diff")
    assert "repaired: control restored was 30" in " ".join(result.stderr.split())


def test_a_useless_answer_is_asked_for_again_then_given_up(refused, upsample, endpoint):
    endpoint.answers = ["no", json.dumps(ANSWER)]
    assert upsample("--num-frames", "189").exit_code == 0
    assert len(endpoint.bodies) == 2
    endpoint.answers = ["no"]
    words = ("--endpoint", endpoint.address, "--attempts", "2")
    assert "no usable caption in 2 attempts" in refused("upsample", WORDS, *words)


def test_the_key_is_never_shown(refused, upsample, endpoint, monkeypatch):
    monkeypatch.setenv("ORRERY_UPSAMPLER_KEY", "secret")
    assert upsample("--model", "m", "--num-frames", "189").exit_code == 0
    assert endpoint.headers[-1]["authorization"] == "Bearer secret"
    endpoint.answers = [(401, b'{"error": {"message": "no"}}')]
    assert "secret" not in refused("upsample", WORDS, "--endpoint", endpoint.address)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["--kind", "generate_vido"],
            "--kind is 'generate_vido'; only images, videos and transfers have structured captions.",
        ),
        (["--model", "m"], "--model needs --endpoint."),
        (["--attempts", "2"], "--attempts needs --endpoint."),
        (["--max-tokens", "2"], "--max-tokens needs --endpoint."),
        (["--num-frames", "190", "--endpoint", "x"], "num_frames"),
        (["--kind", "generate_image", "--fps", "24"], "--fps is not a field of generate_image."),
        (["--size", "256x256", "--resolution", "256"], "--size sets the same as --resolution"),
        (["--start-image", "gone.png"], "There is no file 'gone.png'"),
        (["--start-image", "seen.png", "--source-video", "seen.png"], "are both given"),
        (["--start-image", "note.txt", "--endpoint", "x"], "note.txt is not an image"),
        (["--start-image", "u0123456789abcdef", "--endpoint", "x"], "an endpoint accepts only files"),
        (["--control", "edge=u0123456789abcdef", "--endpoint", "x"], "controls.0.video is 'u0123456789abcdef'; an end"),
        (["--control", "edge"], "edge has no video and there is no source_video"),
        (["--control", "depth=gone.mp4"], "There is no file 'gone.mp4'"),
        (["--control", "edge", "--kind", "generate_video"], "--control is not a field of generate_video."),
        (["-o", "seen.png"], "seen.png already exists"),
        (["-o", "gone/caption.json"], "The folder gone of caption.json was not found"),
    ],
)
def test_bad_words_are_one_line(refused, tmp_path, monkeypatch, write_picture, words, says):
    monkeypatch.chdir(tmp_path)
    write_picture(tmp_path / "seen.png")
    (tmp_path / "note.txt").write_text("x")
    assert says in refused("upsample", WORDS, *words)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_servers_own_reasoner_upsamples(orrery, server, tmp_path, write_picture):
    words = (
        "--start-image",
        write_picture(tmp_path / "a.png"),
        "--size",
        "320x192",
        "--num-frames",
        "33",
        "--fps",
        "16",
    )
    result = orrery("upsample", WORDS, *words, "--server", server.url, "--diff")
    assert result.exit_code == 0, result.output
    caption = json.loads(result.stdout)
    assert (caption["resolution"], caption["duration"], caption["fps"]) == ({"H": 192, "W": 320}, "2s", 16)
    assert "of 6 words kept" in result.stderr
