"""What a server can be asked about its data sets and tunings. All raise StudioErrors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from studio.client.connection import Connection
from studio.client.paths import tuning_path
from studio.datasets import DatasetInfo, DatasetList, KeptFile
from studio.tuning.tunings import ResumeTuning, StartTuning, Tuning, TuningList

UPLOAD_TIMEOUT_S = 3600.0
CHUNK_BYTES = 1 << 20


class TuningCalls:
    """The data sets and tunings of one server, as `StudioClient.tuning`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def datasets(self) -> DatasetList:
        """Every data set, by name."""
        return await self._connection.ask("GET", "/v1/datasets", DatasetList)

    async def dataset(self, name: str) -> DatasetInfo:
        """One of them. Raises DatasetNotFound."""
        return await self._connection.ask("GET", f"/v1/datasets/{quote(name, safe='')}", DatasetInfo)

    async def send(self, name: str, path: str, file: Path) -> KeptFile:
        """Send one file of a data set. Raises BadInput, Conflict, DiskFull."""
        place = f"/v1/datasets/{quote(name, safe='')}/files/{quote(path)}"
        pieces = _pieces(file)
        return await self._connection.ask("PUT", place, KeptFile, content=pieces, timeout=UPLOAD_TIMEOUT_S)

    async def check(self, asked: StartTuning) -> Tuning:
        """Begin to look at a recipe and its data. Raises BadInput, DatasetNotFound, Conflict."""
        return await self._post("/v1/tunings/check", asked.model_dump(mode="json"))

    async def start(self, asked: StartTuning) -> Tuning:
        """Begin a tuning. Raises as `check`."""
        return await self._post("/v1/tunings", asked.model_dump(mode="json"))

    async def listing(self) -> TuningList:
        """The newest first."""
        return await self._connection.ask("GET", "/v1/tunings", TuningList)

    async def get(self, tuning_id: str) -> Tuning:
        """A tuning as it is now. Raises TuningNotFound."""
        return await self._connection.ask("GET", tuning_path(tuning_id), Tuning)

    async def stop(self, tuning_id: str) -> Tuning:
        """Let it save and end. Raises TuningNotFound, Conflict."""
        return await self._post(f"{tuning_path(tuning_id)}/stop")

    async def resume(self, tuning_id: str, asked: ResumeTuning) -> Tuning:
        """Go on where it was stopped. Raises TuningNotFound, Conflict."""
        return await self._post(f"{tuning_path(tuning_id)}/resume", asked.model_dump(mode="json", exclude_none=True))

    async def _post(self, path: str, body: dict[str, Any] | None = None) -> Tuning:
        return await self._connection.ask("POST", path, Tuning, json=body)


async def _pieces(file: Path) -> AsyncIterator[bytes]:
    with file.open("rb") as opened:
        while piece := opened.read(CHUNK_BYTES):
            yield piece
