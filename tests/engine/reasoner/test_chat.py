from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from engine import Engine
from engine.reasoner import Footage
from engine.reasoner.chat import READ_TOKENS
from engine.towers import Cache, rope_tables
from engine.weights import open_folder
from studio.errors import BadInput, NotAllowed, OutOfMemory, PromptTooLong

PICTURE, TALL, CLIP, OTHER_CLIP = (f"u{number:016x}" for number in range(4))

LONG = "the gripper picks up the green block and places it in the blue bowl. " * 60
"""More words than are read in one call, and no more than in two."""


@pytest.fixture(autouse=True)
def nothing_kept(engine, seeing_edge_engine):
    engine.chat.prefixes.clear()
    seeing_edge_engine.chat.prefixes.clear()


def recomputed(engine, conversation) -> torch.Tensor:
    """Logits behind a conversation's last token but one, from all of its tokens at once."""
    model, prompt = engine.model, conversation.prompt
    tokens = [*prompt.tokens, *conversation.tokens[:-1]]
    following = torch.arange(len(tokens) - len(prompt.tokens)) + prompt.next_position
    positions = torch.cat([prompt.positions, following.float().expand(3, -1)], 1)
    cache = Cache(model.config, model.device, model.dtype)
    cache.reserve(len(tokens))
    x, deep = engine.chat._look(conversation, 0, model.reasoner.embed_tokens(torch.tensor(tokens)))
    conversation.seen.clear()
    out = model.reasoner.read(x, rope_tables(model.config, positions, x.dtype), [cache], [len(tokens)], deep)
    return model.reasoner.head(out)[-1]


@pytest.mark.parametrize("which", ["engine", "seeing_edge_engine"])
@pytest.mark.parametrize("shown", [(), (PICTURE, CLIP)], ids=["words", "sights"])
def test_what_is_remembered_is_what_would_be_read_again(request, say, media, which, shown):
    engine = request.getfixturevalue(which)
    conversation = engine.converse(say(LONG, shown, max_tokens=300, logprobs=True), media)
    while not conversation.done:
        engine.decode([conversation])
        if len(conversation.tokens) in (1, 2, 40, 300):
            with torch.inference_mode():
                expected = recomputed(engine, conversation).log_softmax(-1)
            assert conversation.logprobs[-1].logprob == pytest.approx(float(expected.max()), abs=1e-4)
            assert conversation.tokens[-1] == int(expected.argmax())


@pytest.mark.parametrize("temperature", [0, 1.5], ids=["greedy", "drawn"])
@pytest.mark.parametrize("which", ["engine", "seeing_edge_engine"])
def test_answers_written_together_are_those_written_alone(request, say, media, answers, which, temperature):
    engine = request.getfixturevalue(which)
    requests = [
        say("what?", (), seed=1, temperature=temperature, max_tokens=30),
        say("what is here?", (PICTURE,), seed=2, temperature=temperature, presence_penalty=0.5, max_tokens=20),
        say("and now?", (CLIP, TALL), seed=3, temperature=temperature, top_k=0, top_p=1, max_tokens=40),
        say(LONG, (), seed=4, temperature=temperature, repetition_penalty=1.2, frequency_penalty=0.3, max_tokens=25),
        say("what?", (), seed=5, temperature=temperature, response_schema=COLOUR, max_tokens=40),
    ]
    together = answers(engine, requests, media)
    engine.chat.prefixes.clear()
    alone = [answers(engine, [asked], media)[0] for asked in requests]
    assert [entry.tokens for entry in together] == [entry.tokens for entry in alone]
    assert [entry.text for entry in together] == [entry.text for entry in alone]


COLOUR = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}}, "required": ["name"]}


def test_one_seed_is_one_answer_and_another_seed_another(engine, say, answers):
    first, again, other = (
        answers(engine, [say(temperature=1, seed=seed, max_tokens=24)])[0].tokens for seed in (7, 7, 8)
    )
    assert first == again
    assert first != other


def test_a_call_that_runs_out_of_memory_may_be_made_again(engine, say, media, answers, monkeypatch):
    asked = [say("what?", (PICTURE,), temperature=1, seed=1, max_tokens=6), say(LONG, temperature=1, max_tokens=6)]
    expected = [entry.tokens for entry in answers(engine, asked, media)]
    engine.chat.prefixes.clear()
    head, calls = engine.model.reasoner.head.forward, list[int]()

    def sometimes(x: torch.Tensor) -> torch.Tensor:
        calls.append(len(x))
        if len(calls) % 2:
            raise torch.OutOfMemoryError("of a test")
        return head(x)

    monkeypatch.setattr(engine.model.reasoner.head, "forward", sometimes)
    conversations = [engine.converse(entry, media) for entry in asked]
    failures = 0
    while waiting := [entry for entry in conversations if not entry.done]:
        try:
            engine.decode(waiting)
        except OutOfMemory:
            failures += 1
    assert failures > 5
    assert [entry.tokens for entry in conversations] == expected


