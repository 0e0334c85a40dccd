"""A folder of a host that belongs to one actor; what dead ones have left is removed."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path

from studio.settings import chosen_data_folder


def data_folder_here(environment: Mapping[str, str], shared: Path, probe: str) -> Path:
    """The data folder of a host: the one that it was told, else the server's if it sees that, else the default one.

    Args:
        shared: the server's.
        probe: a file in it.

    Raises:
        BadInput: it was told no usable one.
    """
    if said := environment.get("ORRERY_DATA"):
        return chosen_data_folder(Path(said))
    return shared if (shared / probe).is_file() else chosen_data_folder(None)


def own_folder(root: Path) -> Path:
    """`cluster/HOST-PID` below a data folder, new and for its owner only; several hosts may share the data folder."""
    above, host = root / "cluster", socket.gethostname()
    above.mkdir(mode=0o700, parents=True, exist_ok=True)
    for leftover in above.iterdir():
        name, _, pid = leftover.name.rpartition("-")
        if name == host and not Path(f"/proc/{pid}").exists():
            shutil.rmtree(leftover, ignore_errors=True)
    own = above / f"{host}-{os.getpid()}"
    shutil.rmtree(own, ignore_errors=True)  # of a process that had this number before
    own.mkdir(mode=0o700)
    return own
