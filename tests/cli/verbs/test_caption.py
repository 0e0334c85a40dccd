from __future__ import annotations

import base64
import json
import signal
import socket
import threading

import pytest

from cli.answering import AsTaught
from scripted_endpoint import ANSWER
from studio.captions import Controls, VideoCaption
from studio.captions.answer_schema import sparing
from studio.presets import ReasonerDefaults
from studio.prompting.captioning import analysis_question
from studio.prompting.question import Question, VideoUrl
from studio.prompting.templates import caption_texts

NARRATIVE = "A robot arm beside a bench reaches for a cup and lifts it."
ANALYSIS = {
    name: value
    for name, value in ANSWER.items()
    if name not in ("scene_imagination", "temporal_caption", "resolution", "aspect_ratio", "duration", "fps")
}


def two_phases(body):
    """Data for the first question about a clip, prose for the second."""
    return NARRATIVE if "response_format" not in body else json.dumps(ANALYSIS)


@pytest.fixture
def clips(tmp_path, write_clip):
    """Two clips of seven seconds, and a file that only has the name of one."""
    (tmp_path / "clips").mkdir()
    for name in ("a", "b"):
        write_clip(tmp_path / "clips" / f"{name}.mp4", 70, fps=10)
    (tmp_path / "clips" / "broken.mp4").write_bytes(b"no clip")
    return tmp_path / "clips"


@pytest.fixture
def caption(orrery, endpoint, clips):
    """`orrery caption` by the scripted endpoint."""
    endpoint.answers = [two_phases]

    def call(*words, what=clips):
        return orrery("caption", what, "-o", clips.parent / "out", "--endpoint", endpoint.address, *words)

    return call


def read(path):
    return json.loads(path.read_text())


def test_every_clip_of_a_folder_gets_three_files(caption, clips):
    result = caption()
    assert result.exit_code == 1, result.output
    *table, last = result.stdout.splitlines()
    assert last == f"{clips.parent / 'out'}  2 written, 0 skipped, 1 failed"
    assert [line.split()[0] for line in table] == ["failed", "broken"]
    assert "broken.mp4 is not a readable video" in table[1]
    folder = clips.parent / "out" / "a"
    assert sorted(path.name for path in folder.iterdir()) == ["caption.json", "caption.txt", "sample_args.json"]
    written = read(folder / "caption.json")
    assert written["temporal_caption"] == NARRATIVE
    assert (written["resolution"], written["aspect_ratio"]) == ({"H": 96, "W": 160}, "5,3")
    assert (written["duration"], written["fps"]) == ("7s", 10)
    assert (folder / "caption.txt").read_text() == f"{NARRATIVE}\n"
    assert read(folder / "sample_args.json") == {
        "name": "a",
        "prompt": NARRATIVE,
        "vision_path": str(clips / "a.mp4"),
        "output_dir": str(folder),
    }


def test_what_is_finished_is_not_asked_about_again(caption, clips, endpoint):
    (clips / "broken.mp4").unlink()
    assert caption(what=clips / "a.mp4").exit_code == 0
    asked = len(endpoint.bodies)
    (clips.parent / "out" / "b").mkdir()
    (clips.parent / "out" / "b" / "caption.json").write_text("{}")
    result = caption()
    assert result.exit_code == 0
    assert result.stdout == f"{clips.parent / 'out'}  1 written, 1 skipped, 0 failed\n"
    assert len(endpoint.bodies) == 2 * asked
    assert not any(path.name.endswith(".part") for path in (clips.parent / "out").rglob("*"))


def test_a_manifest_names_its_clips(caption, clips):
    manifest = clips.parent / "list.jsonl"
    lines = [{"name": "first", "vision_path": "clips/a.mp4"}, {"vision_path": str(clips / "b.mp4")}]
    manifest.write_text("\n".join(map(json.dumps, lines)))
    assert caption(what=manifest).exit_code == 0
    assert sorted(path.name for path in (clips.parent / "out").iterdir()) == ["b", "first"]


def test_clips_are_sent_or_named_by_their_paths(caption, clips, endpoint):
    def url(body):
        return body["messages"][1]["content"][0]["video_url"]["url"]

    caption(what=clips / "a.mp4")
    head, _, content = url(endpoint.bodies[0]).partition(",")
    assert head == "data:video/mp4;base64"
    assert base64.b64decode(content) == (clips / "a.mp4").read_bytes()
    caption("--by-path", what=clips / "b.mp4")
    assert url(endpoint.bodies[-1]) == (clips / "b.mp4").as_uri()


def test_the_endpoint_is_told_the_model_and_the_key(caption, clips, endpoint, monkeypatch):
    monkeypatch.setenv("ORRERY_UPSAMPLER_KEY", "secret")
    result = caption("--model", "qwen", "--max-tokens", "999", what=clips / "a.mp4")
    assert result.exit_code == 0
    assert {body["model"] for body in endpoint.bodies} == {"qwen"}
    assert {body["max_tokens"] for body in endpoint.bodies} == {999}
    assert {headers["authorization"] for headers in endpoint.headers} == {"Bearer secret"}
    assert "secret" not in result.output


