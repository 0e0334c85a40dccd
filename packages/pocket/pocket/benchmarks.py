"""Benchmarks of the pocket's world, whose answers are known: the report card's own questions as `orrery evaluate` asks.

    python -m pocket.benchmarks -o FOLDER [--count 40] [--seed 0]

writes a folder for each: `pocket-answers` (short questions, exact), `pocket-choices` (the same, as multiple choice),
`pocket-boxes` and `pocket-moments`, which a reasoner answers; `pocket-dynamics` (forward and inverse dynamics of the
arm) and `pocket-videos` (videos that go on, with sound), which a generator makes. Stills are PNG, clips H.264 without
loss.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

from pocket.report.candidate import CLIP_GUIDANCE, CLIP_SHIFT, SQUARE, Effort, Pixels
from pocket.report.continuing import AUDIBLE_NS, Continuing
from pocket.report.describing import LONGEST_SHORT, Describing, short_questions
from pocket.report.foreseeing import Stretch, stretches
from pocket.report.locating import LONGEST as LONGEST_BOXES
from pocket.report.locating import Locating
from pocket.report.starting import told
from pocket.report.timing import LONGEST as LONGEST_MOMENTS
from pocket.report.timing import Timing
from pocket.world.episode import POLICY_FPS, Episode, Question
from studio.evaluation.generations import media_named
from studio.evaluation.onsets import apart
from studio.requests import MAX_SEED

Row = dict[str, Any]

TITLES = {
    "pocket-answers": "Tabletop: short answers",
    "pocket-choices": "Tabletop: multiple choice",
    "pocket-boxes": "Tabletop: bounding boxes",
    "pocket-moments": "Tabletop: when it happens",
    "pocket-dynamics": "Tabletop: forward and inverse dynamics",
    "pocket-videos": "Tabletop: videos with sound",
}
FORMS = {
    "pocket-answers": ("text", LONGEST_SHORT),
    "pocket-choices": ("choice", LONGEST_SHORT),
    "pocket-boxes": ("boxes", LONGEST_BOXES),
    "pocket-moments": ("intervals", LONGEST_MOMENTS),
}
"""By benchmark: its form, and the tokens of an answer."""

LETTERS = "ABCDEFGH"


def write_benchmarks(folder: Path, count: int, seed: int = 0) -> list[Path]:
    """Write all of them. Answers their folders.

    Args:
        folder: made where it is missing.
        count: stills, and as many clips, that questions are asked about.
        seed: of the report card whose scenes these are.
    """
    stills = Describing().tasks(count, seed)
    found: dict[str, list[Row]] = {
        "pocket-answers": [row for still in stills for row in _answers(still)],
        "pocket-choices": [row for still in stills for row in _choices(still)],
        "pocket-boxes": [_located(still) for still in Locating().tasks(count, seed)],
        "pocket-moments": [_timed(task.clip, task.asked) for task in Timing().tasks(count, seed)],
    }
    pictured = {_still(still): still.frames[0] for still in (*stills, *Locating().tasks(count, seed))}
    clips = {_clip(task.clip): (task.clip.frames, task.clip.fps) for task in Timing().tasks(count, seed)}
    asked = [_write(folder / name, name, rows, pictured, clips) for name, rows in found.items()]
    return [
        *asked,
        _write_dynamics(folder / "pocket-dynamics", count, seed),
        _write_videos(folder / "pocket-videos", count, seed),
    ]


def _write_dynamics(folder: Path, count: int, seed: int) -> Path:
    """Where the arm moves most in each run: the frames that its actions lead to, and the actions that led to them."""
    shown = stretches(count, seed)
    pictured = {f"{one.seed}.png": one.frames[0] for one in shown}
    clips = {f"{one.seed}.mp4": (one.frames, float(POLICY_FPS)) for one in shown}
    return _write(folder, folder.name, [row for one in shown for row in _acted(one)], pictured, clips)


def _write_videos(folder: Path, count: int, seed: int) -> Path:
    """The first five frames of a clip, which are to go on, and when something strikes in it."""
    shown = Continuing().tasks(count, seed)
    clips = {_clip(one): (one.frames, one.fps) for one in shown}
    return _write(folder, folder.name, [_continued(one) for one in shown], {}, clips)


def _write(
    folder: Path,
    name: str,
    rows: Sequence[Row],
    stills: Mapping[str, Pixels],
    clips: Mapping[str, tuple[Pixels, float]],
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for medium in {medium for row in rows for medium in row.get("media") or media_named(row)}:
        if medium in stills:
            Image.fromarray(stills[medium]).save(folder / medium)
        else:
            _film(folder / medium, *clips[medium])
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    (folder / "benchmark.toml").write_text("\n".join(_manifest(name)) + "\n", "utf-8")
    return folder


def _manifest(name: str) -> list[str]:
    """The lines of `benchmark.toml`."""
    form, max_tokens = FORMS.get(name, ("generation", None))
    return [
        f'name = "{name}"',
        f'title = "{TITLES[name]}"',
        'description = "Held-out scenes of the simulated table that the pocket knows"',
        f'form = "{form}"',
        *(['metrics = ["exact_match", "parseable"]'] if form == "text" else []),
        "[settings]",
        *(["round_trip = true"] if max_tokens is None else ["temperature = 0.0", f"max_tokens = {max_tokens}"]),
    ]


def _acted(stretch: Stretch) -> Iterator[Row]:
    rows = [[float(value) for value in row] for row in stretch.rows]
    clip = f"{stretch.seed}.mp4"
    shared = {
        "prompt": stretch.prompt,
        "embodiment": "droid_joint_position",
        "fps": float(POLICY_FPS),
        "resolution": "256",
        "sampling": _sampling(Effort.action_steps, 1.0, stretch.seed),
    }
    predict = {"kind": "predict_video", "start_image": f"{stretch.seed}.png", "actions": rows, **shared}
    estimate = {"kind": "predict_actions", "source_video": clip, "num_actions": len(rows), **shared}
    yield {"id": f"{stretch.seed}-fd", "category": "forward", "request": predict, "reference": {"media": clip}}
    yield {"id": f"{stretch.seed}-id", "category": "inverse", "request": estimate, "reference": {"actions": rows}}


def _continued(clip: Episode) -> Row:
    struck = [event.start_s for event in clip.events if event.kind == "impact" and event.strength > AUDIBLE_NS]
    request = {
        "kind": "generate_video",
        "prompt": told(clip),
        "source_video": _clip(clip),
        "num_frames": len(clip.frames),
        "fps": float(clip.fps),
        "sound": True,
        "sampling": _sampling(Effort.clip_steps, CLIP_GUIDANCE, clip.seed),
        **SQUARE,
    }
    truth = {"media": _clip(clip), "onsets_s": apart(struck)}
    return {"id": str(clip.seed), "category": "strikes" if struck else "quiet", "request": request, "reference": truth}


def _sampling(num_steps: int, guidance: float, seed: int) -> Row:
    return {
        "num_inference_steps": num_steps,
        "guidance_scale": guidance,
        "flow_shift": CLIP_SHIFT,
        "seed": seed % (MAX_SEED + 1),
    }


def _film(path: Path, frames: Pixels, fps: float) -> None:
    with av.open(str(path), "w", format="mp4") as container:
        stream: Any = container.add_stream("libx264rgb", rate=round(fps), options={"qp": "0"})
        stream.height, stream.width = frames.shape[1:3]
        stream.pix_fmt = "rgb24"
        for frame in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")))
        container.mux(stream.encode(None))


def _answers(still: Episode) -> Iterator[Row]:
    for number, asked in enumerate(short_questions(still)):
        yield {**_of(still, asked, f"-{number}"), "answer": asked.answer}


def _choices(still: Episode) -> Iterator[Row]:
    for number, asked in enumerate(short_questions(still)):
        texts = sorted({asked.answer, *asked.wrong})
        if len(texts) < 2:
            continue
        turn = still.seed % len(texts)  # so that the right one is not always at one place
        choices = dict(zip(LETTERS, texts[turn:] + texts[:turn], strict=False))
        right = next((letter for letter, text in choices.items() if text == asked.answer), None)
        if right is not None:
            yield {**_of(still, asked, f"-{number}"), "choices": choices, "answer": right}


def _located(still: Episode) -> Row:
    asked = next(question for question in still.questions if question.kind == "boxes" and question.answer != "[]")
    return {**_of(still, asked), "reference": json.loads(asked.answer)}


def _timed(clip: Episode, asked: Question) -> Row:
    row = {"id": str(clip.seed), "media": [_clip(clip)], "question": asked.question, "category": asked.kind}
    return {**row, "reference": json.loads(asked.answer)}


def _of(still: Episode, asked: Question, part: str = "") -> Row:
    return {
        "id": f"{still.seed}{part}",
        "media": [_still(still)],
        "question": asked.question,
        "category": asked.kind,
    }


def _still(episode: Episode) -> str:
    return f"{episode.seed}.png"


def _clip(episode: Episode) -> str:
    return f"{episode.seed}.mp4"


def main(words: Sequence[str] | None = None) -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(prog="python -m pocket.benchmarks", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--count", type=int, default=40, help="images and videos that are asked about")
    parser.add_argument("--seed", type=int, default=0, help="of the report card")
    said = parser.parse_args(words)
    for folder in write_benchmarks(said.output, said.count, said.seed):
        sys.stdout.write(f"{folder}\n")


if __name__ == "__main__":
    main()
