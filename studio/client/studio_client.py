"""Everything that a server can be asked, as methods that answer frozen models or raise StudioErrors."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from studio.catalogue import AdapterList, CheckpointList, JobList
from studio.client.blind_calls import BlindTestCalls
from studio.client.calls import ArenaCalls, ComparisonCalls, EvaluationCalls, LibraryCalls, RefinementCalls
from studio.client.chat import Piece, stream_chat
from studio.client.connection import CONNECT_TIMEOUT_S, Connection, Model, read_events
from studio.client.paths import batch_path, fan_path, job_path, media_path, rollout_path, round_trip_path
from studio.client.tuning_calls import TuningCalls
from studio.errors import BadInput, ServerUnreachable, Unexpected
from studio.evaluation.round_trips import RoundTrip
from studio.fans import Fan, FanRequest
from studio.jobs import Job, JobState, Priority
from studio.media import MediaReference
from studio.queue import Batch
from studio.requests import Request
from studio.requests.transfer_video import ComputeControl
from studio.rollouts import Rollout, RolloutRequest
from studio.saving import save_whole
from studio.system import SystemState

SILENCE_S = 60.0
"""An event stream that says nothing for so long is opened anew: its first event is the job as it is."""

CONTROL_TIMEOUT_S = 3600.0
"""For a computed control: 5000 frames of 720p in the finest blur take about so long on a workstation's cores."""

REASONER_TIMEOUT_S = 600.0
"""For what the reasoner answers in one piece: 20,000 tokens at 30 ms."""

RECONNECT_PAUSE_S = 0.5


