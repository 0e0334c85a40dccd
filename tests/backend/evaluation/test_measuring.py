"""Frames of a result against its truth: which are given, which are compared, and how many."""

import asyncio
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from backend.evaluation.measuring import ResultMeasuring, num_given_frames
from backend.media import MediaStore
from studio.evaluation import Benchmark
from studio.evaluation.generations import GenerationResult
from studio.requests import parse_request

GREY = np.full((64, 64, 3), 90, np.uint8)
CONTINUED = {"kind": "generate_video", "prompt": "go", "source_video": "u0123456789abcdef", "condition_frames": [0, 1]}


@pytest.mark.parametrize("end", ["first", "last"])
def test_frames_that_were_given_are_the_first_of_a_continued_video_from_either_end(end: str):
    assert num_given_frames(parse_request({**CONTINUED, "num_frames": 17, "condition_end": end})) == 5


@pytest.mark.parametrize(
    ("own", "other", "num_compared"),
    [
        pytest.param((17, 20), (9, 10), 9 - 3, id="at the slower rate five given frames are three"),
        pytest.param((17, 10), (33, 20), 17 - 5, id="a faster reference"),
        pytest.param((397, 10), (397, 10), 397 - 5, id="as long as a request may be"),
    ],
)
def test_frames_are_compared_at_the_slower_rate_from_where_the_given_ones_end(
    tmp_path: Path, own: tuple[int, int], other: tuple[int, int], num_compared: int
):
    media = MediaStore(tmp_path / "media")
    request = parse_request({**CONTINUED, "num_frames": own[0], "fps": own[1], "condition_end": "last"})
    made, truth = (
        media.put_clip(job * 12, 0, [GREY] * num_frames, request, "speck", fps=fps).id
        for job, (num_frames, fps) in (("0", own), ("1", other))
    )
    item = {"id": "one", "request": request.model_dump(mode="json"), "reference": {"media": truth}}
    benchmark = Benchmark.model_validate({"name": "made", "form": "generation", "items": [item]})
    result = GenerationResult(media=(made,))
    measuring = ResultMeasuring(media, cast(Any, None))  # nothing is perceived
    figures = asyncio.run(measuring.measure(benchmark, benchmark.items[0], request, result))
    assert figures is not None
    assert figures.notes == {}
    assert len(figures.series["psnr_db"]) == num_compared
