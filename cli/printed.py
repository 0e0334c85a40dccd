"""What a command says to whoever called it: one line, a table, an exit status."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

SOME_FAILED = 1
"""Exit status when something was made and something else failed."""

FAILED = 2
"""Exit status when nothing could be begun."""

PIPE_WIDTH = 400
"""Characters; wider than any row that is printed here."""

PROMPT_HEAD = 48
"""Characters of a prompt that identify it at a glance."""


def one_line(text: str) -> str:
    """A text without line breaks and without characters that a terminal would obey."""
    return printable(" ".join(text.split()))


def printable(text: str, *, keep: str = "", other: str = " ") -> str:
    """A text without characters that a terminal would obey, those to keep excepted."""
    return "".join(char if char.isprintable() or char in keep else other for char in text)


def head(prompt: str) -> str:
    """The beginning of a prompt, on one line."""
    prompt = one_line(prompt)
    return prompt if len(prompt) <= PROMPT_HEAD else f"{prompt[: PROMPT_HEAD - 1]}…"


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under titles, as wide as the terminal and never cut elsewhere. Brackets in a cell are no markup."""
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
