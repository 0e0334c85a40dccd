"""One request from flags to files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from cli.attachments import Attachments
from cli.flag_values import parse_adapter, parse_controls
from cli.output_files import OutputFiles, plan_files
from cli.progress import JobBars
from cli.request_flags import build_request, input_of
from cli.request_kind import kind_of
from cli.submission import run_job
from cli.target import Target, local_checkpoint, running_server, started
from studio.client import StudioClient
from studio.requests import Request
from studio.specs.action_files import read_actions, read_numbers


def run_request(
    said: Mapping[str, Any], output: str, target: Target, *, kind: str | None, size: str | None, force: bool
) -> None:
    """Make what flags describe, and save it.

    Args:
        said: flags by field path; None is unsaid.
        output: where it goes.
        target: the server that was named, or the folder whose server it is.
        kind: what is asked for, or None to tell it from the rest.
        size: "WIDTHxHEIGHT", or None.
        force: whether files that are there are replaced.

    Raises:
        StudioError: a flag cannot mean what it says, or the job failed.
    """
    attachments = Attachments()
    kind = kind_of(kind, output, said)
    request = build_request(kind, _values(said, attachments), size)
    files = plan_files(output, request, force=force)
    if target.server is None:
        request = request.model_copy(update={"checkpoint": local_checkpoint(request.checkpoint, target)})
    url = running_server(target)
    if url is None:
        own = started(target, request.checkpoint)
        # A server that was started with a checkpoint needs no telling.
        asyncio.run(_run(request.model_copy(update={"checkpoint": None}), attachments, own, files))
    else:
        asyncio.run(_run(request, attachments, StudioClient(url, token=target.token), files))


async def _run(
    request: Request,
    attachments: Attachments,
    server: AbstractAsyncContextManager[StudioClient],
    files: OutputFiles,
) -> None:
    async with server as client:
        await attachments.send(client)
        with JobBars() as bars, bars.job() as draw:
            job = await run_job(client, request, draw)
        await files.save(client, job)


def _values(said: Mapping[str, Any], attachments: Attachments) -> dict[str, object]:
    """Flags as the values of their fields; files become the ids that they will have."""
    readers: dict[str, Callable[[Any], object]] = {
        "condition_frames": lambda given: given.split(","),
        "controls": lambda given: parse_controls(given, attachments),
        "state": lambda given: read_numbers(given, "state"),
        "adapter": parse_adapter,
    }

    def read(path: str, value: Any) -> object:
        if value is None:
            return None
        match input_of(path):
            case "image" | "video":
                return attachments.name(value, path)
            case "actions":
                return read_actions(Path(value).expanduser())
            case None:
                return readers[path](value) if path in readers else value

    return {path: read(path, value) for path, value in said.items()}
