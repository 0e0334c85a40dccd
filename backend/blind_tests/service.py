"""The verbs of `/v1/blind-tests`."""

from __future__ import annotations

import asyncio
import secrets
import zlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.arena.service import side_of
from backend.blind_tests.store import BlindTestStore
from backend.database.tables import ArtefactRow
from backend.media import MediaStore
from studio.arena.votes import Side
from studio.blind_tests import (
    AddBlindPair,
    BlindCard,
    BlindNext,
    BlindPair,
    BlindPairList,
    BlindScores,
    BlindTest,
    BlindTestList,
    BlindVerdict,
    CreateBlindTest,
    GiveVerdict,
    Judged,
    draw_up_blind,
    in_order,
)
from studio.errors import BadInput, Conflict, MediaNotFound, PairNotFound
from studio.requests import shown

log = structlog.get_logger("orrery.blind_tests")

MAX_TESTS = 10_000


class BlindTestService:
    """The blind tests of this server.

    Args:
        changed: called after every change of any of them.
    """

    def __init__(self, store: BlindTestStore, media: MediaStore, changed: Callable[[], None]) -> None:
        self._store = store
        self._media = media
        self._changed = changed

    async def create(self, asked: CreateBlindTest) -> BlindTest:
        """Write a test down; its pairs come one by one."""
        test = BlindTest(
            title=asked.title or "Blind test",
            policies=asked.policies,
            seed=asked.seed,
            id=secrets.token_hex(6),
            created_at=datetime.now(UTC),
        )
        await self._store.add(test)
        log.info("blind_test_created", test_id=test.id)
        self._changed()
        return test

    async def get(self, test_id: str) -> BlindTest:
        """A test as it is now. Raises StudyNotFound."""
        return await self._store.get(test_id)

    async def listing(self, limit: int) -> BlindTestList:
        """The newest ones, newest first."""
        return BlindTestList(tests=await self._store.listing(limit))

    async def remove(self, test_id: str) -> None:
        """Forget a test with its verdicts; its videos stay. Raises StudyNotFound."""
        await self._store.get(test_id)
        await self._store.remove(test_id)
        self._changed()

    async def add_pair(self, test_id: str, asked: AddBlindPair) -> BlindPair:
        """Keep what both policies did at a task; the same again is that one.

        Raises:
            StudyNotFound: there is no such test.
            BadInput: the episodes are not of its two policies, or a file is no video.
            MediaNotFound: a video is not in the library.
            Conflict: the task has other episodes already.
        """
        test = await self._store.get(test_id)
        given = [episode.policy for episode in asked.episodes]
        if sorted(given) != sorted(test.policies):
            raise BadInput(
                f"episodes are of {shown(given)}; expected one of each of {', '.join(sorted(test.policies))}.",
                param="episodes",
            )
        for place, episode in enumerate(asked.episodes):
            found = await self._rows(episode.videos)
            for name in episode.videos:
                if name not in found:
                    raise MediaNotFound(
                        f"There is no item {shown(name)} in the library.",
                        param=f"episodes.{place}.videos",
                        hint="Upload it first: POST /v1/media.",
                    )
                if found[name].type != "video":
                    raise BadInput(f"{name} is of type {found[name].type}; expected a video.", param="episodes")
        kept = await self._store.keep_pair(test_id, asked)
        if _by_policy(kept) != _by_policy(asked):
            raise Conflict(
                f"The task {shown(asked.id)} has other episodes already.", param="id", hint="Name the task differently."
            )
        self._changed()
        return kept

    async def pairs(self, test_id: str) -> BlindPairList:
        """All pairs, with their policies. Raises StudyNotFound."""
        await self._store.get(test_id)
        return BlindPairList(pairs=tuple(await self._store.pairs(test_id)))

    async def next(self, test_id: str, rater: str) -> BlindNext:
        """What a person judges next. Pairs that miss a video are not shown. Raises StudyNotFound."""
        test, pairs = await self._store.get(test_id), await self._store.pairs(test_id)
        own = [verdict for verdict in await self._store.verdicts(test_id) if verdict.rater == rater]
        judged = {verdict.pair for verdict in own}
        left = [pair for pair in pairs if pair.number not in judged]
        sides = await self._sides(name for pair in left for episode in pair.episodes for name in episode.videos)
        left = [pair for pair in left if all(set(episode.videos) <= set(sides) for episode in pair.episodes)]
        card = None
        if left:
            # An order of each rater's own, so that nobody's tired verdicts are all of the same tasks.
            shown_now = min(left, key=lambda pair: zlib.crc32(f"{test.id} {rater} {pair.number}".encode()))
            first, second = (tuple(sides[name] for name in each.videos) for each in in_order(test, shown_now))
            card = BlindCard(pair=shown_now.number, task=shown_now.task, sides=(first, second))
        return BlindNext(card=card, num_left=len(left), num_done=len(own), last=own[-1] if own else None)

    async def judge(self, test_id: str, said: GiveVerdict) -> BlindVerdict:
        """Keep a verdict; the same one again is that one.

        Raises:
            StudyNotFound, PairNotFound: there is no such test, or no such pair in it.
            Conflict: the rater has judged otherwise.
        """
        await self._store.get(test_id)
        if all(pair.number != said.pair for pair in await self._store.pairs(test_id)):
            raise PairNotFound(f"The blind test has no pair {said.pair}.", param="pair")
        verdict = BlindVerdict(**said.model_dump(), id=secrets.token_hex(6), created_at=datetime.now(UTC))
        kept = await self._store.keep_verdict(test_id, verdict)
        if (kept.better, kept.progress) != (said.better, said.progress):
            raise Conflict(
                f"{shown(said.rater)} has judged this pair already.",
                param="pair",
                hint=f"DELETE /v1/blind-tests/{test_id}/verdicts/{kept.id} withdraws that verdict.",
            )
        self._changed()
        return kept

    async def undo(self, test_id: str, verdict_id: str) -> BlindVerdict:
        """Take a verdict back. Raises StudyNotFound, VoteNotFound."""
        await self._store.get(test_id)
        gone = await self._store.remove_verdict(test_id, verdict_id)
        self._changed()
        return gone

    async def scores(self, test_id: str | None) -> BlindScores:
        """What the verdicts of a test come to, or those of all. Raises StudyNotFound."""
        tests = await self._store.listing(MAX_TESTS) if test_id is None else (await self._store.get(test_id),)
        judged: list[Judged] = []
        pairs: list[BlindPair] = []
        for test in tests:
            own = {pair.number: pair for pair in await self._store.pairs(test.id)}
            pairs += own.values()
            judged += [(test, own[verdict.pair], verdict) for verdict in await self._store.verdicts(test.id)]
        return await asyncio.to_thread(draw_up_blind, judged, pairs)

    async def _rows(self, ids: Iterable[str]) -> dict[str, ArtefactRow]:
        def look(session: Session) -> dict[str, ArtefactRow]:
            rows = list(session.scalars(select(ArtefactRow).where(ArtefactRow.id.in_(list(ids)), ~ArtefactRow.erasing)))
            session.expunge_all()
            return {row.id: row for row in rows}

        return await self._store.database.look(look)

    async def _sides(self, ids: Iterable[str]) -> dict[str, Side]:
        """Videos whose file is there."""
        rows = await self._rows(dict.fromkeys(ids))
        return {name: side_of(row) for name, row in rows.items() if self._media.holds(name, row.reference["mime"])}


def _by_policy(pair: AddBlindPair) -> dict[str, tuple[str, ...]]:
    return {episode.policy: episode.videos for episode in pair.episodes}
