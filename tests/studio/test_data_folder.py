from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from studio.data_folder import DataFolder, Hold, find_holder
from studio.errors import DataFolderBusy, DataFolderDenied, DiskFull

HOLD = """
import sys
from pathlib import Path
from studio.data_folder import DataFolder, Hold
hold = Hold(DataFolder(Path(sys.argv[1])))
hold.announce(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path):
    folder = DataFolder(tmp_path / "data")
    folder.prepare()
    return folder


@pytest.fixture
def other(folder):
    """Another process that holds the folder."""
    command = [sys.executable, "-c", HOLD, str(folder.root), "http://127.0.0.1:7"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_preparing_makes_every_folder_and_leaves_nothing_else(folder):
    folder.prepare()
    assert sorted(path.name for path in folder.root.iterdir()) == ["checkpoints", "media", "presets"]


def test_a_file_in_the_way_is_named(tmp_path):
    (tmp_path / "data").write_text("a file")
    for root in (tmp_path / "data", tmp_path / "data" / "below"):
        with pytest.raises(DataFolderDenied, match=r"data.* cannot be written.*--data or ORRERY_DATA"):
            DataFolder(root).prepare()


def test_a_place_where_nobody_may_write_is_named():
    with pytest.raises(DataFolderDenied, match="/proc/orrery cannot be written"):
        DataFolder(Path("/proc/orrery")).prepare()


def test_a_data_folder_is_its_owners_and_one_that_was_there_is_left(folder, tmp_path):
    assert stat.S_IMODE(folder.root.stat().st_mode) == 0o700
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    DataFolder(shared).prepare()
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755


@pytest.mark.parametrize("name", ["media", "checkpoints"])
def test_a_folder_inside_where_nobody_may_write_is_named(tmp_path, name):
    root = tmp_path / "data"
    root.mkdir()
    (root / name).symlink_to("/proc/self")
    with pytest.raises(DataFolderDenied, match=rf"data/{name} cannot be written"):
        DataFolder(root).prepare()


def test_a_full_disk_is_said_when_the_folder_is_taken(folder, monkeypatch):
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(DiskFull, match=r"server\.json cannot be written"):
        Hold(folder)


def test_a_full_disk_is_not_taken_for_a_want_of_permission(tmp_path, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "touch", full)
    with pytest.raises(DiskFull, match=r"the data folder .* cannot be written"):
        DataFolder(tmp_path).prepare()


def test_a_disk_that_fills_up_is_said_as_such(folder, monkeypatch):
    hold = Hold(folder)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(DiskFull, match="No space left"):
        hold.announce("http://127.0.0.1:8")
    hold.release()


def test_a_holder_file_that_cannot_be_opened_is_denied(folder):
    folder.holder.mkdir()
    with pytest.raises(DataFolderDenied, match="cannot be opened"):
        Hold(folder)


def test_a_second_process_is_told_who_holds_the_folder(folder, other):
    with pytest.raises(DataFolderBusy, match=f"in use by process {other.pid} at http://127.0.0.1:7"):
        Hold(folder)
    holder = find_holder(folder)
    assert holder is not None
    assert (holder.pid, holder.url) == (other.pid, "http://127.0.0.1:7")


def test_a_holder_that_is_killed_lets_go(folder, other):
    other.send_signal(signal.SIGKILL)
    other.wait(60)
    assert find_holder(folder) is None
    Hold(folder).release()


def test_nobody_holds_a_folder_that_is_free_released_or_not_there(folder, tmp_path):
    assert find_holder(folder) is None
    hold = Hold(folder)
    hold.announce("http://127.0.0.1:8")
    hold.release()
    assert find_holder(folder) is None
    assert find_holder(DataFolder(tmp_path / "missing"), wait_s=60) is None


def test_a_holder_that_is_starting_is_waited_for(folder):
    hold = Hold(folder)
    assert find_holder(folder) is None
    with pytest.raises(DataFolderBusy, match="at an address not yet known"):
        Hold(folder)
    announcing = threading.Timer(0.1, hold.announce, ["http://127.0.0.1:9"])
    announcing.start()
    holder = find_holder(folder, wait_s=60)
    announcing.join()
    assert holder is not None
    assert holder.url == "http://127.0.0.1:9"
    hold.release()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x", "url": 1}', "\xff"])
def test_a_garbled_holder_file_does_not_stop_anybody(folder, text):
    folder.holder.write_text(text, encoding="latin-1")
    assert find_holder(folder) is None
    Hold(folder).release()


def test_asking_who_holds_a_folder_never_keeps_a_server_from_starting(folder):
    folder.holder.touch()
    asking = threading.Event()

    def ask() -> None:
        while not asking.is_set():
            find_holder(folder)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        for _ in range(200):
            Hold(folder).release()
    finally:
        asking.set()
        thread.join(60)


def test_what_is_the_user_s_own_has_its_places_and_is_not_made(folder):
    assert folder.adapters == folder.root / "adapters"
    assert folder.tasks == folder.presets / "tasks"
    assert not folder.adapters.exists()
