"""Frames that are too many for memory go to disk, where no file of theirs can be seen."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from backend.media import MediaStore
from backend.media.frame_array import let_go
from studio.errors import DiskFull


@pytest.mark.parametrize("on_disk", [False, True])
def test_frames_come_back_as_they_were_put(tmp_path: Path, on_disk: bool):
    frames = MediaStore(tmp_path).frame_array((3, 4, 5, 3), on_disk=on_disk)
    frames[:] = np.arange(3)[:, None, None, None]

    let_go(frames)

    assert isinstance(frames, np.memmap) == on_disk
    assert frames[[2, 0]].mean(axis=(1, 2, 3)).tolist() == [2, 0]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_disk_without_room_says_so_before_a_frame_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", refuse)

    with pytest.raises(DiskFull):
        MediaStore(tmp_path).frame_array((3, 4, 5, 3), on_disk=True)
