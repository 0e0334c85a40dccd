from __future__ import annotations

import json

import llguidance.hf
import pytest

from pocket.train.lessons.critic import critic_question
from pocket.train.tokenizer import fixed_blocks, train_tokenizer
from studio.captions import Controls
from studio.prompting.upsampling import upsample_message

CAPTIONS = [
    json.dumps({"subjects": [{"description": f"a {colour} cube", "clothing": "", "age": ""}], "context": "a table"})
    for colour in ("red", "green", "blue")
] * 20


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer(CAPTIONS, 1024)


def spelt(tokenizer, text):
    ids = tokenizer(text)["input_ids"]
    assert tokenizer.decode(ids) == text
    return [tokenizer.decode([token]) for token in ids]


def test_a_key_of_json_is_one_token_and_so_is_a_run_of_empty_ones(tokenizer):
    assert spelt(tokenizer, CAPTIONS[0]) == [
        '{"subjects": [{"description": "',
        "a",
        " red",
        " cube",
        '", "clothing": "", "age": ""}], "context": "',
        "a",
        " table",
        '"}',
    ]


@pytest.mark.parametrize("text", ["Zwölf Würfel – 12 € 🎲", "\n\t x", '{"unheard_of": [1, 2.5]}'])
def test_whatever_was_never_seen_falls_apart_into_bytes_and_comes_back_whole(tokenizer, text):
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


def test_the_fixed_part_of_a_question_costs_a_handful_of_tokens(tokenizer):
    question = upsample_message("text_to_image", "a red cube", Controls.of_image("256", "1:1"))
    assert spelt(tokenizer, question)[-1] == next(b for b in fixed_blocks() if b.endswith("</output_json_template>"))
    assert len(critic_question("a red cube")) > 40 * len(tokenizer(critic_question("a red cube"))["input_ids"])


def test_the_grammar_engine_takes_every_token(tokenizer):
    grammar = llguidance.hf.from_tokenizer(tokenizer, n_vocab=1024, eos_token=tokenizer.eos_token_id)
    assert max(len(grammar.decode_bytes([token])) for token in range(len(tokenizer))) > 100


def test_the_same_texts_give_the_same_tokenizer(tokenizer):
    assert train_tokenizer(CAPTIONS, 1024).backend_tokenizer.to_str() == tokenizer.backend_tokenizer.to_str()
