"""Which devices the engines of a checkpoint are put on."""

from typing import Any

import pytest

from backend.fleet.memory import Placement
from studio.settings import ServerSettings


def placed(**told: Any) -> Placement:
    return Placement.of(ServerSettings(**told), "gpu")


def test_replicas_begin_where_the_gpus_of_the_one_before_end():
    assert placed(replicas=2, gpus=2) == Placement(("cuda:0", "cuda:2"), range(4), 1)
    assert placed(replicas=3, device="cuda") == Placement(("cuda:0", "cuda:1", "cuda:2"), range(3), 1)
    assert placed(gpus=4) == Placement(("auto",), range(4), 1)


def test_all_replicas_begin_on_a_device_that_is_named_by_its_number():
    assert placed(replicas=2, gpus=2, device="cuda:1") == Placement(("cuda:1", "cuda:1"), range(1, 3), 2)


@pytest.mark.parametrize("device", ["auto", "cpu"])
def test_on_the_host_every_rank_of_every_replica_is_in_one_place(device: Any):
    placement = Placement.of(ServerSettings(replicas=3, gpus=2, device=device), "host")
    assert placement == Placement((device,) * 3, range(0), 6)
