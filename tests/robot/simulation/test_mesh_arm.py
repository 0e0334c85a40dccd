from pathlib import Path

import numpy as np

from robot.simulation.mesh_arm import MIN_FACES, find_panda, merge_near_vertices
from robot.simulation.scene import Scene


def test_the_installed_package_has_the_meshes():
    found = find_panda()

    assert found is not None
    assert found.name == "panda.xml"


def test_a_folder_without_meshes_has_no_arm(tmp_path: Path):
    (tmp_path / "panda.xml").write_text("<mujoco/>")

    assert find_panda(tmp_path) is None


def test_a_folder_that_is_named_is_used(tmp_path: Path):
    (tmp_path / "panda.xml").write_text("<mujoco/>")
    (tmp_path / "franka_emika_panda" / "meshes").mkdir(parents=True)

    assert find_panda(tmp_path) == tmp_path / "panda.xml"


def _sheet(num_cells: int, edge_m: float) -> tuple[np.ndarray, np.ndarray]:
    """A square of two faces a cell."""
    side = num_cells + 1
    steps = np.linspace(0, edge_m, side)
    vertices = np.array([[x, y, 0.0] for x in steps for y in steps])
    corners = [row * side + column for row in range(num_cells) for column in range(num_cells)]
    faces = [face for at in corners for face in ((at, at + 1, at + side), (at + 1, at + side + 1, at + side))]
    return vertices, np.array(faces, np.int32)


def test_near_vertices_become_one_and_the_shape_stays():
    vertices, faces = _sheet(num_cells=60, edge_m=0.06)

    fewer_vertices, fewer_faces = merge_near_vertices(vertices, faces, cell_m=0.006)

    assert len(fewer_faces) < len(faces) / 20
    assert np.ptp(fewer_vertices, axis=0)[:2].min() > 0.05
    assert fewer_faces.max() < len(fewer_vertices)


def test_a_small_part_keeps_enough_faces_to_be_seen():
    vertices, faces = _sheet(num_cells=20, edge_m=0.002)

    _, fewer_faces = merge_near_vertices(vertices, faces, cell_m=0.006)

    assert len(fewer_faces) >= MIN_FACES


def test_a_mesh_of_few_faces_is_left_alone():
    vertices, faces = _sheet(num_cells=2, edge_m=0.002)

    same_vertices, same_faces = merge_near_vertices(vertices, faces, cell_m=0.006)

    assert same_vertices is vertices
    assert same_faces is faces


def test_the_whole_arm_is_light_enough_to_draw(mesh_scene: Scene):
    assert mesh_scene.arm.made_of == "meshes"
    assert mesh_scene.model.nmeshface < 60_000
