"""What the tools answer: less than a job or an item has, so that an agent reads only what it can act on."""

from __future__ import annotations

from pydantic import BaseModel

from studio.comparisons import Comparison, Likeness
from studio.jobs import Job, JobState
from studio.library import LibraryItem
from studio.media import MediaReference


class MadeMedia(BaseModel):
    """A result. `url` is its address on the server."""

    media_id: str
    type: str
    url: str
    seed: int | None
    size: str | None
    duration_s: float | None
    num_actions: int | None

    @classmethod
    def of(cls, reference: MediaReference, base_url: str) -> MadeMedia:
        """From a job's result."""
        return cls(
            media_id=reference.id,
            type=reference.type,
            url=f"{base_url}{reference.url}",
            seed=reference.seed,
            size=f"{reference.width}x{reference.height}" if reference.width else None,
            duration_s=reference.duration_s,
            num_actions=reference.num_actions,
        )


class AddedFile(BaseModel):
    """A file that was added to the library."""

    media_id: str
    type: str


class JobAnswer(BaseModel):
    """The state of a job. If it has not ended, call get_job again."""

    job_id: str
    kind: str
    state: JobState
    prompt: str
    step: int
    steps: int
    seconds_left: float | None
    results: list[MadeMedia]
    error: str | None

    @classmethod
    def of(cls, job: Job, base_url: str) -> JobAnswer:
        """From a job."""
        return cls(
            job_id=job.id,
            kind=job.kind,
            state=job.state,
            prompt=job.request.prompt,
            step=job.progress.step,
            steps=job.progress.steps,
            seconds_left=job.progress.seconds_left,
            results=[MadeMedia.of(result, base_url) for result in job.results],
            error=f"{job.error.message} {job.error.hint}".rstrip() if job.error else None,
        )


class ComparedCell(BaseModel):
    """One cell of a comparison."""

    row: str
    column: str
    state: str
    media_id: str | None
    seconds: float | None
    likeness: Likeness | None
    error: str | None


class ComparisonAnswer(BaseModel):
    """The state of a comparison. `page` is its address for people."""

    comparison_id: str
    num_done: int
    num_cells: int
    page: str
    cells: list[ComparedCell]

    @classmethod
    def of(cls, comparison: Comparison, base_url: str) -> ComparisonAnswer:
        """From a comparison."""
        cells: list[ComparedCell] = []
        for cell in comparison.cells:
            error = cell.error or (cell.job.error if cell.job else None)
            cells.append(
                ComparedCell(
                    row=comparison.rows[cell.row],
                    column=comparison.columns[cell.column].label,
                    state=cell.job.state if cell.job else "refused" if cell.error else "shown",
                    media_id=cell.item.id if cell.item else None,
                    seconds=cell.seconds,
                    likeness=cell.likeness,
                    error=error.message if error else None,
                )
            )
        return cls(
            comparison_id=comparison.id,
            num_done=comparison.num_done,
            num_cells=comparison.num_cells,
            page=f"{base_url}/compare?id={comparison.id}",
            cells=cells,
        )


class FoundItem(BaseModel):
    """One item of the library."""

    media_id: str
    kind: str
    type: str
    prompt: str
    title: str
    tags: list[str]
    starred: bool
    created_at: str
    seed: int | None
    url: str

    @classmethod
    def of(cls, item: LibraryItem, base_url: str) -> FoundItem:
        """From an item."""
        return cls(
            media_id=item.id,
            kind=item.kind,
            type=item.type,
            prompt=item.prompt,
            title=item.title,
            tags=list(item.tags),
            starred=item.starred,
            created_at=item.created_at.isoformat(),
            seed=item.seed,
            url=f"{base_url}{item.url}",
        )


class SearchAnswer(BaseModel):
    """Search results; `total` counts all matches."""

    total: int
    items: list[FoundItem]


class ChatMessage(BaseModel):
    """A message of OpenAI's chat."""

    content: str | None = None


class ChatChoice(BaseModel):
    """One answer of it."""

    message: ChatMessage


class ChatAnswer(BaseModel):
    """As much of a chat completion as is read here."""

    choices: list[ChatChoice]
