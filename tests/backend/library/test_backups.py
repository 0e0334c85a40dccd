"""Exports, imports, and the end of everything: without a server, on data folders of their own."""

import asyncio
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.jobs.ledger import Accepted
from sent_files import picture_bytes
from shelves import CUBE, JOB, Shelf, export_of, rewritten, sent, shelf_at, with_sql
from studio.errors import BadInput, Conflict, DiskFull, QuotaExceeded, StudioError
from studio.jobs import JobState
from studio.library import ItemChange
from studio.requests import GenerateImage


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    with shelf_at(tmp_path / "one") as shelf:
        yield shelf


def test_an_export_comes_in_elsewhere_with_everything_that_was_said(shelf: Shelf, tmp_path: Path):
    async def act() -> str:
        upload = (await shelf.uploads.keep(io.BytesIO(picture_bytes(30, 20)), "drive.png")).id
        await shelf.library.change(
            result, ItemChange.model_validate({"starred": True, "tags": ["Été"], "title": "first"})
        )
        await shelf.library.trash([upload])
        return upload

    result = shelf.make()
    upload = asyncio.run(act())
    shelf.ledger.insert(Accepted("cccccccccccc", CUBE, "speck"))
    template = shelf.folder / "presets" / "templates" / "mine.toml"
    template.parent.mkdir(parents=True)
    template.write_text('analysis = "x"')
    content = export_of(shelf)

    with shelf_at(tmp_path / "two") as other:
        other.make("dddddddddddd")
        report = asyncio.run(other.backups.bring_in(sent(content)))
        assert (report.num_items, report.num_jobs, report.num_known_items, report.num_missing_items) == (2, 2, 0, 0)
        assert (report.num_own_files, report.num_known_own_files, report.num_refused_own_files) == (1, 0, 0)
        assert (other.folder / "presets" / "templates" / "mine.toml").read_text() == 'analysis = "x"'
        assert other.ids() == ["dddddddddddd-0", result]
        assert other.ids(q="ete first", starred=True) == [result]
        assert other.ids(trashed=True) == [upload]
        assert other.store.file(result).read_bytes() == shelf.store.file(result).read_bytes()
        assert other.store.thumbnail(result).is_file()
        assert other.ledger.get("cccccccccccc").state is JobState.CANCELLED
        assert [job.id for job in other.ledger.newest(10)] == ["dddddddddddd", "cccccccccccc", JOB]
        again = asyncio.run(other.backups.bring_in(sent(content)))
        assert (again.num_items, again.num_jobs, again.num_known_items, again.num_known_own_files) == (0, 0, 2, 1)
        assert not [name for name in other.files() if name.endswith(".part") or name.startswith("orrery")]


def test_an_export_unpacks_to_a_data_folder(shelf: Shelf, tmp_path: Path):
    result = shelf.make()
    with zipfile.ZipFile(io.BytesIO(export_of(shelf))) as archive:
        archive.extractall(tmp_path / "two")

    with shelf_at(tmp_path / "two") as other:
        assert other.ids() == [result]
        assert other.store.file(result).is_file()


