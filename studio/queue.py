"""The queue: how long it is, in what order it runs, and jobs that are handed in together."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from studio.jobs import Job, Priority
from studio.requests import Frozen

MAX_BATCH = 1000
"""Jobs of one batch."""


class QueueStatus(Frozen):
    """`GET /v1/queue`, and `system.queue` of the event stream.

    Attributes:
        paused: nothing is started until somebody resumes; what runs goes on. A restart does not change it.
        full: the library is at its quota: nothing is started until there is room.
        seconds_left: until the last job ends, by what was measured; null when some job is like none before it.
    """

    paused: bool = False
    full: bool = False
    num_queued: int = 0
    num_running: int = 0
    seconds_left: float | None = None


class MoveJob(Frozen):
    """`POST /v1/jobs/{id}/move`: to run just before another queued job; null puts it last."""

    before: str | None


class JobChange(Frozen):
    """`PATCH /v1/jobs/{id}`: a queued job goes behind the last one of its new priority."""

    priority: Priority


class DuplicateJob(Frozen):
    """`POST /v1/jobs/{id}/duplicate`: the same request again, with these fields laid over it, nested ones singly."""

    changes: Annotated[dict[str, Any], Field(max_length=100)] = Field(default_factory=dict)


class BatchRequest(Frozen):
    """`POST /v1/batches`: either some requests, or one and what is varied in it.

    Attributes:
        requests: as `POST /v1/jobs` takes them.
        request: likewise, and its `axes`: values by the path of a field, as in `{"sampling.seed": [1, 2]}`. Every
            combination is a job; the last axis varies fastest.
        priority: of all of them.
    """

    requests: Annotated[tuple[dict[str, Any], ...], Field(max_length=MAX_BATCH)] = ()
    request: dict[str, Any] | None = None
    axes: Annotated[dict[str, Annotated[tuple[Any, ...], Field(min_length=1)]], Field(max_length=16)] = Field(
        default_factory=dict
    )
    priority: Priority = "normal"

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if bool(self.requests) == (self.request is not None):
            raise ValueError("a batch has either requests, or one request and its axes; send one of the two")
        if self.axes and self.request is None:
            raise ValueError("axes vary one request; send request instead of requests")
        return self


class Batch(Frozen):
    """`POST /v1/batches` and `GET /v1/batches/{id}`: the jobs in their order, as they are now."""

    id: str
    jobs: tuple[Job, ...]


class EstimateRequest(Frozen):
    """`POST /v1/estimates`: how long would this take, as `POST /v1/jobs` takes it?"""

    request: dict[str, Any]


class Estimate(Frozen):
    """How long a request would take, once it is started.

    Attributes:
        seconds: null when nothing like it was ever run here.
        basis: `measured` on jobs of the same checkpoint, kind and size, or scaled from `similar` ones.
        samples: jobs that it rests on.
        queue_seconds: until it would be started, or null when that cannot be told.
        reason: why `seconds` is null.
    """

    seconds: float | None = None
    basis: Literal["measured", "similar"] | None = None
    samples: int = 0
    queue_seconds: float | None = None
    reason: str | None = None
