"""Who answers a run's items: a reasoner, or the jobs of a generator (`backend.evaluation.generating`)."""

from __future__ import annotations

from typing import Protocol

from backend.arena.reasoners import Reasoners
from backend.evaluation.asking import OF_ALL
from backend.media import DECODERS, MediaStore
from studio.captions import sendable
from studio.errors import StudioError
from studio.evaluation import Benchmark, Item
from studio.evaluation.forms import FORMS
from studio.evaluation.runs import EvaluationRun
from studio.prompting.tasks import VIDEO_FPS


class Answerer(Protocol):
    """Answers items of one run.

    Attributes:
        of_all: errors that every other item would meet too.
    """

    of_all: tuple[type[StudioError], ...]

    async def answer(self, item: Item, trial: int) -> str:
        """The text of an answer. Raises StudioError."""
        ...

    async def completed(self, item: Item, trial: int, text: str) -> str | None:
        """A kept answer with what is computed of it and was missing; none where it is whole. Raises StudioError."""
        ...

    async def give_up(self) -> None:
        """After the run was stopped: let go of what was begun for it."""
        ...


class ReasonerAnswers:
    """Answers of a checkpoint's reasoner or of an endpoint."""

    of_all: tuple[type[StudioError], ...] = OF_ALL

    def __init__(self, run: EvaluationRun, benchmark: Benchmark, reasoners: Reasoners, media: MediaStore) -> None:
        self._run = run
        self._benchmark = benchmark
        self._reasoners = reasoners
        self._media = media

    async def answer(self, item: Item, trial: int) -> str:
        """What the reasoner says, thinking included. Raises StudioError."""
        files = {name: self._media.file(name) for name in item.media}
        async with self._reasoners.asking(self._run.reasoner, files, patient=True, adapter=self._run.adapter) as asking:
            question = FORMS[self._benchmark.form].question(item, self._benchmark, asking.parts, trial)
            return sendable(await asking.ask(question.model_copy(update=await self._pixels(item))))

    async def completed(self, item: Item, trial: int, text: str) -> None:
        """A text is whole."""

    async def give_up(self) -> None:
        """A question ends with the task that asks it."""

    async def _pixels(self, item: Item) -> dict[str, int]:
        """The settings' pixels, which are of a frame as in the recipes, as a question has them: of a whole clip."""
        settings = self._benchmark.settings
        asked = {"min_pixels": settings.min_pixels, "max_pixels": settings.max_pixels}
        given = {name: pixels for name, pixels in asked.items() if pixels is not None}
        if not given or not item.media:
            return given
        facts = await DECODERS.beside(lambda: self._media.facts(item.media[0]))
        num_frames = 1
        if facts.type == "video":
            num_frames = settings.num_frames or round((facts.duration_s or 0) * (settings.fps or VIDEO_FPS))
        return {name: pixels * max(num_frames, 1) for name, pixels in given.items()}
