"""A checkpoint's tokens: from a rendered chat to ids, and from ids back to bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import llguidance.hf
import numpy as np
from huggingface_hub.errors import StrictDataclassError
from llguidance import LLTokenizer
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from studio.checkpoints import read_json
from studio.errors import BrokenCheckpoint


class Vocabulary:
    """A tokenizer with its chat template.

    Args:
        size: rows of the word head, which may be more than there are tokens.
        ends: tokens that end an answer.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, size: int, ends: frozenset[int]) -> None:
        self.tokenizer = tokenizer
        self.size = size
        self.ends = ends
        self._silent = frozenset(tokenizer.all_special_ids)

    @property
    def knows_thinking(self) -> bool:
        """Whether the chat template has a switch for thinking."""
        return "enable_thinking" in str(self.tokenizer.chat_template)

    def render(self, messages: Sequence[dict[str, Any]], enable_thinking: bool | None = None) -> str:
        """The chat as text, up to where the assistant begins."""
        switches: dict[str, Any] = {} if enable_thinking is None else {"enable_thinking": enable_thinking}
        text = self.tokenizer.apply_chat_template(
            list(messages), tokenize=False, add_generation_prompt=True, **switches
        )
        assert isinstance(text, str)
        return text

    def encode(self, text: str) -> list[int]:
        """Ids of a rendered chat; a start token that it has is not doubled."""
        start = self.tokenizer.bos_token
        own_start = bool(start) and text.startswith(str(start))
        return list(self.tokenizer(text, add_special_tokens=not own_start)["input_ids"])  # type: ignore[arg-type]

    def spelling(self, text: bytes) -> tuple[int, ...]:
        """Tokens of a text within an answer; half a character at its end is left out."""
        return tuple(self.tokenizer(text.decode(errors="ignore"), add_special_tokens=False)["input_ids"])  # type: ignore[arg-type]

    def id_of(self, token: str) -> int | None:
        """The id of a token that is one; else none."""
        return self.tokenizer.get_vocab().get(token)

    def spelt(self, token: int) -> bytes:
        """What a token says; nothing for one that is not meant to be read, such as the end of a turn."""
        if token in self._silent or token >= len(self.tokenizer):
            return b""
        return self.grammar.decode_bytes([token])

    @cached_property
    def grammar(self) -> LLTokenizer:
        """The same tokens, as the grammar engine reads them. Made once: it takes a second for 150,000 tokens."""
        return llguidance.hf.from_tokenizer(self.tokenizer, n_vocab=self.size, eos_token=sorted(self.ends))  # type: ignore[arg-type]

    @cached_property
    def spellings(self) -> dict[bytes, int]:
        """The first token for each sequence of bytes that is one."""
        found: dict[bytes, int] = {}
        for token in range(len(self.tokenizer)):
            spelling = self.spelt(token)
            if spelling:
                found.setdefault(spelling, token)
        return found

    @cached_property
    def longest_spelling(self) -> int:
        """Bytes."""
        return max(map(len, self.spellings))

    def fewest_tokens(self, text: bytes) -> tuple[int, ...]:
        """The fewest tokens that spell a text, wherever that cuts it."""
        best: list[tuple[int, int]] = [(0, 0)]  # for each length of text: tokens, and where the last of them starts
        for end in range(1, len(text) + 1):
            starts = range(max(0, end - self.longest_spelling), end)
            best.append(min((best[start][0] + 1, start) for start in starts if text[start:end] in self.spellings))
        tokens: list[int] = []
        end = len(text)
        while end:
            start = best[end][1]
            tokens.append(self.spellings[text[start:end]])
            end = start
        return tuple(reversed(tokens))

    @cached_property
    def bytes_at(self) -> np.ndarray:
        """Token of each byte value, int64 [256]; -1 where a byte is no token of its own."""
        return np.array([self.spellings.get(bytes([value]), -1) for value in range(256)])


def read_vocabulary(folder: Path, text_tokenizer: PreTrainedTokenizerBase, size: int) -> Vocabulary:
    """The reasoner's tokenizer at the root of a checkpoint; without one there, the one that generation prompts take.

    Raises:
        BrokenCheckpoint: it cannot be read, or has no chat template.
    """
    tokenizer = text_tokenizer
    if (folder / "tokenizer_config.json").is_file():
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError, KeyError, StrictDataclassError) as error:  # it reads config.json too
            raise BrokenCheckpoint(f"{folder} cannot be read: {error}.", param="checkpoint") from None
    if tokenizer.chat_template is None:
        raise BrokenCheckpoint(f"{folder} has no chat template.", param="checkpoint")
    return Vocabulary(tokenizer, size, _ends(folder, tokenizer))


def _ends(folder: Path, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """`eos_token_id` of the generation file or of the text configuration, a number or a list, and the tokenizer's."""
    named: list[Any] = [tokenizer.eos_token_id]
    if (folder / "generation_config.json").is_file():
        named.append(read_json(folder / "generation_config.json").get("eos_token_id"))
    if (folder / "config.json").is_file():
        text = read_json(folder / "config.json").get("text_config")
        named.append(text.get("eos_token_id") if isinstance(text, dict) else None)
    ends = {token for entry in named for token in (entry if isinstance(entry, list) else [entry])}
    return frozenset(token for token in ends if isinstance(token, int))
