"""Tables on stdout: as wide as the terminal, and never cut when they go elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

PIPE_WIDTH = 400
"""Characters; wider than any row that is printed here."""

PROMPT_HEAD = 48
"""Characters of a prompt that identify it at a glance."""


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under titles. Cells are plain text: brackets in a prompt are no markup."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*titles, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*(Text(cell, overflow="fold") for cell in row))
    Console(width=None if sys.stdout.isatty() else PIPE_WIDTH).print(table)


def age(seconds: float) -> str:
    """A duration as people say it, in its largest unit: 90 is `1 min`."""
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
