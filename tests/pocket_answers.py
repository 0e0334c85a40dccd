"""One question answered from a checkpoint folder by the engine and by transformers."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import AutoTokenizer, Cosmos3OmniForConditionalGeneration

from engine import Engine
from studio.requests.reason import Reason


def answered_by_both(folder: Path, question: str, num_tokens: int) -> tuple[list[int], list[int]]:
    """Tokens of the engine's answer and of transformers', likeliest first; transformers has read every weight."""
    theirs, info = Cosmos3OmniForConditionalGeneration.from_pretrained(
        folder, dtype=torch.float32, output_loading_info=True
    )
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
    assert not info["mismatched_keys"]
    turns = [{"role": "user", "content": question}]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    asked = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=True, return_tensors="pt")
    written = theirs.generate(**asked, max_new_tokens=num_tokens, do_sample=False)[0, asked["input_ids"].shape[1] :]
    engine = Engine.load(folder, device="cpu")
    sampling = {"max_tokens": num_tokens, "temperature": 0, "presence_penalty": 0, "seed": 0}
    conversation = engine.converse(Reason.model_validate({"messages": turns, "sampling": sampling}))
    while not conversation.done:
        engine.decode([conversation])
    return list(conversation.tokens), written.tolist()
