"""What the answer to a reasoner's task says, as lines for a person."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cli.one_line import one_line
from cli.tables import print_table
from studio.prompting import Result, TaskAnswer
from studio.prompting.results import Box, Interval, Label, Point, Prose, Step


def print_results(answer: TaskAnswer) -> None:
    """Print results, a row each; prose as it is, and an answer that could not be read with the reason."""
    if answer.failure is not None:
        print(answer.text)
        print(f"orrery: The answer could not be read: {one_line(answer.failure)}", file=sys.stderr)
        return
    for result in answer.results:
        if isinstance(result, Prose):
            print(result.text)
    rows = [_row(result) for result in answer.results if not isinstance(result, Prose)]
    if rows:
        print_table(("what", "where", "label"), rows)
    elif not answer.results:
        print("Nothing was found.")
    for why in answer.skipped:
        print(f"orrery: {one_line(why)}", file=sys.stderr)


def _row(result: Result) -> tuple[str, str, str]:
    match result:
        case Box():
            return "box", _place(result.pixels, result.box_2d), one_line(result.label)
        case Point():
            return "point", _place(result.pixels, result.point_2d), one_line(result.label)
        case Interval():
            return "interval", f"{result.start_s:g} to {result.end_s:g} s", one_line(result.label)
        case Label():
            return "label", result.subject_id, one_line(f"{result.category} {result.caption}".strip())
        case Step():
            return "step", str(result.number), one_line(result.text)
        case Prose():
            return "prose", "", one_line(result.text)
        case _:
            plausible = {True: "plausible", False: "not plausible", None: "not said"}[result.plausible]
            score = "" if result.score is None else f"{result.score} of 5"
            return plausible, score, one_line(result.reason)


def _place(pixels: Sequence[float] | None, grid: Sequence[float]) -> str:
    """`10,20 30,40 px`; where the picture's size is unknown, on the grid of 0 to 1000."""
    numbers, unit = (grid, "of 1000") if pixels is None else (pixels, "px")
    pairs = [f"{x:.0f},{y:.0f}" for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
    return f"{' '.join(pairs)} {unit}"
