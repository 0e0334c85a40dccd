from __future__ import annotations

import pytest

from engine.planning import read_tokenizer, trained_strings
from pocket.train.flow.chats import ChatCutter

TEXTS = ["A red cube on the left.", "", ' {"subjects": [{"description": "a ball"}]}\n', "A red cube on the left."]


@pytest.mark.parametrize("system", [None, trained_strings.IMAGE_SYSTEM_PROMPT])
def test_texts_that_are_cut_together_have_the_tokens_of_the_engines_encoder(untrained, system):
    prompts = read_tokenizer(untrained / "text_tokenizer")
    cutter = ChatCutter(prompts)
    expected = [prompts.encode(text, system=system, param="prompt") for text in TEXTS]
    for _ in range(2):  # the second time they are kept ones
        assert [tuple(tokens.tolist()) for tokens in cutter.cut(TEXTS, system)] == expected
