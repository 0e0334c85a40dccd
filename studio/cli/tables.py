"""Tables on stdout: as wide as the terminal, and never cut when they go elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

PIPE_WIDTH = 400
"""Characters; wider than any row that is printed here."""


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under titles. Cells are plain text: brackets in a prompt are no markup."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*titles, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*(Text(cell, overflow="fold") for cell in row))
    Console(width=None if sys.stdout.isatty() else PIPE_WIDTH).print(table)
