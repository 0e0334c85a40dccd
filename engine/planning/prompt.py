"""Words to the token ids that the reasoner reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from transformers import AutoTokenizer, PreTrainedTokenizerBase

from studio.errors import BrokenCheckpoint, PromptTooLong

START_OF_GENERATION = "<|vision_start|>"

MAX_TOKENS = 4096
"""Tokens of one prompt, templates and special tokens included (every serving stack's `max_sequence_length`)."""


@dataclass(frozen=True)
class PromptEncoder:
    """A checkpoint's tokenizer and chat template."""

    tokenizer: PreTrainedTokenizerBase

    def encode(self, text: str, *, system: str | None, param: str) -> tuple[int, ...]:
        """A chat of one turn, the end-of-turn token and the start of generation.

        Args:
            system: put before it; none leaves the system turn out.
            param: the request's field, for the error.

        Raises:
            PromptTooLong: more than `MAX_TOKENS` tokens came out.
        """
        turns = [{"role": "user", "content": text}]
        if system is not None:
            turns.insert(0, {"role": "system", "content": system})
        encoded = self.tokenizer.apply_chat_template(
            turns, tokenize=True, add_generation_prompt=True, add_vision_id=False, return_dict=True
        )
        ids = list(encoded["input_ids"])  # type: ignore[index]
        ids += [self.tokenizer.eos_token_id, self.tokenizer.convert_tokens_to_ids(START_OF_GENERATION)]
        if len(ids) > MAX_TOKENS:
            raise PromptTooLong(
                f"{param} comes to {len(ids):,} tokens; the maximum is {MAX_TOKENS:,}.",
                param=param,
                hint="Shorten it.",
            )
        return tuple(int(token) for token in ids)


def read_tokenizer(folder: Path) -> PromptEncoder:
    """The tokenizer of a checkpoint's `text_tokenizer/`, never asking the network.

    Raises:
        BrokenCheckpoint: its files cannot be read, or they lack a chat template or the tokens that generation needs.
    """
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise BrokenCheckpoint(f"{folder} cannot be read: {error}.", param="checkpoint") from None
    if tokenizer.chat_template is None:
        raise BrokenCheckpoint(f"{folder} has no chat template.", param="checkpoint")
    if tokenizer.eos_token_id is None or START_OF_GENERATION not in tokenizer.get_vocab():
        raise BrokenCheckpoint(f"{folder} lacks an end-of-turn token or {START_OF_GENERATION}.", param="checkpoint")
    return PromptEncoder(tokenizer)


def with_sentence(text: str, sentence: str) -> str:
    """A prompt with a sentence of metadata behind it: "a cube." and "…resolution." are "a cube. …resolution."."""
    stem = text.rstrip(".")
    return f"{stem}. {sentence}" if stem else sentence
