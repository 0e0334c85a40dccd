from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from studio.captions import UnusableAnswer, VideoFacts
from studio.captions.caption_files import WorkItem, read_work
from studio.captions.training_data import captions_to_jsonl
from studio.errors import BadInput, ServerUnreachable
from studio.prompting import Captioner, CaptionOutcome, Endpoint, VideoUrl, read_caption_texts
from studio.prompting.captioning import read_narrative

anyio = pytest.mark.anyio

NARRATIVE = "A robot arm beside a bench reaches for a cup and lifts it."


async def probe(path: Path) -> VideoFacts:
    if path.read_bytes() == b"broken":
        raise BadInput(f"{path.name} is no clip.")
    return VideoFacts(width=640, height=480, duration_s=7.3, fps=12.0, num_frames=87)


async def attach(path: Path) -> VideoUrl:
    return VideoUrl(url=path.absolute().as_uri())


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    folder = tmp_path / "clips"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.mp4").write_bytes(b"clip")
    return folder


@pytest.fixture
def analysis(answer: dict[str, Any]) -> dict[str, Any]:
    for name in ("scene_imagination", "temporal_caption", "resolution", "aspect_ratio", "duration", "fps"):
        del answer[name]
    return answer


def two_phases(analysis: dict[str, Any]) -> Any:
    """Data for the first question of a conversation, prose for the second."""

    def answer(body: dict[str, Any]) -> str:
        return NARRATIVE if "response_format" not in body else f"```json\n{json.dumps(analysis)}\n```"

    return answer


@anyio
async def test_a_folder_becomes_three_files_a_clip(
    endpoint: Any, clips: Path, analysis: dict[str, Any], tmp_path: Path
):
    endpoint.answers = [two_phases(analysis)]
    seen: list[CaptionOutcome] = []
    async with Endpoint(endpoint.address, model="m") as ask:
        run = await Captioner(ask, probe=probe, attach=attach).run(
            read_work(video=clips), tmp_path / "out", on_outcome=seen.append
        )

    assert [outcome.name for outcome in run.of("written")] == ["a", "b", "c"]
    assert sorted(seen, key=lambda outcome: outcome.name) == list(run.outcomes)
    folder = tmp_path / "out" / "b"
    assert sorted(path.name for path in folder.iterdir()) == ["caption.json", "caption.txt", "sample_args.json"]
    caption = json.loads((folder / "caption.json").read_text())
    assert caption["temporal_caption"] == NARRATIVE
    assert (folder / "caption.txt").read_text().strip() == NARRATIVE
    assert (caption["resolution"], caption["aspect_ratio"]) == ({"H": 480, "W": 640}, "4,3")
    assert (caption["duration"], caption["fps"]) == ("7s", 12)
    assert json.loads((folder / "sample_args.json").read_text()) == {
        "name": "b",
        "prompt": NARRATIVE,
        "vision_path": str(clips / "b.mp4"),
        "output_dir": str(folder),
    }


@anyio
async def test_the_second_question_goes_on_from_the_first(
    endpoint: Any, clips: Path, analysis: dict[str, Any], tmp_path: Path
):
    endpoint.answers = [two_phases(analysis)]
    async with Endpoint(endpoint.address, model="m") as ask:
        await Captioner(ask, probe=probe, attach=attach).run([WorkItem(name="a", video=clips / "a.mp4")], tmp_path)

    first, second = endpoint.bodies
    assert first["messages"][1]["content"][0]["video_url"]["url"] == (clips / "a.mp4").as_uri()
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert [message["role"] for message in second["messages"][2:]] == ["assistant", "user"]


@anyio
async def test_finished_clips_are_not_asked_about_again(
    endpoint: Any, clips: Path, analysis: dict[str, Any], tmp_path: Path
):
    endpoint.answers = [two_phases(analysis)]
    items = read_work(video=clips)
    async with Endpoint(endpoint.address, model="m") as ask:
        captioner = Captioner(ask, probe=probe, attach=attach)
        await captioner.run(items[:2], tmp_path)
        (tmp_path / "b" / "sample_args.json").unlink()
        run = await captioner.run(items, tmp_path)

    assert [outcome.state for outcome in run.outcomes] == ["skipped", "written", "written"]
    assert len(endpoint.bodies) == 2 * (2 + 2)


@anyio
async def test_a_clip_that_fails_does_not_stop_the_others(
    endpoint: Any, clips: Path, analysis: dict[str, Any], tmp_path: Path
):
    (clips / "b.mp4").write_bytes(b"broken")
    endpoint.answers = [two_phases(analysis)]
    items = [*read_work(video=clips), WorkItem(name="lost", video=clips / "lost.mp4")]
    async with Endpoint(endpoint.address, model="m") as ask:
        run = await Captioner(ask, probe=probe, attach=attach).run(items, tmp_path)

    assert [outcome.state for outcome in run.outcomes] == ["written", "failed", "written", "failed"]
    assert "b.mp4 is no clip" in run.outcomes[1].reason
    assert "There is no file" in run.outcomes[3].reason
    assert not (tmp_path / "b").exists()


