"""The engine of a worker: loaded, laid to sleep, woken."""

from __future__ import annotations

import errno
from collections.abc import Callable

from safetensors import SafetensorError

from backend.checkpoints.adapters import AdapterFolder
from backend.media.scratch import FULL
from backend.messages import CheckpointMoved, LoadCheckpoint
from backend.worker.server_pipe import ServerPipe
from engine import Engine
from engine.speck import build_speck
from studio.checkpoints import without_folder
from studio.errors import DiskFull, StorageError, StudioError, rebuild
from studio.requests import Adapter

LET_GO = "its memory is freed"


class EngineSlot:
    """Holds one engine at most.

    Args:
        load: as `Engine.load`.
    """

    def __init__(self, pipe: ServerPipe, load: Callable[..., Engine]) -> None:
        self._pipe = pipe
        self._load = load
        self._asleep: Engine | None = None
        self.engine: Engine | None = None

    def load(self, order: LoadCheckpoint) -> None:
        """Read the checkpoint, or wake it where it sleeps here.

        Raises:
            DiskFull, StorageError: it cannot be read or built.
            NotACheckpoint, BrokenCheckpoint, BadInput, OutOfMemory, EngineLost: see `Engine.load` and `Loader`.
        """
        try:
            if order.build and not (order.folder / "model_index.json").is_file():
                self._pipe.report(CheckpointMoved("preparing"))
                build_speck(order.folder)
            self._pipe.report(CheckpointMoved("loading"))
            if self._asleep is not None:
                self._asleep.wake()
                self.engine, self._asleep = self._asleep, None
            else:
                self.engine = self._load(order.folder, device=order.device)
            self._pipe.report(CheckpointMoved("ready", detail=self.engine.describe()))
        except SafetensorError as error:
            if f"os error {errno.ENOSPC}" not in str(error):  # its only word for what the system has said
                raise
            raise DiskFull(
                "The disk is full: the checkpoint cannot be built.", hint="Free some space, then load it again."
            ) from None
        except OSError as error:
            kind = DiskFull if error.errno in FULL else StorageError
            raise kind(f"The checkpoint cannot be read or built: {error.strerror}.", hint="Check the disk.") from None
        except StudioError as error:
            raise without_folder(error, order.folder) from None

    def sleep(self) -> None:
        """Move the weights to the host's memory; where they are there already, let everything go with this process."""
        assert self.engine is not None, "the server lays a ready worker to sleep"
        if not self.engine.can_sleep:
            self._pipe.report(CheckpointMoved("asleep", detail=LET_GO))
            self._pipe.end()
        self.engine.sleep()
        self.engine, self._asleep = None, self.engine
        self._pipe.report(CheckpointMoved("asleep", detail=f"{self._asleep.describe()} in host memory"))


def use_adapter(engine: Engine, adapters: AdapterFolder, adapter: Adapter | None) -> None:
    """Use it, or none. Cheap when nothing changes.

    Raises:
        BadInput, BrokenCheckpoint, OutOfMemory: as `Engine.use_adapter`.
    """
    if adapter is None:
        engine.use_adapter(None)
        return
    path = adapters.path(adapter.name)
    try:
        engine.use_adapter(path, adapter.scale)
    except StudioError as error:
        # Who asks knows adapters by their names, and not where they lie.
        message = error.message.replace(f"{path.parent}/", "")
        raise rebuild(error.code, message, error.param, error.hint) from None
