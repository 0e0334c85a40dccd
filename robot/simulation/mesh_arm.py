"""The Panda with its Robotiq 2F-85 as the installed package describes it, its meshes made light enough to draw."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot.simulation.arm_parts import ArmParts
from robot.simulation.library import mujoco

ASSETS_PACKAGE = "gym-hil"
"""Its wheel (Apache-2.0, the gripper BSD-2-Clause) carries a Panda with a Robotiq 2F-85 and every mesh of both."""

CELL_M = 0.008
GRIPPER_CELL_M = 0.004
"""Vertices closer than this become one: 198 000 drawn faces become 31 000, and a picture takes a third of the time."""

MIN_FACES = 60

_ATTACHED_STRAIGHT = (0.0, 0.0, 0.0, 1.0)
"""The package turns the gripper by 45°; on DROID's arms it is straight when joint 7 is 0, as in the start pose."""


def find_panda(folder: Path | None = None) -> Path | None:
    """The file `panda.xml` with its meshes beside it.

    Args:
        folder: where to look first and only; without it the installed package is searched, and never imported.

    Returns:
        None where there are no meshes: the arm is then built from plain shapes.
    """
    folders = [folder] if folder is not None else _installed_folders()
    for candidate in folders:
        if (candidate / "panda.xml").is_file() and (candidate / "franka_emika_panda" / "meshes").is_dir():
            return candidate / "panda.xml"
    return None


def _installed_folders() -> list[Path]:
    found = importlib.util.find_spec(ASSETS_PACKAGE.replace("-", "_"))
    places = (found.submodule_search_locations if found is not None else None) or []
    return [Path(place) / "assets" for place in places]


def load_mesh_arm(panda_xml: Path) -> ArmParts:
    """The arm of a `panda.xml`."""
    spec = mujoco.MjSpec.from_file(str(panda_xml))
    _lighten(spec, mujoco.MjSpec.from_file(str(panda_xml)).compile())
    spec.body("attachment").quat = _ATTACHED_STRAIGHT
    return ArmParts(
        spec=spec,
        made_of="meshes",
        gripper_joint="right_driver_joint",
        gripper_joint_closed=0.8,
        pad_geoms=("left_pad1", "left_pad2", "right_pad1", "right_pad2"),
    )


def _lighten(spec: Any, model: Any) -> None:
    """Replace every mesh of ``spec`` by a coarser one of what ``model`` read from the files."""
    for index, mesh in enumerate(spec.meshes):
        first_vertex, num_vertices = model.mesh_vertadr[index], model.mesh_vertnum[index]
        first_face, num_faces = model.mesh_faceadr[index], model.mesh_facenum[index]
        # The compiled mesh lies in its own frame of inertia; the file's frame is the one that geoms refer to.
        turn = np.empty(9)
        mujoco.mju_quat2Mat(turn, model.mesh_quat[index])
        vertices = model.mesh_vert[first_vertex : first_vertex + num_vertices] @ turn.reshape(3, 3).T
        vertices = vertices + model.mesh_pos[index]
        is_gripper = "robotiq" in mesh.file
        coarse_vertices, coarse_faces = merge_near_vertices(
            vertices,
            model.mesh_face[first_face : first_face + num_faces],
            GRIPPER_CELL_M if is_gripper else CELL_M,
        )
        mesh.name, mesh.file = model.mesh(index).name, ""
        mesh.scale = [1, 1, 1]
        mesh.uservert = coarse_vertices.ravel()
        mesh.userface = coarse_faces.ravel()


def merge_near_vertices(
    vertices: NDArray[np.float64], faces: NDArray[np.int32], cell_m: float
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """A mesh whose vertices within one cell of a grid became their mean (Rossignac and Borrel, 1993).

    A small part is merged on a finer grid, so that it keeps ``MIN_FACES``.

    Args:
        vertices: [n, 3], m.
        faces: [m, 3] indices.
        cell_m: edge of the largest cell.

    Returns:
        Vertices and faces; faces that fell together are gone.
    """
    while len(faces) > MIN_FACES:
        merged_vertices, merged_faces = _merge(vertices, faces, cell_m)
        if len(merged_faces) >= MIN_FACES:
            return merged_vertices, merged_faces
        cell_m /= 2
    return vertices, faces


def _merge(
    vertices: NDArray[np.float64], faces: NDArray[np.int32], cell_m: float
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    cells = np.floor(vertices / cell_m).astype(np.int64)
    _, cluster, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    cluster = cluster.reshape(-1)
    means = np.stack([np.bincount(cluster, vertices[:, axis]) / counts for axis in range(3)], axis=1)
    merged = cluster[faces]
    has_area = (merged[:, 0] != merged[:, 1]) & (merged[:, 1] != merged[:, 2]) & (merged[:, 2] != merged[:, 0])
    _, first = np.unique(np.sort(merged[has_area], axis=1), axis=0, return_index=True)
    return means, merged[has_area][np.sort(first)].astype(np.int32)
