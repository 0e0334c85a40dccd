"""A reasoner votes: asked from both ends, and what it says from only one of them counts as a tie."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import structlog

from backend.arena.pairing import Match, Wish, left_of
from backend.arena.reasoners import Reasoners
from backend.arena.service import ArenaService
from backend.media import MediaStore
from studio.arena import AskJudge, Pair, Side, Vote, axes_of
from studio.arena.judging import Judgement, answers_question, both_ways, pair_question, read_judgement
from studio.errors import PairNotFound
from studio.evaluation.judge import ask_until_usable

log = structlog.get_logger("orrery.arena")


class Judge:
    """Votes by reasoners."""

    def __init__(self, arena: ArenaService, reasoners: Reasoners, store: MediaStore) -> None:
        self._arena = arena
        self._reasoners = reasoners
        self._store = store

    async def vote(self, asked: AskJudge) -> Vote:
        """Let a reasoner vote on a pair, and keep what it says.

        Raises:
            BadInput, TooLarge: there is no such reasoner, or it refuses the question.
            PairNotFound: there is no such pair, or none left for it.
            MediaNotFound: a file of it is gone.
            Conflict: its checkpoint is not loaded, or it has voted otherwise.
            Busy, ServerUnreachable: it cannot be asked now.
            EngineError: no answer came that can be used.
        """
        self._reasoners.check(asked.judge, "judge")
        match = await self._match(asked)
        left = left_of(match, "reasoner", asked.judge)
        right = match.second if left == match.first else match.first
        first = await self._judgement(asked.judge, match, left, right)
        second = await self._judgement(asked.judge, match, right, left)
        choices = both_ways(first, second)
        return await self._arena.keep(match, left, choices, "reasoner", asked.judge, first.reason)

    async def _match(self, asked: AskJudge) -> Match:
        if asked.pair is not None:
            return await self._arena.match(asked.pair)
        dealt = await self._arena.next_pair(Wish(contest=asked.contest), asked.judge, "reasoner")
        if dealt.pair is None:
            raise PairNotFound(
                f"{asked.judge} has voted on all pairs.",
                param="pair",
                hint="Run the same request on another checkpoint, or with one field changed.",
            )
        return await self._arena.match(dealt.pair.id)

    async def _judgement(self, judge: str, match: Match, first: str, second: str) -> Judgement:
        axes = axes_of(match.kind, sound=match.sound)
        if match.kind == "answer":
            texts = await self._texts(match)
            files = self._files(match.given)
            async with self._reasoners.asking(judge, files) as asking:
                question = answers_question(match.words, axes, texts[first], texts[second], *asking.parts)
                return await ask_until_usable(asking.ask, question, lambda text: read_judgement(text, axes))
        async with self._reasoners.asking(judge, self._files((first, second))) as asking:
            one, other = asking.parts
            question = pair_question(match.words, axes, one, other)
            return await ask_until_usable(asking.ask, question, lambda text: read_judgement(text, axes))

    async def _texts(self, match: Match) -> Mapping[str, str]:
        pair: Pair = await self._arena.pair(match.id, "")
        sides: tuple[Side, Side] = (pair.left, pair.right)
        return {side.id: side.text or "" for side in sides}

    def _files(self, ids: tuple[str, ...]) -> dict[str, Path]:
        return {own: self._store.file(own) for own in ids}
