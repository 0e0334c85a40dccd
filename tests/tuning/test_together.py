"""Trainings by two processes, each with a device and batches of its own: here both on the processor."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from torch import multiprocessing

from studio.tuning import EVENT, Ended, Refused, Saved, Stepped, TuningEvent, TuningWork
from tuning import ranks
from tuning.state import State, read_state
from tuning_data import recipe_of
from tuning_process import train

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

Work = Callable[..., TuningWork]


@pytest.fixture
def work(speck: Path, clips: Path, tmp_path: Path) -> Work:
    """By so many as are `beside` the first, and by that; keywords change the recipe."""

    def work(out: str, *, beside: int = 1, **changes: object) -> TuningWork:
        return TuningWork(
            recipe=recipe_of(num_gpus=1 + beside, **changes),
            checkpoint=speck,
            data={"squares": clips},
            out=tmp_path / out,
            cache=tmp_path / "cache",
            beside=("cpu",) * beside,
        )

    return work


def state_of(work: TuningWork) -> State:
    state = read_state(work.out / "state" / "training.pt")
    assert state is not None
    return state


def assert_same(first: State, second: State) -> None:
    assert first.weights.keys() == second.weights.keys()
    for name, value in first.weights.items():
        assert torch.equal(value, second.weights[name]), name


def test_a_continued_training_of_two_is_the_uninterrupted_one(work: Work):
    told: list[TuningEvent] = []
    train(work("whole", steps=4), told.append)
    assert [event.step for event in told if isinstance(event, Saved)] == [2, 4]
    assert told[-1] == Ended(step=4, is_whole=True)
    train(work("cut", steps=2), told.append)
    train(work("cut", steps=4), told.append)
    assert_same(state_of(work("whole")), state_of(work("cut")))


def test_two_see_twice_as_much_as_one_and_begin_with_the_same_weights(work: Work):
    losses: dict[int, list[float]] = {0: [], 1: []}
    for beside, found in losses.items():

        def tell(event: TuningEvent, found: list[float] = found) -> None:
            if isinstance(event, Stepped):
                found.append(event.loss)

        train(work(str(beside), beside=beside, steps=2, save_every=1), tell)
    # The first one's share of the first step is what it sees alone; then gradients were averaged.
    assert losses[0][0] == losses[1][0]
    assert losses[0][1] != losses[1][1]


@contextmanager
def started(work: TuningWork) -> Iterator[tuple[subprocess.Popen[str], Iterator[TuningEvent]]]:
    with subprocess.Popen(
        [sys.executable, "-m", "tuning"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(work.model_dump_json() + "\n")
        process.stdin.flush()
        try:
            yield process, (EVENT.validate_json(line) for line in process.stdout)
        finally:
            process.kill()


def until(kind: type[TuningEvent], events: Iterator[TuningEvent]) -> None:
    next(event for event in events if isinstance(event, kind))


def other_of(process: subprocess.Popen[str]) -> int:
    """The process that another one has started."""
    children = [task.read_text().split() for task in Path(f"/proc/{process.pid}/task").glob("*/children")]
    [other] = [
        pid for pids in children for pid in pids if Path(f"/proc/{pid}/cmdline").read_bytes().endswith(b"-m\0tuning\0")
    ]
    return int(other)


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_stop_ends_both_with_a_save(work: Work):
    with started(work("out", steps=5000, save_every=5000)) as (process, events):
        until(Stepped, events)
        other = other_of(process)
        assert process.stdin is not None
        process.stdin.write("stop\n")
        process.stdin.flush()
        left = list(events)
        assert process.wait() == 0
    assert isinstance(left[-2], Saved)
    assert left[-1] == Ended(step=left[-2].step, is_whole=False)
    assert is_gone(other)


@pytest.mark.parametrize("dies", ["first", "other"])
def test_when_one_is_killed_the_other_one_ends_too(work: Work, dies: str):
    with started(work("out", steps=5000, save_every=5000)) as (process, events):
        until(Stepped, events)
        other = other_of(process)
        os.kill(process.pid if dies == "first" else other, signal.SIGKILL)
        assert process.wait(60) == (-signal.SIGKILL if dies == "first" else 1)
        for _ in range(600):
            if is_gone(other):
                break
            time.sleep(0.1)
        assert is_gone(other)


def test_why_the_other_one_cannot_go_on_is_told(work: Work):
    asked = work("out", steps=4)
    with started(asked.model_copy(update={"beside": ("cuda:7",)})) as (process, events):
        told = list(events)
        assert process.wait() == 1
    assert isinstance(told[-1], Refused)
    assert "cuda:7" in told[-1].error.message


def of_both(rank: int, meeting: Path) -> None:
    with ranks.met("cpu", rank, 2, meeting):
        assert ranks.of_all([f"{rank}.mp4"]) == ["0.mp4", "1.mp4"]


def test_both_know_which_sequences_either_of_them_saw(tmp_path: Path):
    multiprocessing.spawn(  # pyright: ignore[reportPrivateImportUsage]
        of_both, (tmp_path / "meeting",), nprocs=2
    )
