from __future__ import annotations

import pytest
import torch

from engine.towers import Pack, Prefix, PromptReader, Rope, rope_tables
from engine.towers.generator import _within_budget
from engine.towers.kv_buffers import MAX_KEPT, KvBufferStore


def pack(lengths: tuple[int, ...], prompts: tuple[int, ...]) -> Pack:
    prefixes = tuple(Prefix(torch.randn(3, size, 2, 8), torch.randn(3, size, 2, 8)) for size in prompts)
    ropes = tuple(Rope(torch.randn(size, 1, 8), torch.randn(size, 1, 8)) for size in lengths)
    return Pack(lengths, prefixes, ropes)


def test_a_room_holds_a_sequence_s_own_tokens_then_its_prefix():
    made = pack((4, 2), (3, 5))
    buffers = KvBufferStore().of(made)
    k = torch.randn(6, 2, 8)
    keys, values = buffers.layer(1)
    keys.index_copy_(0, buffers.slots, k)
    assert torch.equal(keys, torch.cat([k[:4], made.prefixes[0].keys[1], k[4:], made.prefixes[1].keys[1]]))
    assert torch.equal(values[4:7], made.prefixes[0].values[1])
    assert buffers.seen == (7, 7)
    assert not buffers.is_even


def test_the_same_shape_gets_the_same_rooms_with_other_prefixes_in_them():
    store = KvBufferStore()
    first, second = pack((4,), (3,)), pack((4,), (3,))
    buffers = store.of(first)
    assert store.of(second) is buffers
    assert torch.equal(buffers.layer(2)[0][4:], second.prefixes[0].keys[2])
    assert torch.equal(buffers.rope.cos, second.ropes[0].cos)


def test_one_layer_s_rooms_serve_all_where_all_would_be_too_large(monkeypatch):
    monkeypatch.setattr("engine.towers.kv_buffers.MAX_RESIDENT_BYTES", 0)
    made = pack((4,), (3,))
    buffers = KvBufferStore().of(made)
    for layer in range(3):
        assert torch.equal(buffers.layer(layer)[0][4:], made.prefixes[0].keys[layer])
    assert buffers.size_bytes == 2 * 7 * 2 * 8 * 4


def test_what_was_recorded_in_other_clothes_is_not_used():
    store, made = KvBufferStore(), pack((4,), (3,))
    bare = store.of(made)
    store.adapter = "an adapter"
    assert store.of(made) is not bare


def test_the_least_recently_used_rooms_are_given_up_first():
    store = KvBufferStore()
    packs = [pack((size,), (3,)) for size in range(1, MAX_KEPT + 2)]
    kept = [store.of(each) for each in packs]
    assert store.of(packs[-1]) is kept[-1]
    assert store.of(packs[0]) is not kept[0]


@pytest.mark.parametrize(
    ("lengths", "groups"),
    [((100, 100), [(0, 2)]), ((16384, 1), [(0, 1), (1, 2)]), ((40000, 40000), [(0, 1), (1, 2)])],
)
def test_sequences_go_together_up_to_a_budget_and_alone_beyond_it(lengths, groups):
    assert _within_budget(lengths, 0, len(lengths)) == groups


def test_a_pass_in_pieces_and_in_shared_rooms_is_the_pass_in_one(engine, monkeypatch):
    model, (first, second) = engine.model, (5, 9)
    with torch.inference_mode():
        prefixes = tuple(PromptReader(model.reasoner).read([range(3, 14), range(3, 10)]))
        ropes = tuple(rope_tables(model.config, torch.rand(3, size) * 100, torch.float32) for size in (first, second))
        x = torch.randn(first + second, model.config.hidden_size)
        made = Pack((first, second), prefixes, ropes)
        whole = model.generator(x, made)
        model.generator.forget()
        monkeypatch.setattr("engine.towers.kv_buffers.MAX_RESIDENT_BYTES", 0)
        monkeypatch.setattr("engine.towers.generator.TOKENS_PER_PASS", 1)
        pieces = model.generator(x, made)
        model.generator.forget()
    assert torch.allclose(pieces, whole, atol=1e-5)