def without(content: bytes, end: str) -> bytes:
    """The same zip without entries of a name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as came, zipfile.ZipFile(buffer, "w") as went:
        for info in came.infolist():
            if not info.filename.endswith(end):
                went.writestr(info.filename, came.read(info))
    return buffer.getvalue()


def test_an_item_whose_file_is_not_in_the_backup_stays_out(shelf: Shelf, tmp_path: Path):
    shelf.make()
    shelf.make("bbbbbbbbbbbb")

    with shelf_at(tmp_path / "two") as other:
        report = other.bring_in(without(export_of(shelf), f"{JOB}-0.png"))
        assert (report.num_items, report.num_missing_items) == (1, 1)
        assert other.ids() == ["bbbbbbbbbbbb-0"]
        assert not [name for name in other.files() if name.startswith(JOB)]
        report = other.bring_in(export_of(shelf))
        assert (report.num_known_items, report.num_missing_items) == (1, 0)


def with_entry(name: str) -> Callable[[bytes], bytes]:
    return lambda content: rewritten(content, lambda _, data: data, **{name: b"x"})


def bomb(content: bytes) -> bytes:
    buffer = io.BytesIO(content)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"media/{JOB[:2]}/{JOB}-1.png", b"\0" * 50_000_000)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda _: b"", id="nothing"),
        pytest.param(lambda _: b"PK\x03\x04 and more", id="no zip"),
        pytest.param(lambda content: content[: len(content) // 2], id="half"),
        pytest.param(with_entry("../../etc/passwd"), id="a path upwards"),
        pytest.param(with_entry("/etc/passwd"), id="a path from the root"),
        pytest.param(with_entry("media/01/../../x.png"), id="a path through"),
        pytest.param(with_entry("media\\01\\0123456789ab-1.png"), id="a path of Windows"),
        pytest.param(with_entry("media/01/evil.html"), id="a page"),
        pytest.param(with_entry("media/01/0123456789ab-1.svg"), id="a drawing"),
        pytest.param(with_entry("server.json"), id="another file"),
        pytest.param(with_entry("reasoners.toml"), id="somebody's keys"),
        pytest.param(with_entry("presets/../../x.toml"), id="a preset upwards"),
        pytest.param(bomb, id="a bomb"),
        pytest.param(lambda c: rewritten(c, lambda n, d: b"x" * 100 if n == "orrery.db" else d), id="no database"),
        pytest.param(with_sql("DROP TABLE alembic_version"), id="another database"),
        pytest.param(with_sql("UPDATE alembic_version SET version_num = '9999'"), id="of a later version"),
        pytest.param(with_sql("DROP TABLE jobs"), id="no jobs"),
    ],
)
def test_what_is_no_export_is_refused_and_leaves_nothing(shelf: Shelf, tmp_path: Path, spoil: Callable[[bytes], bytes]):
    shelf.make()
    content = spoil(export_of(shelf))

    with shelf_at(tmp_path / "two") as other:
        with pytest.raises(BadInput):
            asyncio.run(other.backups.bring_in(sent(content)))
        assert (other.ids(), other.files(), other.ledger.newest(9)) == ([], [], [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_an_import_that_fails_at_its_end_leaves_nothing(shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shelf.make()
    content = export_of(shelf)

    with shelf_at(tmp_path / "two") as other:
        with monkeypatch.context() as patched:
            patched.setattr(other.database, "in_turn", full)
            with pytest.raises(DiskFull):
                other.bring_in(content)
        assert (other.ids(), other.files(), other.ledger.newest(9)) == ([], [], [])
        assert other.bring_in(content).num_items == 1


def full(_: object) -> None:
    raise DiskFull("The disk is full.")


def test_an_item_that_was_deleted_here_comes_back_to_its_job(shelf: Shelf, tmp_path: Path):
    result = shelf.make()
    content = export_of(shelf)
    asyncio.run(shelf.library.trash([result]))
    asyncio.run(shelf.library.erase([result]))
    assert shelf.ledger.get(JOB).results[0].deleted

    report = shelf.bring_in(content)

    assert (report.num_items, report.num_jobs, shelf.ids()) == (1, 0, [result])
    assert not shelf.ledger.get(JOB).results[0].deleted


def test_an_export_that_does_not_fit_is_refused(shelf: Shelf, tmp_path: Path):
    shelf.make()

    with shelf_at(tmp_path / "two", quota_bytes=10) as other:
        with pytest.raises(StudioError) as refused:
            asyncio.run(other.backups.bring_in(sent(export_of(shelf))))
        assert refused.value.code in ("quota_exceeded", "disk_full")
        assert other.ids() == []


def test_an_upload_beyond_the_quota_is_refused_and_removed(tmp_path: Path):
    with shelf_at(tmp_path / "one", quota_bytes=10) as shelf:
        with pytest.raises(QuotaExceeded):
            asyncio.run(shelf.uploads.keep(io.BytesIO(picture_bytes(30, 20)), "x.png"))
        assert (shelf.ids(), shelf.files()) == ([], [])


def test_nothing_is_left_of_everything(shelf: Shelf):
    result = shelf.make()
    asyncio.run(shelf.uploads.keep(io.BytesIO(picture_bytes(30, 20)), "secret-name.png"))
    shutil.copy(shelf.store.file(result), shelf.store.file(result).with_name("ffffffffffff-0.png"))
    shelf.ledger.insert(Accepted("cccccccccccc", CUBE, "speck"))
    with pytest.raises(Conflict, match="cccccccccccc"):
        asyncio.run(shelf.backups.erase_everything())
    assert len(shelf.ids()) == 2
    shelf.ledger.cancel("cccccccccccc")

    erased = asyncio.run(shelf.backups.erase_everything())

    assert (erased.num_items, erased.num_jobs) == (2, 2)
    assert (shelf.ids(), shelf.files(), shelf.ledger.newest(9)) == ([], [], [])
    shelf.database.close()
    everything = b"".join(path.read_bytes() for path in shelf.folder.glob("orrery.db*"))
    assert b"red cube" not in everything
    assert b"secret" not in everything


def test_an_archive_of_nothing_is_refused(shelf: Shelf):
    with pytest.raises(StudioError, match="None of these"):
        asyncio.run(shelf.backups.archive(["u0000000000000000"]))


def test_a_recipe_in_an_archive_makes_the_same_again(shelf: Shelf):
    result = shelf.make()

    with zipfile.ZipFile(io.BytesIO(b"".join(asyncio.run(shelf.backups.archive([result]))))) as archive:
        recipe = json.loads(archive.read(f"{result}.recipe.json"))

    assert GenerateImage.model_validate(recipe) == CUBE.model_copy(update={"checkpoint": "speck"})
