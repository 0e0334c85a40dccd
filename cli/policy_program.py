"""The program that drives the simulated arm, `python -m robot.evaluation`, as a process that is asked line by line."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated

import typer

from cli.programs import check_imports
from studio.errors import StudioError
from studio.evaluation import Answer, Benchmark, Item

ScenesOption = Annotated[int, typer.Option(envvar="ORRERY_SCENES", min=1, max=1000, help="Number of tables.")]
LevelsOption = Annotated[
    str, typer.Option(envvar="ORRERY_LEVELS", metavar="NAMES", help="Levels of the instruction, comma-separated.")
]
AnswersAfterOption = Annotated[
    float | None,
    typer.Option(
        envvar="ORRERY_ANSWERS_AFTER",
        metavar="SECONDS",
        min=0.0,
        max=5.0,
        help="Let each answer take this long in the simulation, which waits for it [real time]",
    ),
]

COMMAND = (sys.executable, "-P", "-m", "robot.evaluation")
MAX_LINE_BYTES = 64 << 20
END_TIMEOUT_S = 30.0
TOKEN = "ORRERY_ROBOT_POLICY_TOKEN"


class PolicyProgram:
    """Use `policy_program`.

    Attributes:
        benchmark: of the tables, levels and seed that it was started with.
    """

    def __init__(self, process: Process, benchmark: Benchmark) -> None:
        self._process = process
        self.benchmark = benchmark

    async def drive(self, item: Item) -> Answer:
        """One episode. Raises StudioError: the program ended, with its reason."""
        assert self._process.stdin is not None
        self._process.stdin.write(item.model_dump_json().encode() + b"\n")
        return Answer.model_validate_json(await _line(self._process))


@asynccontextmanager
async def policy_program(
    policy_url: str, token: str | None, arguments: Sequence[str]
) -> AsyncGenerator[PolicyProgram, None]:
    """The program while the block runs.

    Args:
        policy_url: of the policy's websocket.
        token: of the policy's server; none leaves the environment's.
        arguments: its own.

    Raises:
        StudioError: what it imports is missing, or it ended with a reason.
    """
    check_imports(("av", "cv2", "pyarrow", "structlog"), "'orrery[robot]'")
    environment = {**os.environ, **({TOKEN: token} if token else {})}
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        f"--policy={policy_url}",
        *arguments,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=environment,
        limit=MAX_LINE_BYTES,
        start_new_session=True,  # Ctrl+C is for us: we stop the run first, and its input ends it
    )
    try:
        yield PolicyProgram(process, Benchmark.model_validate_json(await _line(process)))
    finally:
        await _end(process)


async def _line(process: Process) -> bytes:
    assert process.stdout is not None
    line = await process.stdout.readline()
    if line:
        return line
    assert process.stderr is not None
    said = (await process.stderr.read()).decode(errors="replace").strip().splitlines()
    reason = said[-1].removeprefix("orrery evaluate-policy: ") if said else "It said nothing."
    raise StudioError(f"The robot program ended. {reason}")


async def _end(process: Process) -> None:
    """Its input ends it; what does not end is killed."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(END_TIMEOUT_S):
            await process.communicate()
    except TimeoutError:
        process.kill()
        await process.communicate()
