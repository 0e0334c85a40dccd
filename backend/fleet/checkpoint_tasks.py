"""What is done to a checkpoint on the disk, each in a process of its own: fetching it, accounting for its tensors."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import structlog

from backend.checkpoints.catalogue import CheckpointCatalogue
from studio.errors import BadInput, BrokenCheckpoint, Conflict, Unexpected
from studio.events import CheckpointTask
from studio.jobs import Failure
from studio.pulling import arguments

log = structlog.get_logger("orrery.checkpoint_tasks")

PULL = (sys.executable, "-P", "-m", "studio.pulling")
VERIFY = (sys.executable, "-P", "-m", "engine.verify", "--")


class CheckpointTasks:
    """One task at a time for each checkpoint.

    Args:
        on_change: told after every step of any of them.
    """

    def __init__(self, catalogue: CheckpointCatalogue, on_change: Callable[[], None]) -> None:
        self._catalogue = catalogue
        self._on_change = on_change
        self._running: dict[str, asyncio.Task[None]] = {}
        self.listing: dict[str, CheckpointTask] = {}

    def pull(self, name: str) -> CheckpointTask:
        """Fetch a checkpoint from the hub, from where it was left off.

        Raises:
            CheckpointNotFound: the name is unknown.
            BadInput: it is not on the hub.
            Conflict: it has a task already.
        """
        preset = self._catalogue.named(name).preset
        if not preset.repository:
            raise BadInput(
                f"{name} cannot be downloaded: it ships with the studio, is built locally, or is a folder.",
                param="checkpoint",
            )
        # The server itself never asks the network; this process was asked to.
        environment = {**os.environ, "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
        return self._begin(name, CheckpointTask(what="pull", state="running"), [*PULL, *arguments(preset)], environment)

    def verify(self, name: str) -> CheckpointTask:
        """Account for every tensor of a checkpoint.

        Raises:
            CheckpointNotFound: the name is unknown.
            Conflict: it is not on this machine, or has a task already.
        """
        found = self._catalogue.named(name)
        if not found.installed or found.folder is None:
            raise Conflict(f"{name} is not on this machine.", param="checkpoint", hint=found.way_here)
        command = [*VERIFY, str(found.folder)]
        return self._begin(name, CheckpointTask(what="verify", state="running"), command, dict(os.environ))

    async def cancel(self, name: str) -> CheckpointTask:
        """Stop fetching; what has come stays. Raises Conflict when nothing is being done."""
        task = self._running.get(name)
        if task is None:
            raise Conflict(f"No task is running for {name}.", param="checkpoint")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return self.listing[name]

    def as_json(self) -> dict[str, Any]:
        """Every checkpoint's last task."""
        return {name: task.model_dump(mode="json") for name, task in self.listing.items()}

    async def close(self) -> None:
        """Stop everything."""
        for name in list(self._running):
            with suppress(Conflict):
                await self.cancel(name)

    def _begin(
        self, name: str, task: CheckpointTask, command: list[str], environment: dict[str, str]
    ) -> CheckpointTask:
        if name in self._running:
            raise Conflict(f"{name} is being {self.listing[name].what}ed already.", param="checkpoint")
        self._say(name, task)
        running = self._running[name] = asyncio.create_task(self._run(name, task, command, environment))
        running.add_done_callback(lambda _: self._running.pop(name, None))
        return task

    async def _run(self, name: str, task: CheckpointTask, command: list[str], environment: dict[str, str]) -> None:
        log.info("checkpoint_task_begins", checkpoint=name, what=task.what)
        said: list[bytes] = []
        try:
            process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=asyncio.subprocess.PIPE)
            assert process.stdout is not None
            try:
                async for line in process.stdout:
                    said.append(line)
                    if task.what == "pull" and b'"done"' in line:
                        self._say(name, self.listing[name].model_copy(update=json.loads(line)))
                        said.clear()
                await process.wait()
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
            ended = _pulled(said) if task.what == "pull" else _verified(said, process.returncode)
        except asyncio.CancelledError:
            self._say(name, self.listing[name].model_copy(update={"state": "cancelled"}))
            raise
        except (OSError, ValueError) as error:
            log.error("checkpoint_task_broke", checkpoint=name, exc_info=error)
            ended = _failed(Unexpected("The task failed unexpectedly.", hint="See the server's log for details."))
        log.info("checkpoint_task_ends", checkpoint=name, what=task.what, state=ended["state"])
        self._say(name, self.listing[name].model_copy(update=ended))

    def _say(self, name: str, task: CheckpointTask) -> None:
        self.listing[name] = task
        self._on_change()


def _pulled(said: list[bytes]) -> dict[str, Any]:
    last = cast(dict[str, Any], json.loads(said[-1])) if said else {}
    if "folder" in last:
        return {"state": "succeeded"}
    error = last.get("error")
    failure = Failure.model_validate(error) if error else Failure.of(Unexpected("The task ended without a message."))
    return {"state": "failed", "error": failure, "said": failure.message}


def _verified(said: list[bytes], code: int | None) -> dict[str, Any]:
    """The verdict, and what is wrong: all that follows the table."""
    _, _, told = b"".join(said).decode(errors="replace").partition("\n\n")
    if not told.strip():
        return _failed(
            BrokenCheckpoint("Its tensors could not be verified.", hint="Run orrery checkpoints verify for the reason.")
        )
    verdict = told.strip().splitlines()
    verdict[-1] = verdict[-1].partition(": ")[2]  # without the folder, which is nobody's business over HTTP
    return {"state": "succeeded" if code == 0 else "failed", "said": "\n".join(verdict)}


def _failed(error: Unexpected | BrokenCheckpoint) -> dict[str, Any]:
    return {"state": "failed", "error": Failure.of(error), "said": error.message}
