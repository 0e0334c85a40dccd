"""Room that is kept back: a full disk still lets things go."""

import asyncio
import io
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from backend.broadcast import Broadcast, LibraryNews
from backend.database import database, open_database
from backend.library.reserve import DiskReserve
from backend.library.service import LibraryService
from backend.library.uploads import Uploads
from backend.media import MediaStore
from room_on_disk import room_for
from sent_files import picture_bytes
from studio.errors import Conflict, DiskFull
from studio.library import ItemChange, LibraryQuery

FULL = DiskFull("The disk is full.")


def only_without(path: Path) -> Callable[[], str]:
    """Goes through once a file has gone."""

    def act() -> str:
        if path.exists():
            raise FULL
        return "done"

    return act


def test_a_reserve_has_its_size_and_is_taken_again_after_it_was_spent(tmp_path: Path):
    path = tmp_path / "reserve"
    reserve = DiskReserve(path, 3 * 2**18 + 5)
    reserve.fill()
    kept = path.read_bytes()
    assert len(kept) == 3 * 2**18 + 5
    assert len(set(kept)) == 256  # a file system that packs zeros has nothing to pack

    reserve.fill()
    assert path.read_bytes() == kept
    assert reserve.spend(only_without(path)) == "done"
    assert path.stat().st_size == len(kept)
    assert path.read_bytes() != kept


def test_on_a_full_disk_it_takes_what_there_is(tmp_path: Path):
    path = tmp_path / "reserve"
    with room_for(300_000):
        DiskReserve(path, 2**20).fill()
    assert path.stat().st_size == 300_000

    DiskReserve(path, 2**20).spend(lambda: None)
    assert path.stat().st_size == 2**20


def test_without_one_a_full_disk_is_told_and_other_errors_spend_nothing(tmp_path: Path):
    path = tmp_path / "reserve"
    reserve = DiskReserve(path, 1000)

    def full() -> None:
        raise FULL

    def refused() -> None:
        raise Conflict("Not now.")

    with pytest.raises(DiskFull):
        reserve.spend(full)
    kept = path.read_bytes()
    with pytest.raises(Conflict):
        reserve.spend(refused)
    assert path.read_bytes() == kept


class Lifting(DiskReserve):
    """Whose room is the limit that `room_for` has set."""

    def __init__(self, path: Path, limit: ExitStack) -> None:
        super().__init__(path, 1000)
        self.limit = limit

    def _let_go(self) -> bool:
        self.limit.close()
        return super()._let_go()


def test_the_trash_takes_things_and_is_emptied_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(database, "_FULL", (sqlite3.SQLITE_IOERR_WRITE,))  # of a limit; SQLITE_FULL of a disk

    async def run() -> None:
        opened, store, news = (
            open_database(tmp_path / "orrery.db"),
            MediaStore(tmp_path / "media"),
            LibraryNews(Broadcast()),
        )
        kept = await Uploads(opened, store, news, None).keep(io.BytesIO(picture_bytes()), "x.png")
        with ExitStack() as limit:
            reserve = Lifting(tmp_path / "reserve", limit)
            library = LibraryService(
                database=opened,
                store=store,
                news=news,
                folder=tmp_path / "media",
                quota_bytes=None,
                wake=lambda: None,
                reserve=reserve,
            )
            await library.open()
            for erases in (False, True):
                limit.enter_context(room_for((tmp_path / "orrery.db-wal").stat().st_size))
                with pytest.raises(DiskFull):
                    await library.change(kept.id, ItemChange(starred=True))
                if erases:
                    assert (await library.erase(None)).num_items == 1
                else:
                    assert await library.trash([kept.id]) == [kept.id]
            assert store.every_file(kept.id) == []
            assert (await library.search(LibraryQuery())).usage.num_items == 0
        opened.close()

    asyncio.run(run())
