"""Rows on a table of the simulated arm, as a process of its own plays them."""

import io
import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from robot.evaluation.playback import SEEN, START, main, read_rows
from robot.safety import HOME
from robot.simulation.library import GRAPHICS
from studio.errors import BadInput

draws = pytest.mark.skipif(not GRAPHICS.can_draw, reason=GRAPHICS.problem or "it draws")


def played(
    rows: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(rows) + "\n"))
    # The logs of this process are not this test's: they would go to its standard error after its end, too.
    monkeypatch.setattr("robot.evaluation.playback.configure_logs", lambda level: None)
    assert main(["7", str(folder)]) == 0
    return json.loads(capsys.readouterr().out)


def picture(path: Path) -> np.ndarray:
    with Image.open(path) as found:
        return np.asarray(found.convert("RGB"))


def frames(path: Path) -> np.ndarray:
    with av.open(str(path)) as container:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])


@draws
def test_a_table_is_seen_as_it_begins(tmp_path: Path, monkeypatch: Any, capsys: Any):
    answer = played([], tmp_path, monkeypatch, capsys)

    assert answer["state"] == pytest.approx([*HOME, 0.0], abs=1e-6)
    assert picture(tmp_path / START).shape == (540, 640, 3)
    assert not (tmp_path / SEEN).exists()


@draws
def test_there_is_a_frame_before_the_first_row_and_one_after_each(tmp_path: Path, monkeypatch: Any, capsys: Any):
    rows = [[*(HOME + step * np.array([0.02, 0, 0, 0, 0, 0, 0])), 0.0] for step in range(1, 41)]
    answer = played(rows, tmp_path, monkeypatch, capsys)

    seen = frames(tmp_path / SEEN)
    start = picture(tmp_path / START)
    assert answer["stopped"] == ""
    assert seen.shape == (41, 540, 640, 3)
    assert np.abs(seen[0].astype(int) - start).mean() < 3  # as the video stores it
    assert np.abs(seen[40].astype(int) - start).mean() > 5


@draws
def test_the_arms_limits_hold_for_imagined_rows_too(tmp_path: Path, monkeypatch: Any, capsys: Any):
    answer = played([[*(HOME + 1.0), 0.0]] * 8, tmp_path, monkeypatch, capsys)

    assert "0.6 rad" in answer["stopped"]


@pytest.mark.parametrize(
    "line", ["", "rows", '{"rows": 1}', "[[1, 2]]", "[[1, 2, 3, 4, 5, 6, 7, NaN]]", "[[1], [2, 3]]"]
)
def test_what_is_no_list_of_rows_is_refused(line: str):
    with pytest.raises(BadInput):
        read_rows(line)


def test_no_rows_are_rows():
    assert read_rows("[]\n").shape == (0, 8)
