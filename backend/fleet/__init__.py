"""The engines side by side: which checkpoints they hold, which comes next, which leaves for it."""

from backend.fleet.fleet import Fleet
from backend.fleet.roster import EngineGroup

__all__ = ["EngineGroup", "Fleet"]
