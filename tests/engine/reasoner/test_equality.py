"""The same conversation in transformers' own classes and in the engine, float32 on the CPU."""

from __future__ import annotations

import pytest
import torch

from engine.reasoner.chat import Chat
from engine.towers import Cache, rope_tables

PICTURE, TALL, CLIP, OTHER_CLIP = (f"u{number:016x}" for number in range(4))

LOGITS = 1e-4

FAMILIES = [("engine", "theirs"), ("seeing_edge_engine", "edge_theirs")]

SHOWN = {
    "words": (),
    "a picture": (PICTURE,),
    "pictures of several sizes": (PICTURE, TALL, PICTURE),
    "a clip": (CLIP,),
    "a clip of an odd number of frames": (OTHER_CLIP,),
    "clips and pictures": (CLIP, PICTURE, OTHER_CLIP, TALL),
}


def all_logits(engine, conversation) -> torch.Tensor:
    """Logits behind every token of a prompt, in one pass of an empty cache."""
    chat: Chat = engine.chat
    prompt, model = conversation.prompt, engine.model
    cache = Cache(model.config, model.device, model.dtype)
    cache.reserve(len(prompt.tokens))
    x = model.reasoner.embed_tokens(torch.tensor(prompt.tokens))
    x, deep = chat._look(conversation, 0, x)
    conversation.seen.clear()
    rope = rope_tables(model.config, prompt.positions, x.dtype)
    return model.reasoner.head(model.reasoner.read(x, rope, [cache], [len(x)], deep))


@pytest.mark.parametrize(("ours", "reference"), FAMILIES, ids=["nano", "edge"])
@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
def test_logits_and_64_greedy_tokens_are_those_of_transformers(
    request, say, media, record_property, ours, reference, shown
):
    engine, theirs = request.getfixturevalue(ours), request.getfixturevalue(reference)
    asked = say("what happens here?", shown, max_tokens=64)
    inputs = theirs.inputs(asked, media)
    conversation = engine.converse(asked, media)
    assert inputs["input_ids"][0].tolist() == list(conversation.prompt.tokens)
    with torch.inference_mode():
        logits = theirs.model(**inputs).logits[0]
        worst = float((all_logits(engine, conversation) - logits).abs().max())
        written = theirs.model.generate(**inputs, max_new_tokens=64, do_sample=False, pad_token_id=0)
    record_property("worst_logit", f"{worst:.1e}")
    assert logits.std() > 0.5
    assert worst < LOGITS
    while not conversation.done:
        engine.decode([conversation])
    expected = written[0, inputs["input_ids"].shape[1] :].tolist()
    assert conversation.tokens == expected[: len(conversation.tokens)]
    ended = conversation.tokens[-1] in engine.chat.writer.vocabulary.ends
    assert len(conversation.tokens) == 64 or ended


@pytest.mark.parametrize(("ours", "reference"), FAMILIES, ids=["nano", "edge"])
def test_patches_and_positions_are_those_of_transformers(request, say, media, ours, reference):
    engine, theirs = request.getfixturevalue(ours), request.getfixturevalue(reference)
    asked = say("what happens here?", (CLIP, TALL, OTHER_CLIP, PICTURE))
    inputs = theirs.inputs(asked, media)
    prompt = engine.converse(asked, media).prompt
    for is_clip, name in ((False, "pixel_values"), (True, "pixel_values_videos")):
        values = torch.cat([shown.patches.values for shown in prompt.shown if shown.patches.is_clip == is_clip])
        assert torch.allclose(values, inputs[name], atol=1e-6)
    grids = {name: value for name, value in inputs.items() if name.endswith("grid_thw")}
    positions, delta = theirs.model.model.get_rope_index(
        inputs["input_ids"], mm_token_type_ids=inputs["mm_token_type_ids"], **grids
    )
    assert torch.equal(positions[:, 0].float(), prompt.positions)
    assert prompt.next_position == len(prompt.tokens) + int(delta)


def test_what_is_seen_and_what_deepstack_adds_both_change_the_answer(engine, say, media):
    conversation = engine.converse(say("what?", (PICTURE,)), media)
    with torch.inference_mode():
        whole = all_logits(engine, conversation)[-1]
        seen = engine.chat.vision(conversation.prompt.shown[0].patches)
        conversation.seen[0] = type(seen)(seen.features, tuple(torch.zeros_like(part) for part in seen.deep))
        shallow = all_logits(engine, conversation)[-1]
        conversation.seen[0] = type(seen)(torch.zeros_like(seen.features), seen.deep)
        blind = all_logits(engine, conversation)[-1]
    assert (whole - shallow).abs().max() > 0.05
    assert (whole - blind).abs().max() > 0.05
