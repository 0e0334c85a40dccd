"""The worker seen from the server: a process, and a pipe of messages."""

from backend.engine_process.process import Connect, EngineProcess, Link, Spreading, WorkerLink, WorkerLost

__all__ = ["Connect", "EngineProcess", "Link", "Spreading", "WorkerLink", "WorkerLost"]
