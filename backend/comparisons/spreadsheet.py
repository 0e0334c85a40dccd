"""A comparison as CSV: a line for each cell."""

from __future__ import annotations

import csv
import io
import json

from backend.comparisons.drawing import GONE
from studio.comparisons import METRICS, Comparison

FIRST = ("row", "column", "role")
COST = ("state", "seconds", "memory_gb")
LAST = ("critic", "note", "media_id", "width", "height", "num_frames", "fps", "error", "job_id", "prompt")


def csv_of(comparison: Comparison) -> str:
    """The table: labels, the values of the axes, cost, what was measured, and what was made; RFC 4180."""
    axes = list(dict.fromkeys(path for column in comparison.columns for path in column.values))
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow([*FIRST, *axes, *COST, *METRICS, *LAST])
    for cell in comparison.cells:
        column, item, like = comparison.columns[cell.column], cell.item, cell.likeness
        error = cell.error or (cell.job.error if cell.job else None)
        why = error.message if error else GONE if cell.gone else None
        state = "gone" if cell.gone else cell.job.state if cell.job else "refused" if cell.error else "shown"
        table.writerow(
            _safe(value)
            for value in (
                comparison.rows[cell.row],
                column.label,
                column.role,
                *(_plain(column.values.get(path)) for path in axes),
                state,
                cell.seconds,
                cell.memory_gb,
                *(like.figure(name) if like else None for name in METRICS),
                cell.critic,
                like.note if like else None,
                item.id if item else None,
                *((item.width, item.height, item.num_frames, item.fps) if item else (None,) * 4),
                why,
                cell.job.id if cell.job else None,
                cell.job.request.prompt if cell.job else item.prompt if item else None,
            )
        )
    return text.getvalue()


def _plain(value: object) -> object:
    return json.dumps(value) if isinstance(value, dict | list | tuple) else value


def _safe(value: object) -> object:
    """A spreadsheet takes a text that begins so for a formula; with a quote before it, it is a text."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" else value
