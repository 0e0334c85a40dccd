"""The folder that samples are made into: a folder for each, whole or not there, with the framework's own file names."""

from __future__ import annotations

import fcntl
import io
import json
import os
import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any, cast

from PIL import Image

from cli.output_files import index_of, suffix_of
from studio.client import StudioClient
from studio.errors import BadInput, Conflict, DataFolderDenied
from studio.jobs import Job
from studio.media import MediaReference
from studio.specs import Sample

ARGS = "sample_args.json"
OUTPUTS = "sample_outputs.json"
PART = ".part"
NAMES = {".mp4": "vision.mp4", ".json": "actions.json", ".npy": "actions.npy", ".safetensors": "latents.safetensors"}
PICTURE, RECIPE, ANSWER = "vision.jpg", "vision.recipe.json", "reasoner_text.txt"

RECIPE_KEY = "orrery"
"""The text chunk of a PNG that holds the request that made it; JPEG has no place for it."""


class Place(Enum):
    """What lies where a sample would go."""

    FREE = "free"
    FINISHED = "finished"
    FAILED = "failed"
    OTHER = "other"


class BatchFolder:
    """A folder of samples, held for as long as one command runs; use it as `with BatchFolder(root) as folder`.

    Raises:
        BadInput: it is a file.
        DataFolderDenied: it cannot be made.
        Conflict: another command makes samples into it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        try:
            root.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise BadInput(f"{root} is a file; expected a folder.", param="output") from None
        except OSError as error:
            raise DataFolderDenied(
                f"The folder {root} cannot be created: {error.strerror or error}.", param="output"
            ) from None
        self._held = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            # The kernel lets go of it, however this process ends.
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._held)
            raise Conflict(
                f"Another command is writing samples to {root}.", hint="Wait for it, or use another folder."
            ) from None

    def __enter__(self) -> BatchFolder:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._held)

    @property
    def inputs(self) -> Path:
        """Where files of the web and first frames of clips are kept."""
        return self.root / ".inputs"

    def place(self, name: str, asked: Mapping[str, Any]) -> Place:
        """What lies where a sample would go: itself, whole; what is left of a failure; something else; nothing."""
        folder = self.root / name
        if not folder.exists():
            return Place.FREE
        args, outputs = _read(folder / ARGS), _read(folder / OUTPUTS)
        if args is None or outputs is None:
            return Place.OTHER if not folder.is_dir() or any(folder.iterdir()) else Place.FREE
        if outputs.get("status") != "success":
            return Place.FAILED
        return Place.FINISHED if args.get("asked") == json.loads(json.dumps(asked)) else Place.OTHER

    @contextmanager
    def replacing(self, name: str) -> Generator[Path, None, None]:
        """A folder to write a sample into, which takes its name at the end of the block, if nothing was raised."""
        part, old, final = (self.root / f".{name}{end}" for end in (PART, ".old", ""))
        final = self.root / name
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        try:
            yield part
            shutil.rmtree(old, ignore_errors=True)
            if final.exists():
                final.rename(old)
            part.rename(final)
            shutil.rmtree(old, ignore_errors=True)
        finally:
            shutil.rmtree(part, ignore_errors=True)


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
    _write_args(sample, asked, folder, request=job.request.model_dump(mode="json"), checkpoint=job.checkpoint)
    timings = {**_timings(job), "total_s": total_s}
    _write_success(sample, outputs, folder, job.request.sampling.seed, timings, job=job.id)


def save_answer(sample: Sample, asked: dict[str, Any], answer: str, folder: Path, *, total_s: float) -> None:
    """Write what the reasoner answered, thinking included, and what it was asked."""
    (folder / ANSWER).write_text(answer, encoding="utf-8", errors="replace")
    outputs = [{"content": {"reasoner_text": answer}, "files": [ANSWER]}]
    _write_args(sample, asked, folder, request=sample.request.model_dump(mode="json"))
    _write_success(sample, outputs, folder, sample.request.sampling.seed, {"total_s": total_s})


def _write_success(
    sample: Sample,
    outputs: list[dict[str, Any]],
    folder: Path,
    seed: int,
    timings: Mapping[str, float],
    **of_the_job: str,
) -> None:
    _write_json(
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
    _write_args(sample, asked, folder)
    args = {"name": sample.name, **sample.entry.fields}
    _write_json(folder / OUTPUTS, {"args": args, "status": "error", "message": message, "outputs": []})


def _write_args(sample: Sample, asked: dict[str, Any], folder: Path, **resolved: Any) -> None:
    """Write where a sample came from, what it says and what was asked of the server; `resolved` is what that became."""
    _write_json(
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
    _write_json(folder / RECIPE, json.loads(recipe))
    return [folder / PICTURE, folder / RECIPE]


def _timings(job: Job) -> dict[str, float]:
    """Seconds from the request to its start, and from there to its end, as far as the server says so."""
    moments = {"waiting_s": (job.created_at, job.started_at), "making_s": (job.started_at, job.finished_at)}
    return {
        name: (end - start).total_seconds()
        for name, (start, end) in moments.items()
        if start is not None and end is not None
    }


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write an object, to the disk itself: a folder with this file in it counts as finished."""
    with path.open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> dict[str, Any] | None:
    try:
        value: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None
