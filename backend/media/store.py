"""Where media lie: one file an artefact and one thumbnail beside it, named by the job that made them or by content."""

from __future__ import annotations

import io
import shutil
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from PIL import Image

from backend.media.action_file import actions_text
from backend.media.clip_frames import read_frame
from backend.media.clip_writer import write_clip
from backend.media.control_origin import ControlOrigin, origin_text
from backend.media.facts import MediaFacts, reference_of, reference_of_actions, reference_of_latents, sha256_of
from backend.media.file_names import MIME, NAME, SHEET, SUFFIXES
from backend.media.frame_array import frame_array
from backend.media.inspection import inspect_upload, take_in
from backend.media.pictures import write_thumbnail
from backend.media.recipe import recipe_text, write_recipe
from backend.media.scratch import SUFFIX as PART
from backend.media.scratch import keep, scratch
from studio.errors import MediaNotFound
from studio.media import MediaReference
from studio.png import write_png
from studio.requests import Request

_CHUNK_BYTES = 2**20

NUM_KNOWN = 4096
"""Files whose facts are remembered: an artefact never changes, and every job that names one asks."""


@lru_cache(NUM_KNOWN)
def _facts_of(path: Path, changed_ns: int, size_bytes: int) -> MediaFacts:
    return inspect_upload(path)


