"""Recorded steps on a GPU: to the bit what their kernels give unrecorded, and the words of the plain path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from engine import Engine
from engine.adapters.adapter_file import LowRank
from engine.adapters.lora import LoraLinear, Patch
from engine.bench.stage import NANO, build_random
from engine.speck import build_speck
from engine.towers import Cache, OmniModel, rope_tables
from engine.towers.decoding import LastToken, Steps
from engine.towers.decoding.steps import SIZES
from studio.requests.reason import Reason

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")]

SMALL = {
    "hidden_size": 768,
    "intermediate_size": 1600,
    "num_hidden_layers": 5,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
}

SHAPES = {
    "nano": NANO.model_copy(update=SMALL),
    "edge": NANO.model_copy(
        update=SMALL | {"hidden_act": "relu2", "qk_norm_for_text": False, "use_und_k_norm_for_gen": True}
    ),
    "long": NANO.model_copy(update=SMALL | {"intermediate_size": 9216}),
}


@pytest.fixture(autouse=True)
def exact():
    """No tensor-float products in what is compared with."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    with torch.inference_mode():
        yield
    torch.backends.cuda.matmul.allow_tf32 = before


def build(shape: str, dtype: torch.dtype) -> OmniModel:
    return build_random(SHAPES[shape], torch.device("cuda"), dtype)


def filled(model: OmniModel, lengths: tuple[int, ...]) -> list[Cache]:
    """Caches of conversations of so many tokens, each with another capacity's room."""
    caches: list[Cache] = []
    for length in lengths:
        cache = Cache(model.config, model.device, model.dtype)
        cache.reserve(length + 1)
        cache.keys.normal_()
        cache.values.normal_()
        cache.length = length
        caches.append(cache)
    return caches


def plain(model: OmniModel, rows: list[LastToken]) -> torch.Tensor:
    """The same tokens by the path that needs no recording, in copies of the caches."""
    caches = [row.cache.trimmed() for row in rows]
    for cache in caches:
        cache.reserve(cache.length + 1)
    x = model.reasoner.embed_tokens(torch.tensor([row.token for row in rows], device="cuda"))
    positions = torch.tensor([float(row.position) for row in rows], device="cuda").expand(3, -1)
    return model.reasoner.read(x, rope_tables(model.config, positions, x.dtype), caches, [1] * len(rows))


def recorded(model: OmniModel) -> Steps:
    steps = Steps.of(model.reasoner)
    assert steps is not None
    return steps


def some_rows(model: OmniModel, lengths: tuple[int, ...]) -> list[LastToken]:
    return [
        LastToken(7 + 3 * index, 11 * length, cache)
        for index, (length, cache) in enumerate(zip(lengths, filled(model, lengths), strict=True))
    ]


LENGTHS = (1, 63, 64, 300, 1025, 17, 2, 129, 513, 40, 5, 6, 7, 8, 9, 2000, 33, 77, 90)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("num_rows", [1, 2, 3, 16])
def test_a_recorded_step_is_to_the_bit_the_launched_one(dtype, num_rows):
    model = build("nano", dtype)
    rows = some_rows(model, LENGTHS[-num_rows:])
    step = recorded(model)._step(num_rows)
    first = step.run(rows).clone()
    assert torch.equal(step.run(rows), first)
    assert torch.equal(step.compute()[:num_rows], first)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("num_rows", [1, 3, 16, 19])
def test_in_float32_it_is_the_plain_path(shape, num_rows):
    model = build(shape, torch.float32)
    rows = some_rows(model, LENGTHS[-num_rows:])
    expected = plain(model, rows)
    lengths = [row.cache.length for row in rows]
    out = recorded(model).read(rows, None)
    assert torch.allclose(out, expected, atol=2e-4)
    assert [row.cache.length for row in rows] == [length + 1 for length in lengths]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("num_tokens", [2, 5, 8])
def test_several_tokens_of_a_conversation_are_those_read_in_turn(shape, num_tokens):
    model = build(shape, torch.float32)
    steps = recorded(model)
    for length in (1, 300):
        together, in_turn = filled(model, (length, length))
        for cache in (together, in_turn):
            cache.reserve(length + num_tokens)
        in_turn.keys.copy_(together.keys)
        in_turn.values.copy_(together.values)
        tokens = [LastToken(7 + 3 * index, length + index, in_turn) for index in range(num_tokens)]
        expected = [steps.read([row], None).clone() for row in tokens]
        (other,) = some_rows(model, (40,))
        rows = [LastToken(row.token, row.position, together, index) for index, row in enumerate(tokens)]
        out = steps.read([other, *rows], None)[1:]
        assert torch.allclose(out, torch.cat(expected), atol=2e-4)
        assert together.length == in_turn.length == length + num_tokens
        assert torch.allclose(together.keys[:, :, : together.length], in_turn.keys[:, :, : in_turn.length], atol=1e-4)


