from pathlib import Path

from robot.simulation.assets import find_panda


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
