"""What every open page is told: one snapshot, then what changed, numbered without gaps.

The websocket at `/v1/events` carries JSON text frames of these two shapes and binary preview frames
(`studio.wire.frames`). The page sends `{"want": [topics]}` for the binary topics it shows (`preview/{job id}`), and
`{"resync": true}` when a number is missing.
"""

from __future__ import annotations

from typing import Any, Literal

from studio.jobs import Failure, Job
from studio.requests import Frozen


class CheckpointStatus(Frozen):
    """The checkpoint in the worker's hands.

    Attributes:
        state: `preparing` builds or fetches it, `loading` reads its weights, `ready` serves, `failed` says why,
            `lost` has no worker at the moment.
        detail: for the header, as in ``float32 · 0.01 GB``.
        random_weights: it was never trained; what it draws is noise by design.
    """

    id: str
    title: str
    state: Literal["preparing", "loading", "ready", "failed", "lost"]
    detail: str = ""
    random_weights: bool = False
    error: Failure | None = None


class System(Frozen):
    """What the page's header shows."""

    checkpoint: CheckpointStatus
    version: str


class State(Frozen):
    """Everything a page draws itself from: the newest jobs by id, and the system."""

    jobs: dict[str, Job]
    system: System


class Snapshot(Frozen):
    """Everything, at the moment that a page connects or asks again."""

    type: Literal["snapshot"] = "snapshot"
    seq: int
    state: State


class Delta(Frozen):
    """One change: `value` is merged over what the page has under `key` (and `id`); null removes it."""

    type: Literal["delta"] = "delta"
    seq: int
    key: Literal["jobs", "system"]
    id: str | None = None
    value: dict[str, Any] | None
