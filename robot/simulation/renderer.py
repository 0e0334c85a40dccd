"""The three cameras drawn in one go: one OpenGL context, three viewports, the policy's canvas. Bound to one thread.

Three contexts with shadows and smooth edges take a quarter of a second on two cores; this takes a tenth of that.
"""

from __future__ import annotations

import atexit
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot.faults import NotInstalled
from robot.observation import EXTERIOR_SIZE, WRIST_SIZE
from robot.simulation.library import GRAPHICS, mujoco
from robot.simulation.physics import Snapshot
from robot.simulation.scene import CANVAS_SIZE, EXTERIOR_1, EXTERIOR_2, WRIST_CAMERA, Scene

_OWN = threading.local()
"""The OpenGL context that a thread draws with: made once, kept as long as the thread lives.

A new context for every scene costs more than drawing it: processes that shared a GPU drew 25 stills a second with one
for each still, and 138 with one for each process (docs/pocket.md).
"""

_MAX_GEOMS = 400

_VIEWPORTS = (
    # OpenGL counts rows from the bottom: the wrist above the exteriors.
    (WRIST_CAMERA, (0, EXTERIOR_SIZE[1], *WRIST_SIZE)),
    (EXTERIOR_1, (0, 0, *EXTERIOR_SIZE)),
    (EXTERIOR_2, (EXTERIOR_SIZE[0], 0, *EXTERIOR_SIZE)),
)

_DRAWN_GROUPS = (0, 1, 2)
"""Group 3 are the shapes for contact, group 4 the sites."""


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


class CanvasRenderer:
    """Draws the world. Made, used and closed on one thread, for OpenGL binds its context to one.

    Raises:
        NotInstalled: there is nothing to draw with; the message names the packages.
    """

    def __init__(self, scene: Scene) -> None:
        model = scene.model
        self._thread = threading.get_ident()
        self._model = model
        self._data = mujoco.MjData(model)
        self._drawing = offscreen(model)
        self._visible = mujoco.MjvScene(model, _MAX_GEOMS)
        for flag in (
            mujoco.mjtRndFlag.mjRND_SHADOW,
            mujoco.mjtRndFlag.mjRND_REFLECTION,
            mujoco.mjtRndFlag.mjRND_SKYBOX,
        ):
            self._visible.flags[flag] = 0
        self._option = mujoco.MjvOption()
        self._option.geomgroup[:] = [group in _DRAWN_GROUPS for group in range(len(self._option.geomgroup))]
        self._option.sitegroup[:] = 0
        self._views: list[tuple[object, object]] = []
        for name, rectangle in _VIEWPORTS:
            camera = mujoco.MjvCamera()
            camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
            camera.fixedcamid = model.camera(name).id
            self._views.append((camera, mujoco.MjrRect(*rectangle)))
        self._whole = mujoco.MjrRect(0, 0, *CANVAS_SIZE)
        self._pixels = np.empty((CANVAS_SIZE[1], CANVAS_SIZE[0], 3), np.uint8)

    def draw(self, snapshot: Snapshot) -> NDArray[np.uint8]:
        """The canvas at that moment: uint8 [540, 640, 3], a copy."""
        assert threading.get_ident() == self._thread, "an OpenGL context belongs to the thread that made it"
        model, data = self._model, self._data
        data.qpos[:] = snapshot.qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_camlight(model, data)
        everything = mujoco.mjtCatBit.mjCAT_ALL
        select(self._drawing)
        mujoco.mjv_updateScene(model, data, self._option, None, self._views[0][0], everything, self._visible)
        for camera, rectangle in self._views:
            mujoco.mjv_updateCamera(model, data, camera, self._visible)
            mujoco.mjr_render(rectangle, self._visible, self._drawing)
        mujoco.mjr_readPixels(self._pixels, None, self._whole, self._drawing)
        return np.ascontiguousarray(self._pixels[::-1])

    def close(self) -> None:
        """Give back what it draws with; the thread's context stays for the next one."""
        assert threading.get_ident() == self._thread, "an OpenGL context belongs to the thread that made it"
        self._drawing.free()
