"""Where a person's words went, for a terminal: kept ones, lost ones, and which part of the caption keeps which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cli.one_line import one_line
from studio.prompting.word_diff import UserWord
from studio.reasoner_answers import UpsampleAnswer

if TYPE_CHECKING:
    from rich.text import Text

KEPT, LOST, SMALL = "green", "bold red", "dim"


def print_diff(prompt: str, answer: UpsampleAnswer, *, to_stderr: bool) -> None:
    """Print a prompt with its lost words in brackets, then the caption's parts with the words that each keeps.

    `A robot [-quietly-] lifts a cup` without colours; with them kept words are green and lost ones red besides.

    Args:
        prompt: the person's words.
        answer: the caption, and where they went.
        to_stderr: leave stdout to the caption.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(stderr=to_stderr)
    looked_up = [word for word in answer.diff.words if not word.small]
    kept = len(looked_up) - len(answer.diff.lost)
    console.print(_marked(prompt, answer.diff.words))
    console.print(Text(f"{kept} of {len(looked_up)} words kept", style=SMALL))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for path, found in answer.diff.kept_by.items():
        table.add_row(Text(path, style=SMALL), Text(one_line(", ".join(dict.fromkeys(found))), overflow="fold"))
    for repair in answer.repaired:
        what = f"{repair.kind.replace('_', ' ')} {repair.detail}".rstrip()
        table.add_row(Text(repair.path or "answer", style=SMALL), Text(one_line(f"mended: {what}"), overflow="fold"))
    if table.row_count:
        console.print(table)


def _marked(prompt: str, words: Sequence[UserWord]) -> Text:
    """The prompt with every word in the colour of what became of it."""
    from rich.text import Text

    text, end = Text(overflow="fold"), 0
    for word in words:
        text.append(_plain(prompt[end : word.start]))
        spelled = _plain(word.text)
        if word.small:
            text.append(spelled, SMALL)
        elif word.places:
            text.append(spelled, KEPT)
        else:
            text.append(f"[-{spelled}-]", LOST)
        end = word.end
    return text.append(_plain(prompt[end:]))


def _plain(text: str) -> str:
    """Without characters that a terminal would obey; spaces and line breaks stay as spaces."""
    return "".join(char if char.isprintable() else " " for char in text)
