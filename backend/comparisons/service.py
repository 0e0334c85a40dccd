"""The verbs of `/v1/comparisons`: what a route calls, and nothing a route need know."""

from __future__ import annotations

import io
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

from PIL import Image
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.comparisons.drawing import Look, draw, find_comparison, list_all
from backend.comparisons.grid import Grid, draw_up, in_order
from backend.database import Database
from backend.database.tables import ComparisonRow, JobRow
from backend.jobs.admission import Admission
from backend.jobs.ledger import Accepted, Ledger
from backend.jobs.live_jobs import LiveJobs
from backend.jobs.queue_service import QueueService
from backend.jobs.service import Engines, JobService
from backend.library.service import LibraryService
from backend.library.uploads import Uploads
from backend.media import DECODERS, MediaStore
from backend.media.clip_frames import read_frame
from studio.comparisons import CompareRequest, Comparison, ComparisonList
from studio.errors import BadInput, Conflict, JobNotFound, StudioError
from studio.jobs import BatchPlace, Failure, Job, JobState
from studio.media import MediaReference
from studio.requests import draw_seed

T = TypeVar("T")

UNMADE = (JobState.FAILED, JobState.CANCELLED)


class ComparisonService:
    """Grids of jobs and library items. A comparison's jobs are the batch of its id, and queue like any others.

    Args:
        held_gb: memory that a checkpoint takes, by its id.
    """

    def __init__(
        self,
        *,
        database: Database,
        live_jobs: LiveJobs,
        queue: QueueService,
        jobs: JobService,
        admission: Admission,
        engines: Engines,
        catalogue: CheckpointCatalogue,
        store: MediaStore,
        library: LibraryService,
        uploads: Uploads,
        held_gb: Callable[[str], float | None],
    ) -> None:
        self._database = database
        self._live_jobs = live_jobs
        self._queue = queue
        self._jobs = jobs
        self._admission = admission
        self._engines = engines
        self._catalogue = catalogue
        self._store = store
        self._library = library
        self._uploads = uploads
        self._look = Look(store, live_jobs.now, held_gb)

    async def submit(self, asked: CompareRequest) -> Comparison:
        """Write a comparison down and queue its cells, those of one checkpoint together.

        A cell that its checkpoint refuses, or whose checkpoint could not be loaded, fails by itself.

        Raises:
            BadInput, CheckpointNotFound, Conflict, MediaNotFound: nothing of it can be made; the first reason is told.
        """
        recipes = {item: await self._recipe(item) for item in _each(asked, "item")}
        for media_id in {*_each(asked, "reference"), *(name for each in asked.subjects for name in each.shown)}:
            await self._library.item(media_id)
        frames = {
            subject.reference: await self._first_frame(subject.reference)
            for subject in asked.subjects
            if subject.reference and {"i2v", "v2v"} & set(subject.starts)
        }
        titles = {
            name: self._catalogue.title(name) for name in asked.axes.get("checkpoint", ()) if isinstance(name, str)
        }
        grid, requests = draw_up(asked, recipes, frames, titles, draw_seed())
        refused: dict[int, StudioError] = {}
        accepted = await self._admission.admit_all(requests, refused)
        if refused and not accepted:
            raise refused[min(refused)]
        grid = grid.model_copy(update={"refused": {index: Failure.of(error) for index, error in refused.items()}})
        indexes = [index for index in range(len(requests)) if index not in refused]
        comparison_id = secrets.token_hex(6)
        order = in_order([each.checkpoint for each in accepted], self._live_jobs.resident)
        cells = [(indexes[at], accepted[at]) for at in order]
        await self._insert(comparison_id, grid, cells, asked)
        await self._fail_hopeless({each.checkpoint: each for each in accepted}, [each for _, each in cells])
        self._engines.wake()
        return await self.get(comparison_id)

    async def get(self, comparison_id: str) -> Comparison:
        """A comparison as it is now. Raises ComparisonNotFound."""
        return await self.read(lambda session: draw(session, find_comparison(session, comparison_id), self._look))

    async def listing(self, limit: int) -> ComparisonList:
        """The newest first."""
        return await self.read(lambda session: ComparisonList(comparisons=list_all(session, self._look, limit)))

    async def cancel(self, comparison_id: str) -> Comparison:
        """Cancel what has not ended of it. Raises ComparisonNotFound."""
        await self.get(comparison_id)
        with suppress(JobNotFound):  # nothing of it is made here
            await self._queue.cancel_batch(comparison_id)
        return await self.get(comparison_id)

    async def retry(self, comparison_id: str) -> Comparison:
        """Queue its failed and cancelled cells again, and those whose files are gone; of one checkpoint together.

        Raises:
            ComparisonNotFound: there is none.
            Conflict, MediaNotFound, BadInput: none of them can be run again; the first reason is told.
        """
        cells = (await self.get(comparison_id)).cells
        lost = [cell.job for cell in cells if cell.job is not None and (cell.gone or cell.job.state in UNMADE)]
        errors: list[StudioError] = []
        for at in in_order([job.checkpoint for job in lost], self._live_jobs.resident):
            try:
                if lost[at].state is JobState.SUCCEEDED:
                    await self._make_again(lost[at])
                else:
                    await self._jobs.retry(lost[at].id)
            except StudioError as error:
                errors.append(error)
        if errors and len(errors) == len(lost):
            raise errors[0]
        return await self.get(comparison_id)

    async def remove(self, comparison_id: str) -> None:
        """Forget a comparison that has ended; what it made stays. Raises ComparisonNotFound, Conflict."""
        if not (await self.get(comparison_id)).ended:
            raise Conflict("Some cells of this comparison have not ended.", hint="Cancel them first.")

        def remove(session: Session) -> None:
            session.execute(delete(ComparisonRow).where(ComparisonRow.id == comparison_id))

        await self.write(remove)

    async def read(self, look: Callable[[Session], T]) -> T:
        """Ask the database something beside its thread."""
        return await self._database.look(look)

    async def write(self, act: Callable[[Session], T]) -> T:
        """Change something in the database."""
        return await self._database.write(act)

    async def _make_again(self, made: Job) -> None:
        """What a job made is gone, and what has succeeded never changes: the same request takes its place."""
        accepted = await self._admission.admit({**made.request.model_dump(mode="json"), "checkpoint": made.checkpoint})
        self._jobs.refuse_if_failed(accepted.checkpoint)

        def replace(ledger: Ledger) -> Job:
            self._admission.check_still_there(accepted.request)
            with ledger.transaction() as session:
                old = session.scalars(select(JobRow).where(JobRow.id == made.id, JobRow.batch_id.is_not(None))).first()
                if old is None:
                    raise Conflict("This cell is already being run again.")
                old.batch_id = old.batch_index = old.batch_size = None
                return ledger.add(session, accepted, made.priority, made.batch)

        await self._live_jobs.move(replace)
        self._engines.wake()

    async def _recipe(self, media_id: str) -> dict[str, Any]:
        request = (await self._library.item(media_id)).request
        if request is None:
            raise BadInput(
                f"{media_id} was not made on this server or its recipe cannot be read, so it cannot be made again.",
                param="subjects",
                hint="Use it as reference or in shown, or send its request.",
            )
        said = request.model_dump(mode="json")
        # An upsampled prompt is compared as it was written, not written anew in every cell.
        return {name: value for name, value in said.items() if name != "upsample"}

    async def _first_frame(self, media_id: str) -> MediaReference:
        path = self._store.file(media_id)
        if self._store.facts(media_id).type != "video":
            raise BadInput(f"{media_id} is not a video; starts needs a video.", param="subjects")

        def frame() -> io.BytesIO:
            buffer = io.BytesIO()
            Image.fromarray(read_frame(path, 0)).save(buffer, "PNG")
            buffer.seek(0)
            return buffer

        return await self._uploads.keep(await DECODERS.beside(frame), f"first frame of {media_id}.png")

    async def _insert(
        self, comparison_id: str, grid: Grid, cells: list[tuple[int, Accepted]], asked: CompareRequest
    ) -> None:
        def insert(ledger: Ledger) -> list[Job]:
            for _, each in cells:
                self._admission.check_still_there(each.request)
            with ledger.transaction() as session:
                document = grid.model_dump(mode="json")
                session.add(ComparisonRow(id=comparison_id, document=document, created_at=datetime.now(UTC)))
                return [
                    ledger.add(
                        session, each, asked.priority, BatchPlace(id=comparison_id, index=index, size=grid.num_made)
                    )
                    for index, each in cells
                ]

        await self._live_jobs.move_many(insert)

    async def _fail_hopeless(self, checkpoints: dict[str, Accepted], cells: list[Accepted]) -> None:
        """Cells of a checkpoint that could not be loaded already: nobody would ever come for them."""
        errors = {name: self._engines.status_of(name).error for name in checkpoints}
        for each in cells:
            error = errors[each.checkpoint]
            if error is not None:
                with suppress(Conflict):  # the fleet has failed it meanwhile
                    await self._live_jobs.move(Ledger.fail, each.job_id, error)


def _each(asked: CompareRequest, name: str) -> list[str]:
    """What the subjects name in a field, each once."""
    every = (getattr(subject, name) for subject in asked.subjects)
    return list(dict.fromkeys(value for value in every if value))
