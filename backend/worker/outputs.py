"""From what the engine made to files and their references."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from backend.media import MediaStore
from backend.worker.running_job import RunningJob, Sample
from engine import Result
from studio.media import MediaReference
from studio.requests import GenerateImage, PredictActions, RunPolicy


def store_result(
    store: MediaStore,
    job: RunningJob,
    sample: Sample,
    result: Result,
    frames: Iterator[NDArray[np.uint8]],
    checkpoint: str,
) -> tuple[MediaReference, ...]:
    """Write one sample: its picture or clip, its actions in both forms, its latents; as far as there are any.

    Args:
        frames: of the result, pieces of uint8 [n, height, width, 3]; untouched where no clip is wanted.

    Raises:
        DiskFull, StorageError: nothing half-written is left; what was written before stays, until the job is dropped.
        EngineError: actions are no numbers.
    """
    request, name = sample.request, (job.job_id, sample.index)
    match request:
        case GenerateImage():
            return (store.put_image(*name, result.image, request, checkpoint),)
        case PredictActions() | RunPolicy(decode_video=False):
            made: list[MediaReference] = []
        case _:
            made = [store.put_clip(*name, frames, request, checkpoint, fps=request.fps, sound=result.sound)]
    if result.actions is not None:
        made += store.put_actions(*name, result.actions, request, checkpoint)
    if request.save_latents:
        made.append(store.put_latents(*name, result.latents))
    return tuple(made)
