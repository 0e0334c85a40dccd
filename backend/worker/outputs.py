"""From what the engine made to files and their references."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from backend.media import MediaStore
from backend.worker.running_job import RunningJob, Sample
from engine import Result
from studio.media import MediaReference
from studio.requests import GenerateVideo


def store_result(
    store: MediaStore,
    job: RunningJob,
    sample: Sample,
    result: Result,
    frames: Iterator[NDArray[np.uint8]],
    checkpoint: str,
) -> tuple[MediaReference, ...]:
    """Write one sample: its picture or clip first, then its latents if they were asked for.

    Args:
        frames: of the result, pieces of uint8 [n, height, width, 3].

    Raises:
        DiskFull, StorageError: nothing half-written is left.
    """
    request = sample.request
    if not isinstance(request, GenerateVideo):
        return (store.put_image(job.job_id, sample.index, result.image, request, checkpoint),)
    clip = store.put_clip(job.job_id, sample.index, frames, request, checkpoint, fps=request.fps, sound=result.sound)
    if not request.save_latents:
        return (clip,)
    return (clip, store.put_latents(job.job_id, sample.index, result.latents))
