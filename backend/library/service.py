"""The verbs of `/v1/library`: what a route calls, and nothing a route need know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import structlog
from sqlalchemy.orm import Session

from backend.broadcast import LibraryNews
from backend.database import Database
from backend.library.changes import change_item, change_items, restore_items, trash_items
from backend.library.erasing import condemn, condemn_all, erase_some
from backend.library.finding import facets_of, find, stacks_of, usage_of
from backend.library.items import (
    carried_request,
    find_artefact,
    item_of,
    items_of,
    led_to,
    made_from,
    request_of,
    siblings,
)
from backend.library.reserve import DiskReserve
from backend.media import DECODERS, MediaStore
from studio.errors import StorageError
from studio.library import (
    ErasedItems,
    ItemChange,
    ItemsChange,
    LibraryDetail,
    LibraryFacets,
    LibraryItem,
    LibraryPage,
    LibraryQuery,
)

T = TypeVar("T")

log = structlog.get_logger("orrery.library")


class LibraryService:
    """Artefacts as people find, change and remove them.

    Args:
        folder: where the media lie.
        quota_bytes: what they may take, or none.
        wake: called when there may be room again for what waits.
        reserve: lets the trash be used on a full disk.
    """

    def __init__(
        self,
        *,
        database: Database,
        store: MediaStore,
        news: LibraryNews,
        folder: Path,
        quota_bytes: int | None,
        wake: Callable[[], None],
        reserve: DiskReserve,
    ) -> None:
        self._database = database
        self._store = store
        self._news = news
        self._folder = folder
        self._quota_bytes = quota_bytes
        self._wake = wake
        self._reserve = reserve
        self._facets: tuple[int, LibraryFacets] = (-1, LibraryFacets())

    async def search(self, query: LibraryQuery) -> LibraryPage:
        """One page of what a query finds. Raises BadInput."""
        revision = self._news.revision

        def look(session: Session) -> LibraryPage:
            rows, total, cursor = find(session, query)
            if self._facets[0] != revision:
                self._facets = (revision, facets_of(session))
            return LibraryPage(
                items=items_of(rows, self._store, stacks_of(session, query, rows)),
                total=total,
                next_cursor=cursor,
                usage=usage_of(session, self._quota_bytes, self._folder),
                facets=self._facets[1],
            )

        return await self._database.look(look)

    async def item(self, media_id: str) -> LibraryDetail:
        """An item with its recipe and its relatives. Raises MediaNotFound."""

        def look(session: Session) -> LibraryDetail:
            row = find_artefact(session, media_id)
            return LibraryDetail(
                **item_of(row, self._store).model_dump(),
                request=request_of(session, row) if row.job_id else None,
                made_from=items_of(made_from(session, row), self._store),
                led_to=items_of(led_to(session, row), self._store),
                siblings=items_of(siblings(session, row), self._store),
            )

        detail = await self._database.look(look)
        if detail.job_id is not None:
            return detail
        carried = await DECODERS.beside(partial(carried_request, self._store, media_id))
        return detail.model_copy(update={"request": carried})

    async def change(self, media_id: str, change: ItemChange) -> LibraryItem:
        """Star, tag or name one item. Raises MediaNotFound."""
        return await self._write(lambda session: item_of(change_item(session, media_id, change), self._store))

    async def change_many(self, change: ItemsChange) -> Sequence[str]:
        """Star or tag items; answers those that there are. Raises BadInput."""
        return await self._write(lambda session: change_items(session, change))

    async def trash(self, ids: Sequence[str]) -> Sequence[str]:
        """Into the trash; answers those that were not in it."""
        return await self._let_go(lambda session: trash_items(session, ids))

    async def restore(self, ids: Sequence[str]) -> Sequence[str]:
        """Out of the trash; answers those that were in it."""
        return await self._write(lambda session: restore_items(session, ids))

    async def erase(self, ids: Sequence[str] | None) -> ErasedItems:
        """Remove what is in the trash for good: these, or all of it.

        Raises:
            Conflict: a job that has not ended needs one of them.
        """
        await self._let_go(lambda session: condemn(session, ids))
        return await self.finish_erasing()

    async def condemn_all(self) -> None:
        """Everything is to be removed for good.

        Raises:
            Conflict: a job has not ended.
        """
        await self._let_go(condemn_all)

    async def finish_erasing(self) -> ErasedItems:
        """Remove what was condemned, also by a server that was killed over it."""
        num_items, freed_bytes, kept = 0, 0, list[str]()
        jobs: set[str] = set()
        while True:
            erase = partial(erase_some, self._database, self._store, tuple(kept))
            some = await self._database.alone(partial(self._reserve.spend, erase))
            num_items, freed_bytes = num_items + len(some.gone), freed_bytes + some.freed_bytes
            kept += some.held
            jobs |= some.jobs
            if not some.gone and not some.held:
                break
        if num_items:
            self._news.changed(of_jobs=bool(jobs))
            self._wake()
        return ErasedItems(num_items=num_items, freed_bytes=freed_bytes)

    async def open(self) -> None:
        """At start: finish what a kill has interrupted, and look once.

        The first look counts the facets and makes the statements, a third of a second that nobody should wait for.
        """
        try:
            await self.finish_erasing()
            await self.search(LibraryQuery(q="first"))
            await self.search(LibraryQuery())
        except StorageError as error:  # the next start tries again
            log.error("library_not_opened", code=error.code, message=error.message)

    async def _write(self, act: Callable[[Session], T]) -> T:
        done = await self._database.write(act)
        self._news.changed()
        return done

    async def _let_go(self, act: Callable[[Session], T]) -> T:
        """`_write`, of what makes room: also where there is none."""

        def written() -> T:
            with self._database.transaction() as session:
                return act(session)

        done = await self._database.alone(partial(self._reserve.spend, written))
        self._news.changed()
        return done
