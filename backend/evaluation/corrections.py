"""What people correct in a run's inspector, and the boundaries that come of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple

from backend.evaluation.store import RunStore
from backend.library.archive import Entry, zip_stream
from backend.media import MediaStore
from studio.errors import BadInput, CorrectionNotFound, MediaNotFound
from studio.evaluation import Benchmark, Item
from studio.evaluation.boundaries import (
    BoundaryList,
    ItemBoundaries,
    Spans,
    Times,
    VideoLength,
    boundaries_of,
)
from studio.evaluation.boundary_layouts import BoundaryLayout, is_whole, lerobot, messages, mimicgen
from studio.evaluation.corrections import (
    TIMED,
    BringCorrections,
    Correction,
    CorrectionList,
    CorrectItem,
    checked,
    newest,
)
from studio.evaluation.drawing_up import draw_up
from studio.evaluation.layouts.rows import slug
from studio.evaluation.runs import EvaluationRun
from studio.library import MAX_TAGS, ItemsChange
from studio.requests import shown

Tagging = Callable[[ItemsChange], Awaitable[object]]


class CorrectionService:
    """Keeps corrections; they belong to the items, so every run of a benchmark's version shows them.

    Args:
        tag: changes tags in the library.
        changed: called after every change.
    """

    def __init__(self, store: RunStore, media: MediaStore, tag: Tagging, changed: Callable[[], None]) -> None:
        self._store = store
        self._media = media
        self._tag = tag
        self._changed = changed

    async def correct(self, run_id: str, asked: CorrectItem) -> Correction:
        """Keep a correction; the same person's earlier one of the item gives way.

        The library tags the item's videos with the corrected fields of an annotation, instead of other values.

        Raises:
            RunNotFound: there is none.
            BadInput: it could not be the item's reference, or a video would have too many tags.
        """
        run = await self._store.get(run_id)
        benchmark = await self._store.benchmark(run)
        tidy = checked(benchmark, asked)
        await self._retag(benchmark, tidy)
        correction = Correction(**tidy.model_dump(), created_at=datetime.now(UTC))
        await self._store.keep_correction(run.benchmark_id, correction)
        self._changed()
        return correction

    async def take_back(self, run_id: str, item: str, by: str) -> None:
        """Forget a person's correction of an item, and remove the tags that it has given.

        Where another person's correction of the item counts from now on, its tags are given instead.

        Raises:
            RunNotFound, CorrectionNotFound: there is none.
        """
        run = await self._store.get(run_id)
        gone = await self._store.remove_correction(run.benchmark_id, item, by)
        if gone is None:
            raise CorrectionNotFound(f"{shown(by)} has not corrected {shown(item)}.", param="item")
        benchmark = await self._store.benchmark(run)
        await self._untag(benchmark, gone)
        left = newest(await self._store.corrections(run.benchmark_id)).get(item)
        if left is not None:
            await self._retag(benchmark, left)
        self._changed()

    async def bring_in(self, name: str, brought: BringCorrections) -> CorrectionList:
        """Keep what people have corrected elsewhere, under their names and times; what is newer here stays.

        Args:
            name: of the benchmark, or the id of its version.
            brought: all of them are kept, or none.

        Raises:
            BenchmarkNotFound: there is none.
            BadInput: one could not be the item's reference; its place is named, as in `corrections.3.reference`.
        """
        version, benchmark = await self._store.version(name)
        tidy = [_checked_at(benchmark, place, one) for place, one in enumerate(brought.corrections)]
        known = {(one.item, one.by): one.created_at for one in await self._store.corrections(version)}
        now = datetime.now(UTC)
        kept = [
            one.model_copy(update={"created_at": min(one.created_at, now)})
            for one in tidy
            if (one.item, one.by) not in known or known[one.item, one.by] < one.created_at
        ]
        for correction in sorted(kept, key=lambda one: one.created_at):
            await self._store.keep_correction(version, correction)
        every = await self._store.corrections(version)
        counting = newest(every)
        for item in dict.fromkeys(one.item for one in kept):
            await self._retag(benchmark, counting[item])
        self._changed()
        return CorrectionList(corrections=every)

    async def listing(self, run_id: str) -> CorrectionList:
        """All of the run's items, the oldest first. Raises RunNotFound."""
        run = await self._store.get(run_id)
        return CorrectionList(corrections=await self._store.corrections(run.benchmark_id))

    async def boundaries(self, run_id: str) -> BoundaryList:
        """Those of all items. Raises RunNotFound, or BadInput where the form has none."""
        _, found = await self._boundaries(await self._store.get(run_id))
        return BoundaryList(items=found)

    async def archive(self, run_id: str, layout: BoundaryLayout, times: Times) -> Iterator[bytes]:
        """A zip of boundaries in a layout of another program.

        "mimicgen" is a JSON file for each item, "lerobot" the rows of `episodes.jsonl`, "messages" `train.jsonl` beside
        `videos/`. An item that the source says nothing about, or whose video is gone, is left out.

        Raises:
            RunNotFound: there is none.
            BadInput: the form has no boundaries, or not this layout, or nothing is left; of "mimicgen": two subtasks of
                an item end together.
        """
        benchmark, found = await self._boundaries(await self._store.get(run_id))
        items = {item.id: item for item in benchmark.items}
        chosen = [
            _Timed(index, items[one.item], one.video, spans, one.length)
            for index, one in enumerate(found)
            if (spans := one.spans(times)) and one.length
        ]
        if not chosen:
            raise BadInput(
                f"No item of run {run_id} has {times} boundaries and a video.",
                param="times",
                hint="Correct some on the page Evaluate, or take times=answered." if times == "corrected" else "",
            )
        return zip_stream(await asyncio.to_thread(lambda: list(_files(benchmark, chosen, self._media, layout))))

    async def _retag(self, benchmark: Benchmark, said: CorrectItem) -> None:
        """Tag the item's videos with a corrected annotation, instead of other values."""
        schema, media = benchmark.annotation, _media_of(benchmark, said)
        if schema is None or not media or not isinstance(said.reference, dict):
            return
        await self._remove_tags(media, schema.other_tags(said.reference))
        await self._tag(ItemsChange(ids=media, add_tags=schema.tags(said.reference)[:MAX_TAGS]))

    async def _untag(self, benchmark: Benchmark, said: CorrectItem) -> None:
        schema, media = benchmark.annotation, _media_of(benchmark, said)
        if schema is not None and media and isinstance(said.reference, dict):
            await self._remove_tags(media, schema.tags(said.reference))

    async def _remove_tags(self, media: tuple[str, ...], tags: Sequence[str]) -> None:
        for first in range(0, len(tags), MAX_TAGS):
            await self._tag(ItemsChange(ids=media, remove_tags=tuple(tags[first : first + MAX_TAGS])))

    async def _boundaries(self, run: EvaluationRun) -> tuple[Benchmark, tuple[ItemBoundaries, ...]]:
        if run.form not in TIMED:
            raise BadInput(
                f"Run {run.id} has the form {run.form}, which has no boundaries; expected {' or '.join(TIMED)}.",
                param="run_id",
            )
        benchmark = await self._store.benchmark(run)
        answers = await self._store.answers(run.id)
        corrections = newest(await self._store.corrections(run.benchmark_id))

        def draw() -> tuple[ItemBoundaries, ...]:
            marks = draw_up(benchmark, answers).marks_by_item
            return tuple(
                boundaries_of(
                    benchmark,
                    item,
                    marks.get(item.id, ()),
                    corrections.get(item.id),
                    length_of(self._media, item),
                )
                for item in benchmark.items
            )

        return benchmark, await asyncio.to_thread(draw)