class StudioClient:
    """A client of one server, to be used as `async with StudioClient(url) as client`.

    Args:
        base_url: as in http://127.0.0.1:7860; without a scheme, http is meant.
        token: sent as a bearer.
        forwarded: headers of a caller on whose behalf this client acts; only Authorization and Cookie are passed on.
        transport: in place of the network, for tests.

    Attributes:
        library: what was made or uploaded.
        refinements: results that are judged and made anew.
        comparisons: grids of jobs and library items.
        evaluation: benchmarks and their runs.
        tuning: data sets, and what is trained on them.
        arena: blind pairs, votes and rankings.

    Raises:
        BadInput: the address is none.
        Unauthorized: the token cannot stand in a header.
    """

    def __init__(
        self,
        base_url: str,
        *,
        token: str | None = None,
        forwarded: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._connection = Connection(base_url, token=token, forwarded=forwarded, transport=transport)
        self.library = LibraryCalls(self._connection)
        self.refinements = RefinementCalls(self._connection)
        self.comparisons = ComparisonCalls(self._connection)
        self.evaluation = EvaluationCalls(self._connection)
        self.blind_tests = BlindTestCalls(self._connection)
        self.tuning = TuningCalls(self._connection)
        self.arena = ArenaCalls(self._connection)

    @property
    def base_url(self) -> str:
        """The server's address, without a slash at its end."""
        return self._connection.base_url

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._connection.close()

    async def submit(self, request: Request, *, priority: Priority = "normal") -> Job:
        """Hand in a request. Fields that nobody set are left for the server, whose preset knows better defaults."""
        said = {**request.model_dump(mode="json", exclude_unset=True), "kind": request.kind}
        params = {} if priority == "normal" else {"priority": priority}
        return await self._connection.ask("POST", "/v1/jobs", Job, json=said, params=params)

    async def job(self, job_id: str) -> Job:
        """A job as it is now. Raises JobNotFound."""
        return await self._connection.ask("GET", job_path(job_id), Job)

    async def jobs(self, *, limit: int | None = None, state: JobState | None = None) -> tuple[Job, ...]:
        """The newest jobs, newest first, of one state or of all."""
        return (await self.job_page(limit=limit, state=state)).jobs

    async def begin_round_trip(self, job_id: str) -> Job:
        """Estimate the actions from the video of a `predict_video` job. Raises JobNotFound, BadInput, Conflict."""
        return await self._connection.ask("POST", round_trip_path(job_id), Job)

    async def round_trip(self, job_id: str, estimation_id: str) -> RoundTrip:
        """Compare them, once that has succeeded. Raises JobNotFound, BadInput, Conflict."""
        return await self._connection.ask("GET", round_trip_path(job_id, estimation_id), RoundTrip)

    async def begin_fan(self, asked: FanRequest) -> Fan:
        """Start a fan. Raises BadInput, Busy."""
        return await self._connection.ask("POST", "/v1/fans", Fan, json=asked.model_dump(mode="json"))

    async def fan(self, fan_id: str) -> Fan:
        """One as it stands. Raises FanNotFound."""
        return await self._connection.ask("GET", fan_path(fan_id), Fan)

    async def cancel_fan(self, fan_id: str) -> Fan:
        """End it. Raises FanNotFound."""
        return await self._connection.ask("DELETE", fan_path(fan_id), Fan)

    async def begin_rollout(self, asked: RolloutRequest) -> Rollout:
        """Start an imagined rollout. Raises BadInput, Busy."""
        return await self._connection.ask("POST", "/v1/rollouts", Rollout, json=asked.model_dump(mode="json"))

    async def rollout(self, rollout_id: str) -> Rollout:
        """One as it stands. Raises RolloutNotFound."""
        return await self._connection.ask("GET", rollout_path(rollout_id), Rollout)

    async def cancel_rollout(self, rollout_id: str) -> Rollout:
        """End it. Raises RolloutNotFound."""
        return await self._connection.ask("DELETE", rollout_path(rollout_id), Rollout)

    async def job_page(
        self, *, limit: int | None = None, state: JobState | None = None, cursor: str | None = None
    ) -> JobList:
        """The same from where another page has ended, with the cursor of the next one. Raises BadInput."""
        wanted = {"limit": limit, "state": state, "cursor": cursor}
        params = {name: str(value) for name, value in wanted.items() if value is not None}
        return await self._connection.ask("GET", "/v1/jobs", JobList, params=params)

    async def batch(self, batch_id: str) -> Batch:
        """A batch's jobs as they are now. Raises JobNotFound."""
        return await self._connection.ask("GET", batch_path(batch_id), Batch)

    async def cancel(self, job_id: str) -> Job:
        """Cancel a job within one step. Raises JobNotFound, or Conflict when it has ended."""
        return await self._connection.ask("DELETE", job_path(job_id), Job)

    async def retry(self, job_id: str) -> Job:
        """Run a failed or cancelled job again. Raises JobNotFound or Conflict."""
        return await self._connection.ask("POST", f"{job_path(job_id)}/retry", Job)

    async def events(self, job_id: str) -> AsyncGenerator[Job, None]:
        """A job as it is, then at every change, until it has ended. A stream that breaks off is opened anew."""
        while True:
            told = False
            try:
                async with aclosing(self._stream(job_id)) as stream:
                    async for job in stream:
                        told = True
                        yield job
                        if job.state.ended:
                            return
            except ServerUnreachable:
                if not told:
                    raise
            if not told:
                raise ServerUnreachable(
                    f"{self.base_url} closed the event stream of job {job_id} unexpectedly.",
                    hint="Read the job with GET /v1/jobs/{id}.",
                )
            await asyncio.sleep(RECONNECT_PAUSE_S)

    async def wait(self, job_id: str) -> Job:
        """The job once it has ended, however it did."""
        async with aclosing(self.events(job_id)) as events:
            async for job in events:
                if job.state.ended:
                    return job
        raise AssertionError("events() ends only with an ended job")

    async def media(self, reference: MediaReference) -> bytes:
        """The bytes of one artefact. Raises MediaNotFound."""
        return b"".join([chunk async for chunk in self._download(reference)])

    async def thumbnail(self, media_id: str) -> bytes:
        """A picture or a frame of a clip as WebP, at most 320 pixels across. Raises MediaNotFound."""
        async with self._connection.stream(f"{media_path(media_id)}/thumbnail") as response:
            return await response.aread()

    async def save_media(self, reference: MediaReference, path: Path) -> None:
        """Stream one artefact to a file, which is whole or not there.

        Raises:
            MediaNotFound: the store no longer has it.
            StorageError: the file cannot be written.
        """
        async with aclosing(self._download(reference)) as chunks:
            await save_whole(path, chunks)

    async def checkpoints(self) -> CheckpointList:
        """Every checkpoint that the server knows, and where each stands."""
        return await self._connection.ask("GET", "/v1/checkpoints", CheckpointList)

    async def system(self) -> SystemState:
        """How busy the server's machine is, and the hosts of its cluster."""
        return await self._connection.ask("GET", "/v1/system", SystemState)

    async def adapters(self) -> AdapterList:
        """The LoRA adapters that a request may name."""
        return await self._connection.ask("GET", "/v1/adapters", AdapterList)

    async def preview_control(self, asked: ComputeControl, at: float = 0.5) -> bytes:
        """One frame of a control as PNG, as the model will see it; at 0 the clip's first, at 1 its last.

        Raises:
            MediaNotFound: there is no such clip.
            BadInput: it is no clip, or there is no such place in it.
        """
        options = asked.model_dump(mode="json", exclude={"source_video", "fps"})
        query = httpx.QueryParams({**options, "at": at})
        async with self._connection.stream(f"/v1/media/{asked.source_video}/control?{query}") as response:
            return await response.aread()

    async def compute_control(self, asked: ComputeControl) -> MediaReference:
        """Compute a whole control, to be watched and named in requests; whoever stops waiting stops it.

        Raises:
            MediaNotFound: there is no such clip.
            BadInput: it is no clip, or too long.
        """
        timeout = httpx.Timeout(CONTROL_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        body = asked.model_dump(mode="json")
        return await self._connection.ask("POST", "/v1/controls", MediaReference, json=body, timeout=timeout)

    async def ask_reasoner(self, path: str, body: Mapping[str, Any], answer: type[Model]) -> Model:
        """What the reasoner says, however long that takes: it is stopped when the caller stops waiting.

        Args:
            path: `/v1/upsample`, with a request's JSON, or `/v1/tasks/NAME`, with a `TaskRequest`'s.
            body: JSON.
            answer: of `studio.reasoner_answers` and `studio.prompting`, which stand above this package.

        Raises:
            EngineError: no answer came that can be used.
            Busy: it has no room now.
        """
        timeout = httpx.Timeout(REASONER_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        return await self._connection.ask("POST", path, answer, json=dict(body), timeout=timeout)

    def chat(self, body: Mapping[str, Any]) -> AsyncGenerator[Piece, None]:
        """An answer in pieces; who stops listening stops it.

        Args:
            body: of `POST /v1/chat/completions`, without what says that it is streamed.

        Raises:
            Busy: the reasoner has no room now.
            ServerUnreachable: nobody answers, or the answer breaks off.
            StudioError: the server's refusal, also in the middle of the answer.
        """
        return stream_chat(self._connection, body)

    async def tasks(self, answer: type[Model]) -> Model:
        """What it can be asked about a picture or a clip: `answer` is `studio.reasoner_answers.TaskList`."""
        return await self._connection.ask("GET", "/v1/tasks", answer)

    async def upload(self, path: Path, *, evaluation: bool = False) -> MediaReference:
        """Send a picture or a clip, to be named in requests; the same file twice is one.

        Args:
            evaluation: it is for a benchmark, and stays out of the library's view.

        Raises:
            BadInput: it cannot be opened, or the server cannot read it.
            TooLarge: it is larger than the server takes.
        """
        try:
            with path.open("rb") as file:
                files = {"file": (path.name, file, "application/octet-stream")}
                params = {"evaluation": "true"} if evaluation else {}
                return await self._connection.ask("POST", "/v1/media", MediaReference, files=files, params=params)
        except OSError as error:
            raise BadInput(f"{path} cannot be opened: {error.strerror}.", param="file") from None

    async def _stream(self, job_id: str) -> AsyncGenerator[Job, None]:
        async with self._connection.stream(f"{job_path(job_id)}/events", silence_s=SILENCE_S) as response:
            async for name, data in read_events(response.aiter_bytes()):
                if name == "job":
                    yield self._connection.read(Job, data, response.url.path)

    async def _download(self, reference: MediaReference) -> AsyncGenerator[bytes, None]:
        digest, size_bytes = hashlib.sha256(), 0
        async with self._connection.stream(media_path(reference.id)) as response:
            async for chunk in response.aiter_bytes():
                digest.update(chunk)
                size_bytes += len(chunk)
                yield chunk
        if (size_bytes, digest.hexdigest()) != (reference.size_bytes, reference.sha256):
            raise Unexpected(f"The {size_bytes:,} bytes received for {reference.id} do not match its checksum.")