def test_one_may_join_while_another_is_written(engine, say, answers):
    early, late = say("what is red?"), say("what is blue?")
    expected = [answers(engine, [asked])[0].tokens for asked in (early, late)]
    first = engine.converse(early)
    for _ in range(5):
        engine.decode([first])
    second = engine.converse(late)
    while waiting := [entry for entry in (first, second) if not entry.done]:
        engine.decode(waiting)
    assert [first.tokens, second.tokens] == expected


def test_a_long_prompt_is_read_in_pieces_while_others_write(engine, say):
    long, short = engine.converse(say(LONG, max_tokens=8)), engine.converse(say(max_tokens=8))
    engine.decode([short])
    assert len(long.prompt.tokens) > READ_TOKENS
    engine.decode([long, short])
    assert long.reading
    assert long.cache.length - long.num_shared == READ_TOKENS
    assert len(short.tokens) == 2
    engine.decode([long, short])
    assert not long.reading
    assert [len(long.tokens), len(short.tokens)] == [1, 3]


def test_a_beginning_that_is_shared_is_read_once(engine, say, media, answers, monkeypatch):
    read: list[int] = []
    looked: list[int] = []
    of_model, of_encoder = engine.model.reasoner.read, engine.chat.vision.forward
    monkeypatch.setattr(
        engine.model.reasoner,
        "read",
        lambda x, rope, caches, lengths, deep=(): read.append(len(x)) or of_model(x, rope, caches, lengths, deep),
    )
    monkeypatch.setattr(engine.chat.vision, "forward", lambda patches: looked.append(1) or of_encoder(patches))
    asked = [say(f"what is this, in {word}?", (CLIP, PICTURE), seed=1, max_tokens=1) for word in ("one", "two", "one")]
    conversations = answers(engine, asked, media)
    first, second, third = (len(entry.prompt.tokens) for entry in conversations)
    shared = [entry.usage.cached_tokens for entry in conversations]
    assert shared[0] == 0
    assert first - 12 < shared[1] < second
    assert shared[2] == third - 1
    assert read == [first, second - shared[1], 1]
    assert len(looked) == 2


def test_another_picture_of_the_same_size_shares_no_more_than_the_words_before_it(engine, say, media, answers):
    answers(engine, [say("what?", (PICTURE,), max_tokens=1)], media)
    changed = media[PICTURE].frames.copy()
    changed[0, 0, 0, 0] ^= 255
    (conversation,) = answers(engine, [say("what?", (PICTURE,), max_tokens=1)], {PICTURE: Footage(changed)})
    assert conversation.num_shared == int(conversation.prompt.shown[0].places[0])


def test_an_adapter_s_conversations_share_nothing_with_those_without(engine, say, adapter, answers):
    plain = answers(engine, [say(max_tokens=8)])[0]
    try:
        engine.use_adapter(adapter)
        adapted = answers(engine, [say(max_tokens=8)])[0]
    finally:
        engine.use_adapter(None)
    assert adapted.num_shared == 0
    assert adapted.tokens != plain.tokens
    assert answers(engine, [say(max_tokens=8)])[0].tokens == plain.tokens


def test_it_ends_at_max_tokens_at_a_stop_string_or_where_the_model_ends_it(engine, say, answers):
    whole = answers(engine, [say(max_tokens=40)])[0]
    assert whole.finish_reason == "length"
    assert whole.usage == type(whole.usage)(len(whole.prompt.tokens), 40, 0)
    stop = whole.text[6:9]
    stopped = answers(engine, [say(max_tokens=40, stop=(stop,))])[0]
    assert stopped.finish_reason == "stop"
    assert stopped.text == whole.text[: whole.text.index(stop)]
    vocabulary = engine.chat.writer.vocabulary
    ends = vocabulary.ends
    try:
        vocabulary.ends = frozenset({whole.tokens[20]})
        ended = answers(engine, [say(max_tokens=40)])[0]
    finally:
        vocabulary.ends = ends
    assert ended.finish_reason == "stop"
    assert len(ended.tokens) == whole.tokens.index(whole.tokens[20]) + 1


def test_text_comes_in_pieces_of_whole_characters(engine, say):
    conversation = engine.converse(say(max_tokens=60, temperature=1, seed=3))
    pieces: list[str] = []
    while not conversation.done:
        engine.decode([conversation])
        pieces.append(conversation.take())
    assert "".join(pieces) == conversation.text
    tokenizer = engine.chat.writer.vocabulary.tokenizer
    assert conversation.text == tokenizer.decode(conversation.tokens, skip_special_tokens=True)


