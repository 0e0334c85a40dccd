"""What the server and its worker say to each other, as frozen dataclasses on a pipe.

The pipe is private to the two processes and one of them started the other, so plain pickling is safe here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from studio.jobs import Failure
from studio.media import MediaReference
from studio.requests import Request


@dataclass(frozen=True)
class LoadCheckpoint:
    """Load a checkpoint; `build` makes it first when the folder is not there."""

    folder: Path
    build: bool
    device: str


@dataclass(frozen=True)
class RunJob:
    """Start a job; its previews are made only while somebody looks."""

    job_id: str
    request: Request
    previewed: bool


@dataclass(frozen=True)
class SetPreviewed:
    """Whether anybody is looking at a job's preview."""

    job_id: str
    previewed: bool


@dataclass(frozen=True)
class CancelJob:
    """Drop a job before its next step."""

    job_id: str


@dataclass(frozen=True)
class StopJob:
    """Stop denoising and decode what is there."""

    job_id: str


Command = LoadCheckpoint | RunJob | SetPreviewed | CancelJob | StopJob


@dataclass(frozen=True)
class CheckpointMoved:
    """How far the checkpoint is."""

    state: Literal["preparing", "loading", "ready", "failed"]
    detail: str = ""
    failure: Failure | None = None


@dataclass(frozen=True)
class JobProgressed:
    """How far a job is."""

    job_id: str
    phase: Literal["starting", "denoising", "decoding"]
    step: int
    steps: int


@dataclass(frozen=True)
class JobPreviewed:
    """A look at what a job is making."""

    job_id: str
    jpeg: bytes


@dataclass(frozen=True)
class JobFinished:
    """A job is done and its files are in the store; `steps` is how many it had in all."""

    job_id: str
    results: tuple[MediaReference, ...]
    stopped_at_step: int | None
    steps: int


@dataclass(frozen=True)
class JobFailed:
    """A job is over, for this reason."""

    job_id: str
    failure: Failure


@dataclass(frozen=True)
class JobCancelled:
    """A job was dropped, as asked, after so many of its steps."""

    job_id: str
    step: int
    steps: int


Report = CheckpointMoved | JobProgressed | JobPreviewed | JobFinished | JobFailed | JobCancelled
