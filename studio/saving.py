"""Writing a file that is either whole or not there."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import AsyncIterable
from contextlib import suppress
from pathlib import Path

from studio.errors import DiskFull, StorageError


async def save_whole(path: Path, chunks: AsyncIterable[bytes]) -> None:
    """Write chunks to a temporary file beside `path`, then give it that name; an older file there is replaced.

    Raises:
        DiskFull: it does not fit; nothing is left behind.
        StorageError: it cannot be written there.
    """
    temporary: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}-", suffix=".part")
        temporary = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            async for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fchmod(file.fileno(), 0o666 & ~_umask())
            os.fsync(file.fileno())
        temporary.replace(path)
        temporary = None
    except OSError as error:
        kind = DiskFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else StorageError
        raise kind(f"{path} cannot be written: {error.strerror or error}.", param="output") from None
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()


def _umask() -> int:
    """The process's mask, which mkstemp ignores: a picture is no secret."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