def test_clips_are_asked_about_at_once(caption, clips, endpoint):
    (clips / "broken.mp4").unlink()
    together = threading.Barrier(2)

    def answer(body):
        together.wait(60)
        return two_phases(body)

    endpoint.answers = [answer]
    assert caption("--jobs", 2).exit_code == 0
    assert endpoint.most_at_once == 2


def test_other_prompts_and_the_answers_as_they_came(caption, clips, endpoint):
    template = clips.parent / "own.toml"
    template.write_text('analysis = "OWN analysis"\nnarrative = "OWN prose"\nretry = "no: $why"\n')
    assert caption("--template", template, "--debug", what=clips / "a.mp4").exit_code == 0
    first, second = endpoint.bodies
    assert first["messages"][1]["content"][1]["text"] == "OWN analysis"
    assert second["messages"][-1]["content"] == "OWN prose"
    assert read(clips.parent / "out" / "a" / "analysis.raw.txt") == ANALYSIS
    assert (clips.parent / "out" / "a" / "narrative.raw.txt").read_text() == NARRATIVE


def test_an_endpoint_that_is_asked_too_often_is_asked_again(caption, clips, endpoint):
    endpoint.answers = [(429, b"slow down"), two_phases]
    assert caption(what=clips / "a.mp4").exit_code == 0
    assert len(endpoint.bodies) == 3


def test_a_useless_answer_fails_its_clip(caption, clips, endpoint):
    endpoint.answers = ["no"]
    result = caption("--attempts", 2, what=clips / "a.mp4")
    assert result.exit_code == 1
    assert "no usable caption in 2 attempts" in result.stdout
    assert not (clips.parent / "out" / "a").exists()


def test_nobody_there_is_one_line_and_no_table(refused, clips):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    where = f"http://127.0.0.1:{port}/v1"
    said = refused("caption", clips, "-o", clips.parent / "out", "--endpoint", where, "--model", "m", "--jobs", "1")
    assert where in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere"], "nowhere is neither a file nor a folder"),
        (["."], "has no videos"),
        (["clips", "--model", "m"], "--model needs --endpoint."),
        (["clips", "--by-path"], "--by-path needs --endpoint."),
        (["clips", "--endpoint", "ftp://x"], "expected a URL such as"),
        (["clips", "--template", "list.jsonl"], "is not TOML"),
        (["list.jsonl"], "list.jsonl, line 2 has no vision_path"),
        (["clips", "--jobs", "0"], "Input should be greater than or equal to 1"),
    ],
)
def test_bad_words_are_one_line(refused, clips, monkeypatch, words, says):
    monkeypatch.chdir(clips.parent)
    (clips.parent / "list.jsonl").write_text('{"vision_path": "clips/a.mp4"}\n{"path": "x"}\n')
    assert says in refused("caption", *words, "-o", "out")


def test_captions_go_into_a_folder(refused, clips):
    assert "is a file; expected a folder" in refused("caption", clips, "-o", clips / "a.mp4")


def test_ctrl_c_leaves_what_is_written_and_says_how_to_go_on(spawn, clips, endpoint):
    waiting, go_on = threading.Event(), threading.Event()

    def answer(body):
        if len(endpoint.bodies) > 2:
            waiting.set()
            go_on.wait(120)
        return two_phases(body)

    endpoint.answers = [answer]
    words = ("--endpoint", endpoint.address, "--jobs", 1)
    process = spawn("caption", clips, "-o", clips.parent / "out", *words)
    assert waiting.wait(60)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    go_on.set()
    assert (process.returncode, stderr) == (130, b"orrery: cancelled; run the same command to continue.\n")
    assert [path.name for path in (clips.parent / "out").iterdir()] == ["a"]


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_servers_own_reasoner_captions_a_folder(orrery, server, clips):
    (clips / "broken.mp4").unlink()
    out = clips.parent / "out"
    words = ("--server", server.url, "--max-tokens", "600", "--attempts", "10", "--debug")
    result = orrery("caption", clips, "-o", out, *words)
    assert result.exit_code == 0, result.output
    for name in ("a", "b"):
        written = read(out / name / "caption.json")
        assert VideoCaption.model_validate(written).model_fields_set == set(VideoCaption.model_fields)
        assert (written["resolution"], written["duration"]) == ({"H": 96, "W": 160}, "7s")
        assert written["temporal_caption"] == (out / name / "caption.txt").read_text().rstrip("\n")


@pytest.mark.anyio
async def test_a_checkpoint_is_asked_as_it_was_taught():
    asked: list[Question] = []

    async def ask(question: Question, /) -> str:
        asked.append(question)
        return ""

    clip = Controls.of_video("256", "1:1", 17, 10.0)
    question = analysis_question(VideoUrl(url="media:1"), clip, caption_texts())
    await AsTaught(ask, ReasonerDefaults())(question)
    await AsTaught(ask, ReasonerDefaults(temperature=0.2, leaves_out_empty=True))(question)
    plain, taught = asked
    assert plain == question
    assert taught.sampling == question.sampling.model_copy(update={"temperature": 0.2})
    assert plain.answer_schema is not None
    assert taught.answer_schema == sparing(plain.answer_schema) != plain.answer_schema
