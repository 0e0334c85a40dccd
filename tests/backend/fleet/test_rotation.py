"""Which checkpoint comes next, and which leaves for it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from backend.fleet.engine_pool import MAX_PASSED_OVER_S, Rotation
from backend.fleet.memory import FleetMemory
from studio.catalogue import DeviceMemory
from studio.checkpoints import Checkpoint
from studio.presets import CheckpointPreset
from studio.settings import ServerSettings

HOST = DeviceMemory(place="host", total_gb=32, free_gb=8)


def checkpoint(name: str) -> Checkpoint:
    return Checkpoint(name, CheckpointPreset(id=name, title=name, summary=""), Path(name), True)


class Shelf:
    """Knows every checkpoint but the one that was never pulled."""

    def loadable(self, name: str) -> Checkpoint | None:
        return None if name == "absent" else checkpoint(name)


def group(name: str, *, used_at: float = 0.0, idle: bool = True, leaving: bool = False, needed_gb: float = 1.0) -> Any:
    return SimpleNamespace(
        checkpoint=checkpoint(name),
        used_at=used_at,
        idle=idle,
        leaving=leaving,
        needed_gb=needed_gb,
        status=SimpleNamespace(state="ready"),
    )


def rotation(memory_gb: float | None = None) -> Rotation:
    shelf: Any = Shelf()
    return Rotation(shelf, memory_gb)


def test_a_person_comes_before_the_queue_and_the_queue_goes_by_age():
    turns = rotation()
    assert turns.wanted(["absent", "old", "young"], {"loaded"}) == checkpoint("old")
    turns.asked.append("mine")
    assert turns.wanted(["old"], {"loaded"}) == checkpoint("mine")
    turns.arrived("mine")
    assert turns.wanted(["loaded", "absent"], {"loaded"}) is None


@pytest.mark.parametrize(
    ("memory_gb", "needed_gb", "fits"), [(None, 8, True), (None, 8.1, False), (3, 2, True), (3, 2.1, False)]
)
def test_room_is_what_the_device_has_free_or_what_was_granted(memory_gb: float | None, needed_gb: float, fits: bool):
    assert rotation(memory_gb).fits(needed_gb, HOST, [group("a")]) is fits


def test_what_is_spare_is_what_is_free_or_what_others_leave_of_the_grant():
    groups = [group("a", needed_gb=2), group("b", needed_gb=0.5)]
    assert rotation().spare_gb(HOST, groups) == 8
    assert rotation(3).spare_gb(HOST, groups) == 0.5


def test_a_second_checkpoint_finds_no_room_on_a_full_gpu_beside_an_empty_one():
    gpus = ((80.0, 4.0), (80.0, 78.0))
    for told, fits in (({"device": "auto"}, False), ({"gpus": 2}, False), ({"device": "cuda:1"}, True)):
        memory = FleetMemory(ServerSettings.model_validate(told), lambda: gpus).read()
        assert rotation().fits(12, memory, [group("a")]) is fits


def test_a_checkpoint_alone_may_always_try():
    assert rotation(1).fits(100, HOST, [])


def test_the_longest_unused_leaves_first_and_nobody_while_one_is_going():
    groups = [group("new", used_at=9), group("old", used_at=1), group("busy", used_at=0, idle=False)]
    leaving = rotation().leaving(checkpoint("x"), groups, now=10)
    assert leaving is groups[1]
    groups[1].leaving = True
    assert rotation().leaving(checkpoint("x"), groups, now=10) is None


def test_a_busy_one_goes_only_when_somebody_has_waited_long_enough():
    turns, busy = rotation(), [group("busy", idle=False)]
    assert turns.leaving(checkpoint("x"), busy, now=0) is None
    assert turns.leaving(checkpoint("x"), busy, now=MAX_PASSED_OVER_S - 1) is None
    assert turns.leaving(checkpoint("x"), busy, now=MAX_PASSED_OVER_S) is busy[0]


def test_a_busy_one_goes_at_once_after_its_job_when_a_person_asks():
    turns, busy = rotation(), [group("busy", idle=False)]
    turns.asked.append("x")
    assert turns.leaving(checkpoint("x"), busy, now=0) is busy[0]


def test_one_that_stands_before_in_the_queue_stays_until_its_jobs_are_done():
    turns, ready = rotation(), [group("first", idle=True)]
    late = MAX_PASSED_OVER_S * 2
    assert turns.leaving(checkpoint("x"), ready, now=0, waiting=["first", "x"]) is None
    assert turns.leaving(checkpoint("x"), ready, now=late, waiting=["first", "x"]) is None
    assert turns.leaving(checkpoint("x"), ready, now=late, waiting=["x", "first"]) is ready[0]
    ready[0].status.state = "failed"
    assert turns.leaving(checkpoint("x"), ready, now=late, waiting=["first", "x"]) is ready[0]


def test_a_person_need_not_wait_for_the_queue():
    turns, ready = rotation(), [group("first")]
    turns.asked.append("x")
    assert turns.leaving(checkpoint("x"), ready, now=0, waiting=["first"]) is ready[0]
