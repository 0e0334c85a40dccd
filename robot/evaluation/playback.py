"""`python -m robot.evaluation.playback SEED FOLDER`: a table of the simulated arm as it begins, and rows played on it.

It reads rows as one line of JSON, a list of lists of eight, which may be empty. It writes `start.png`, the canvas of
the table as it lies, and with rows `seen.mp4`, one frame before the first row and one after each; then a line of JSON:

    state     the seven joints in rad and the gripper, before the first row
    stopped   why the arm stopped before the last row; empty where it did not

It ends with 2 and one line that says why when it cannot go on.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from robot.evaluation.film import Film
from robot.evaluation.stepped import SteppedTable
from robot.observation import ROW_WIDTH
from studio.errors import BadInput, StudioError
from studio.logs import configure_logs

START, SEEN = "start.png", "seen.mp4"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run."""
    parser = argparse.ArgumentParser(
        prog="python -m robot.evaluation.playback", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("seed", type=int, help="of the table")
    parser.add_argument("folder", type=Path, help="that gets the files")
    said = parser.parse_args(arguments)
    configure_logs(logging.ERROR)
    try:
        rows = read_rows(sys.stdin.readline())
        table = SteppedTable(answers_after_s=0.0)
        try:
            answer = _play(table, said.seed, rows, said.folder)
        finally:
            table.close()
    except StudioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0


def read_rows(line: str) -> NDArray[np.float64]:
    """float64 [n, 8] of a line of JSON. Raises BadInput where it is something else."""
    try:
        rows = np.array(json.loads(line), np.float64)
    except (ValueError, TypeError):
        raise BadInput("The rows are no JSON list of lists of numbers.", param="rows") from None
    if rows.size == 0:
        return np.empty((0, ROW_WIDTH))
    if rows.ndim != 2 or rows.shape[1] != ROW_WIDTH or not np.isfinite(rows).all():
        raise BadInput(f"The rows have the shape {list(rows.shape)}; expected [n, {ROW_WIDTH}].", param="rows")
    return rows


def _play(table: SteppedTable, seed: int, rows: NDArray[np.float64], folder: Path) -> dict[str, object]:
    views, state = table.lay(seed)
    Image.fromarray(views.canvas()).save(folder / START)
    stopped = ""
    if len(rows):
        film = Film(folder / SEEN)
        stopped = table.play(rows, film).words
        film.save()
    return {"state": [*state.joint_positions.tolist(), state.gripper_position], "stopped": stopped}


if __name__ == "__main__":
    sys.exit(main())
