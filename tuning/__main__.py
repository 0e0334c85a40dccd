"""`python -m tuning`: reads a `TuningWork` as a line of JSON, then commands, and writes events, a line each."""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import TextIO

import torch
from pydantic import ValidationError

from studio.errors import BadInput, StudioError
from studio.jobs import Failure
from studio.tuning import EVENT, Refused, TuningEvent, TuningWork
from tuning.commands import Commands
from tuning.together import ending_with
from tuning.training import run


def main(lines: TextIO, out: TextIO) -> int:
    """Carry out one piece of work; the exit status is 1 where it was refused."""

    turn = threading.Lock()

    def tell(event: TuningEvent) -> None:
        with turn:
            out.write(EVENT.dump_json(event).decode() + "\n")
            out.flush()

    try:
        try:
            work = TuningWork.model_validate_json(lines.readline())
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            said = ".".join(map(str, first["loc"]))
            raise BadInput(f"The work cannot be read: {said}: {first['msg']}.", param=said) from None
        _settle(work.device)
        if work.joins is None:
            run(work, tell, Commands(lines))
        else:
            run(work, lambda event: None, Commands(ending_with(lines)))
    except StudioError as error:
        tell(Refused(error=Failure.of(error)))
        return 1
    return 0


def _settle(device: str) -> None:
    """Let every kernel of a GPU add up in one order, so that a training that was cut in two is the uncut one."""
    logging.getLogger("diffusers").setLevel(logging.ERROR)
    if device.startswith("cuda"):
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True)
        torch.set_float32_matmul_precision("high")


if __name__ == "__main__":
    # Libraries that print must not write between the events.
    events, sys.stdout = sys.stdout, sys.stderr
    sys.exit(main(sys.stdin, events))
