"""What routes may call, built once by hand and handed to each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from backend.adapter_rack import AdapterRack
from backend.broadcast import Broadcast
from backend.checkpoint_shelf import CheckpointShelf
from backend.control_desk import ControlDesk
from backend.jobs.board import Board
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.service import JobService
from backend.media import MediaStore
from backend.metrics import Metrics
from backend.reasoning import ReasoningService
from backend.reasoning.shown_media import ShownMedia
from backend.reasoning.task_desk import TaskDesk
from backend.reasoning.upsampler import Upsampler
from backend.robots.hub import RobotHub


@dataclass(frozen=True)
class Services:
    """The server's parts, as far as the edge needs them."""

    jobs: JobService
    board: Board
    dispatcher: Dispatcher
    shelf: CheckpointShelf
    media: MediaStore
    adapters: AdapterRack
    controls: ControlDesk
    broadcast: Broadcast
    reasoning: ReasoningService
    shown_media: ShownMedia
    upsampler: Upsampler
    tasks: TaskDesk
    robots: RobotHub
    metrics: Metrics


def services_of(connection: HTTPConnection) -> Services:
    """The services of the application that answers."""
    return cast(Services, connection.app.state.services)


Parts = Annotated[Services, Depends(services_of)]
