"""Fetching a checkpoint's repository from the Hugging Face hub into its cache, and finding it there.

python -m studio.pulling REPOSITORY [REVISION]

Writes one JSON object a line: `{"done": bytes, "total": bytes}` while it runs, then `{"folder": path}` or
`{"error": {…}}` in the shape of `studio.jobs.Failure`; leaves with 0 or 1. The library takes a token from the
environment.
"""

from __future__ import annotations

import errno
import json
import shutil
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from studio.errors import CheckpointNotFound, DiskFull, ServerUnreachable, StudioError, Unauthorized
from studio.jobs import Failure
from studio.presets import CheckpointPreset

LEFT_OUT = ("*.md", "*.png", "*.jpg", "*.gif", "*.mp4", "*.webp", "assets/*", "images/*")
"""Of a repository, what no engine reads."""

POLL_S = 0.5
MIN_FREE_BYTES = 1_000_000_000
"""Left free on the disk beside what is fetched."""


def arguments(preset: CheckpointPreset) -> list[str]:
    """What this program is called with for a preset's files."""
    return [preset.repository, *([preset.revision] if preset.revision else [])]


def pull(repository: str, revision: str | None, on_progress: Callable[[int, int], None]) -> Path:
    """Fetch what is not there yet.

    Args:
        repository: its name on the hub, `owner/name`.
        revision: a branch, tag or commit; none is the main branch.
        on_progress: told about twice a second, on another thread, how many bytes are there and of how many.

    Returns:
        The snapshot's folder.

    Raises:
        CheckpointNotFound: the hub has no such repository, or that no such revision.
        Unauthorized: its terms have to be accepted, or a token is missing.
        ServerUnreachable: the hub cannot be reached.
        DiskFull: it does not fit.
    """
    from huggingface_hub import constants, snapshot_download  # pyright: ignore[reportUnknownVariableType]
    from huggingface_hub.errors import HFValidationError

    left_out: list[str] = [*LEFT_OUT]
    try:
        wanted = snapshot_download(repository, revision=revision, ignore_patterns=left_out, dry_run=True)
        total = sum(file.file_size or 0 for file in wanted)
        missing = sum(file.file_size or 0 for file in wanted if file.will_download)
        _check_disk(Path(constants.HF_HUB_CACHE), missing)
        blobs = Path(constants.HF_HUB_CACHE) / f"models--{repository.replace('/', '--')}" / "blobs"
        ended = threading.Event()
        # Beside them may lie the blobs of another revision: those that are whole by now are told apart by their size.
        others = _size_of(blob for blob in blobs.glob("*") if blob.suffix != ".incomplete") - (total - missing)
        watch = threading.Thread(target=_watch, args=(blobs, others, total, on_progress, ended), daemon=True)
        watch.start()
        try:
            folder = snapshot_download(repository, revision=revision, ignore_patterns=left_out)
        finally:
            ended.set()
            watch.join()
        on_progress(total, total)
        return Path(folder)
    except (HFValidationError, OSError) as error:  # every error of the hub is an OSError
        raise _told(error, repository, revision) from None


def cached_folder(repository: str, revision: str = "") -> Path | None:
    """The newest snapshot in the cache of a revision, else of the main branch; or none. Never asks the network."""
    from huggingface_hub import snapshot_download  # pyright: ignore[reportUnknownVariableType]
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    left_out: list[str] = [*LEFT_OUT]  # the library takes a snapshot without files that it is asked for as none
    try:
        return Path(
            snapshot_download(repository, revision=revision or None, ignore_patterns=left_out, local_files_only=True)
        )
    except (LocalEntryNotFoundError, HFValidationError):
        return None


def _told(error: Exception, repository: str, revision: str | None) -> StudioError:
    """What the library said, for a person."""
    from huggingface_hub.errors import GatedRepoError, HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    error = error.__cause__ if isinstance(error.__cause__, OSError) else error
    if isinstance(error, GatedRepoError):
        return Unauthorized(
            f"{repository} requires you to accept its terms.",
            hint=f"Accept them at huggingface.co/{repository}, and set HF_TOKEN to a token with read access.",
        )
    if isinstance(error, RevisionNotFoundError):
        return CheckpointNotFound(
            f"{repository} has no revision {revision!r} on the hub.", param="checkpoint", hint="Fix the preset."
        )
    if isinstance(error, RepositoryNotFoundError | HFValidationError):
        return CheckpointNotFound(
            f"The hub has no repository {repository!r}, or it is private.",
            param="checkpoint",
            hint="Set HF_TOKEN if it is private.",
        )
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return DiskFull(
            f"The disk is full: {repository} does not fit.",
            hint="Free some space and pull again; the download continues.",
        )
    said = str(error).strip().splitlines()
    return ServerUnreachable(
        f"The hub cannot be reached: {said[0] if said else type(error).__name__}",
        hint="Check the network and pull again; the download continues where it stopped.",
    )


def _check_disk(cache: Path, missing: int) -> None:
    """Raises DiskFull when what is missing does not fit."""
    folder = next(parent for parent in (cache, *cache.parents) if parent.exists())
    free = shutil.disk_usage(folder).free
    if free < missing + MIN_FREE_BYTES:
        raise DiskFull(
            f"{missing / 1e9:.1f} GB are missing and {free / 1e9:.1f} GB are free in {cache}.",
            hint="Free some space, or set HF_HOME to another disk.",
        )


def _watch(
    blobs: Path, others: int, total: int, on_progress: Callable[[int, int], None], ended: threading.Event
) -> None:
    """Tell how much is there, without so many bytes of others."""
    while not ended.wait(POLL_S):
        try:
            done = _size_of(blobs.glob("*")) - others
        except OSError:  # a file was renamed between the two looks
            continue
        on_progress(max(0, min(done, total)), total)


def _size_of(files: Iterable[Path]) -> int:
    """Their bytes together. Raises OSError for one that is gone."""
    return sum(file.stat().st_size for file in files)


def main() -> int:
    """Pull and tell; the server reads it."""

    def tell(message: object) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    try:
        revision = sys.argv[2] if len(sys.argv) > 2 else None
        folder = pull(sys.argv[1], revision, lambda done, total: tell({"done": done, "total": total}))
    except StudioError as error:
        tell({"error": Failure.of(error).model_dump(mode="json")})
        return 1
    tell({"folder": str(folder)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