def test_logprobs_are_the_model_s_own_and_come_with_the_likeliest_others(engine, say, answers):
    asked = say(max_tokens=6, temperature=1.5, top_k=3, presence_penalty=2, logprobs=True, top_logprobs=4, seed=2)
    (conversation,) = answers(engine, [asked])
    assert [entry.token for entry in conversation.logprobs] == conversation.tokens
    for entry in conversation.logprobs:
        values = [value for _, _, value in entry.top]
        assert len(values) == 4
        assert values == sorted(values, reverse=True)
        assert entry.logprob <= values[0] <= 0
        assert {token: value for token, _, value in entry.top}.get(entry.token, entry.logprob) == entry.logprob


def test_no_weight_is_held_twice(speck):
    engine = Engine.load(speck, device="cpu")
    held = [*engine.model.parameters(), *engine.chat.vision.parameters()]
    storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in held}
    assert len(storages) == len(held)
    shards = [*(speck / "transformer").glob("*.safetensors"), *(speck / "vision_encoder").glob("*.safetensors")]
    config = open_folder(speck).config
    # Query and key norms have a row for every head instead of one.
    heads = 2 * (config.num_attention_heads + config.num_key_value_heads) - 4
    repeated = config.num_hidden_layers * heads * config.head_dim * 4
    headers = sum(8 + int.from_bytes(shard.read_bytes()[:8], "little") for shard in shards)
    assert sum(storages.values()) - repeated == sum(shard.stat().st_size for shard in shards) - headers


def test_answers_and_pictures_come_from_the_same_tensors(engine, say, ask, run, answers):
    weight = engine.model.reasoner.blocks[0].qkv.weight
    asked, drawn = say(max_tokens=8), ask(seed=1)
    engine.prefixes.clear()
    before = (answers(engine, [asked])[0].tokens, run(engine, drawn).latents[0].clone())
    with torch.inference_mode():
        kept = weight.clone()
        weight.mul_(-1)
        engine.prefixes.clear()
        engine.chat.prefixes.clear()
        after = (answers(engine, [asked])[0].tokens, run(engine, drawn).latents[0])
        weight.copy_(kept)
    engine.prefixes.clear()
    assert before[0] != after[0]
    assert not torch.allclose(before[1], after[1])


def test_an_answer_has_what_the_context_leaves_it(engine, say, monkeypatch):
    prompt = len(engine.converse(say()).prompt.tokens)
    monkeypatch.setattr(engine.chat, "context", prompt + 3)
    conversation = engine.converse(say(max_tokens=12))
    while not conversation.done:
        engine.decode([conversation])
    assert len(conversation.tokens) <= 3
    assert conversation.budget == 3
    monkeypatch.setattr(engine.chat, "context", prompt)
    with pytest.raises(PromptTooLong, match=f"{prompt} tokens.*the maximum .*is {prompt}") as raised:
        engine.converse(say(max_tokens=1))
    assert raised.value.param == "messages"


@pytest.mark.parametrize(
    ("width", "height", "why"), [(1, 1, "1x1"), (30_000, 10, "200 times"), (10, 30_000, "200 times")]
)
def test_a_picture_that_cannot_be_looked_at_is_refused(engine, say, width, height, why):
    picture = Footage(np.zeros((1, height, width, 3), np.uint8))
    with pytest.raises(BadInput, match=why) as raised:
        engine.converse(
            say("what?", (TALL, PICTURE)), {PICTURE: picture, TALL: Footage(np.zeros((1, 64, 64, 3), np.uint8))}
        )
    assert raised.value.param == "messages.0.content.1"


def test_words_that_stand_for_pictures_are_refused(engine, say):
    with pytest.raises(BadInput, match=r"has <\|image_pad\|>"):
        engine.converse(say("what is <|image_pad|>?"))


def without_sight(speck: Path, folder: Path) -> Path:
    left_out = shutil.ignore_patterns("vision_encoder", "model.safetensors.index.json")
    return Path(shutil.copytree(speck, folder, ignore=left_out))


def test_a_checkpoint_without_a_vision_encoder_reads_words_alone(speck, tmp_path, say, media, answers, engine):
    blind = Engine.load(without_sight(speck, tmp_path / "blind"), device="cpu")
    assert answers(blind, [say()])[0].tokens == answers(engine, [say()])[0].tokens
    with pytest.raises(NotAllowed, match="no vision encoder") as raised:
        blind.converse(say("what?", (PICTURE,)), media)
    assert raised.value.param == "messages.0.content.0"
