"""What a schema leaves no choice of is read with the token before it: the same answers in fewer passes."""

from __future__ import annotations

import pytest
import torch

from engine.reasoner import chat
from engine.reasoner.constraint import Constraint

SCHEMA = {
    "type": "object",
    "properties": {
        "subject_of_the_scene": {"enum": ["gripper", "block", "bowl"]},
        "background_and_light": {"type": "string", "maxLength": 12},
        "number_of_objects": {"type": "integer", "minimum": 0, "maximum": 9},
    },
    "required": ["subject_of_the_scene", "background_and_light", "number_of_objects"],
    "additionalProperties": False,
}


@pytest.fixture
def passes(engine, monkeypatch) -> list[int]:
    """Tokens of each pass of the reasoner."""
    lengths: list[int] = []
    read = engine.model.reasoner.read

    def counted(x, *given):
        lengths.append(len(x))
        return read(x, *given)

    monkeypatch.setattr(engine.model.reasoner, "read", counted)
    return lengths


def asked(say, temperature: float) -> list:
    return [
        say("what?", (), seed=1, temperature=temperature, response_schema=SCHEMA, max_tokens=120, logprobs=True),
        say("and now?", (), seed=2, temperature=temperature, max_tokens=20),
        say("what is here?", (), seed=3, temperature=temperature, response_schema=SCHEMA, max_tokens=90),
    ]


@pytest.mark.parametrize("temperature", [0, 1.5], ids=["greedy", "drawn"])
def test_answers_are_the_same_in_fewer_passes(engine, say, answers, passes, monkeypatch, temperature):
    drafted = answers(engine, asked(say, temperature), {})
    num_drafted = len(passes)
    passes.clear()
    engine.chat.prefixes.clear()
    monkeypatch.setattr(chat, "MAX_DRAFT", 0)
    plain = answers(engine, asked(say, temperature), {})
    assert [one.text for one in drafted] == [one.text for one in plain]
    assert [one.tokens for one in drafted] == [one.tokens for one in plain]
    for one, other in zip(drafted[0].logprobs, plain[0].logprobs, strict=True):
        assert one.logprob == pytest.approx(other.logprob, abs=1e-4)
    assert num_drafted < len(passes)


def test_the_cache_holds_what_was_said_and_nothing_more(engine, say):
    conversation = engine.converse(asked(say, 0)[0], {})
    while not conversation.done:
        engine.decode([conversation])
        assert conversation.cache.length == len(conversation.prompt.tokens) + len(conversation.tokens) - 1


def test_tokens_that_were_picked_before_memory_ran_out_stay(engine, say, answers, monkeypatch):
    (expected,) = answers(engine, asked(say, 0)[:1], {})
    engine.chat.prefixes.clear()
    conversation = engine.converse(asked(say, 0)[0], {})
    pick, picks = chat.pick, [0]

    def failing(*given):
        picks[0] += 1
        if picks[0] % 3 == 0:
            raise torch.OutOfMemoryError
        return pick(*given)

    monkeypatch.setattr(chat, "pick", failing)
    while not conversation.done:
        try:
            with torch.inference_mode():
                engine.chat.advance([conversation])
        except torch.OutOfMemoryError:
            assert conversation.cache.length == len(conversation.prompt.tokens) + len(conversation.tokens) - 1
    assert conversation.text == expected.text


def test_what_is_forced_is_spelt_as_the_tokenizer_spells_it(engine):
    vocabulary = engine.chat.writer.vocabulary
    constraint = Constraint(SCHEMA, vocabulary, 200)
    forced = constraint.forced(100)
    text = b"".join(vocabulary.spelt(token) for token in forced)
    assert text.startswith(b'{"subject_of_the_scene": "')
    assert forced == vocabulary.spelling(text)
    assert constraint.forced(2) == forced[:2]
