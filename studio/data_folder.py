"""Where everything lies in the data folder, and the file that says who holds it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path

from studio.errors import DataFolderBusy, DataFolderDenied, DiskFull, StorageError

MAX_HOLDER_CHARACTERS = 4096
"""Of `server.json`; whatever else stands in its place is not read to its end."""

_POLL_S = 0.05
_NUM_TRIES = 100
"""About half a second. Counted, because time goes by while a busy machine lets nobody try."""


@dataclass(frozen=True)
class DataFolder:
    """Paths below one root; nothing is made until `prepare`."""

    root: Path

    @property
    def database(self) -> Path:
        """The ledger of jobs."""
        return self.root / "orrery.db"

    @property
    def reserve(self) -> Path:
        """Room on the disk that is kept back, so that the trash can be used on a full one."""
        return self.root / "reserve"

    @property
    def media(self) -> Path:
        """What was made."""
        return self.root / "media"

    @property
    def checkpoints(self) -> Path:
        """Checkpoints that are built here."""
        return self.root / "checkpoints"

    @property
    def adapters(self) -> Path:
        """The user's LoRA adapters, which requests name; it is only read, and need not be there."""
        return self.root / "adapters"

    @property
    def datasets(self) -> Path:
        """Data sets that were sent here, a folder each; made with the first of them."""
        return self.root / "datasets"

    @property
    def recordings(self) -> Path:
        """What the robot beside the server has recorded, as one LeRobot data set."""
        return self.root / "recordings"

    @property
    def tunings(self) -> Path:
        """A folder for each post-training: its state, saves and samples; made with the first of them."""
        return self.root / "tunings"

    @property
    def latents(self) -> Path:
        """Encoded clips, which post-trainings share; whatever is missing is encoded again."""
        return self.root / "latents"

    @property
    def tasks(self) -> Path:
        """The user's own reasoner tasks, which win over the shipped ones; likewise."""
        return self.presets / "tasks"

    @property
    def templates(self) -> Path:
        """The user's own prompt templates, which win over the shipped ones."""
        return self.presets / "templates"

    @property
    def presets(self) -> Path:
        """The user's own presets, which win over the shipped ones."""
        return self.root / "presets"

    @property
    def reasoners(self) -> Path:
        """OpenAI-compatible reasoners by name, which the arena may ask; it is only read, and need not be there."""
        return self.root / "reasoners.toml"

    @property
    def form_presets(self) -> Path:
        """Values of forms that were saved under a name; made with the first of them."""
        return self.root / "form-presets"

    @property
    def active_checkpoint(self) -> Path:
        """The name of the checkpoint that was the active one last."""
        return self.root / "active-checkpoint"

    @property
    def holder(self) -> Path:
        """Who holds the folder, under the lock that says so."""
        return self.root / "server.json"

    def prepare(self) -> None:
        """Make the folders, for their owner only, because prompts and pictures are nobody else's.

        Raises:
            DataFolderDenied: something is in the way, or writing is not permitted.
            DiskFull: there is no room.
        """
        for folder in (self.root, self.media, self.checkpoints, self.presets):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                if folder != self.presets:  # which is only read
                    probe = folder / f".write-{os.getpid()}"
                    probe.touch()
                    probe.unlink()
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise DiskFull(
                        f"The disk is full: the data folder {folder} cannot be written.",
                        param="data",
                        hint="Free some space, or set another folder with --data or ORRERY_DATA.",
                    ) from None
                raise DataFolderDenied(
                    f"The data folder {folder} cannot be written: {error.strerror or error}.",
                    param="data",
                    hint="Set another with --data or ORRERY_DATA, or fix its permissions.",
                ) from None


@dataclass(frozen=True)
class Holder:
    """The server that holds a data folder."""

    pid: int
    url: str


class Hold:
    """An exclusive hold on a data folder, for as long as this process lives (flock: the kernel lets go, not we).

    Raises:
        DataFolderBusy: another process has it.
        DataFolderDenied: the file that says so cannot be opened.
        DiskFull, StorageError: it cannot be written.
    """

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        try:
            self._file = os.open(folder.holder, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DataFolderDenied(
                f"{folder.holder} cannot be opened: {error.strerror or error}.",
                param="data",
                hint="Set another folder with --data or ORRERY_DATA, or fix its permissions.",
            ) from None
        if not _lock(self._file):
            os.close(self._file)
            held = _read(folder.holder)
            who = f"process {held.pid} at {held.url or 'an address not yet known'}" if held else "another process"
            raise DataFolderBusy(
                f"The data folder {folder.root} is in use by {who}.",
                param="data",
                hint="Stop that server, or use another folder with --data.",
            ) from None
        self.announce("")

    def announce(self, url: str) -> None:
        """Write down where this server answers, for `orrery generate` on the same folder to find.

        Raises:
            DiskFull, StorageError: it cannot be written.
        """
        try:
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, json.dumps({"pid": os.getpid(), "url": url}).encode(), 0)
        except OSError as error:
            kind = DiskFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else StorageError
            raise kind(
                f"{self._folder.holder} cannot be written: {error.strerror or error}.",
                param="data",
                hint="Free some space, or set another folder with --data or ORRERY_DATA.",
            ) from None

    def release(self) -> None:
        """Let go before the process ends."""
        os.ftruncate(self._file, 0)
        os.close(self._file)


def find_holder(folder: DataFolder, *, wait_s: float = 0.0) -> Holder | None:
    """The server that holds a folder now and answers requests, or none.

    Args:
        folder: the folder.
        wait_s: how long to wait for a server that holds it and is still starting.
    """
    deadline = time.monotonic() + wait_s
    while True:
        held = _held(folder)
        if held is None or held.url:
            return held
        if time.monotonic() >= deadline:
            return None
        time.sleep(_POLL_S)


def _held(folder: DataFolder) -> Holder | None:
    """Who holds the folder, with an empty URL before it has announced one."""
    try:
        probe = os.open(folder.holder, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(probe, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _read(folder.holder) or Holder(0, "")
    finally:
        os.close(probe)
    return None


def _lock(file: int) -> bool:
    """Take the lock. Tried again and again, because who asks for its holder has it shared for an instant."""
    for _ in range(_NUM_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            # Not in step with who asks again and again.
            time.sleep(random.uniform(0.001, 0.01))
        else:
            return True
    return False


def _read(path: Path) -> Holder | None:
    try:
        with path.open() as file:
            raw = json.loads(file.read(MAX_HOLDER_CHARACTERS))
        return Holder(int(raw["pid"]), str(raw["url"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
