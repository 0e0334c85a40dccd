from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from pocket.train.lessons.seeing import NUM_COLOURS, NUM_SHAPES, Naming, squares_of
from pocket.train.lessons.sight import cut
from pocket.world.episode import FIRST_THING_ID, TABLE_ID
from pocket.world.wording import SHAPE_WORDS
from pocket_flat_world import flat_episode
from robot.simulation.arrangement import COLOURS


@pytest.mark.parametrize("view", ["still", "clip"])
def test_squares_say_what_the_encoder_is_shown_there(view):
    """Everything that is painted like the thing is named, in the order of the patches that the encoder merges."""
    episode = flat_episode(view, 1)
    shown = [0, 0] if view == "still" else [0, 4, 8, 12]
    patches = cut(torch.from_numpy(episode.frames[shown][None]))[0].unflatten(-1, (3, 2, -1))[:, :, 0]
    painted = (patches - (110 / 127.5 - 1)).abs().amax(1).gt(0.05).float().mean(-1)
    thing = episode.things[0]
    names = [1 + list(COLOURS).index(thing.colour), 1 + list(SHAPE_WORDS).index(thing.shape)]
    squares = squares_of(episode, shown)
    assert squares.shape == (len(shown) // 2 * 4, 4, 2)
    for share, found in zip(painted.tolist(), squares.reshape(-1, 2).tolist(), strict=True):
        assert found == (names if share >= 1 / 8 else [0, 0])
    assert squares.any()


def test_of_two_things_in_a_square_the_larger_is_named_and_a_speck_is_not():
    episode = flat_episode("still", 0)
    things = (episode.things[0], dataclasses.replace(episode.things[0], colour="purple", shape="bowl"))
    parts = np.full((1, 64, 64), TABLE_ID, np.uint8)
    parts[0, :6, :16], parts[0, 6:16, :16] = FIRST_THING_ID, FIRST_THING_ID + 1
    parts[0, :5, 16:22] = FIRST_THING_ID
    squares = squares_of(dataclasses.replace(episode, things=things, segmentation=parts), [0, 0])
    assert squares[0, 0].tolist() == [1 + list(COLOURS).index("purple"), 1 + list(SHAPE_WORDS).index("bowl")]
    assert not squares[0, 1:].any()
    assert not squares[1:].any()


def test_an_empty_table_has_nothing_to_name():
    episode = flat_episode("still", 0)
    bare = dataclasses.replace(episode, things=(), segmentation=np.full((1, 64, 64), TABLE_ID, np.uint8))
    assert not squares_of(bare, [0, 0]).any()


def test_few_squares_with_things_count_as_much_as_all_the_rest():
    naming = Naming(8)
    torch.nn.init.zeros_(naming.names.weight)
    torch.nn.init.zeros_(naming.names.bias)
    squares = torch.zeros(1, 16, 4, 2, dtype=torch.long)
    alike = float(np.log(NUM_COLOURS) + np.log(NUM_SHAPES))
    assert naming.error(torch.randn(1, 16, 8), squares).item() == pytest.approx(alike)
    squares[0, 0, 0] = 1
    assert naming.error(torch.randn(1, 16, 8), squares).item() == pytest.approx(2 * alike)
