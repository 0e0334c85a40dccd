"""The services of benchmarks and runs over one database, with scripted reasoners."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from backend.database import Database
from backend.evaluation import (
    BenchmarkService,
    CorrectionService,
    JudgingService,
    QuestionDraftService,
    RunService,
    RunStore,
)
from backend.media import MediaStore
from scripted_reasoners import CATALOGUE, Said, ScriptedReasoners, words_of
from studio.errors import BadInput
from studio.evaluation.runs import EvaluationRun
from studio.library import ItemsChange

COLOURS = ("red", "blue", "green", "red", "blue", "red")
CHOICES = {"A": "red", "B": "blue", "C": "green"}
LETTERS = {text: letter for letter, text in CHOICES.items()}


def colours(num: int = len(COLOURS), **fields: Any) -> dict[str, Any]:
    """A benchmark whose questions name their answer."""
    items = [
        {
            "id": f"cube-{number}",
            "question": f"The cube is {colour}. Which colour is it?",
            "choices": CHOICES,
            "reference": LETTERS[colour],
            "category": "warm" if colour == "red" else "cold",
        }
        for number, colour in enumerate(COLOURS[:num])
    ]
    return {"name": "colours", "form": "choice", "items": items, **fields}


def reads(question: Any) -> str:
    """Answers what the question says."""
    words = words_of(question)
    return next(f"<answer>{letter}</answer>" for text, letter in LETTERS.items() if f"is {text}." in words)


def always_a(_: Any) -> str:
    return "A"


class Adapters:
    def path(self, name: str) -> Path:
        if name != "grasp@100":
            raise BadInput(f"There is no adapter {name}.", param="adapter.name")
        return Path(name)


class Studio:
    """The services over one database, with scripted reasoners unless others are given."""

    def __init__(
        self, database: Database, folder: Path, generators: object = None, others: object = None, **said: Said
    ) -> None:
        self.reasoners = ScriptedReasoners(**said)
        self.store = RunStore(database)
        self.changes = 0
        self.tagged: list[ItemsChange] = []
        self.media = media = MediaStore(folder / "media")
        self.benchmarks = BenchmarkService(database, media, self._changed)
        reasoners = cast(Any, others or self.reasoners)
        self.judging = JudgingService(self.store, reasoners, self._changed)
        self.questions = QuestionDraftService(
            database=database,
            runs=self.store,
            benchmarks=self.benchmarks,
            reasoners=reasoners,
            catalogue=cast(Any, CATALOGUE),
            media=media,
            changed=self._changed,
        )
        self.runs = RunService(
            benchmarks=self.benchmarks,
            store=self.store,
            reasoners=reasoners,
            generators=cast(Any, generators),
            catalogue=cast(Any, CATALOGUE),
            adapters=cast(Any, Adapters()),
            media=media,
            judging=self.judging,
            questions=self.questions,
            changed=self._changed,
        )
        self.corrections = CorrectionService(self.store, media, self._tag, self._changed)

    async def _tag(self, change: ItemsChange) -> None:
        self.tagged.append(change)

    def _changed(self) -> None:
        self.changes += 1

    async def ended(self, run_id: str) -> EvaluationRun:
        """A run once nothing asks any more."""
        while (run := await self.runs.get(run_id)).state == "running":
            await asyncio.sleep(0.005)
        return run


@asynccontextmanager
async def studio(
    database: Database, folder: Path, generators: object = None, others: object = None, **said: Said
) -> AsyncGenerator[Studio]:
    own = Studio(database, folder, generators, others, **said)
    await own.runs.open()
    try:
        yield own
    finally:
        await own.runs.close()
        await own.judging.close()
        await own.questions.close()
