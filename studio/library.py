"""The library: everything that was made or uploaded, what it was made from, and what may be done with it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field

from studio.media import MediaFacts, MediaType
from studio.requests import Frozen, Request
from studio.requests.fields import BoundedText, MediaId, on_one_line
from studio.tuning.lineage import Lineage

Order = Literal["newest", "oldest", "largest"]

UPLOAD = "upload"
"""The `kind` of what was not made here."""

MAX_PAGE = 500
MAX_IDS = 10_000
MAX_TAGS = 100
MAX_TAG_CHARACTERS = 60
MAX_TITLE_CHARACTERS = 300

Tag = Annotated[BoundedText, AfterValidator(on_one_line("a tag", MAX_TAG_CHARACTERS))]
Title = Annotated[BoundedText, AfterValidator(on_one_line("the title", MAX_TITLE_CHARACTERS, least=0))]
Tags = Annotated[tuple[Tag, ...], Field(max_length=MAX_TAGS)]
Rating = Annotated[int, Field(ge=0, le=5)]
MediaIds = Annotated[tuple[str, ...], Field(min_length=1, max_length=MAX_IDS)]


class Stack(Frozen):
    """Several results that were asked for at once.

    Attributes:
        batch: that `LibraryQuery.batch` finds them by.
        num_items: how many of them the query finds.
    """

    batch: str
    num_items: int


class LibraryItem(MediaFacts):
    """One artefact: a result of a job, or an upload.

    Attributes:
        job_id: the job that made it; an upload has none.
        kind: of the request that made it, or "upload".
        prompt: what it was made from, as it was written by whoever asked; of an upload what it carries inside.
        title: its name, where somebody gave it one; an upload's file name.
        rating: 1 to 5, or 0 where nobody has rated it.
        stack: of a `stacked` query: the batch or job whose newest item this is.
        created_at: when it was written.
        trashed_at: when it was put into the trash, or null.
        spritesheet_url: path on the server, of clips only.
        evaluation: it was uploaded for a benchmark, or made by its run.
        missing: its file is no longer on disk.
    """

    job_id: str | None
    kind: str
    checkpoint: str | None = None
    prompt: str = ""
    title: str = ""
    starred: bool = False
    rating: int = 0
    tags: tuple[str, ...] = ()
    stack: Stack | None = None
    created_at: datetime
    trashed_at: datetime | None = None
    spritesheet_url: str | None = None
    evaluation: bool = False
    missing: bool = False


class LibraryDetail(LibraryItem):
    """`GET /v1/library/{id}`: an item, its recipe and its relatives.

    Attributes:
        request: what made it: the whole request, this result's own seed, count 1; of an upload
            what it carries inside, or null.
        made_from: what the request names, and the clip that a computed control came from.
        led_to: results of jobs that name it, and controls that were computed from it, newest first.
        siblings: other results of the same job.
        lineage: of the adapter that it was made with, else of its checkpoint, where that was tuned here.
    """

    request: Request | None = None
    made_from: tuple[LibraryItem, ...] = ()
    led_to: tuple[LibraryItem, ...] = ()
    siblings: tuple[LibraryItem, ...] = ()
    lineage: Lineage | None = None


class LibraryUsage(Frozen):
    """What the library takes on disk.

    Attributes:
        num_items: artefacts, those in the trash not counted.
        size_bytes: of all files, those in the trash among them; thumbnails are not counted.
        num_trashed, trash_bytes: what is in the trash.
        quota_bytes: `--quota-gb`, or null.
        free_bytes: left on the disk that holds the media.
    """

    num_items: int
    size_bytes: int
    num_trashed: int
    trash_bytes: int
    quota_bytes: int | None
    free_bytes: int


class Facet(Frozen):
    """A value that a filter may have, and how many items have it."""

    value: str
    num_items: int


class TagFacet(Facet):
    """A tag. `cover_url` is the thumbnail of the newest item that has it and can be shown as an image."""

    cover_url: str | None = None


class LibraryFacets(Frozen):
    """Values of the filters over what a query without filters finds, the commonest first."""

    kinds: tuple[Facet, ...] = ()
    types: tuple[Facet, ...] = ()
    checkpoints: tuple[Facet, ...] = ()
    tags: tuple[TagFacet, ...] = ()


class LibraryQuery(Frozen):
    """`GET /v1/library`: what is looked for; filters that are given must all hold.

    Attributes:
        q: words; each must be the beginning of a word of the prompt, the negative prompt, the title or the tags.
        type: any of these.
        kind: a request's kind or "upload".
        tag: every one of these.
        rating: at least so many of five.
        batch: what the jobs of this batch made, as `studio.jobs.BatchPlace.id`, or one job, by its id.
        id: any of these; what is in the trash, or gone, is not found.
        since, until: of `created_at`, both included.
        trashed: the trash instead of what is not in it.
        evaluation: only what was uploaded for benchmarks or made by their runs. Otherwise, of that only what has a
            star, a rating or a tag is found, except by `id`, by `batch` and in the trash.
        stacked: of each batch, and of each job with several results, only the newest one that is found.
        cursor: `next_cursor` of the page before.
    """

    q: BoundedText = ""
    type: tuple[MediaType, ...] = ()
    kind: str | None = None
    checkpoint: str | None = None
    seed: int | None = None
    starred: bool | None = None
    rating: Rating | None = None
    tag: tuple[str, ...] = ()
    batch: str | None = None
    id: Annotated[tuple[BoundedText, ...], Field(max_length=MAX_PAGE)] = ()
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    trashed: bool = False
    evaluation: bool = False
    stacked: bool = False
    order: Order = "newest"
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 60
    cursor: str | None = None


class LibraryPage(Frozen):
    """What a query found.

    Attributes:
        total: items over all pages.
        next_cursor: where the next page begins, or null at the end.
        usage, facets: of the whole library, whatever was looked for.
    """

    items: tuple[LibraryItem, ...]
    total: int
    next_cursor: str | None = None
    usage: LibraryUsage
    facets: LibraryFacets


class ItemChange(Frozen):
    """`PATCH /v1/library/{id}`: what is given is set."""

    starred: bool | None = None
    rating: Rating | None = None
    tags: Tags | None = None
    title: Title | None = None


class ItemsChange(Frozen):
    """`POST /v1/library/change`: what is given is done to each of the items."""

    ids: MediaIds
    starred: bool | None = None
    rating: Rating | None = None
    add_tags: Tags = ()
    remove_tags: Tags = ()


class ItemIds(Frozen):
    """Items by name: what a verb is about, and what it has changed."""

    ids: MediaIds


class ChangedIds(Frozen):
    """Items that a verb has changed; those that were so already are not among them."""

    ids: tuple[str, ...]


class ErasedItems(Frozen):
    """`DELETE /v1/library/trash` and `DELETE /v1/library`: what is gone for good."""

    num_items: int
    num_jobs: int = 0
    freed_bytes: int


class DeleteEverything(Frozen):
    """`DELETE /v1/library`: said in words, so that nobody does it in passing."""

    confirm: Literal["delete everything"]


class CutPart(Frozen):
    """Frames `first` to `last` of a video, both kept, counted from 0; none is its last frame."""

    media: MediaId
    first: Annotated[int, Field(ge=0)] = 0
    last: Annotated[int | None, Field(ge=0)] = None


class CutVideo(Frozen):
    """`POST /v1/library/cuts`: parts of videos of one size and frame rate, one after the other."""

    parts: Annotated[tuple[CutPart, ...], Field(min_length=1, max_length=64)]
    title: Title = ""


class SpritesheetLayout(Frozen):
    """How the frames lie in a clip's spritesheet, row by row.

    Attributes:
        num_frames: frames that are there; the last row may end early.
        frame_width, frame_height: pixels of each.
        times_s: when each is shown, from the clip's beginning.
    """

    columns: int
    rows: int
    num_frames: int
    frame_width: int
    frame_height: int
    times_s: tuple[float, ...]


class Waveform(Frozen):
    """`GET /v1/media/{id}/waveform`: how loud a clip is over its length.

    Attributes:
        duration_s: of the sound.
        num_channels: 1 or 2; further channels of an upload are mixed into two.
        peaks: for each channel the largest magnitude in equal stretches of time, 0 to 1.
    """

    duration_s: float
    num_channels: int
    peaks: tuple[tuple[float, ...], ...]


RecordName = Literal[
    "comparisons",
    "measurements",
    "refinements",
    "questions",
    "answers",
    "grades",
    "votes",
    "benchmarks",
    "runs",
    "run_answers",
    "run_verdicts",
    "corrections",
    "question_drafts",
    "studies",
    "study_prompts",
    "study_questions",
    "study_ratings",
    "study_tasks",
    "tunings",
    "tuning_steps",
    "blind_tests",
    "blind_pairs",
    "blind_verdicts",
]
"""What is written down about items beside their jobs."""


class BroughtRecords(Frozen):
    """What an import made of one sort of records.

    Attributes:
        num_known: that were here already and stay, also of votes those whose voter has voted on the pair here.
    """

    num_added: int = 0
    num_known: int = 0


class ImportReport(Frozen):
    """`POST /v1/library/import`: what came in, and what was here already.

    Attributes:
        num_missing_items: whose file is not in the export, or whose job has ended otherwise here.
        num_own_files: presets and adapters that came in, an adapter's folder as one.
        num_known_own_files: of those, what was here already and stays.
        num_refused_own_files: presets that cannot be read beside those that are here; then none of them comes in.
        records: comparisons, refinements, votes and what belongs to them, by their sort.
    """

    num_items: int
    num_jobs: int
    num_known_items: int
    num_missing_items: int
    num_own_files: int = 0
    num_known_own_files: int = 0
    num_refused_own_files: int = 0
    records: dict[RecordName, BroughtRecords] = Field(default_factory=dict[RecordName, BroughtRecords])