def test_in_bfloat16_it_is_as_near_to_float32_as_the_plain_path():
    half = build("nano", torch.bfloat16)
    exact = build("nano", torch.float32)
    for weight, other in zip(exact.parameters(), half.parameters(), strict=True):
        weight.copy_(other)
    rows = some_rows(half, (700,))
    truths = [LastToken(row.token, row.position, Cache(exact.config, exact.device, exact.dtype)) for row in rows]
    for truth, row in zip(truths, rows, strict=True):
        truth.cache.reserve(row.cache.length + 1)
        truth.cache.keys[:, :, : row.cache.length] = row.cache.keys[:, :, : row.cache.length]
        truth.cache.values[:, :, : row.cache.length] = row.cache.values[:, :, : row.cache.length]
        truth.cache.length = row.cache.length
    truth = plain(exact, truths)

    def error(out: torch.Tensor) -> float:
        return float((out.float() - truth).norm() / truth.norm())

    assert error(recorded(half).read(rows, None)) < 1.3 * error(plain(half, rows))


def test_a_cache_that_moves_is_found_and_words_stay_those_of_the_plain_path():
    model = build("nano", torch.float32)
    steps = recorded(model)
    (ours,) = filled(model, (250,))
    theirs = ours.trimmed()
    token, other = 5, 5
    for place in range(250, 314):
        for cache in (ours, theirs):
            cache.reserve(cache.length + 1)
        out = steps.read([LastToken(token, place, ours)], None)
        token = int(steps.logits(model.reasoner.head, out).argmax())
        x = model.reasoner.embed_tokens(torch.tensor([other], device="cuda"))
        rope = rope_tables(model.config, torch.full((3, 1), float(place), device="cuda"), x.dtype)
        other = int(model.reasoner.head(model.reasoner.read(x, rope, [theirs], [1])).argmax())
        assert token == other
    assert ours.capacity == 512
    assert torch.allclose(ours.keys[:, :, : ours.length], theirs.keys[:, :, : theirs.length], atol=1e-4)


def test_an_adapter_is_used_taken_away_and_used_again():
    model = build("nano", torch.float32)
    steps = recorded(model)
    rows = some_rows(model, (40,))
    bare = model.reasoner.blocks[2].qkv

    def use_adapter() -> None:
        torch.manual_seed(1)
        matrices = LowRank(torch.randn(4, 768, device="cuda"), torch.randn(256, 4, device="cuda"))
        model.set_submodule("reasoner.blocks.2.qkv", LoraLinear(bare, [Patch(128, matrices)], 0.5))

    def read(adapter: str | None) -> torch.Tensor:
        out = steps.read(rows, adapter).clone()
        rows[0].cache.length -= 1
        return out

    plain_out = read(None)
    use_adapter()
    adapted_out = read("adapter")
    assert torch.allclose(adapted_out, plain(model, rows), atol=2e-4)
    model.set_submodule("reasoner.blocks.2.qkv", bare)
    use_adapter()
    torch.randn(2**20, device="cuda")  # over what the first one had
    assert torch.equal(read("adapter"), adapted_out)
    model.set_submodule("reasoner.blocks.2.qkv", bare)
    assert torch.equal(read(None), plain_out)
    assert not torch.allclose(adapted_out, plain_out, atol=1e-2)


def test_nothing_waits_for_the_gpu_before_a_token_is_read(recwarn):
    model = build("nano", torch.bfloat16)
    steps = recorded(model)
    rows = some_rows(model, (40, 50))
    steps.read(rows, None)
    torch.cuda.set_sync_debug_mode("error")
    try:
        logits = steps.logits(model.reasoner.head, steps.read(rows, None))
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert logits.shape == (2, 1000)
    recwarn.clear()


@pytest.fixture(scope="module")
def speck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints") / "speck"
    build_speck(folder)
    return folder


SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 9}},
    "required": ["name"],
    "additionalProperties": False,
}


def words(engine: Engine, requests: list[Reason]) -> list[list[int]]:
    conversations = [engine.converse(request) for request in requests]
    while waiting := [entry for entry in conversations if not entry.done]:
        engine.decode(waiting)
    return [entry.tokens for entry in conversations]


def test_answers_are_those_of_the_plain_path_alone_and_together(speck):
    engine = Engine.load(speck, device="cuda", dtype=torch.float32)
    assert engine.chat.steps is not None
    requests = [
        Reason.model_validate(
            {
                "messages": [{"role": "user", "content": "what is in the bowl? " * (index + 1)}],
                "sampling": {"max_tokens": 64, "temperature": index % 2, "seed": index, "presence_penalty": 0.5},
                "response_schema": SCHEMA if index == 2 else None,
            }
        )
        for index in range(max(SIZES) // 2 + 1)
    ]
    together = words(engine, requests)
    alone = [words(engine, [request])[0] for request in requests]
    engine.chat.prefixes.clear()
    engine.chat.steps = None
    expected = words(engine, requests)
    assert together == expected
    assert alone == expected
    tokenizer = engine.chat.writer.vocabulary.tokenizer
    assert set(json.loads(tokenizer.decode(together[2], skip_special_tokens=True))) == {"name"}
