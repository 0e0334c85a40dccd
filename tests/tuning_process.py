"""A training by `python -m tuning`, as the server starts it, told event by event."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import torch

from studio.tuning import EVENT, Ended, Refused, Stepped, TuningEvent, TuningWork
from tuning.state import read_state


def train(work: TuningWork, tell: Callable[[TuningEvent], None]) -> None:
    """Carry a piece of work out to its end.

    Raises:
        RuntimeError: it was refused, or the process ended with another status than 0.
    """
    command = [sys.executable, "-m", "tuning"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(work.model_dump_json() + "\n")
        process.stdin.flush()
        for line in process.stdout:
            event = EVENT.validate_json(line)
            if isinstance(event, Refused):
                raise RuntimeError(f"It was refused: {event.error.message}")
            tell(event)
    if process.returncode:
        raise RuntimeError(f"The training ended with status {process.returncode}.")


def train_whole_and_cut(work: Callable[[str, int], TuningWork]) -> list[Stepped]:
    """Train four steps in one go and in two, and assert that what has learnt is the same to the bit.

    Args:
        work: into a folder of this name, up to this step.

    Returns:
        What was told of steps.
    """
    told: list[TuningEvent] = []

    def weights(out: str, *upto: int) -> dict[str, torch.Tensor]:
        for steps in upto:
            train(work(out, steps), told.append)
        state = read_state(work(out, upto[-1]).out / "state" / "training.pt")
        assert state is not None
        return state.weights

    whole, cut = weights("whole", 4), weights("cut", 2, 4)
    assert told[-1] == Ended(step=4, is_whole=True)
    assert whole.keys() == cut.keys()
    for name, value in whole.items():
        assert torch.equal(value, cut[name]), name
    return [event for event in told if isinstance(event, Stepped)]
