"""speck's tokenizer: bytes, merges by which long captions fit, and the special tokens and chat format of Qwen3-VL."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from engine.speck.shape import VOCABULARY

END_OF_TEXT, END_OF_TURN = "<|endoftext|>", "<|im_end|>"

SPECIAL_TOKENS = [
    END_OF_TEXT,
    "<|im_start|>",
    END_OF_TURN,
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
]

CHAT_TEMPLATE = """\
{%- for message in messages -%}
<|im_start|>{{ message.role }}{{ '\\n' }}
{%- if message.content is string -%}
{{ message.content }}
{%- else -%}
{%- for part in message.content -%}
{%- if part.type == 'image' -%}<|vision_start|><|image_pad|><|vision_end|>
{%- elif part.type == 'video' -%}<|vision_start|><|video_pad|><|vision_end|>
{%- else -%}{{ part.text }}
{%- endif -%}
{%- endfor -%}
{%- endif -%}
<|im_end|>{{ '\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant{{ '\\n' }}{%- endif -%}
"""
"""Turns of system, user and assistant, with pictures and clips as parts of a turn."""

LEARNT_FROM = "t*/*.toml"
"""The templates and tasks of the presets, with the keys of captions. Other words fall apart into bytes."""


def build_tokenizer() -> PreTrainedTokenizerFast:
    """The same tokenizer every time, for the same presets."""
    tokenizer = Tokenizer(models.BPE())
    # Digits one by one, as Qwen's does.
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=SPECIAL_TOKENS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = (path.read_text(encoding="utf-8") for path in sorted(Path(str(files("presets"))).glob(LEARNT_FROM)))
    tokenizer.train_from_iterator(texts, trainer)
    fast = chat_tokenizer(tokenizer)
    assert len(fast) <= VOCABULARY
    return fast


def chat_tokenizer(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """A trained tokenizer with the special tokens and the chat format."""
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END_OF_TURN,
        pad_token=END_OF_TEXT,
        additional_special_tokens=[token for token in SPECIAL_TOKENS if token not in (END_OF_TEXT, END_OF_TURN)],
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast
