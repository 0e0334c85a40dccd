"""A job in the worker's hands: a request for n pictures is n trajectories."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine import Trajectory
from studio.media import MediaReference
from studio.requests import Request


@dataclass
class Picture:
    """One picture of a job; it is made when it has a result. `request` is for it alone, with its own seed."""

    index: int
    request: Request
    trajectory: Trajectory
    result: MediaReference | None = None


@dataclass
class RunningJob:
    """What the worker knows of a job.

    Attributes:
        previewed: somebody is looking at its preview.
        stopped: a person wants what is there.
        progress_at, preview_at: when it last said something, seconds of the monotonic clock.
    """

    job_id: str
    request: Request
    previewed: bool
    pictures: list[Picture] = field(default_factory=list[Picture])
    stopped: bool = False
    progress_at: float = 0.0
    preview_at: float = 0.0

    @property
    def step(self) -> int:
        """Finished denoising steps over all pictures."""
        return sum(picture.trajectory.step for picture in self.pictures)

    @property
    def steps(self) -> int:
        """Denoising steps of the whole job."""
        return self.request.sampling.num_inference_steps * self.request.count

    @property
    def denoising(self) -> list[Picture]:
        """Pictures that want another step."""
        return [] if self.stopped else [picture for picture in self.pictures if not picture.trajectory.done]

    @property
    def to_decode(self) -> Picture | None:
        """The next picture that has all its steps, or all it will get."""
        ripe = (picture for picture in self.pictures if self.stopped or picture.trajectory.done)
        return next((picture for picture in ripe if picture.result is None), None)

    @property
    def results(self) -> tuple[MediaReference, ...]:
        """What has been made so far."""
        return tuple(picture.result for picture in self.pictures if picture.result is not None)


def one_picture(request: Request, index: int) -> Request:
    """The request of picture `index` alone: its seed is the job's plus the index."""
    sampling = request.sampling.model_copy(update={"seed": request.sampling.seed + index})
    return request.model_copy(update={"count": 1, "sampling": sampling})