class MediaStore:
    """Artefacts below one folder. The worker writes results and the server uploads; nobody sees half a file.

    Every `put_` raises DiskFull or StorageError when the disk does not take it, and leaves nothing behind.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def put_image(
        self, job_id: str, index: int, pixels: NDArray[np.uint8], request: Request, checkpoint: str
    ) -> MediaReference:
        """Write a picture as PNG with its recipe, and its thumbnail.

        Args:
            pixels: uint8 [height, width, 3].
            request: of this picture alone.
        """
        name = f"{job_id}-{index}"
        height, width = pixels.shape[:2]
        with scratch(self._folder(name), 2) as (small, whole):
            texts = write_recipe(request, checkpoint, (width, height))
            write_png(whole, pixels, [(kind, content) for kind, content, *_ in texts.chunks])
            write_thumbnail(small, pixels)
            facts = MediaFacts("image", "image/png", width, height)
            reference = reference_of(name, whole, facts, request.sampling.seed)
            keep((small, self._thumbnail(name)), (whole, self._place(name, ".png")))
        return reference

    def put_clip(
        self,
        job_id: str,
        index: int,
        frames: Iterable[NDArray[np.uint8]],
        request: Request,
        checkpoint: str,
        *,
        fps: float,
        sound: NDArray[np.float32] | None = None,
    ) -> MediaReference:
        """Write a clip as MP4 with its recipe while its frames come, and a thumbnail of its middle frame.

        Args:
            frames: uint8 [height, width, 3] or [n, height, width, 3]; what they raise passes through.
            request: of this clip alone.
            sound: float32 [2, samples] at 48 kHz.
        """
        name = f"{job_id}-{index}"
        with scratch(self._folder(name), 2) as (small, whole):
            facts = write_clip(whole, frames, fps=fps, sound=sound, recipe=recipe_text(request, checkpoint))
            write_thumbnail(small, read_frame(whole, 0.5))
            reference = reference_of(name, whole, facts, request.sampling.seed)
            keep((small, self._thumbnail(name)), (whole, self._place(name, ".mp4")))
        return reference

    def put_actions(
        self, job_id: str, index: int, actions: NDArray[np.float32], request: Request, checkpoint: str
    ) -> tuple[MediaReference, MediaReference]:
        """Write the actions of result `index` as JSON with its recipe, and as a NumPy array; both or neither.

        Args:
            actions: float32 [n, width].
            request: of this result alone.

        Raises:
            EngineError: a value is not finite.
        """
        name, array = (f"{job_id}-{index}-{what}" for what in ("actions", "array"))
        with scratch(self._folder(name), 2) as (text, whole):
            text.write_text(actions_text(actions, request, checkpoint), "ascii")
            packed = io.BytesIO()  # into a file NumPy writes past Python, and does not say when its end did not fit
            np.save(packed, np.ascontiguousarray(actions, np.float32), allow_pickle=False)
            whole.write_bytes(packed.getvalue())
            references = (
                reference_of_actions(name, text, MIME[".json"], actions, request),
                reference_of_actions(array, whole, MIME[".npy"], actions, request),
            )
            keep((whole, self._place(array, ".npy")), (text, self._place(name, ".json")))
        return references

    def put_latents(self, job_id: str, index: int, tensors: Mapping[str, NDArray[np.generic]]) -> MediaReference:
        """Write the latents of result `index` as safetensors, by the names they are given."""
        name = f"{job_id}-{index}-latents"
        with scratch(self._folder(name)) as (whole,):
            whole.write_bytes(safetensors.numpy.save({key: np.ascontiguousarray(tensors[key]) for key in tensors}))
            reference = reference_of_latents(name, whole, MIME[".safetensors"])
            keep((whole, self._place(name, ".safetensors")))
        return reference

    def put_upload(self, stream: BinaryIO) -> MediaReference:
        """Keep a picture or a clip as it came; the same content again is the same artefact.

        Raises:
            BadInput: it is neither, or one that is not accepted; nothing is kept.
        """
        with scratch(self._root / "incoming", 2) as (small, whole):
            with whole.open("wb") as file:
                while chunk := stream.read(_CHUNK_BYTES):
                    file.write(chunk)
            return self._keep_by_content(small, whole, take_in(whole, small))

    def put_control(self, frames: Iterable[NDArray[np.uint8]], *, fps: float, origin: ControlOrigin) -> MediaReference:
        """Keep a computed control as if its MP4 had been uploaded.

        Args:
            frames: uint8 [height, width, 3]; what they raise passes through, and nothing is kept then.
            origin: what it was computed from, which is written into it.
        """
        with scratch(self._root / "incoming", 2) as (small, whole):
            facts = write_clip(whole, frames, fps=fps, recipe=origin_text(origin))
            write_thumbnail(small, read_frame(whole, 0.5))
            return self._keep_by_content(small, whole, facts)

    def frame_array(self, shape: tuple[int, ...], *, on_disk: bool) -> NDArray[np.uint8]:
        """Room for frames, see `backend.media.frame_array`."""
        return frame_array(shape, self._root / "incoming", on_disk=on_disk)

    def facts(self, name: str) -> MediaFacts:
        """What a picture or clip of the store is, from its file.

        Raises:
            MediaNotFound: there is none of this name.
            BadInput: it is neither a picture nor a clip.
        """
        path = self.file(name)
        found = path.stat()
        return _facts_of(path, found.st_mtime_ns, found.st_size)

    def holds(self, name: str, mime: str) -> bool:
        """Whether the file of an artefact of this content type is there."""
        return any(self._place(name, suffix).is_file() for suffix, known in MIME.items() if known == mime)

    def erase(self, name: str) -> None:
        """Remove an artefact and everything that was made of it. Raises OSError when the disk does not let go."""
        for path in list(self._folder(name).glob(f"{name}.*")):
            path.unlink(missing_ok=True)

    def every_file(self, name: str) -> list[Path]:
        """The file of an artefact and its thumbnail, as far as they are there; what is drawn when asked for is not."""
        found = [path for path in self._folder(name).glob(f"{name}.*") if path.suffix != PART]
        return sorted(path for path in found if not path.name.endswith(SHEET))

    def file(self, name: str) -> Path:
        """The file of an artefact. Raises MediaNotFound."""
        return self._existing(name, [self._place(name, suffix) for suffix in MIME])

    def thumbnail(self, name: str) -> Path:
        """The thumbnail of an artefact. Raises MediaNotFound."""
        return self._existing(name, [self._thumbnail(name)])

    def sheet(self, name: str) -> Path | None:
        """The spritesheet of a clip, if it was drawn already."""
        path = self._place(name, SHEET)
        return path if path.is_file() else None

    def put_sheet(self, name: str, sheet: Image.Image) -> Path:
        """Keep the spritesheet of a clip beside it."""
        place = self._place(name, SHEET)
        with scratch(self._folder(name)) as (whole,):
            sheet.save(whole, "WEBP", quality=70)
            keep((whole, place))
        return place

    def remove_results(self, job_id: str) -> None:
        """Remove everything that a job has made. What the disk does not let go of is left to `sweep`."""
        for path in list(self._folder(job_id).glob(f"{job_id}-*")):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def sweep(self, unmade: Collection[str] = ()) -> int:
        """Remove what a killed process left half-written; returns how many files that were.

        Args:
            unmade: jobs that have no results, or will make them again; what lies here of theirs goes too.
        """
        leftovers = [
            path for path in self._root.glob("*/*") if path.name.endswith(PART) or path.name.partition("-")[0] in unmade
        ]
        for leftover in leftovers:
            if leftover.is_dir():  # where an import has unpacked
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink(missing_ok=True)
        return len(leftovers)

    def _keep_by_content(self, small: Path, whole: Path, facts: MediaFacts) -> MediaReference:
        name = f"u{sha256_of(whole)[:16]}"
        reference = reference_of(name, whole, facts, None)
        keep((small, self._thumbnail(name)), (whole, self._place(name, SUFFIXES[facts.mime])))
        return reference

    def _existing(self, name: str, places: list[Path]) -> Path:
        found = (place for place in places if place.is_file()) if NAME.fullmatch(name) else iter(())
        path = next(found, None)
        if path is None:
            raise MediaNotFound(
                f"There is no media {name[:80]!r} in the store.", hint="It was deleted, or it never existed."
            )
        return path

    def _folder(self, name: str) -> Path:
        return self._root / name[:2]

    def _place(self, name: str, suffix: str) -> Path:
        return self._folder(name) / f"{name}{suffix}"

    def _thumbnail(self, name: str) -> Path:
        return self._place(name, ".webp")
