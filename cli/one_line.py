"""How the command line fails: one line on stderr that begins with `orrery:`, and exit code 2."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from studio.errors import StudioError

FAILED = 2


def one_line(text: str) -> str:
    """A text without line breaks and without characters that a terminal would obey."""
    return "".join(char if char.isprintable() else " " for char in " ".join(text.split()))


class OneLineErrors(TyperGroup):
    """The outermost command; typed errors and usage errors end here."""

    def main(self, *args: Any, standalone_mode: bool = True, **rest: Any) -> Any:
        """Run, and leave with an exit code in either mode."""
        try:
            code: object = super().main(*args, standalone_mode=False, **rest)
        except StudioError as error:
            print(f"orrery: {one_line(str(error))}", file=sys.stderr)
            sys.exit(FAILED)
        except typer.TyperException as error:
            said = one_line(error.format_message())
            end = "" if said.endswith((".", "?")) else "."
            print(f"orrery: {said}{end} Try orrery --help.", file=sys.stderr)
            sys.exit(FAILED)
        sys.exit(code if isinstance(code, int) else 0)