@anyio
async def test_useless_answers_are_asked_for_again_then_given_up(
    endpoint: Any, clips: Path, analysis: dict[str, Any], tmp_path: Path
):
    data = json.dumps(analysis)
    endpoint.answers = ["no", data, '{"again": "data"}', f'"{NARRATIVE}"', "no", "no"]
    items = read_work(video=clips)[:2]
    async with Endpoint(endpoint.address, model="m") as ask:
        captioner = Captioner(ask, probe=probe, attach=attach, attempts=2, keep_answers=True)
        run = await captioner.run(items, tmp_path, at_once=1)

    assert [outcome.state for outcome in run.outcomes] == ["written", "failed"]
    assert "2 attempts" in run.outcomes[1].reason
    assert (tmp_path / "a" / "caption.txt").read_text().strip() == NARRATIVE
    assert (tmp_path / "a" / "analysis.raw.txt").read_text() == data


@anyio
async def test_many_clips_are_asked_about_at_once(endpoint: Any, clips: Path, analysis: dict[str, Any], tmp_path: Path):
    together = threading.Barrier(3)
    phases = two_phases(analysis)

    def answer(body: dict[str, Any]) -> str:
        together.wait(60)
        return phases(body)

    endpoint.answers = [answer]
    async with Endpoint(endpoint.address, model="m") as ask:
        await Captioner(ask, probe=probe, attach=attach).run(read_work(video=clips), tmp_path, at_once=3)

    assert endpoint.most_at_once == 3


@anyio
async def test_a_server_that_is_gone_ends_the_run(endpoint: Any, clips: Path, tmp_path: Path):
    endpoint.answers = [(503, b"gone")]
    async with Endpoint(endpoint.address, model="m") as ask:
        with pytest.raises(ServerUnreachable):
            await Captioner(ask, probe=probe, attach=attach).run(read_work(video=clips), tmp_path)


@anyio
async def test_captions_become_training_lines(endpoint: Any, clips: Path, analysis: dict[str, Any], tmp_path: Path):
    endpoint.answers = [two_phases(analysis)]
    async with Endpoint(endpoint.address, model="m") as ask:
        await Captioner(ask, probe=probe, attach=attach).run(read_work(video=clips), tmp_path / "captions")
    summary = await captions_to_jsonl(tmp_path / "captions", clips, tmp_path / "train.jsonl", probe=probe)

    assert summary.records_with_caption_json == 3
    lines = [json.loads(line) for line in (tmp_path / "train.jsonl").read_text().splitlines()]
    assert [line["vision_path"] for line in lines] == ["clips/a.mp4", "clips/b.mp4", "clips/c.mp4"]
    assert lines[0]["t2w_windows"][0]["end_frame"] == 86


@pytest.mark.parametrize(
    ("answer", "prose"),
    [
        ("<think>x</think> An arm lifts it.", "An arm lifts it."),
        ("“An arm\nlifts it.”", "An arm lifts it."),
        ("```text\nAn arm lifts it.\n```", "An arm lifts it."),
        ("机械臂举起了一个红色的杯子。", "机械臂举起了一个红色的杯子。"),
    ],
)
def test_prose_is_taken_out_of_its_wrapping(answer: str, prose: str):
    assert read_narrative(answer) == prose


@pytest.mark.parametrize("answer", ["", "Yes.", "[1]", '```json\n{"a": 1}\n```'])
def test_what_is_no_prose_is_refused(answer: str):
    with pytest.raises(UnusableAnswer):
        read_narrative(answer)


def test_prose_beyond_its_bound_ends_with_a_sentence():
    told = " ".join(f"Arm {index} lifts cube {index} onto tray {index}." for index in range(800))
    assert read_narrative(told).endswith(".")
    with pytest.raises(UnusableAnswer, match="repeats itself"):
        read_narrative("An arm lifts it. " * 400)


def test_prompts_may_be_somebody_elses(tmp_path: Path):
    (tmp_path / "own.toml").write_text('analysis = "Look: $template"\nnarrative = "Tell."\nretry = "$why"\n')

    assert read_caption_texts(tmp_path / "own.toml").narrative == "Tell."


@pytest.mark.parametrize("text", ["not toml", 'analysis = "only"', None])
def test_prompts_that_are_none_are_refused(tmp_path: Path, text: str | None):
    if text is not None:
        (tmp_path / "own.toml").write_text(text)
    with pytest.raises(BadInput, match=r"own\.toml"):
        read_caption_texts(tmp_path / "own.toml")
