"""Names of jobs and media as they may stand in a path, checked before anything is sent."""

from __future__ import annotations

import re

from studio.errors import ComparisonNotFound, JobNotFound, MediaNotFound, RefinementNotFound
from studio.requests import shown

_NAME = re.compile(r"[\w-]{1,100}", re.ASCII)


def job_path(job_id: str) -> str:
    """Where a job is asked for. Raises JobNotFound when it cannot be one's name."""
    if not _NAME.fullmatch(job_id):
        raise JobNotFound(f"There is no job {shown(job_id)}.", hint="orrery jobs lists them.")
    return f"/v1/jobs/{job_id}"


def batch_path(batch_id: str) -> str:
    """Where a batch is asked for. Raises JobNotFound when it cannot be one's name."""
    if not _NAME.fullmatch(batch_id):
        raise JobNotFound(f"There is no batch {shown(batch_id)}.")
    return f"/v1/batches/{batch_id}"


def comparison_path(comparison_id: str) -> str:
    """Where a comparison is asked for. Raises ComparisonNotFound when it cannot be one's name."""
    if not _NAME.fullmatch(comparison_id):
        raise ComparisonNotFound(f"There is no comparison {shown(comparison_id)}.")
    return f"/v1/comparisons/{comparison_id}"


def refinement_path(refinement_id: str) -> str:
    """Where a refinement is asked for. Raises RefinementNotFound when it cannot be one's name."""
    if not _NAME.fullmatch(refinement_id):
        raise RefinementNotFound(f"There is no refinement {shown(refinement_id)}.")
    return f"/v1/refinements/{refinement_id}"


def media_path(media_id: str) -> str:
    """Where an artefact's file is fetched. Raises MediaNotFound when it cannot be one's name."""
    return f"/v1/media/{_media_name(media_id)}"


def item_path(media_id: str) -> str:
    """Where an item of the library is asked for. Raises MediaNotFound when it cannot be one's name."""
    return f"/v1/library/{_media_name(media_id)}"


def _media_name(media_id: str) -> str:
    if not _NAME.fullmatch(media_id):
        raise MediaNotFound(f"There is no media {shown(media_id)}.")
    return media_id
