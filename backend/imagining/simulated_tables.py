"""The simulated arm's tables, driven by a process of the robot's room: `python -m robot.evaluation.playback`."""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import BaseModel, ConfigDict

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.imagining.step_errors import seen_as, step_errors
from backend.launcher import AFTER_OTHERS, launching
from backend.library.uploads import Uploads
from backend.media import DECODERS, MediaStore
from backend.policy.contract import own_layout
from studio.errors import Conflict
from studio.media import MediaReference
from studio.rollouts import Simulated

START, SEEN = "start.png", "seen.mp4"
"""What the process writes."""

TIMEOUT_S = 600.0
"""Of 512 rows on a busy machine: drawing takes some 50 ms each."""


class _Played(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    state: tuple[float, ...]
    stopped: str


class TablePlayer:
    """One at a time: simulating takes a core. Lives on the event loop's thread."""

    def __init__(self, store: MediaStore, uploads: Uploads, catalogue: CheckpointCatalogue) -> None:
        self._store = store
        self._uploads = uploads
        self._catalogue = catalogue
        self._one = asyncio.Lock()

    async def look(self, seed: int) -> tuple[str, tuple[float, ...]]:
        """A table as it begins: id of its picture, and the arm's state.

        Raises:
            Conflict: the simulated arm cannot be started here.
            QuotaExceeded, DiskFull, StorageError: the picture does not go in.
        """
        async with self._one:
            with TemporaryDirectory() as scratch:
                played = await self._play(seed, (), Path(scratch))
                picture = await DECODERS.beside(partial(self._keep, Path(scratch) / START))
        return (await self._uploads.record(picture, title=f"table {seed}")).id, played.state

    async def play(self, seed: int, actions: Sequence[tuple[float, ...]], imagined: str, checkpoint: str) -> Simulated:
        """The actions on that table, and how far the imagined frames are from what is seen.

        Args:
            imagined: id of the video that begins with the table's picture and has one frame after each action.
            checkpoint: that imagined it, whose own layout of the views it has.

        Raises:
            Conflict: the simulated arm cannot be started here.
            QuotaExceeded, DiskFull, StorageError: the video does not go in.
        """
        layout, file = own_layout(self._catalogue.named(checkpoint)), self._store.file(imagined)
        async with self._one:
            with TemporaryDirectory() as scratch:
                folder = Path(scratch)
                played = await self._play(seed, actions, folder)
                seen = folder / "arranged.mp4"
                await DECODERS.beside(partial(seen_as, folder / SEEN, seen, layout, file))
                errors = await DECODERS.beside(partial(step_errors, file, seen, layout))
                video = await DECODERS.beside(partial(self._keep, seen))
        kept = await self._uploads.record(video, title=f"table {seed}, simulated", source_id=imagined)
        return Simulated(video=kept, errors=errors, stopped=played.stopped)

    async def _play(self, seed: int, actions: Sequence[tuple[float, ...]], folder: Path) -> _Played:
        process = await asyncio.create_subprocess_exec(
            *launching(AFTER_OTHERS, "robot.evaluation.playback", str(seed), str(folder)),
            env=_without_token(os.environ),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(TIMEOUT_S):
                said, problem = await process.communicate(json.dumps(actions).encode() + b"\n")
        except TimeoutError:
            raise Conflict(f"The simulated arm took longer than {TIMEOUT_S:.0f} s.") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            words = problem.decode(errors="replace").strip().splitlines()[-1:] or ["it gave no reason"]
            raise Conflict(f"The simulated arm cannot be used here: {words[0]}", param="table")
        return _Played.model_validate_json(said)

    def _keep(self, path: Path) -> MediaReference:
        with path.open("rb") as file:
            return self._store.put_upload(file)


def _without_token(environment: Any) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in ("ORRERY_TOKEN", "ORRERY_ROBOT_TOKEN")}
