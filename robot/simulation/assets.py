"""Where the meshes of the arm lie on this machine."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ASSETS_PACKAGE = "gym-hil"
"""Its wheel (Apache-2.0, the gripper BSD-2-Clause) carries a Panda with a Robotiq 2F-85 and every mesh of both."""


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
