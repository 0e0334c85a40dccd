"""What a stage does before its first step: read what is there, and give the renderers their time."""

from __future__ import annotations

import time
from collections.abc import Callable

from pocket.train.loop import Options
from studio.errors import BadInput

PAUSE_S = 0.2
"""Between two looks for a new shard."""


FIRST_SHARD_S = 90.0
"""How long workers may take until the first one: they import the world, and a shard of clips takes half a minute."""


def fill(take: Callable[[], bool], options: Options) -> None:
    """Take all shards that are there; with workers those that can be taken within `render_s`, at least one.

    What is left then is taken between steps.

    Args:
        take: reads one more, false where none waits.

    Raises:
        BadInput: there is not one.
    """
    end = time.monotonic() + options.render_s
    # Whoever else makes them has to start first; without others there is nothing to wait for.
    comes = bool(options.workers or options.encoders or options.is_fed)
    last = max(end, time.monotonic() + FIRST_SHARD_S) if comes else end
    num_taken = 0
    while not (comes and num_taken and time.monotonic() >= end):
        if take():
            num_taken += 1
        elif time.monotonic() >= (end if num_taken else last):
            break
        else:
            time.sleep(PAUSE_S)
    if not num_taken:
        raise BadInput(
            f"{options.data} holds no episodes.",
            hint="Render some with python -m pocket.train data, or give --workers.",
        )
