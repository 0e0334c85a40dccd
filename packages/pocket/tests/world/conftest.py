"""One episode of each view, made once: small, and with the arm that needs no meshes."""

import pytest

from pocket.world import Episode, Settings, make_episode
from robot.simulation.library import GRAPHICS

SMALL = Settings(size=(96, 96), num_frames=9, fps=15, plain_arm=True)
CLIP_SEED = 4


def _need_graphics() -> None:
    if not GRAPHICS.can_draw:
        pytest.skip(GRAPHICS.problem)


@pytest.fixture(scope="session")
def still() -> Episode:
    _need_graphics()
    return make_episode("still", 3, SMALL)


@pytest.fixture(scope="session")
def clip() -> Episode:
    _need_graphics()
    return make_episode("clip", CLIP_SEED, SMALL)


@pytest.fixture(scope="session")
def policy_run() -> Episode:
    _need_graphics()
    return make_episode("policy", 5, SMALL)
