"""The tokenizer: bytes and merges in the layout of Qwen3-VL, learnt from what the pocket reads and writes.

Words are tokens of their own. What JSON puts between two values is cut as one piece, so that the keys of a caption
cost one token each, and the fixed texts of prompts are tokens as a whole: on a processor every token is time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from engine.planning import trained_strings
from engine.speck.tokenizer import SPECIAL_TOKENS, chat_tokenizer
from pocket.train.lessons.critic import critic_question
from studio.captions import Controls
from studio.prompting.tasks import load_tasks
from studio.prompting.upsampling import UpsampleMode, upsample_message
from studio.requests import AspectRatio

PIECES = r'(?:["{}\[\],: ]*?"[a-z_0-9]+": ?)+["{}\[\], ]*| ?[A-Za-z]+| ?[0-9]| ?[^\sA-Za-z0-9]+|\s+'
"""A run of JSON from the end of one value to the start of the next, a word, a digit, other signs, white space.

'{"a": "red cube"}' is '{"a": "', 'red', ' cube', '"}'.
"""

UPSAMPLED: tuple[UpsampleMode, ...] = ("text_to_image", "text_to_video", "image_to_video", "video_to_video")
"""Modes whose instructions are tokens: those that lessons ask for, and a transfer is none of them."""

MIN_BLOCK = 12
"""Characters from which a fixed text is worth a token."""

MAX_CHARACTERS = 180
"""Of one token: the grammar engine (llguidance) takes none of more than some 250 bytes."""


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerFast:
    """Learn merges; the same texts give the same tokenizer.

    Args:
        texts: prompts and answers as they are read and written.
        vocabulary: tokens at most, fixed texts and special tokens included.
    """
    blocks = fixed_blocks()
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    assert vocabulary > len(blocks) + len(SPECIAL_TOKENS) + 256
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary - len(blocks),
        special_tokens=SPECIAL_TOKENS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
        max_token_length=MAX_CHARACTERS,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([AddedToken(block, normalized=False, special=False) for block in blocks])
    fast = chat_tokenizer(tokenizer)
    assert len(fast) <= vocabulary
    return fast


def fixed_blocks() -> list[str]:
    """What stands in prompts again and again: the upsampler's instructions, the tasks', the critic's, the engine's.

    What is the same for two wishes on two canvases is fixed; a `$name` or a `{name}` is not.
    """
    texts = [block for mode in UPSAMPLED for block in _same_in_both(*(_upsampling(mode, number) for number in (0, 1)))]
    for text in (*(task.prompt.strip() for task in load_tasks().values()), critic_question("$words")):
        texts += re.split(r"\$[a-z_]+", text)
    for name, text in vars(trained_strings).items():
        if name.isupper() and isinstance(text, str):
            texts += re.split(r"\{[^}]+\}", text)
    texts += trained_strings.FRAMING.values()
    blocks = [piece for text in texts for piece in re.findall(rf"(?s).{{1,{MAX_CHARACTERS}}}(?=[\s\"]|$)|.", text)]
    return [block for block in dict.fromkeys(blocks) if len(block) >= MIN_BLOCK]


def _upsampling(mode: UpsampleMode, number: int) -> list[str]:
    """Lines of the message for one of two wishes."""
    shape: AspectRatio = ("1:1", "16:9")[number]
    still = Controls.of_image("256", shape)
    clip = Controls.of_video("256", shape, (17, 93)[number], (10.0, 24.0)[number])
    message = upsample_message(mode, ("one", "two")[number], still if mode == "text_to_image" else clip)
    return message.splitlines(keepends=True)


def _same_in_both(one: list[str], other: list[str]) -> Iterator[str]:
    """Runs of lines that both have."""
    for is_same, pairs in groupby(zip(one, other, strict=True), key=lambda pair: pair[0] == pair[1]):
        if is_same:
            yield "".join(line for line, _ in pairs)
