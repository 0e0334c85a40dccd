"""Prompts to tokens, many at once: those of `PromptEncoder`, which renders a chat for each, half a millisecond.

A step on a GPU takes some 25 ms and reads hundreds of prompts, so a chat is rendered once for each system prompt, texts
are cut together, and what was cut is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerFast

from engine.planning import PromptEncoder

MAX_KEPT = 1_000_000
"""Texts; they begin anew when there are more. Some 1.5 GB."""

PLACE = "\x00"
"""Where the text is in a chat that is rendered to see what stands around it."""


class ChatCutter:
    """A checkpoint's tokenizer and chat template, quickly."""

    def __init__(self, prompts: PromptEncoder) -> None:
        assert isinstance(prompts.tokenizer, PreTrainedTokenizerFast)
        self._prompts, self._cutter = prompts, prompts.tokenizer.backend_tokenizer
        self._kept: dict[tuple[str | None, str], NDArray[np.int64]] = {}
        self._around: dict[str | None, tuple[str, str]] = {}
        self._end = prompts.encode("", system=None, param="prompt")[-2:]

    def cut(self, texts: Sequence[str], system: str | None) -> tuple[NDArray[np.int64], ...]:
        """What `PromptEncoder.encode` gives for each: arrays, which a batch is put together from without Python."""
        if len(self._kept) > MAX_KEPT:
            self._kept.clear()
        fresh = [text for text in dict.fromkeys(texts) if (system, text) not in self._kept]
        if fresh:
            before, after = self._frame(system)
            chats = self._cutter.encode_batch([before + text + after for text in fresh], add_special_tokens=False)
            for text, chat in zip(fresh, chats, strict=True):
                self._kept[system, text] = np.array([*chat.ids, *self._end])
        return tuple(self._kept[system, text] for text in texts)

    def _frame(self, system: str | None) -> tuple[str, str]:
        if system not in self._around:
            turns = [{"role": "user", "content": PLACE}]
            if system is not None:
                turns.insert(0, {"role": "system", "content": system})
            chat = self._prompts.tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True, add_vision_id=False
            )
            assert isinstance(chat, str)
            before, _, after = chat.partition(PLACE)
            self._around[system] = (before, after)
        return self._around[system]
