"""Where jobs, media and the like are asked for. A name that cannot be one is refused before anything is sent."""

from __future__ import annotations

import re

from studio.errors import (
    BenchmarkNotFound,
    ComparisonNotFound,
    FanNotFound,
    JobNotFound,
    MediaNotFound,
    RefinementNotFound,
    RolloutNotFound,
    RunNotFound,
    StudioError,
    StudyNotFound,
    TuningNotFound,
)
from studio.requests import shown

_NAME = re.compile(r"[\w-]{1,100}", re.ASCII)


def job_path(name: str) -> str:
    """Of a job. Raises JobNotFound."""
    return _path("/v1/jobs", name, JobNotFound, "job", hint="orrery jobs lists them.")


def round_trip_path(name: str, estimation: str | None = None) -> str:
    """Of the way back of a job, or of its comparison with a job that estimates. Raises JobNotFound."""
    path = f"{job_path(name)}/round-trip"
    return path if estimation is None else _path(path, estimation, JobNotFound, "job")


def rollout_path(name: str) -> str:
    """Of an imagined rollout. Raises RolloutNotFound."""
    return _path("/v1/rollouts", name, RolloutNotFound, "rollout")


def fan_path(name: str) -> str:
    """Of a fan. Raises FanNotFound."""
    return _path("/v1/fans", name, FanNotFound, "fan")


def batch_path(name: str) -> str:
    """Of a batch of jobs. Raises JobNotFound."""
    return _path("/v1/batches", name, JobNotFound, "batch")


def comparison_path(name: str) -> str:
    """Of a comparison. Raises ComparisonNotFound."""
    return _path("/v1/comparisons", name, ComparisonNotFound, "comparison")


def refinement_path(name: str) -> str:
    """Of a refinement. Raises RefinementNotFound."""
    return _path("/v1/refinements", name, RefinementNotFound, "refinement")


def benchmark_path(name: str) -> str:
    """Of a benchmark. Raises BenchmarkNotFound."""
    return _path("/v1/benchmarks", name, BenchmarkNotFound, "benchmark", hint="orrery evaluate --list lists them.")


def run_path(name: str) -> str:
    """Of a run of a benchmark. Raises RunNotFound."""
    return _path("/v1/runs", name, RunNotFound, "run", hint="orrery evaluate --list lists them.")


def blind_test_path(name: str) -> str:
    """Of a blind test. Raises StudyNotFound."""
    return _path("/v1/blind-tests", name, StudyNotFound, "blind test", hint="The page Evaluate lists them.")


def tuning_path(name: str) -> str:
    """Of a tuning. Raises TuningNotFound."""
    return _path("/v1/tunings", name, TuningNotFound, "tuning", hint="orrery tune --list lists them.")


def media_path(name: str) -> str:
    """Of an artefact's file. Raises MediaNotFound."""
    return _path("/v1/media", name, MediaNotFound, "media")


def item_path(name: str) -> str:
    """Of an item of the library. Raises MediaNotFound."""
    return _path("/v1/library", name, MediaNotFound, "media")


def _path(folder: str, name: str, missing: type[StudioError], what: str, hint: str = "") -> str:
    if not _NAME.fullmatch(name):
        raise missing(f"There is no {what} {shown(name)}.", hint=hint)
    return f"{folder}/{name}"
