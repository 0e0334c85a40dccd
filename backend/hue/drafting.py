"""From items of the library to a study: which videos, of which prompts, in which rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.comparisons.grid import Grid, GridPlace
from backend.database.tables import ArtefactRow, ComparisonRow, JobRow
from studio.captions.fitting import shortened
from studio.errors import BadInput, MediaNotFound
from studio.hue_studies import MAX_VIDEOS, REAL, CreateHueStudy, HueGiven, HuePrompt, HueStudyVideo
from studio.requests import shown

AT_ONCE = 500
"""Rows that are asked for by name in one go."""
MAX_TITLE = 80


@dataclass
class Draft:
    """What a study is made of."""

    title: str = ""
    videos: list[HueStudyVideo] = field(default_factory=list[HueStudyVideo])
    prompts: list[HuePrompt] = field(default_factory=list[HuePrompt])


class _Source(NamedTuple):
    """An item with the request that made it; an upload has none."""

    row: ArtefactRow
    request: Mapping[str, Any]


class _Key(NamedTuple):
    """Videos of one text that start from another image are of another prompt."""

    text: str
    start: str


def draft(session: Session, asked: CreateHueStudy, title_of: Callable[[str], str]) -> Draft:
    """Read what a request names.

    Args:
        session: of the database.
        asked: items, and a comparison or batch.
        title_of: a checkpoint's title by its id.

    Raises:
        MediaNotFound: an item is not in the library.
        BadInput: one is not a video or has no prompt, or there are none, or too many.
    """
    title, of_batch = _of_batch(session, asked.batch) if asked.batch else ("", ())
    given = {each.media: each for each in (*of_batch, *asked.videos)}
    if not 0 < len(given) <= MAX_VIDEOS:
        raise BadInput(
            f"The study has {len(given)} videos; expected 1 to {MAX_VIDEOS}.",
            param="batch" if asked.batch else "videos",
            hint="Select videos of the library, or a comparison or batch that has made some.",
        )
    sources = _sources(session, list(given))
    places = {each.media: at for at, each in enumerate(asked.videos)}
    for media in given:
        _check(media, sources.get(media), f"videos.{places[media]}.media" if media in places else "batch")
    keys = _keys(given, sources, places)
    done = Draft(title=asked.title or title)
    prompts: dict[_Key, HuePrompt] = {}
    for media, key in keys.items():
        real = _is_real(given[media], sources[media])
        known = prompts.setdefault(key, HuePrompt(id=f"p{len(prompts) + 1}", text=key.text))
        seen = [str(start) for start in (sources[media].request.get("start_image"), media if real else None) if start]
        prompts[key] = known.model_copy(update={"given": tuple(dict.fromkeys((*known.given, *seen)))})
        model = given[media].model or (REAL if real else _model(sources[media], title_of))
        done.videos.append(HueStudyVideo(id=media, prompt=known.id, model=model, real=real))
    _check_rows(done.videos)
    done.prompts = list(prompts.values())
    done.title = done.title or shortened(done.prompts[0].text, MAX_TITLE)
    return done


def _of_batch(session: Session, batch: str) -> tuple[str, Sequence[HueGiven]]:
    """Title and videos of a comparison, or of a batch without one."""
    jobs = session.execute(
        select(ArtefactRow, JobRow.batch_index)
        .join(JobRow, JobRow.id == ArtefactRow.job_id)
        .where(JobRow.batch_id == batch, ArtefactRow.type == "video")
        .where(~ArtefactRow.erasing, ArtefactRow.trashed_at.is_(None))
        .order_by(JobRow.batch_index, ArtefactRow.number)
    ).all()
    made: list[tuple[ArtefactRow, int | None]] = [(row, index) for row, index in jobs]
    given = [HueGiven(media=row.id) for row, _ in made]
    found = session.scalars(select(ComparisonRow).where(ComparisonRow.id == batch)).first()
    if found is None:
        return "", given
    grid = Grid.model_validate(found.document)
    row_of = {place.index: place.row for place in grid.places if place.index is not None}
    prompts = {row_of[index]: row.prompt for row, index in made if index in row_of}
    named = [place for place in grid.places if place.media_id]
    videos = {
        row.id: row
        for row in session.scalars(select(ArtefactRow).where(ArtefactRow.id.in_([each.media_id for each in named])))
        if row.type == "video" and not row.erasing
    }
    shown_too = [_shown(place, grid, prompts) for place in named if place.media_id in videos]
    return grid.title, (*shown_too, *given)


def _shown(place: GridPlace, grid: Grid, prompts: Mapping[int, str]) -> HueGiven:
    """An item that stands in a comparison as it is."""
    assert place.media_id
    is_truth = grid.columns[place.column].role == "reference"
    prompt = prompts.get(place.row) or (grid.rows[place.row] if is_truth else "")
    return HueGiven(media=place.media_id, prompt=prompt, real=is_truth or None)


def _sources(session: Session, ids: Sequence[str]) -> dict[str, _Source]:
    found: dict[str, _Source] = {}
    for begin in range(0, len(ids), AT_ONCE):
        query = (
            select(ArtefactRow, JobRow.request)
            .outerjoin(JobRow, JobRow.id == ArtefactRow.job_id)
            .where(ArtefactRow.id.in_(ids[begin : begin + AT_ONCE]), ~ArtefactRow.erasing)
        )
        found |= {row.id: _Source(row, request or {}) for row, request in session.execute(query)}
    return found


def _check(media: str, source: _Source | None, param: str) -> None:
    if source is None:
        raise MediaNotFound(f"There is no item {shown(media)} in the library.", param=param)
    if source.row.type != "video":
        raise BadInput(f"{media} is of type {source.row.type}; expected a video.", param=param)


def _is_real(given: HueGiven, source: _Source) -> bool:
    return source.row.job_id is None if given.real is None else given.real


def _keys(given: Mapping[str, HueGiven], sources: Mapping[str, _Source], places: Mapping[str, int]) -> dict[str, _Key]:
    """The prompt of each video: what was made says its own; a real one joins those of its text, or the only one."""
    keys: dict[str, _Key] = {}
    for media, each in given.items():
        row, request = sources[media]
        if not _is_real(each, sources[media]) and (text := _line(each.prompt or row.prompt)):
            start = request.get("start_image") or request.get("source_video") or ""
            keys[media] = _Key(text, str(start))
    by_text: defaultdict[str, list[_Key]] = defaultdict(list)
    for key in dict.fromkeys(keys.values()):
        by_text[key.text].append(key)
    for media, each in given.items():
        if media in keys:
            continue
        text = _line(each.prompt or sources[media].row.prompt)
        if not text and len(by_text) == 1:
            text = next(iter(by_text))
        if not text:
            raise BadInput(
                f"The video {media} has no prompt of its own.",
                param=f"videos.{places[media]}.prompt" if media in places else "batch",
                hint="Send the prompt that it belongs to.",
            )
        keys[media] = by_text[text][0] if text in by_text else _Key(text, "")
    return {media: keys[media] for media in given}


def _line(text: str) -> str:
    return " ".join(text.split())


def _model(source: _Source, title_of: Callable[[str], str]) -> str:
    """The checkpoint that made a video, with the adapter on top of it."""
    name = title_of(source.row.checkpoint) if source.row.checkpoint else "Uploads"
    adapter = source.request.get("adapter")
    if not adapter:
        return name
    scale = adapter.get("scale", 1)
    return f"{name} + {adapter['name']}" + ("" if scale == 1 else f" × {scale:g}")


def _check_rows(videos: Sequence[HueStudyVideo]) -> None:
    """A row is of real videos or of generated ones."""
    real = {video.model for video in videos if video.real}
    mixed = next((video.model for video in videos if not video.real and video.model in real), None)
    if mixed is not None:
        raise BadInput(
            f"The row {shown(mixed)} has real and generated videos; expected one or the other.", param="videos"
        )
