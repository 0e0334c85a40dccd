"""The one place that imports MuJoCo, after the OpenGL library was chosen: it reads `MUJOCO_GL` once, on import."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import structlog

from robot.faults import NotInstalled
from robot.simulation.graphics import find_graphics

log = structlog.get_logger("orrery.simulation")

GRAPHICS = find_graphics()
"""What is drawn with. Where MuJoCo was imported by somebody else before, it drew its own conclusion from the same."""

if "mujoco" not in sys.modules:
    os.environ["MUJOCO_GL"] = GRAPHICS.library

try:
    mujoco: Any = importlib.import_module("mujoco")
except ModuleNotFoundError as error:
    raise NotInstalled(
        "The simulated arm needs MuJoCo, which is not installed.", hint="Install it with: pip install 'orrery[robot]'."
    ) from error


def _warn(message: str) -> None:
    """MuJoCo's own way is a file in the working folder."""
    log.warning("mujoco", message=message)


mujoco.set_mju_user_warning(_warn)

__all__ = ["GRAPHICS", "mujoco"]
