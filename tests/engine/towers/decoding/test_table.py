from __future__ import annotations

import pytest
import torch

from engine.towers import Cache
from engine.towers.decoding import LastToken
from engine.towers.decoding.table import Table


@pytest.fixture
def cache(engine):
    def make(length: int) -> Cache:
        made = Cache(engine.model.config, engine.model.device, engine.model.dtype)
        made.reserve(length + 1)
        made.length = length
        return made

    return make


def test_a_row_says_where_a_cache_is_and_how_full(cache):
    spare, own = cache(0), cache(300)
    table = Table(3, spare)
    table.fill([LastToken(7, 1234, own), LastToken(8, 1235, own, 1)])
    assert table.values.tolist() == [
        [7, 1234, 300, own.keys.data_ptr(), own.values.data_ptr(), 512, 0],
        [8, 1235, 300, own.keys.data_ptr(), own.values.data_ptr(), 512, 1],
        [0, 0, 0, spare.keys.data_ptr(), spare.values.data_ptr(), 256, 0],
    ]


def test_it_stays_where_it_is_and_follows_a_cache_that_moves(cache):
    own = cache(255)
    table = Table(1, cache(0))
    place = table.values.data_ptr()
    table.fill([LastToken(7, 0, own)])
    own.advance(1)
    own.reserve(257)
    table.fill([LastToken(7, 0, own)])
    assert table.values.data_ptr() == place
    assert table.values[0, 2:].tolist() == [256, own.keys.data_ptr(), own.values.data_ptr(), 512, 0]


def test_a_cache_without_room_for_the_token_is_a_mistake(cache):
    own = cache(255)
    own.length = own.capacity
    with pytest.raises(AssertionError):
        Table(1, cache(0)).fill([LastToken(7, 0, own)])


def test_it_holds_whole_addresses(cache):
    assert Table(1, cache(0)).values.dtype == torch.int64
