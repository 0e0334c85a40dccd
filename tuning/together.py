"""The processes of a training on several GPUs: the first one starts the others, and they end with it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from studio.tuning import EVENT, Joins, TuningEvent, TuningWork
from tuning import ranks

Tell = Callable[[TuningEvent], None]

GRACE_S = 5.0
"""For the one that knows why they cannot go on to tell it: the rest only notice that their exchange has broken."""


@contextmanager
def together(work: TuningWork, tell: Tell) -> Iterator[None]:
    """Train with the others of a piece of work as long as the block runs; who has none trains alone.

    Of the others is told why one could not go on; then this process ends too, since no exchange would.
    """
    if work.joins is not None:
        with ranks.met(work.device, work.joins.rank, work.joins.count, work.joins.meeting):
            yield
        return
    if not work.beside:
        yield
        return
    count = 1 + len(work.beside)
    watchers: list[threading.Thread] = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as others:
        meeting = Path(folder) / "meeting"
        for rank, device in enumerate(work.beside, 1):
            joins = Joins(rank=rank, count=count, meeting=meeting)
            own = work.model_copy(update={"device": device, "beside": (), "joins": joins})
            watchers.append(others.enter_context(_other(own, tell)))
        try:
            with ranks.met(work.device, 0, count, meeting):
                yield
        except RuntimeError:  # as PyTorch says that an exchange has broken
            traceback.print_exc()
            for watcher in watchers:
                watcher.join(2 * GRACE_S)  # where another one has failed, this process ends here
            raise


def ending_with(lines: Iterable[str]) -> Iterator[str]:
    """No word ever, and this process ends with the one that would say some."""
    for _ in lines:
        pass
    os._exit(1)
    yield ""


@contextmanager
def _other(work: TuningWork, tell: Tell) -> Iterator[threading.Thread]:
    """One of the others while the block runs, and who watches it."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tuning"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    process.stdin.write(work.model_dump_json() + "\n")
    process.stdin.flush()
    is_over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(process, is_over, tell), daemon=True)
    watcher.start()
    try:
        yield watcher
    finally:
        is_over.set()
        process.kill()  # it writes nothing that could be cut short
        process.wait()


def _watch(process: subprocess.Popen[str], is_over: threading.Event, tell: Tell) -> None:
    assert process.stdout is not None
    told = [EVENT.validate_json(line) for line in process.stdout]
    if process.wait() == 0 or is_over.is_set():
        return
    for event in told:
        tell(event)
    if not told:
        sys.stderr.write(f"A process on another GPU ended with exit code {process.returncode}.\n")
        sys.stderr.flush()
        time.sleep(GRACE_S)
    os._exit(1)
