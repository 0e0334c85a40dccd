"""`orrery jobs`: what was asked for, and what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from studio.cli.one_line import one_line
from studio.cli.options import DataOption, ServerOption, TokenOption
from studio.cli.tables import print_table

if TYPE_CHECKING:
    from studio.client import StudioClient
    from studio.jobs import Job, JobState
    from studio.requests import Request

PROMPT_HEAD = 48
"""Characters of a prompt that identify it at a glance."""

Answer = TypeVar("Answer")
JobArgument = Annotated[str, typer.Argument(metavar="ID", help="The job.")]


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
    limit: Annotated[int, typer.Option(envvar="ORRERY_LIMIT", help="How many, newest first.")] = 20,
    state: Annotated[
        str | None, typer.Option(envvar="ORRERY_STATE", help="queued, running, succeeded, failed or cancelled.")
    ] = None,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """What was asked for, and what became of it. Without a sub-command: a table, newest first."""
    context.obj = Said(server, data, token)
    if context.invoked_subcommand is not None:
        return
    wanted = _state(state)
    now = datetime.now(UTC)
    found = _ask(context.obj, lambda client: client.jobs(limit=limit, state=wanted))
    print_table(("id", "state", "step", "size", "seed", "prompt", "age"), [_row(job, now) for job in found])


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


def age(seconds: float) -> str:
    """A duration as people say it, in its largest unit: 90 is `1 min`."""
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


def _row(job: Job, now: datetime) -> tuple[str, ...]:
    prompt = one_line(job.request.prompt)
    return (
        job.id,
        job.state,
        f"{job.progress.step}/{job.progress.steps}",
        _size(job.request),
        str(job.request.sampling.seed),
        prompt if len(prompt) <= PROMPT_HEAD else f"{prompt[: PROMPT_HEAD - 1]}…",
        age((now - job.created_at).total_seconds()),
    )


def _size(request: Request) -> str:
    """Its canvas; of actions, whose frames keep their shape, the tier."""
    from studio.requests import ActionRequest
    from studio.rules import canvas

    if isinstance(request, ActionRequest):
        return f"{request.resolution}p"
    width, height = canvas(request.resolution, request.aspect_ratio)
    return f"{width}x{height}"


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
    from studio.cli.target import connected, read_target

    target = read_target(said.server, said.data, said.token)

    async def ask() -> Answer:
        async with connected(target) as client:
            return await question(client)

    return asyncio.run(ask())
