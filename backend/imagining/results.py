"""What a job of the policy or of forward dynamics has made."""

from __future__ import annotations

from typing import Literal

from backend.evaluation.generating import JSON_MIME
from studio.errors import EngineError
from studio.jobs import Job
from studio.media import MediaReference


def result_of(job: Job, kind: Literal["video", "actions"]) -> MediaReference:
    """The job's video, or its actions as JSON. Raises EngineError where it has none."""
    for result in job.results:
        if result.type == "video" if kind == "video" else result.mime == JSON_MIME:
            return result
    raise EngineError(f"Job {job.id} has made no {kind}.")
