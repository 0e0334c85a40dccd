"""A run as a zip that another Orrery reads as a benchmark, with what was answered and said here beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from backend.evaluation.store import RunStore
from backend.library.archive import Entry, zip_stream
from backend.media import MediaStore
from studio.errors import MediaNotFound
from studio.evaluation import Answer
from studio.evaluation.generations import GenerationResult, rename_media
from studio.evaluation.layouts.own import CORRECTIONS, JSON_MANIFEST
from studio.evaluation.runs import EvaluationRun


async def run_archive(store: RunStore, media: MediaStore, run_id: str) -> Iterator[bytes]:
    """The bytes of a zip: `benchmark.json` and `items.jsonl` with the media that they name, for `orrery evaluate`, and
    `run.json`, `answers.jsonl`, `verdicts.jsonl` and `corrections.jsonl`; what jobs made is in `results/`. What is
    gone is left out.

    Raises:
        RunNotFound: there is none.
    """
    run = await store.get(run_id)
    benchmark = await store.benchmark(run)
    answers, verdicts = await store.answers(run_id), await store.verdicts(run_id)
    asked = {item.id for item in benchmark.items}
    corrections = [one for one in await store.corrections(run.benchmark_id) if one.item in asked]
    files_here = dict(_files((name for item in benchmark.items for name in item.media), media))
    results = dict(_files(_made(run, answers), media))
    names = {name: f"media/{path.name}" for name, path in files_here.items()}
    manifest = benchmark.model_dump(mode="json", exclude={"items"}, exclude_defaults=True)
    items = [rename_media(item.model_dump(mode="json", exclude_defaults=True), names) for item in benchmark.items]
    files = {
        JSON_MANIFEST: _text(manifest),
        "items.jsonl": _lines(items),
        "run.json": _text(run.model_dump(mode="json")),
        "answers.jsonl": _lines([answer.model_dump(mode="json") for answer in answers]),
        "verdicts.jsonl": _lines([verdict.model_dump(mode="json") for verdict in verdicts]),
        CORRECTIONS: _lines([correction.model_dump(mode="json") for correction in corrections]),
    }

    def entries() -> Iterator[Entry]:
        for name, content in files.items():
            yield Entry(name, content)
        for own, path in files_here.items():
            yield Entry(names[own], path)
        for path in results.values():
            yield Entry(f"results/{path.name}", path)

    return zip_stream(entries())


def _made(run: EvaluationRun, answers: Iterable[Answer]) -> Iterator[str]:
    """What jobs made for a run."""
    for answer in answers:
        if run.form == "generation" and answer.error is None:
            result = GenerationResult.model_validate_json(answer.text)
            yield from (*result.media, *([result.round_trip] if result.round_trip else []))


def _files(names: Iterable[str], media: MediaStore) -> Iterator[tuple[str, Path]]:
    """Each medium that is there, once."""
    for name in dict.fromkeys(names):
        with suppress(MediaNotFound):
            yield name, media.file(name)


def _text(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()
