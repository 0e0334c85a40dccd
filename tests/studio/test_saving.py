from __future__ import annotations

import errno
import os

import pytest

from studio.errors import DiskFull, StorageError, Unexpected
from studio.saving import save_whole

pytestmark = pytest.mark.anyio


async def _chunks(*chunks: bytes, then: BaseException | None = None):
    for chunk in chunks:
        yield chunk
    if then is not None:
        raise then


async def test_a_file_is_replaced_only_by_a_whole_one(tmp_path):
    path = tmp_path / "out.png"
    await save_whole(path, _chunks(b"one", b"two"))
    with pytest.raises(Unexpected):
        await save_whole(path, _chunks(b"half", then=Unexpected("cut")))
    assert path.read_bytes() == b"onetwo"
    assert list(tmp_path.iterdir()) == [path]


async def test_a_full_disk_is_said_to_be_full(tmp_path):
    with pytest.raises(DiskFull, match="No space left"):
        await save_whole(tmp_path / "out.png", _chunks(then=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    assert list(tmp_path.iterdir()) == []


async def test_a_folder_that_is_missing_or_a_folder_in_the_way_is_named(tmp_path):
    (tmp_path / "folder.png").mkdir()
    for path in (tmp_path / "missing" / "out.png", tmp_path / "folder.png"):
        with pytest.raises(StorageError, match=path.name):
            await save_whole(path, _chunks(b"x"))
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


async def test_a_saved_file_has_the_permissions_of_any_other(tmp_path):
    old = os.umask(0o022)
    try:
        await save_whole(tmp_path / "out.png", _chunks(b"x"))
    finally:
        os.umask(old)
    assert (tmp_path / "out.png").stat().st_mode & 0o777 == 0o644
