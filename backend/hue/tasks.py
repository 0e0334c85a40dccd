"""Reasoners at work on studies: they write the questions of each prompt, or answer questions about videos."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import structlog

from backend.arena.reasoners import Reasoners
from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.evaluation.asking import OF_ALL, ask_each
from backend.hue.store import HueStore
from backend.media import MediaStore
from studio.errors import BadInput, Busy, Conflict, MediaNotFound, StorageError, StudioError
from studio.evaluation.hue_bank import (
    ReasonerRating,
    audit_question,
    domain_question,
    rating_question,
    read_bank,
    read_domain,
    read_rating,
    read_scene,
    scene_question,
)
from studio.evaluation.judge import ask_until_usable
from studio.hue_studies import (
    HueBankQuestion,
    HuePair,
    HuePrompt,
    HueRated,
    HueStudy,
    HueTask,
    HueWork,
    StartHueTask,
)
from studio.jobs import Failure
from studio.prompting import VideoUrl
from studio.requests import shown

log = structlog.get_logger("orrery.hue")

MAX_RUNNING = 8
"""Tasks at a time; each asks several questions at once."""


class _Place(NamedTuple):
    """Which reasoner does what."""

    study: str
    task: HueWork
    reasoner: str


class HueTaskService:
    """Lives on the event loop's thread. What is written down is not asked again, so a start resumes.

    Args:
        changed: called after every answer.
    """

    def __init__(
        self,
        *,
        store: HueStore,
        reasoners: Reasoners,
        catalogue: CheckpointCatalogue,
        media: MediaStore,
        changed: Callable[[], None],
    ) -> None:
        self._store = store
        self._reasoners = reasoners
        self._catalogue = catalogue
        self._media = media
        self._changed = changed
        self._live: dict[_Place, asyncio.Task[None]] = {}

    async def open(self) -> None:
        """At a server's start: continue what ran when the last one ended."""
        try:
            for study_id, task in await self._store.running_tasks():
                log.warning("hue_task_returned", study_id=study_id, task=task.task, reasoner=task.reasoner)
                self._begin(study_id, task)
        except StorageError as error:  # they stay written down as running; the next start continues them
            log.error("storage_failed", code=error.code, message=error.message)

    async def close(self) -> None:
        """Leave off, and write nothing more; what runs continues at the next start."""
        tasks = list(self._live.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def check(self, reasoner: str, param: str) -> None:
        """Raises BadInput unless there is such a reasoner."""
        self._reasoners.check(reasoner, param)

    def is_reasoner(self, name: str) -> bool:
        """Whether it is one of this server."""
        return name in {reasoner.name for reasoner in self._reasoners.listing()}

    def is_at_work(self, study_id: str) -> bool:
        """Whether anything asks about a study."""
        return any(place.study == study_id for place in self._live)

    async def start(self, study: HueStudy, asked: StartHueTask) -> HueTask:
        """Let a reasoner do what is missing; it continues behind this answer, and after a restart.

        Raises:
            BadInput: there is no such reasoner.
            Conflict: it is at work already, another one writes the questions, or there are none to answer.
            Busy: so many are at work.
        """
        name = asked.reasoner or self._catalogue.active.id
        self._reasoners.check(name, "reasoner")
        place = _Place(study.id, asked.task, name)
        writers = {each.reasoner for each in self._live if each[:2] == (study.id, "questions")}
        if place in self._live or (asked.task == "questions" and writers):
            at_work = name if place in self._live else min(writers)
            raise Conflict(f"{at_work} is at work on the {asked.task} of this study.", hint="Stop it, or wait.")
        if asked.task == "ratings" and not study.questions:
            raise Conflict("The study has no questions yet.", hint="Add some, or let a reasoner write them.")
        if len(self._live) >= MAX_RUNNING:
            raise Busy(f"{MAX_RUNNING} tasks are running, which is the limit.", hint="Stop one, or wait.")
        title = next(one.title for one in self._reasoners.listing() if one.name == name)
        task = HueTask(task=asked.task, reasoner=name, reasoner_title=title)
        await self._store.put_task(study.id, task)
        self._begin(study.id, task)
        self._changed()
        return task

    async def stop(self, study: HueStudy, asked: StartHueTask) -> HueTask:
        """Ask nothing more; what is there stays. One that has ended stays as it is.

        Raises:
            Conflict: it was never started.
        """
        name = asked.reasoner or self._catalogue.active.id
        running = self._live.get(_Place(study.id, asked.task, name))
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        task = await self._store.task(study.id, asked.task, name)
        if task is None:
            raise Conflict(f"{shown(name)} has never worked on the {asked.task} of this study.", param="reasoner")
        if task.state != "running":
            return task
        stopped = task.model_copy(update={"state": "stopped"})
        await self._store.put_task(study.id, stopped)
        self._changed()
        return stopped

    def _begin(self, study_id: str, task: HueTask) -> None:
        place = _Place(study_id, task.task, task.reasoner)
        self._live[place] = asyncio.create_task(self._run(study_id, task), name=f"hue {' '.join(place)}")
        self._live[place].add_done_callback(partial(self._ended, place))

    def _ended(self, place: _Place, running: asyncio.Task[None]) -> None:
        del self._live[place]
        if not running.cancelled() and (error := running.exception()) is not None:
            # It stays written down as running: the next start continues it, and so does a person.
            log.error("hue_task_broke", **place._asdict(), exc_info=error)
        self._changed()

    async def _run(self, study_id: str, task: HueTask) -> None:
        try:
            work = _Work(study_id, task, self._store, self._reasoners, self._media, self._changed)
            ended = await work.do(await self._store.get(study_id))
        except StudioError as error:
            log.warning("hue_task_failed", study_id=study_id, code=error.code, message=error.message)
            known = await self._store.task(study_id, task.task, task.reasoner)
            ended = (known or task).model_copy(update={"state": "failed", "error": Failure.of(error)})
        await self._store.put_task(study_id, ended)


class _Work:
    """One start of a task."""

    def __init__(
        self,
        study_id: str,
        task: HueTask,
        store: HueStore,
        reasoners: Reasoners,
        media: MediaStore,
        told: Callable[[], None],
    ) -> None:
        self._study_id = study_id
        self._task = task.model_copy(update={"num_failed": 0, "error": None})
        self._store = store
        self._reasoners = reasoners
        self._media = media
        self._told = told

    async def do(self, study: HueStudy) -> HueTask:
        """Ask everything that is missing. Raises StudioError where something stands against all of it."""
        if self._task.task == "questions":
            missing = [prompt for prompt in study.prompts if not prompt.written]
            await self._plan(len(study.prompts), len(missing))
            await ask_each(missing, self._write)
        else:
            given = await self._store.ratings(study.id)
            own = {(rated.video, rated.question) for rated in given if self._is_own(rated)}
            pairs = list(study.pairs())
            unrated = [pair for pair in pairs if (pair.video.id, pair.question.id) not in own]
            await self._plan(len(pairs), len(unrated))
            await ask_each(unrated, self._rate)
        return self._task.model_copy(update={"state": "succeeded"})

    def _is_own(self, rated: HueRated) -> bool:
        return rated.by == "reasoner" and rated.rater == self._task.reasoner

    async def _plan(self, num_planned: int, num_missing: int) -> None:
        await self._tell(num_planned=num_planned, num_done=num_planned - num_missing)

    async def _tell(self, **changes: int) -> None:
        self._task = self._task.model_copy(update=changes)
        await self._store.put_task(self._study_id, self._task)
        self._told()

    async def _write(self, prompt: HuePrompt) -> None:
        """The three steps for one prompt; each is kept, so that a restart begins with the next."""
        try:
            await self._write_steps(prompt)
        except OF_ALL:
            raise
        except StudioError as error:
            log.warning("hue_prompt_failed", study_id=self._study_id, prompt=prompt.id, message=error.message)
            now = next(one for one in (await self._store.get(self._study_id)).prompts if one.id == prompt.id)
            await self._store.put_prompt(self._study_id, now.model_copy(update={"error": Failure.of(error)}))
            await self._tell(num_failed=self._task.num_failed + 1)
        else:
            await self._tell(num_done=self._task.num_done + 1)

    async def _write_steps(self, prompt: HuePrompt) -> None:
        reasoner = self._task.reasoner
        async with self._reasoners.asking(reasoner, self._files(prompt.given), patient=True) as asking:
            if prompt.domain is None:
                domain = await ask_until_usable(asking.ask, domain_question(prompt.text), read_domain)
                prompt = prompt.model_copy(update={"domain": domain})
                await self._store.put_prompt(self._study_id, prompt)
            if prompt.scene is None:
                asked = scene_question(prompt.text, *asking.parts)
                prompt = prompt.model_copy(update={"scene": await ask_until_usable(asking.ask, asked, read_scene)})
                await self._store.put_prompt(self._study_id, prompt)
            assert prompt.domain is not None
            assert prompt.scene is not None
            asked = audit_question(prompt.text, prompt.domain, prompt.scene)
            bank = await ask_until_usable(asking.ask, asked, lambda text: read_bank(text, prompt.id))
        questions = [
            HueBankQuestion(
                id=f"{prompt.id}-{secrets.token_hex(4)}",
                prompt=prompt.id,
                text=question.text,
                dimension=question.dimension,
                author=reasoner,
            )
            for question in bank
        ]
        await self._store.put_prompt(
            self._study_id, prompt.model_copy(update={"written": True, "error": None}), questions
        )

    async def _rate(self, pair: HuePair) -> None:
        try:
            answer = await self._said(pair)
        except OF_ALL:
            raise
        except StudioError as error:
            log.warning("hue_rating_failed", study_id=self._study_id, video=pair.video.id, message=error.message)
            await self._tell(num_failed=self._task.num_failed + 1)
            return
        rated = HueRated(
            id=secrets.token_hex(6),
            video=pair.video.id,
            question=pair.question.id,
            rater=self._task.reasoner,
            said=answer.said,
            by="reasoner",
            reason=answer.reason,
            created_at=datetime.now(UTC),
        )
        await self._store.keep_rating(self._study_id, rated)
        await self._tell(num_done=self._task.num_done + 1)

    async def _said(self, pair: HuePair) -> ReasonerRating:
        files = {pair.video.id: self._media.file(pair.video.id)}
        async with self._reasoners.asking(self._task.reasoner, files, patient=True) as asking:
            (video,) = asking.parts
            if not isinstance(video, VideoUrl):
                raise BadInput(f"{pair.video.id} is an image; expected a video.")
            return await ask_until_usable(asking.ask, rating_question(pair.question, video), read_rating)

    def _files(self, ids: tuple[str, ...]) -> dict[str, Path]:
        """Of what is still there: a scene can be read from the prompt alone."""
        found: dict[str, Path] = {}
        for name in ids:
            try:
                found[name] = self._media.file(name)
            except MediaNotFound:
                continue
        return found
