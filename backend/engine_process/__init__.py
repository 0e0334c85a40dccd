"""The worker seen from the server: a process, and a pipe of messages."""

from backend.engine_process.process import EngineProcess, Spreading, WorkerLost

__all__ = ["EngineProcess", "Spreading", "WorkerLost"]
