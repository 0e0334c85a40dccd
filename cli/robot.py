"""`orrery robot`: become the program beside an arm."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any

import typer

from studio.errors import StudioError

PASSES_ON: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""How the command is registered: its flags are the program's own, --help among them."""

ROBOT_COMMAND = (sys.executable, "-P", "-m", "robot")
NEEDS = ("av", "cv2", "pyarrow", "structlog")
"""What the program imports whatever the arm; it says itself what a particular one needs."""


def robot(context: typer.Context) -> None:
    """Start the program beside an arm; orrery robot --help lists its own flags."""
    missing = [name for name in NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        raise StudioError(f"{', '.join(missing)} cannot be imported.", hint="pip install 'orrery[robot]' brings it.")
    os.execv(ROBOT_COMMAND[0], (*ROBOT_COMMAND, *context.args))
