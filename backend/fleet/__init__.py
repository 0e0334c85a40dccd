"""The engines side by side: which checkpoints they hold, which comes next, which leaves for it."""

from backend.fleet.engine_pool import EngineGroup
from backend.fleet.fleet import Fleet

__all__ = ["EngineGroup", "Fleet"]
