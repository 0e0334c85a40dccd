"""Benchmarks of the pocket's world, whose answers are known: the report card's own questions as `orrery evaluate` asks.

    python -m pocket.benchmarks -o FOLDER [--count 40] [--seed 0]

writes a folder for each: `pocket-answers` (short questions, exact), `pocket-choices` (the same, as multiple choice),
`pocket-boxes` and `pocket-moments`. Stills are PNG, clips H.264 without loss.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

from pocket.report.describing import LONGEST_SHORT, Describing, short_questions
from pocket.report.locating import LONGEST as LONGEST_BOXES
from pocket.report.locating import Locating
from pocket.report.timing import LONGEST as LONGEST_MOMENTS
from pocket.report.timing import Timing
from pocket.world.episode import Episode, Question

Row = dict[str, Any]

TITLES = {
    "pocket-answers": "Tabletop: short answers",
    "pocket-choices": "Tabletop: multiple choice",
    "pocket-boxes": "Tabletop: bounding boxes",
    "pocket-moments": "Tabletop: when it happens",
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
    pictured = {_still(still): still for still in (*stills, *Locating().tasks(count, seed))}
    clips = {_clip(task.clip): task.clip for task in Timing().tasks(count, seed)}
    return [_write(folder / name, name, rows, pictured, clips) for name, rows in found.items()]


def _write(folder: Path, name: str, rows: Sequence[Row], stills: dict[str, Episode], clips: dict[str, Episode]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for medium in {medium for row in rows for medium in row["media"]}:
        if medium in stills:
            Image.fromarray(stills[medium].frames[0]).save(folder / medium)
        else:
            _film(folder / medium, clips[medium])
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    form, max_tokens = FORMS[name]
    manifest = [
        f'name = "{name}"',
        f'title = "{TITLES[name]}"',
        'description = "Held-out scenes of the simulated table that the pocket knows"',
        f'form = "{form}"',
        *(['metrics = ["exact_match", "parseable"]'] if form == "text" else []),
        "[settings]",
        "temperature = 0.0",
        f"max_tokens = {max_tokens}",
    ]
    (folder / "benchmark.toml").write_text("\n".join(manifest) + "\n", "utf-8")
    return folder


def _film(path: Path, clip: Episode) -> None:
    with av.open(str(path), "w", format="mp4") as container:
        stream: Any = container.add_stream("libx264rgb", rate=round(clip.fps), options={"qp": "0"})
        stream.height, stream.width = clip.frames.shape[1:3]
        stream.pix_fmt = "rgb24"
        for frame in clip.frames:
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
