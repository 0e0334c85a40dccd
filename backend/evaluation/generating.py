"""Runs whose items are made: each is an ordinary job, whose result is kept and then measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.evaluation.measuring import ResultMeasuring
from backend.jobs.promised import PromisedJobs
from studio.catalogue import Checkpoint
from studio.errors import (
    BrokenCheckpoint,
    CheckpointNotFound,
    Conflict,
    EngineError,
    GuardrailLost,
    StorageError,
    StudioError,
)
from studio.evaluation import Benchmark, Item
from studio.evaluation.generations import Figures, GenerationResult, return_trip, seeded
from studio.evaluation.runs import EvaluationRun, StartRun
from studio.jobs import Job
from studio.presets import Precision
from studio.requests import PredictVideo, Request, parse_request

JSON_MIME = "application/json"


class Generators:
    """Checkpoints that make the items of a run, and what measures these.

    Args:
        told: the precision of checkpoints whose preset says none.
    """

    def __init__(
        self, catalogue: CheckpointCatalogue, jobs: PromisedJobs, measuring: ResultMeasuring, told: Precision
    ) -> None:
        self._catalogue = catalogue
        self._told = told
        self._jobs = jobs
        self._measuring = measuring

    def named(self, asked: StartRun) -> tuple[str, str, str]:
        """Name, title and precision of the checkpoint that a run asks for.

        Raises:
            CheckpointNotFound, Conflict: it is unknown, or cannot be loaded.
        """
        checkpoint = self._catalogue.serving(asked.reasoner)
        return checkpoint.id, self._catalogue.title(checkpoint.id), self.precision_of(checkpoint)

    def precision_of(self, checkpoint: Checkpoint) -> str:
        """What its engine computes in."""
        return checkpoint.preset.precision or self._told

    def answers(self, run: EvaluationRun, benchmark: Benchmark) -> GeneratedAnswers:
        """Who makes the items of a run."""
        return GeneratedAnswers(run, benchmark, self._jobs, self._measuring)


class GeneratedAnswers:
    """Makes the items of one run.

    The id of a job follows from run, item and trial, so that a restart finds the job again whatever it has become.
    """

    of_all: tuple[type[StudioError], ...] = (
        BrokenCheckpoint,
        CheckpointNotFound,
        Conflict,
        GuardrailLost,
        StorageError,
    )

    def __init__(
        self, run: EvaluationRun, benchmark: Benchmark, jobs: PromisedJobs, measuring: ResultMeasuring
    ) -> None:
        self._run = run
        self._benchmark = benchmark
        self._jobs = jobs
        self._measuring = measuring
        self._open: set[str] = set()

    async def answer(self, item: Item, trial: int) -> str:
        """A `GenerationResult` without figures.

        Raises:
            Conflict: the checkpoint could not be loaded.
            StudioError: why a job was refused, failed or was cancelled.
        """
        self._jobs.refuse_if_failed(self._run.reasoner)
        made = await self._made(_job_id(self._run.id, item.id, trial), self._payload(item, trial))
        media = tuple(one.id for one in made.results if one.type in ("image", "video") or one.mime == JSON_MIME)
        result = GenerationResult(media=media)
        if self._benchmark.settings.round_trip and isinstance(made.request, PredictVideo):
            video = next(one.id for one in made.results if one.type == "video")
            back = {**return_trip(made.request, video), **self._model()}
            returned = await self._made(_job_id(self._run.id, item.id, trial, "round trip"), back)
            actions = next(one.id for one in returned.results if one.mime == JSON_MIME)
            result = result.model_copy(update={"round_trip": actions})
        return result.to_text()

    async def completed(self, item: Item, trial: int, text: str) -> str | None:
        """The same with the figures that are missing. Raises StudioError where measuring has to be tried again."""
        result = GenerationResult.model_validate_json(text)
        known = result.figures or Figures()
        found = await self._measuring.measure(self._benchmark, item, self.request(item, trial), result)
        if found is None:
            return None
        return result.model_copy(update={"figures": known.with_these(found)}).to_text()

    async def give_up(self) -> None:
        """Cancel the jobs that have not ended; a resumed run queues them again."""
        for job_id in tuple(self._open):
            await self._jobs.give_up(job_id)

    def request(self, item: Item, trial: int) -> Request:
        """What a trial of an item asks for, without what the checkpoint's preset adds."""
        return parse_request(self._payload(item, trial))

    def _payload(self, item: Item, trial: int) -> dict[str, Any]:
        assert item.request is not None, "a benchmark of this form is checked when it is added"
        settings = self._benchmark.settings
        return {**seeded(item.request, settings.request, settings.seed, trial), **self._model()}

    def _model(self) -> dict[str, Any]:
        adapter = self._run.adapter
        return {
            "checkpoint": self._run.reasoner,
            "adapter": None if adapter is None else adapter.model_dump(mode="json"),
        }

    async def _made(self, job_id: str, payload: Mapping[str, Any]) -> Job:
        self._open.add(job_id)
        job = await self._jobs.succeeded(job_id, payload, priority="low", evaluation=True)
        self._open.discard(job_id)
        if not job.results:
            raise EngineError(f"Job {job_id} has no result.")
        return job


def _job_id(*parts: object) -> str:
    """Twelve hexadecimal digits, as a job's id has them."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]
