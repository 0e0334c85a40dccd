"""The adapter that the engine uses for what comes next, by the name that people know it by."""

from __future__ import annotations

from backend.checkpoints.adapters import AdapterFolder
from engine import Engine
from studio.errors import StudioError, rebuild
from studio.requests import Adapter


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
