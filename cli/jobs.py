"""`orrery jobs`: what was asked for, and what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from cli.options import DataOption, ServerOption, TokenOption
from cli.tables import print_table

if TYPE_CHECKING:
    from studio.client import StudioClient
    from studio.jobs import JobState

Answer = TypeVar("Answer")
JobArgument = Annotated[str, typer.Argument(metavar="ID", help="The job.")]
BatchArgument = Annotated[str, typer.Argument(metavar="ID", help="The batch.")]


@dataclass(frozen=True)
class Said:
    """What stands before a sub-command about the server; the same options after it win."""

    server: str | None
    data: Path | None
    token: str | None

    def unless(self, server: str | None, data: Path | None, token: str | None) -> Said:
        """These, unless others were said later."""
        return Said(server or self.server, data or self.data, token or self.token)


jobs = typer.Typer(help="What was asked for, and what became of it.")


@jobs.callback(invoke_without_command=True)
def table(
    context: typer.Context,
    limit: Annotated[int, typer.Option(envvar="ORRERY_LIMIT", help="How many rows, newest first.")] = 20,
    state: Annotated[
        str | None, typer.Option(envvar="ORRERY_STATE", help="queued, running, succeeded, failed or cancelled.")
    ] = None,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """What was asked for, and what became of it. Without a sub-command: a table, newest first.

    A batch is one row, which says how many of its jobs are done; with --state, every job is a row.
    """
    context.obj = Said(server, data, token)
    if context.invoked_subcommand is not None:
        return
    from cli.job_table import TITLES, entry_row, job_row, newest

    wanted = _state(state)
    now = datetime.now(UTC)
    if wanted is None:
        rows = [entry_row(each, now) for each in _ask(context.obj, lambda client: newest(client, limit))]
    else:
        rows = [job_row(job, now) for job in _ask(context.obj, lambda client: client.jobs(limit=limit, state=wanted))]
    print_table(TITLES, rows)


@jobs.command()
def batch(
    context: typer.Context,
    batch_id: BatchArgument,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """The jobs of one batch, in their order."""
    from cli.job_table import TITLES, job_row

    now = datetime.now(UTC)
    found = _ask(context.obj.unless(server, data, token), lambda client: client.queue.batch(batch_id))
    print_table(TITLES, [job_row(job, now) for job in found.jobs])


@jobs.command()
def show(
    context: typer.Context,
    job_id: JobArgument,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Everything about one job, as JSON."""
    print(_ask(context.obj.unless(server, data, token), lambda client: client.job(job_id)).model_dump_json(indent=2))


@jobs.command()
def cancel(
    context: typer.Context,
    job_id: JobArgument,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Cancel a queued or running job."""
    job = _ask(context.obj.unless(server, data, token), lambda client: client.cancel(job_id))
    print(f"{job.id} {job.state}")


@jobs.command()
def retry(
    context: typer.Context,
    job_id: JobArgument,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Run a failed or cancelled job again."""
    job = _ask(context.obj.unless(server, data, token), lambda client: client.retry(job_id))
    print(f"{job.id} {job.state}")


def _state(name: str | None) -> JobState | None:
    from studio.errors import BadInput
    from studio.jobs import JobState
    from studio.requests import nearest, shown

    if name is None:
        return None
    try:
        return JobState(name)
    except ValueError:
        raise BadInput(f"The state is {shown(name)}.", param="state", hint=nearest(name, list(JobState))) from None


def _ask(said: Said, question: Callable[[StudioClient], Awaitable[Answer]]) -> Answer:
    from cli.target import connected, read_target

    target = read_target(said.server, said.data, said.token)

    async def ask() -> Answer:
        async with connected(target) as client:
            return await question(client)

    return asyncio.run(ask())
