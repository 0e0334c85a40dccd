"""The trainer seen from the server: a process that reads what it does and commands, and tells what happens."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Literal

import structlog
from pydantic import ValidationError

from backend.launcher import AFTER_OTHERS, launching
from studio.errors import EngineLost, OutOfMemory, StudioError, Unexpected
from studio.tuning import EVENT, TuningEvent, TuningWork

log = structlog.get_logger("orrery.tuning")

Word = Literal["save", "stop"]

MAX_LINE_BYTES = 64 << 20
"""Of an event: a report has three samples with their texts."""

END_TIMEOUT_S = 600.0
"""For its last step and save: 30 GB of a checkpoint with its optimiser take five minutes at 100 MB/s."""

SIGKILL = -9


class Trainer:
    """Use `trainer`."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._last_words: deque[str] = deque(maxlen=20)
        self._following = asyncio.create_task(self._follow())

    async def events(self) -> AsyncGenerator[TuningEvent]:
        """What it tells, until its input and output are closed.

        Raises:
            OutOfMemory: the kernel ended it.
            EngineLost: it ended in the middle of something.
            Unexpected: it said what is no event.
        """
        assert self._process.stdout is not None
        has_ended = False
        while line := await self._process.stdout.readline():
            try:
                event = EVENT.validate_json(line)
            except ValidationError as error:
                raise Unexpected(f"The trainer said something that is no event: {line[:200]!r}.") from error
            has_ended = event.kind in ("ended", "refused", "checked")
            yield event
        code = await self._process.wait()
        await self._following
        if not has_ended:
            raise self._lost(code)

    def tell(self, word: Word) -> None:
        """A command; one that has ended hears nothing."""
        assert self._process.stdin is not None
        with suppress(ConnectionError):
            self._process.stdin.write(f"{word}\n".encode())

    async def end(self, *, at_once: bool) -> None:
        """Let it save and end: its closed input is told to it like "stop". With `at_once` it is killed."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        if self._process.returncode is None:
            if at_once:
                self._process.kill()
            else:
                log.info("trainer_saves", pid=self._process.pid, for_at_most_s=END_TIMEOUT_S)
        try:
            async with asyncio.timeout(END_TIMEOUT_S):
                await self._process.wait()
        except TimeoutError:
            log.warning("trainer_killed", pid=self._process.pid)
            self._process.kill()
            await self._process.wait()
        await self._following

    def _lost(self, code: int) -> StudioError:
        if code == SIGKILL:
            return OutOfMemory(
                "The trainer was killed, most likely for lack of memory.",
                hint="Resume it with checkpoints_activations, or start another with a smaller batch or fewer frames.",
            )
        said = next((words for words in reversed(self._last_words) if words.strip()), "")
        return EngineLost(
            f"The trainer ended with exit code {code}. {said}".rstrip(),
            hint="Its saves are kept. Resume it; the server's log has more.",
        )

    async def _follow(self) -> None:
        """What it writes to its log goes where our own goes; the last lines are kept."""
        assert self._process.stderr is not None
        while line := await self._process.stderr.readline():
            words = line.decode(errors="replace").rstrip()
            self._last_words.append(words)
            sys.stderr.write(words + "\n")
            sys.stderr.flush()


@asynccontextmanager
async def trainer(work: TuningWork) -> AsyncGenerator[Trainer]:
    """A trainer while the block runs; whatever ends the block ends it.

    It is killed with its server, and has its work to do again from its last state: two would write into one folder.

    Raises:
        EngineLost: it could not be started.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ORRERY_")}
    try:
        process = await asyncio.create_subprocess_exec(
            *launching(AFTER_OTHERS, "tuning"),
            env=environment,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            limit=MAX_LINE_BYTES,
            start_new_session=True,
        )
    except OSError as error:
        raise EngineLost(f"The trainer did not start: {error.strerror or error}.") from None
    log.info("trainer_started", pid=process.pid, checks=work.only_checks, device=work.device)
    found = Trainer(process)
    assert process.stdin is not None
    process.stdin.write(work.model_dump_json().encode() + b"\n")
    try:
        yield found
    finally:
        await found.end(at_once=work.only_checks or work.trials is not None)
