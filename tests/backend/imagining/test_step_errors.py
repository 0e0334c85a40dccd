"""How far imagined frames are from what was seen, view by view, in a checkpoint's layout and without one."""

from pathlib import Path

import numpy as np
import pytest

from backend.imagining.step_errors import seen_as, step_errors
from backend.media import inspect_upload, write_clip
from studio.rules.view_layout import ViewLayout

HALVES = ViewLayout.model_validate(
    {
        "canvas": [640, 540],
        "size": [256, 192],
        "views": [
            {
                "cut": {"left": 0, "top": 360, "width": 320, "height": 180},
                "shown": {"left": 0, "top": 0, "width": 128, "height": 72},
            },
            {
                "cut": {"left": 320, "top": 360, "width": 320, "height": 180},
                "shown": {"left": 128, "top": 0, "width": 128, "height": 72},
            },
            {
                "cut": {"left": 0, "top": 0, "width": 640, "height": 360},
                "shown": {"left": 0, "top": 72, "width": 213, "height": 120},
            },
        ],
    }
)


def canvases(*, bright: int) -> np.ndarray:
    """Three canvases that change in exterior 1's view alone."""
    made = np.full((3, 540, 640, 3), 90, np.uint8)
    made[1:, 360:, :320] = bright
    return made


def written(path: Path, frames: np.ndarray) -> Path:
    write_clip(path, frames, fps=15)
    return path


@pytest.mark.parametrize("layout", [HALVES, None], ids=["own layout", "none"])
def test_each_view_has_its_error_and_that_of_a_world_that_stands_still(tmp_path: Path, layout: ViewLayout | None):
    size = layout.size if layout is not None else (320, 256)
    imagined = written(tmp_path / "size.mp4", np.full((3, size[1], size[0], 3), 90, np.uint8))
    seen, foreseen = tmp_path / "seen.mp4", tmp_path / "foreseen.mp4"
    seen_as(written(tmp_path / "a.mp4", canvases(bright=200)), seen, layout, imagined)
    seen_as(written(tmp_path / "b.mp4", canvases(bright=190)), foreseen, layout, imagined)

    errors = step_errors(foreseen, seen, layout)

    assert (inspect_upload(seen).width, inspect_upload(seen).height) == size
    assert len(errors) == 2
    for error in errors:
        wrist, first, second = error.psnr_db
        assert min(wrist, second) > 30
        assert first == pytest.approx(28, abs=2)  # 10 of 255
        assert error.still_psnr_db[1] < 10
        assert min(error.still_psnr_db[0], error.still_psnr_db[2]) > 30


def test_an_arm_that_stopped_has_errors_as_far_as_it_came(tmp_path: Path):
    short = written(tmp_path / "a.mp4", np.full((2, 256, 320, 3), 90, np.uint8))
    long = written(tmp_path / "b.mp4", np.full((9, 256, 320, 3), 90, np.uint8))

    assert len(step_errors(long, short, None)) == 1
