"""Reasoners that answer out of a script, in place of checkpoints and endpoints."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from backend.arena.reasoners import Asking
from studio.arena import Reasoner
from studio.errors import BadInput
from studio.prompting import Question, VideoUrl

Said = Callable[[Question], str]


class ScriptedReasoners:
    """`Reasoners` with a function for each name; one that raises is one that cannot answer.

    Attributes:
        asked: every question so far, with who was asked.
        gate: while it is cleared nobody answers.
    """

    def __init__(self, **said: Said) -> None:
        self._said = said
        self.asked: list[tuple[str, Question]] = []
        self.gate = asyncio.Event()
        self.gate.set()

    def listing(self) -> tuple[Reasoner, ...]:
        return tuple(Reasoner(name=name, title=name.title(), endpoint=True, ready=True) for name in self._said)

    def check(self, name: str, param: str) -> None:
        if name not in self._said:
            raise BadInput(f"There is no reasoner '{name}'.", param=param)

    @asynccontextmanager
    async def asking(
        self, name: str, files: Mapping[str, Path], *, patient: bool = False, adapter: str | None = None
    ) -> AsyncGenerator[Asking]:
        assert patient
        assert adapter is None

        async def ask(question: Question, /) -> str:
            await self.gate.wait()
            self.asked.append((name, question))
            return self._said[name](question)

        yield Asking(ask, tuple(VideoUrl(url=f"media:{own}") for own in files))


def words_of(question: Question) -> str:
    """What the last message says."""
    part: Any = question.messages[-1].parts[-1]
    return str(part.text)


CATALOGUE = SimpleNamespace(active=SimpleNamespace(id="speck"))
