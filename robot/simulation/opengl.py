"""The OpenGL context that a thread draws with: made once, kept as long as the thread lives.

A new context for every scene costs more than drawing it: processes that shared a GPU drew 25 stills a second with one
for each still, and 138 with one for each process (docs/pocket.md).
"""

from __future__ import annotations

import atexit
import threading
from typing import Any

from robot.faults import NotInstalled
from robot.simulation.library import GRAPHICS, mujoco
from robot.simulation.scene import CANVAS_SIZE

_OWN = threading.local()


def offscreen(model: Any) -> Any:
    """What MuJoCo draws a model with, in this thread's OpenGL context; free it on the same thread.

    Every drawing of a thread shares its context, so each is selected before it is drawn with: see `select`.

    Raises:
        NotInstalled: there is nothing to draw with; the message names the packages.
    """
    if not GRAPHICS.can_draw:
        raise NotInstalled(GRAPHICS.problem)
    if not hasattr(_OWN, "context"):
        _OWN.context = mujoco.GLContext(*CANVAS_SIZE)
        _OWN.context.make_current()
        if threading.current_thread() is threading.main_thread():
            # It would outlive the libraries that free it.
            atexit.register(_OWN.context.free)
    return mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)


def select(drawing: Any) -> None:
    """Draw into this one's offscreen buffer from now on."""
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, drawing)