def _media_of(benchmark: Benchmark, said: CorrectItem) -> tuple[str, ...]:
    """Of the item; none where the run asks fewer items."""
    return next((item.media for item in benchmark.items if item.id == said.item), ())


def _checked_at(benchmark: Benchmark, place: int, said: Correction) -> Correction:
    """One of several corrections, checked. Raises BadInput."""
    try:
        return checked(benchmark, said)
    except BadInput as error:
        raise BadInput(error.message, param=f"corrections.{place}.{error.param}", hint=error.hint) from None


def length_of(media: MediaStore, item: Item) -> VideoLength | None:
    """Of an item's first medium; none where that is no video or is gone."""
    with suppress(MediaNotFound, BadInput):
        facts = media.facts(item.media[0]) if item.media else None
        if facts and facts.fps and facts.num_frames and facts.duration_s:
            return VideoLength(fps=facts.fps, num_frames=facts.num_frames, duration_s=facts.duration_s)
    return None


class _Timed(NamedTuple):
    """An item whose boundaries are written."""

    place: int
    item: Item
    video: str
    spans: Spans
    length: VideoLength


def _files(
    benchmark: Benchmark, chosen: Sequence[_Timed], media: MediaStore, layout: BoundaryLayout
) -> Iterator[Entry]:
    rows: list[bytes] = []
    names: set[str] = set()
    ends_with_demo = any(is_whole(one.spans, one.length) for one in chosen)
    for place, item, clip, spans, length in chosen:
        if layout == "mimicgen":
            name = slug(item.id) if slug(item.id) not in names else f"{slug(item.id)}-{place}"
            names.add(name)
            demo = mimicgen(item.id, place, spans, length, ends_with_demo=ends_with_demo)
            yield Entry(f"{name}.json", _line(demo))
        elif layout == "lerobot":
            rows.append(_line(lerobot(item.id, place, spans, length)))
        else:
            video = f"videos/{media.file(clip).name}"
            rows.append(_line(messages(benchmark, item, spans, video)))
            if video not in names:
                names.add(video)
                yield Entry(video, media.file(clip))
    if rows:
        yield Entry("episodes.jsonl" if layout == "lerobot" else "train.jsonl", b"".join(rows))


def _line(row: dict[str, object]) -> bytes:
    return f"{json.dumps(row, ensure_ascii=False)}\n".encode()
