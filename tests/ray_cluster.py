"""A Ray cluster on this machine: a head without processors, and hosts that each have a data folder of their own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENT = {
    "RAY_raylet_start_wait_time_s": "300",
    "RAY_worker_register_timeout_seconds": "300",
    "RAY_health_check_timeout_ms": "30000",
}
"""Ray's own limits are for machines that have the time; tests share two cores."""

STORE_BYTES = 100 * 2**20
"""Of a node's object store; a piece of a file is 8 MiB."""


class TestCluster:
    """Ray's own test utility, with hosts by name.

    Attributes:
        address: for `ORRERY_RAY`.
    """

    __test__ = False

    def __init__(self, cluster: Any, folder: Path) -> None:
        self._cluster = cluster
        self._folder = folder
        self._nodes: dict[str, Any] = {}
        self.address: str = cluster.address

    def data(self, name: str) -> Path:
        """The data folder of a host."""
        return self._folder / name

    def start(self, name: str, num_cpus: int = 1) -> None:
        """A host joins, or comes back."""
        own = {"ORRERY_DATA": str(self.data(name))}
        self._nodes[name] = self._cluster.add_node(num_cpus=num_cpus, env_vars=own, object_store_memory=STORE_BYTES)

    def kill(self, name: str) -> None:
        """kill -9 of all that Ray runs there."""
        self._cluster.remove_node(self._nodes.pop(name), allow_graceful=False)


@contextmanager
def ray_cluster(folder: Path, ip: str | None = None) -> Iterator[TestCluster]:
    """A head, at an address of this machine that Ray finds unless it is said.

    Its log and sockets lie in a folder with a short name, for a socket's path has 107 bytes at most.
    """
    temporary = tempfile.mkdtemp(prefix="ray", dir="/tmp")
    os.environ |= PATIENT | {"RAY_TMPDIR": temporary}
    from ray.cluster_utils import Cluster  # it reads the environment

    head: dict[str, Any] = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": STORE_BYTES}
    if ip is not None:
        head["node_ip_address"] = ip
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        yield TestCluster(cluster, folder)
    finally:
        cluster.shutdown()
        shutil.rmtree(temporary, ignore_errors=True)
        for name in (*PATIENT, "RAY_TMPDIR"):
            os.environ.pop(name, None)
