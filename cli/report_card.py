"""`orrery report-card`: become the program that examines a pocket checkpoint."""

from __future__ import annotations

import importlib.util
import os
import sys

import typer

from studio.errors import StudioError

REPORT_COMMAND = (sys.executable, "-P", "-m", "pocket.report")
NEEDS = ("torch", "diffusers", "av", "mujoco", "cv2")
"""What the program imports on any machine."""


def report_card(context: typer.Context) -> None:
    """Examine a pocket checkpoint on held-out scenes; orrery report-card --help lists its own flags."""
    missing = [name for name in NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        raise StudioError(
            f"{', '.join(missing)} cannot be imported.", hint="pip install 'orrery[engine,backend,robot]' brings it."
        )
    os.execv(REPORT_COMMAND[0], (*REPORT_COMMAND, *context.args))
