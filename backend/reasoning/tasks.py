"""Reasoner tasks: asked by name, answered with typed results."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from backend.media import DECODERS, inspect_upload
from backend.reasoning.asking import OWN, Resident
from backend.reasoning.service import ReasoningService
from backend.reasoning.shown_media import Shown, ShownMedia
from studio.errors import BadInput, NotFound
from studio.prompting import Frame, ImageUrl, ReasonerTask, TaskAnswer, VideoUrl, read_task, task_question
from studio.reasoner_answers import TaskList, TaskRequest
from studio.requests import nearest, shown


class TaskService:
    """The tasks of this server, shipped ones and the user's own."""

    def __init__(self, tasks: Mapping[str, ReasonerTask], service: ReasoningService, media: ShownMedia) -> None:
        self._tasks = tasks
        self._service = service
        self._media = media

    def listing(self) -> TaskList:
        """Every task."""
        return TaskList(tasks=tuple(self._tasks.values()))

    async def answer(self, name: str, asked: TaskRequest, own_hosts: Collection[str]) -> TaskAnswer:
        """Ask a task about a picture or a clip.

        Raises:
            NotFound: there is no such task.
            BadInput, MediaNotFound: see `ShownMedia.lay_out`; so a medium or words that the task does not take.
            Busy: nobody can be asked now.
            EngineError: the reasoner gave up.
        """
        task = self._tasks.get(name)
        if task is None:
            raise NotFound(f"There is no task {shown(name)}.", param="name", hint=nearest(name, self._tasks))
        laid = await self._media.lay_out([Shown("media", asked.media)], own_hosts)
        try:
            ((own, path),) = laid.files.items()
            frame, is_picture = await DECODERS.beside(lambda: _look(path))
            part = ImageUrl(url=f"{OWN}{own}") if is_picture else VideoUrl(url=f"{OWN}{own}")
            said = {"seed": asked.seed, "max_tokens": asked.max_tokens}
            thinks = task.thinking if asked.thinking is None else asked.thinking
            sampling = task.sampling_for(thinking=thinks).model_copy(
                update={field: value for field, value in said.items() if value is not None}
            )
            question = task_question(task, [part], asked.words, thinking=asked.thinking, sampling=sampling)
            ask = Resident(self._service, laid.files, "media", adapter=asked.adapter, counted=True)
            answer = await ask(question)
            return read_task(task, answer, frame)
        finally:
            laid.close()


def _look(path: Path) -> tuple[Frame, bool]:
    """What is known of a file, and whether it is a picture. Raises BadInput."""
    try:
        facts = inspect_upload(path)
    except BadInput as error:
        raise BadInput(error.message, param="media", hint=error.hint) from None
    frame = Frame(width=facts.width, height=facts.height, duration_s=facts.duration_s or None)
    return frame, facts.type == "image"
