"""Which server a command talks to: the one that was named, else the one that holds the data folder, else its own."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from cli.own_server import own_server
from cli.serve import server_environment
from studio.checkpoints import find_checkpoint
from studio.client import StudioClient
from studio.data_folder import DataFolder, find_holder
from studio.errors import ServerUnreachable
from studio.presets import load_presets
from studio.settings import chosen_data_folder

STARTING_S = 10.0
"""How long a server that holds the folder may take until it says where it answers."""


@dataclass(frozen=True)
class Target:
    """What a person said about the server.

    Attributes:
        server: its URL, or none.
        folder: the data folder.
        token: its token, or none.
    """

    server: str | None
    folder: DataFolder
    token: str | None


def read_target(server: str | None, data: Path | None, token: str | None) -> Target:
    """From options to a target. Raises BadInput when the data folder is nobody's."""
    return Target(server, DataFolder(chosen_data_folder(data)), token)


def running_server(target: Target) -> str | None:
    """The URL of the server that was named, or that holds the folder."""
    if target.server:
        return target.server
    holder = find_holder(target.folder, wait_s=STARTING_S)
    return holder.url if holder else None


def local_checkpoint(name: str | None, target: Target) -> str | None:
    """A checkpoint's name as any process on this machine understands it: a preset's id, or a folder in full.

    Raises:
        CheckpointNotFound, NotACheckpoint: see `studio.checkpoints.find_checkpoint`.
    """
    if name is None:
        return None
    presets = load_presets(target.folder.presets)
    found = find_checkpoint(name, presets, target.folder.checkpoints)
    return found.id if name in presets else str(found.folder)


@asynccontextmanager
async def connected(target: Target) -> AsyncGenerator[StudioClient, None]:
    """A client of a server that runs already.

    Raises:
        ServerUnreachable: none does.
    """
    url = running_server(target)
    if url is None:
        raise ServerUnreachable(
            f"No server holds the data folder {target.folder.root}.",
            hint="Start one with orrery serve, or name one with --server.",
        )
    async with StudioClient(url, token=target.token) as client:
        yield client


@asynccontextmanager
async def reached(target: Target, checkpoint: str | None) -> AsyncGenerator[StudioClient, None]:
    """A client of the server that runs, else of one that runs for the duration, with this checkpoint."""
    url = running_server(target)
    async with StudioClient(url, token=target.token) if url else started(target, checkpoint) as client:
        yield client


@asynccontextmanager
async def started(target: Target, checkpoint: str | None) -> AsyncGenerator[StudioClient, None]:
    """A client of a server that runs on the target's folder for the duration, on a free port of this machine."""
    said = {
        "host": "127.0.0.1",
        "port": 0,
        "data": target.folder.root,
        "token": target.token,
        "checkpoint": checkpoint,
    }
    async with (
        own_server(server_environment(os.environ, said)) as url,
        StudioClient(url, token=target.token) as client,
    ):
        yield client
