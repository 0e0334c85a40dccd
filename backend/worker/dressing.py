"""The adapter that the engine wears for what comes next, by the name that people know it by."""

from __future__ import annotations

from backend.checkpoints.adapters import AdapterFolder
from engine import Engine
from studio.errors import StudioError, rebuild
from studio.requests import Adapter


def dress(engine: Engine, rack: AdapterFolder, adapter: Adapter | None) -> None:
    """Put it on; none takes off what is worn. Cheap when nothing changes.

    Raises:
        BadInput, BrokenCheckpoint, OutOfMemory: as `Engine.wear`.
    """
    if adapter is None:
        engine.wear(None)
        return
    path = rack.path(adapter.name)
    try:
        engine.wear(path, adapter.scale)
    except StudioError as error:
        # Who asks knows adapters by their names, and not where they lie.
        message = error.message.replace(f"{path.parent}/", "")
        raise rebuild(error.code, message, error.param, error.hint) from None
