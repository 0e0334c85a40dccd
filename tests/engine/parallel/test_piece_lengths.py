"""How long the pieces of a divided decode are: as long as the rank with the least memory left has room for."""

from __future__ import annotations

from pathlib import Path

import pytest

from two_ranks import decode_on_two

GB = 10**9

CLOSE = 1e-5
"""Of pixels in -1..1: float32, summed in another order."""

# Two processes that import the engine take most of it.
pytestmark = pytest.mark.slow


def test_the_rank_with_the_least_memory_left_decides_for_both(speck: Path, tmp_path: Path):
    """At 720p each of two takes 6.9 GB to decode a latent frame, and 4.8 for each further one of a piece."""
    rooms = [(20 * GB, 20 * GB), (20 * GB, 7 * GB), (7 * GB, 20 * GB), (20 * GB, 3 * GB), (3 * GB, 3 * GB)]
    equal, less, more, none, nowhere = decode_on_two(speck, tmp_path / "meeting", rooms)

    assert equal.told == ("measure", 1, 3, 2)
    assert equal.num_frames == (1, 12, 8)
    assert less.told == more.told == ("measure", 1, 1, 1, 1, 1, 1)
    # No room there for a strip of one: the first rank has room for whole frames, and decodes them alone.
    assert none.told == ("measure",)
    assert none.num_frames == (1, 8, 8, 4)
    assert nowhere.told == ("measure",)
    assert all(decoded.worst < CLOSE for decoded in (equal, less, more, none))
