"""`orrery generate -i`: samples of spec files, several at a time, each into a folder of its own."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cli.answering import Patient, question_of
from cli.attachments import Attachments, fetch
from cli.batch_folder import BatchFolder, Place, save_answer, save_sample, write_failure
from cli.job_run import JobBars, run_job
from cli.output_files import described
from cli.printed import FAILED, SOME_FAILED, one_line, print_table
from cli.target import Target, local_checkpoint, reached
from studio.catalogue import CheckpointInfo, CheckpointList
from studio.client import StudioClient
from studio.errors import BadInput, StudioError
from studio.jobs import Job
from studio.presets import CheckpointPreset, complete
from studio.prompting import Ask, Endpoint
from studio.requests import Reason, Request, parse_request
from studio.rules import nearest_value, refusals
from studio.specs import (
    CheckpointDefaults,
    Entry,
    Sample,
    check_fields,
    make_samples,
    parse_overrides,
    read_entries,
    remote_files,
)
from studio.specs.entries import merge

MAX_FITTED = 8
"""Changes to one sample: more fields than are ruled."""

ON_DISK = ("absent", "installed")
"""States of checkpoints that the server does not serve."""


@dataclass(frozen=True)
class Outcome:
    """What became of one sample.

    Attributes:
        state: made, skipped (it was there already) or failed.
        about: what it is, or why it failed.
        total_s: from its request to its files; None of one that was skipped.
    """

    name: str
    state: str
    about: str = ""
    total_s: float | None = None


def run_batch(
    patterns: Sequence[str],
    overrides: Sequence[str],
    output: str,
    target: Target,
    checkpoint: str | None,
    *,
    jobs: int,
    force: bool,
    fit: bool,
) -> int:
    """Make the samples of spec files; nothing is begun while one of them has an error.

    Args:
        patterns: files and globs.
        overrides: `field=value`, said for all samples.
        output: the folder.
        target: the server that was named, or the folder whose server it is.
        checkpoint: for all samples; None takes the server's.
        jobs: samples at a time.
        force: whether samples that are there and were made otherwise are replaced.
        fit: whether samples are brought to what the checkpoint takes; those that cannot be fail, and others are made.

    Returns:
        The exit status.
    """
    entries = read_entries(patterns, parse_overrides(overrides))
    if errors := check_fields(entries):
        return _refused(errors)
    checkpoint = local_checkpoint(checkpoint, target)
    with BatchFolder(Path(output).expanduser()) as folder:
        fetched = fetch(remote_files(entries), folder.inputs)
        _, errors = make_samples(entries, fetched=fetched, scratch=folder.inputs)
        if errors:
            return _refused(errors)

        async def run() -> int:
            async with reached(target, checkpoint) as (client, named):
                return await _Batch(entries, fetched, folder, named, jobs, force, fit, target.token).run(client)

        return asyncio.run(run())


@dataclass(frozen=True)
class _Batch:
    """One run over samples."""

    entries: Sequence[Entry]
    fetched: Mapping[str, Path]
    folder: BatchFolder
    checkpoint: str | None
    jobs: int
    force: bool
    fit: bool
    token: str | None

    async def run(self, client: StudioClient) -> int:
        info = _chosen(await client.checkpoints(), self.checkpoint)
        samples, errors = self.samples(self.entries, info)
        if self.fit and info is not None:
            samples = [self.fitted(sample, info) for sample in samples]
        places = {sample.name: self.folder.place(sample.name, self.asked(sample, info)) for sample in samples}
        refused = {sample.name: self.refusals(sample, info, places[sample.name]) for sample in samples}
        if self.fit:
            unfit = [Outcome(name, "failed", str(found[0])) for name, found in refused.items() if found]
            samples = [sample for sample in samples if not refused[sample.name]]
        else:
            unfit = []
            errors += [error for found in refused.values() for error in found]
        if errors:
            return _refused(errors)
        async with Endpoint(f"{client.base_url}/v1", model=self.checkpoint, api_key=self.token) as reasoner:
            outcomes = await self.make(client, Patient(reasoner), samples, info, places)
        outcomes += unfit
        rows = [_row(outcome) for outcome in outcomes]
        print_table(("sample", "state", "seconds", "what"), rows)
        return SOME_FAILED if any(outcome.state == "failed" for outcome in outcomes) else 0

    def samples(self, entries: Sequence[Entry], info: CheckpointInfo | None) -> tuple[list[Sample], list[StudioError]]:
        """Entries as this checkpoint's samples, and what is wrong with the others."""
        checkpoint = CheckpointDefaults(info.id, info.defaults) if info else None
        return make_samples(entries, fetched=self.fetched, scratch=self.folder.inputs, checkpoint=checkpoint)

    def fitted(self, sample: Sample, info: CheckpointInfo) -> Sample:
        """A sample with the nearest values that the checkpoint takes, said in its own words and noted.

        It is made anew with them, so that what its caption says of size and length stays true.
        """
        for _ in range(MAX_FITTED):
            if isinstance(sample.request, Reason):
                return sample
            request = _completed(sample, info)
            found = refusals(request, info.capabilities)[:1]
            value = nearest_value(request, found[0].field, info.capabilities) if found else None
            if value is None:
                return sample
            said = sample.draft.in_its_words(found[0].error()).param or found[0].field
            note = f"{found[0].reason}; {said} {value} is used instead (--fit)."
            fields = merge(sample.entry.fields, {said: value})
            entry = replace(sample.entry, fields=fields, notes=(*sample.entry.notes, note))
            again, errors = self.samples([entry], info)
            if errors:
                return sample
            sample = again[0]
        return sample

    async def make(
        self,
        client: StudioClient,
        ask: Ask,
        samples: Sequence[Sample],
        info: CheckpointInfo | None,
        places: Mapping[str, Place],
    ) -> list[Outcome]:
        """All samples that are not there yet, so many at a time, in their order."""
        for sample in samples:
            for note in sample.notes:
                print(f"orrery: {one_line(f'{sample.entry}: {note}')}", file=sys.stderr)
        files = {name: file for sample in samples for name, file in sample.attachments.items()}
        attachments, gate = Attachments(files), asyncio.Semaphore(self.jobs)
        with JobBars(len(samples)) as bars:

            async def one(sample: Sample) -> Outcome:
                if places[sample.name] is Place.FINISHED:
                    outcome = Outcome(sample.name, "skipped", "already done")
                else:
                    async with gate:
                        with bars.job(sample.name) as draw:
                            outcome = await self.one(client, ask, sample, info, attachments, draw)
                bars.count()
                return outcome

            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(sample)) for sample in samples]
        return [task.result() for task in tasks]

    async def one(
        self,
        client: StudioClient,
        ask: Ask,
        sample: Sample,
        info: CheckpointInfo | None,
        attachments: Attachments,
        draw: Callable[[Job], None],
    ) -> Outcome:
        """One sample from its request to its files; its failure is its own."""
        began = time.monotonic()
        asked = self.asked(sample, info)
        try:
            await attachments.send(client, sample.attachments)
            if isinstance(sample.request, Reason):
                answer = await ask(question_of(sample.request))
                with self.folder.replacing(sample.name) as folder:
                    save_answer(sample, asked, answer, folder, total_s=time.monotonic() - began)
                return Outcome(sample.name, "made", f"{len(answer):,} characters", time.monotonic() - began)
            request = sample.request
            if self.checkpoint is not None:
                request = request.model_copy(update={"checkpoint": self.checkpoint})
            job = await run_job(client, request, draw)
            with self.folder.replacing(sample.name) as folder:
                await save_sample(client, sample, asked, job, folder, total_s=time.monotonic() - began)
        except StudioError as error:
            said = str(sample.draft.in_its_words(error))
            if self.folder.place(sample.name, asked) in (Place.FREE, Place.FAILED):
                with self.folder.replacing(sample.name) as folder:
                    write_failure(sample, asked, said, folder)
            return Outcome(sample.name, "failed", said, time.monotonic() - began)
        return Outcome(sample.name, "made", _about(job), time.monotonic() - began)

    def asked(self, sample: Sample, info: CheckpointInfo | None) -> dict[str, Any]:
        """What decides a sample's result: the request without what the server fills in, and the checkpoint."""
        said = sample.request.model_dump(mode="json", exclude_unset=True)
        return {**said, "checkpoint": info.id if info else self.checkpoint}

    def refusals(self, sample: Sample, info: CheckpointInfo | None, place: Place) -> list[StudioError]:
        """Why a sample cannot be made by this checkpoint, or not into this folder."""
        if place is Place.OTHER and not self.force:
            there = BadInput(
                f"{self.folder.root / sample.name} already exists and was made with other settings.",
                param="name",
                hint="Replace it with --force, or set another folder with -o.",
            )
            return [sample.in_its_words(there)]
        if info is None or place is Place.FINISHED or isinstance(sample.request, Reason):
            return []
        request = _completed(sample, info)
        return [sample.in_its_words(refusal.error()) for refusal in refusals(request, info.capabilities)[:1]]


def _completed(sample: Sample, info: CheckpointInfo) -> Request:
    preset = CheckpointPreset(id=info.id, title=info.title, summary=info.summary, defaults=info.defaults)
    return parse_request(complete(preset, sample.draft.payload))


def _chosen(listed: CheckpointList, name: str | None) -> CheckpointInfo | None:
    """The checkpoint that was named, else the one that the server serves."""
    for info in listed.checkpoints:
        if info.id == name or (name is None and info.state not in ON_DISK):
            return info
    return None


def _refused(errors: Sequence[StudioError]) -> int:
    for error in errors:
        print(f"orrery: {one_line(str(error))}", file=sys.stderr)
    return FAILED


def _about(job: Job) -> str:
    about = described(job.results[0])
    return about if len(job.results) == 1 else f"{about}  {len(job.results)} files"


def _row(outcome: Outcome) -> tuple[str, ...]:
    took = "" if outcome.total_s is None else f"{outcome.total_s:.1f}"
    return outcome.name, outcome.state, took, one_line(outcome.about)
