"""A disk with little room, as far as one process can have one without being root."""

import resource
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def room_for(num_bytes: int, pid: int = 0) -> Generator[None]:
    """No file of a process, this one by default, grows beyond this.

    The kernel refuses what is longer anywhere in a file and with a part of it written, as it does on a full disk; only
    its number is another one: EFBIG for ENOSPC.
    """
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (num_bytes, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
