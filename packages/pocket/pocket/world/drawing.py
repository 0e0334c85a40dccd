"""Pictures of a moment by a free camera: colour with shadows and smooth edges, depth, and what is where."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import ARM_ID, FIRST_THING_ID, GRIPPER_ID, ROOM_ID, TABLE_ID
from pocket.world.run import ARM, ROOM, TABLE, owners_of_geoms
from pocket.world.viewpoint import FIELD_OF_VIEW, Viewpoint
from robot.simulation.arm_parts import WRIST_BODY
from robot.simulation.library import mujoco
from robot.simulation.physics import Snapshot
from robot.simulation.renderer import offscreen, select
from robot.simulation.scene import CANVAS_SIZE, Scene

FARTHEST_M = 4.0
"""Depth beyond this is told as 0."""

_MAX_GEOMS = 400
_DRAWN_GROUPS = (0, 1, 2)


class TableArtist:
    """Draws the moments of one scene. One thread makes, uses and closes it.

    Args:
        scene: to draw.
        size: (width, height) of the pictures, at most half of the robot room's canvas each way.

    Raises:
        NotInstalled: there is nothing to draw with; the message names the packages.
    """

    def __init__(self, scene: Scene, size: tuple[int, int]) -> None:
        width, height = size
        assert 2 * width <= CANVAS_SIZE[0], size
        assert 2 * height <= CANVAS_SIZE[1], size
        model = scene.model
        model.vis.global_.fovy = FIELD_OF_VIEW
        quality = model.vis.quality
        quality.shadowsize, quality.numslices, quality.numstacks = 1024, 36, 20
        self._model, self._data = model, mujoco.MjData(model)
        self._drawing = offscreen(model)
        self._visible = mujoco.MjvScene(model, _MAX_GEOMS)
        flags = mujoco.mjtRndFlag
        for flag in (flags.mjRND_REFLECTION, flags.mjRND_SKYBOX):
            self._visible.flags[flag] = 0
        self._option = mujoco.MjvOption()
        self._option.geomgroup[:] = [group in _DRAWN_GROUPS for group in range(len(self._option.geomgroup))]
        self._option.sitegroup[:] = 0
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FREE
        # Drawn at twice the size and averaged: smooth edges that OSMesa has too.
        self._large = mujoco.MjrRect(0, 0, 2 * width, 2 * height)
        self._small = mujoco.MjrRect(0, 0, width, height)
        self._size = size
        self._classes = _classes_of_geoms(scene)
        extent = model.stat.extent
        self._near, self._far = model.vis.map.znear * extent, model.vis.map.zfar * extent

    def draw(self, snapshot: Snapshot, viewpoint: Viewpoint) -> NDArray[np.uint8]:
        """uint8 [H, W, 3]."""
        self._look(snapshot, viewpoint)
        pixels = np.empty((2 * self._size[1], 2 * self._size[0], 3), np.uint8)
        mujoco.mjr_render(self._large, self._visible, self._drawing)
        mujoco.mjr_readPixels(pixels, None, self._large, self._drawing)
        small = cv2.resize(pixels, self._size, interpolation=cv2.INTER_AREA)
        return np.ascontiguousarray(small[::-1].astype(np.uint8))

    def measure(self, snapshot: Snapshot, viewpoint: Viewpoint) -> tuple[NDArray[np.float16], NDArray[np.uint8]]:
        """Depth float16 [H, W] in m and the segmentation uint8 [H, W], as ``Episode`` has them."""
        self._look(snapshot, viewpoint)
        width, height = self._size
        flags, kinds = self._visible.flags, mujoco.mjtRndFlag
        chosen = (kinds.mjRND_SEGMENT, kinds.mjRND_IDCOLOR, kinds.mjRND_SHADOW)
        before = [int(flags[kind]) for kind in chosen]
        for kind, value in zip(chosen, (1, 1, 0), strict=True):
            flags[kind] = value
        pixels = np.empty((height, width, 3), np.uint8)
        depth = np.empty((height, width), np.float32)
        mujoco.mjr_render(self._small, self._visible, self._drawing)
        mujoco.mjr_readPixels(pixels, depth, self._small, self._drawing)
        for kind, value in zip(chosen, before, strict=True):
            flags[kind] = value
        numbers = pixels.astype(np.int32) @ np.array([1, 256, 65536])
        classes = np.zeros(_MAX_GEOMS + 1, np.uint8)
        for geom in self._visible.geoms[: self._visible.ngeom]:
            if geom.segid >= 0 and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                classes[geom.segid + 1] = self._classes[geom.objid]
        metres = self._near / (1.0 - depth * (1.0 - self._near / self._far))
        metres[metres > FARTHEST_M] = 0.0
        segmentation = classes[np.minimum(numbers, _MAX_GEOMS)]
        return np.ascontiguousarray(metres[::-1].astype(np.float16)), np.ascontiguousarray(segmentation[::-1])

    def _look(self, snapshot: Snapshot, viewpoint: Viewpoint) -> None:
        model, data = self._model, self._data
        data.qpos[:] = snapshot.qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_camlight(model, data)
        camera = self._camera
        camera.lookat[:] = viewpoint.target
        camera.distance = viewpoint.distance
        camera.azimuth, camera.elevation = math.degrees(viewpoint.azimuth), math.degrees(viewpoint.elevation)
        everything = mujoco.mjtCatBit.mjCAT_ALL
        select(self._drawing)
        mujoco.mjv_updateScene(model, data, self._option, None, camera, everything, self._visible)

    def close(self) -> None:
        """Give back what it draws with; the thread's context stays for the next one."""
        self._drawing.free()


def _classes_of_geoms(scene: Scene) -> NDArray[np.uint8]:
    """uint8 [ngeom], the segmentation's value of each."""
    model: Any = scene.model
    wrist = model.body(WRIST_BODY).id
    classes = np.empty(model.ngeom, np.uint8)
    for geom, owner in enumerate(owners_of_geoms(scene)):
        if owner >= 0:
            classes[geom] = FIRST_THING_ID + owner
        elif owner in (TABLE, ROOM):
            classes[geom] = TABLE_ID if owner == TABLE else ROOM_ID
        else:
            # Fingers and housing: whatever moves with the wrist's body.
            body = int(model.geom_bodyid[geom])
            is_gripper = owner != ARM or body == wrist
            classes[geom] = GRIPPER_ID if is_gripper else ARM_ID
    return classes
