"""The files of one finished sample, by the names that NVIDIA's framework gives them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from cli.batch_folder import ARGS, OUTPUTS, write_json
from cli.result_files import index_of, suffix_of
from studio.client import StudioClient
from studio.jobs import Job
from studio.media import MediaReference
from studio.specs import Sample

NAMES = {".mp4": "vision.mp4", ".json": "actions.json", ".npy": "actions.npy", ".safetensors": "latents.safetensors"}
PICTURE, RECIPE, ANSWER = "vision.jpg", "vision.recipe.json", "reasoner_text.txt"

RECIPE_KEY = "orrery"
"""The text chunk of a PNG that holds the request that made it; JPEG has no place for it."""


async def save_sample(
    client: StudioClient, sample: Sample, asked: dict[str, Any], job: Job, folder: Path, *, total_s: float
) -> None:
    """Write everything that a sample's job made, what it was made from, and how long that took.

    `sample_outputs.json` has the framework's own fields (`args`, `status`, `outputs` with `content` and `files`), and
    `job`, `seed` and `timings` besides.
    """
    count = job.request.count
    outputs = list[dict[str, Any]]()
    for index in range(count):
        here = folder if count == 1 else folder / str(index)
        here.mkdir(exist_ok=True)
        content: dict[str, Any] = {"seed": job.request.sampling.seed + index}
        files = list[str]()
        for reference in job.results:
            if index_of(reference) == index:
                saved = await _save(client, reference, here, sample.jpeg_quality)
                files += [path.relative_to(folder).as_posix() for path in saved]
                if saved[0].name == NAMES[".json"]:
                    content["action"] = json.loads(saved[0].read_text())["actions"]
        outputs.append({"content": content, "files": files})
    write_args(sample, asked, folder, request=job.request.model_dump(mode="json"), checkpoint=job.checkpoint)
    timings = {**_timings(job), "total_s": total_s}
    _write_success(sample, outputs, folder, job.request.sampling.seed, timings, job=job.id)


def save_answer(sample: Sample, asked: dict[str, Any], answer: str, folder: Path, *, total_s: float) -> None:
    """Write what the reasoner answered, thinking included, and what it was asked."""
    (folder / ANSWER).write_text(answer, encoding="utf-8", errors="replace")
    outputs = [{"content": {"reasoner_text": answer}, "files": [ANSWER]}]
    write_args(sample, asked, folder, request=sample.request.model_dump(mode="json"))
    _write_success(sample, outputs, folder, sample.request.sampling.seed, {"total_s": total_s})


def _write_success(
    sample: Sample,
    outputs: list[dict[str, Any]],
    folder: Path,
    seed: int,
    timings: Mapping[str, float],
    **of_the_job: str,
) -> None:
    write_json(
        folder / OUTPUTS,
        {
            "args": {"name": sample.name, **sample.entry.fields},
            "status": "success",
            "outputs": outputs,
            **of_the_job,
            "seed": seed,
            "timings": {name: round(seconds, 3) for name, seconds in timings.items()},
        },
    )


def write_failure(sample: Sample, asked: dict[str, Any], message: str, folder: Path) -> None:
    """Write down that a sample failed, and why."""
    write_args(sample, asked, folder)
    args = {"name": sample.name, **sample.entry.fields}
    write_json(folder / OUTPUTS, {"args": args, "status": "error", "message": message, "outputs": []})


def write_args(sample: Sample, asked: dict[str, Any], folder: Path, **resolved: Any) -> None:
    """Write where a sample came from, what it says and what was asked of the server; `resolved` is what that became."""
    write_json(
        folder / ARGS,
        {
            "name": sample.name,
            "model_mode": sample.mode,
            "source": str(sample.entry.file),
            "spec": dict(sample.entry.fields),
            "notes": list(sample.notes),
            "inputs": {name: attachment.said for name, attachment in sample.attachments.items()},
            "asked": asked,
            **resolved,
        },
    )


async def _save(client: StudioClient, reference: MediaReference, folder: Path, quality: int) -> list[Path]:
    """Fetch one artefact; a picture becomes a JPEG with its recipe beside it."""
    suffix = suffix_of(reference)
    if suffix != ".png":
        path = folder / NAMES[suffix]
        await client.save_media(reference, path)
        return [path]
    with Image.open(io.BytesIO(await client.media(reference))) as picture:
        recipe = picture.info.get(RECIPE_KEY)
        picture.convert("RGB").save(folder / PICTURE, "JPEG", quality=quality, subsampling=0)
    if recipe is None:
        return [folder / PICTURE]
    write_json(folder / RECIPE, json.loads(recipe))
    return [folder / PICTURE, folder / RECIPE]


def _timings(job: Job) -> dict[str, float]:
    """Seconds from the request to its start, and from there to its end, as far as the server says so."""
    moments = {"waiting_s": (job.created_at, job.started_at), "making_s": (job.started_at, job.finished_at)}
    return {
        name: (end - start).total_seconds()
        for name, (start, end) in moments.items()
        if start is not None and end is not None
    }
