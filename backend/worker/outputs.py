"""From what the engine made to files and their references."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from backend.guarding import SeenFrames
from backend.media import MediaStore
from backend.worker.running_job import RunningJob, Sample
from engine import Result
from studio.media import MediaReference
from studio.requests import Request, made_by


def store_result(
    store: MediaStore,
    job: RunningJob,
    sample: Sample,
    result: Result,
    frames: Iterable[NDArray[np.uint8]],
    checkpoint: str,
) -> tuple[MediaReference, ...]:
    """Write one sample: its picture or clip, its actions in both forms, its latents; as far as there are any.

    Args:
        frames: of the result, pieces of uint8 [n, height, width, 3]; untouched where neither picture nor clip is
            wanted. Where the guardrail has blurred some, the latents are not kept: the faces are in them.

    Returns:
        The references; with a step cache they say how many steps were computed.

    Raises:
        DiskFull, StorageError: nothing half-written is left; what was written before stays, until the job is dropped.
        EngineError: actions are no numbers.
        GuardrailBlocked, GuardrailLost: as `FrameGuard.look`.
    """
    made = _stored(store, (job.job_id, sample.index), sample.request, result, frames, checkpoint)
    if sample.request.sampling.step_cache is None:
        return tuple(made)
    kept = sample.trajectory.num_kept
    steps = {"num_computed_steps": sample.trajectory.step - kept, "num_kept_steps": kept}
    return tuple(reference.model_copy(update=steps) for reference in made)


def _stored(
    store: MediaStore,
    name: tuple[str, int],
    request: Request,
    result: Result,
    frames: Iterable[NDArray[np.uint8]],
    checkpoint: str,
) -> list[MediaReference]:
    wanted = made_by(request)
    made: list[MediaReference] = []
    if "image" in wanted:
        ((picture,),) = frames
        made.append(store.put_image(*name, picture, request, checkpoint))
    if "video" in wanted:
        fps: float = cast("Any", request).fps
        made.append(store.put_clip(*name, frames, request, checkpoint, fps=fps, sound=result.sound))
    if "actions" in wanted:
        assert result.actions is not None
        made += store.put_actions(*name, result.actions, request, checkpoint)
    if "latents" in wanted and not (isinstance(frames, SeenFrames) and frames.is_changed):
        made.append(store.put_latents(*name, result.latents))
    return made
