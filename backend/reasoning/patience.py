"""Asking somebody who may be busy, on the way to an engine, or whose worker dies meanwhile: again, after a while."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence

from studio.errors import Busy, EngineLost
from studio.prompting import Ask, Question

BUSY_PAUSES_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Between askings of somebody who is asked too often: a minute in all. While a checkpoint is still on its way to an
engine, as after a restart, the last one is repeated."""
MAX_LOST = 5
"""Workers that may die while one question is open. A job has two; but many questions are open at once, and any of them,
or a job beside them, may be what the worker died of."""

COMING = ("waiting", "preparing", "loading", "lost")
"""States of a checkpoint that will answer, or will fail and say why."""


class Patient:
    """`Ask` with patience.

    Args:
        ask: who answers.
        pauses_s: between askings.
        is_coming: whether they are only not ready yet.
        bring: sees to it that they are there, before every question: another checkpoint may have had their place.
    """

    def __init__(
        self,
        ask: Ask,
        *,
        pauses_s: Sequence[float] = BUSY_PAUSES_S,
        is_coming: Callable[[], bool] = lambda: False,
        bring: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._ask = ask
        self._pauses_s = pauses_s
        self._is_coming = is_coming
        self._bring = bring

    async def __call__(self, question: Question, /) -> str:
        """The answer, once they have time for it.

        Raises:
            Busy: that takes too long.
            EngineLost: worker after worker died meanwhile.
            StudioError: whatever else is said against it.
        """
        num_lost = 0
        for pause_s in itertools.chain(self._pauses_s, itertools.repeat(self._pauses_s[-1])):
            try:
                if self._bring is not None:
                    await self._bring()
                return await self._ask(question)
            except Busy:
                if pause_s == self._pauses_s[-1] and not self._is_coming():
                    raise
            except EngineLost:
                num_lost += 1
                if num_lost == MAX_LOST:
                    raise
            await asyncio.sleep(pause_s)
        raise AssertionError("the pauses never end")
