"""What a stage does before its first step: read what is there, and give the renderers their time."""

from __future__ import annotations

import time
from collections.abc import Callable

from pocket.train.loop import Options
from studio.errors import BadInput

PAUSE_S = 0.2
"""Between two looks for a new shard."""


def fill(take: Callable[[], bool], options: Options) -> None:
    """Take all shards that are there, and those that come within `render_s`.

    Args:
        take: reads one more, false where none waits.

    Raises:
        BadInput: there is not one.
    """
    end = time.monotonic() + options.render_s
    num_taken = 0
    while True:
        if take():
            num_taken += 1
        elif time.monotonic() >= end:
            break
        else:
            time.sleep(PAUSE_S)
    if not num_taken:
        raise BadInput(
            f"{options.data} holds no episodes.",
            hint="Render some with python -m pocket.train data, or give --workers.",
        )
