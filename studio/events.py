"""What every open page is told: one snapshot, then what changed, numbered without gaps.

The websocket at `/v1/events` carries JSON text frames of these two shapes and binary preview frames
(`studio.wire.frames`). The page sends `{"want": [topics]}` for the binary topics it shows (`preview/{job id}`), and
`{"resync": true}` when a number is missing.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from studio.jobs import Failure, Job
from studio.queue import QueueStatus
from studio.requests import Frozen
from studio.tuning.tunings import TuningProgress

EngineState = Literal["waiting", "preparing", "loading", "ready", "leaving", "asleep", "unloaded", "failed", "lost"]


class CheckpointStatus(Frozen):
    """A checkpoint as engines have it.

    Attributes:
        state: `waiting` for room, `preparing` builds it, `loading` reads its weights, `ready` serves, `leaving` goes
            after what it does now, `asleep` is off the device until it is asked for, `unloaded` is in no engine,
            `failed` says why, `lost` has no worker at the moment.
        detail: for the header, as in ``float32 · 0.01 GB``.
        random_weights: it was never trained; what it draws is noise by design.
    """

    id: str
    title: str
    state: EngineState
    detail: str = ""
    random_weights: bool = False
    error: Failure | None = None


class CheckpointTask(Frozen):
    """Fetching a checkpoint from the hub, or accounting for its tensors.

    Attributes:
        what: which of both.
        done, total: bytes, as far as they are known.
        said: what came of it, in words.
    """

    what: Literal["pull", "verify"]
    state: Literal["running", "succeeded", "failed", "cancelled"]
    done: int = 0
    total: int = 0
    said: str = ""
    error: Failure | None = None


class GuardrailStatus(Frozen):
    """What reads prompts before they are run.

    Attributes:
        state: `not_installed` checks nothing, `starting` loads its models, `on` reads, `failed` does not answer:
            guarded requests are refused until it does.
        detail: for a person.
        required: nothing runs without it (`--require-guardrail`).
    """

    state: Literal["not_installed", "starting", "on", "failed"] = "not_installed"
    detail: str = ""
    required: bool = False


class System(Frozen):
    """What the page's header shows.

    Attributes:
        checkpoint: the active one, which requests without a name go to.
        checkpoints: by id, all that are in engines' hands, on their way there, or could not be loaded.
        errands: by checkpoint's id, what is being fetched or verified, or was last.
        queue: as `GET /v1/queue` answers it, told when its seconds are off by one.
        library_revision: another number says that the library has changed, and what is shown of it is to be read again.
        refinement_revision: likewise of refinements.
        evaluation_revision: likewise of benchmarks and runs.
        tuning_revision: likewise of data sets and tunings.
        tunings: by id, how far those are that run.
        num_answering: conversations that the reasoner is writing in.
    """

    checkpoint: CheckpointStatus
    checkpoints: dict[str, CheckpointStatus] = Field(default_factory=dict)
    errands: dict[str, CheckpointTask] = Field(default_factory=dict)
    queue: QueueStatus = QueueStatus()
    library_revision: int = 0
    refinement_revision: int = 0
    evaluation_revision: int = 0
    tuning_revision: int = 0
    tunings: dict[str, TuningProgress] = Field(default_factory=dict)
    num_answering: int = 0
    guardrail: GuardrailStatus = GuardrailStatus()
    version: str


class State(Frozen):
    """What a page draws itself from: the newest jobs, those that run, the first of the queue, and the system."""

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
