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


def fill(take: Callable[[], bool], options: Options, enough: Callable[[], bool] = lambda: True) -> None:
    """Take all shards that are there; with workers those that can be taken within `render_s`, and as many as it needs.

    What is left then is taken between steps.

    Args:
        take: reads one more, false where none waits.
        enough: whether a batch can be drawn from what was taken; asked once there is a shard.

    Raises:
        BadInput: there is not one, or none that a batch can be drawn from.
    """
    end = time.monotonic() + options.render_s
    # Whoever else makes them has to start first; without others there is nothing to wait for.
    comes = bool(options.workers or options.encoders or options.is_fed)
    last = max(end, time.monotonic() + FIRST_SHARD_S) if comes else end
    num_taken = 0
    is_enough = False
    while not (comes and is_enough and time.monotonic() >= end):
        if take():
            num_taken += 1
            is_enough = enough()
        elif time.monotonic() >= (end if is_enough else last):
            break
        else:
            time.sleep(PAUSE_S)
    if num_taken and not is_enough:
        raise BadInput(
            f"{options.data} holds {num_taken} shards, and none that this stage learns from.",
            hint="Render more with python -m pocket.train data, or give --workers.",
        )
    if not num_taken:
        raise BadInput(
            f"{options.data} holds no episodes.",
            hint="Render some with python -m pocket.train data, or give --workers.",
        )
