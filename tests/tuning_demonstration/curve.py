"""A curve over the saves of a training: shares with their intervals, as lines of JSON and as a drawing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from studio.evaluation.statistics import wilson

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 560, 300, 48, 40, 36
COLOURS = ("#1e5ac8", "#c8501e", "#3c8c3c")


@dataclass(frozen=True)
class Point:
    """How many of those that were tried came out right at a save.

    Attributes:
        name: of what was tried.
        step: of the save; 0 is the checkpoint that was begun with.
    """

    name: str
    step: int
    right: int
    of: int

    @property
    def share(self) -> float:
        """0 to 1."""
        return self.right / self.of

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's, 95 %."""
        return wilson(self.share, self.of)


def write_points(path: Path, points: Sequence[Point]) -> None:
    """A line of JSON for each point."""
    lines = [
        {**asdict(point), "share": round(point.share, 3), "low": round(low, 3), "high": round(high, 3)}
        for point in points
        for low, high in [point.interval]
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def table(points: Sequence[Point]) -> str:
    """Markdown for the documentation."""
    rows = [
        f"| {point.name} | {point.step} | {point.right} of {point.of} | {100 * low:.0f} to {100 * high:.0f} % |"
        for point in points
        for low, high in [point.interval]
    ]
    return "\n".join(["| tried | step | right | 95 % interval |", "|---|---|---|---|", *rows, ""])


def draw_points(path: Path, title: str, points: Sequence[Point], chance: float | None = None) -> None:
    """An SVG: a line for each name, a bar for each interval, and a dashed line at chance."""
    last = max(point.step for point in points)
    right, bottom = WIDTH - 16, HEIGHT - BOTTOM

    def across(step: int) -> float:
        return LEFT + (right - LEFT) * step / max(1, last)

    def up(share: float) -> float:
        return bottom - (bottom - TOP) * share

    parts = [_text(LEFT, 18, title, "#222")]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts += [
            _line(LEFT, up(share), right, up(share), "#ddd"),
            _text(8, up(share) + 4, f"{100 * share:.0f} %", "#666"),
        ]
    for step in sorted({point.step for point in points}):
        parts.append(_text(across(step) - 8, HEIGHT - 12, str(step), "#666"))
    if chance is not None:
        parts.append(_line(LEFT, up(chance), right, up(chance), "#999", 'stroke-dasharray="4 4"'))
    for number, name in enumerate(dict.fromkeys(point.name for point in points)):
        colour, own = COLOURS[number % len(COLOURS)], [point for point in points if point.name == name]
        places = " ".join(f"{across(point.step):.1f},{up(point.share):.1f}" for point in own)
        parts.append(f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for point in own:
            low, high = point.interval
            parts.append(_line(across(point.step), up(low), across(point.step), up(high), colour))
            parts.append(f'<circle cx="{across(point.step):.1f}" cy="{up(point.share):.1f}" r="3" fill="{colour}"/>')
        parts.append(_text(LEFT + 160 * number, 34, name, colour))
    drawn = "\n".join(parts)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{drawn}\n</svg>\n'
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, more: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {more}/>'


def _text(x: float, y: float, words: str, colour: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}">{words}</text>'
