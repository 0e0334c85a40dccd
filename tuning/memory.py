"""How much memory a step of training takes, by counting what is kept for its gradients.

Of each token a block keeps what its operations need again: inputs of norms, of products whose matrix learns, queries,
keys, values and the result of attention, and the three factors of the gated feed-forward. Checkpointed, it keeps its
input alone, and one block at a time is computed again. `tests/tuning/test_memory.py` compares with what PyTorch keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from engine.weights import ModelConfig
from studio.tuning import Lora, MemoryEstimate, Optimisation

CONTEXT = 1_500_000_000
"""Bytes of a CUDA context with its libraries and workspaces, and of what its allocator cannot use."""


@dataclass(frozen=True)
class StepShape:
    """The longest part of a step.

    Attributes:
        sequences: side by side.
        num_tokens: that are generated, of each.
        num_prompt: of its prompt.
        num_words: of an answer, each with logits of the whole vocabulary.
        frozen_bytes: of weights beside the model that lie on the device too, such as the vision encoder's.
    """

    sequences: int
    num_tokens: int
    num_prompt: int
    num_words: int = 0
    frozen_bytes: int = 0


def kept_by_block(config: ModelConfig, shape: StepShape, lora: Lora | None, width: int) -> int:
    """Bytes that one block of a tower keeps for its gradients.

    Args:
        width: bytes of a value that goes into a product: 2 on a GPU, 4 on a CPU. What blocks add to is float32.
    """
    hidden, inner, head = config.hidden_size, config.intermediate_size, config.head_dim
    heads = config.num_attention_heads * head
    fused = heads + 2 * config.num_key_value_heads * head
    tokens = shape.sequences * shape.num_tokens
    seen = shape.sequences * (shape.num_tokens + shape.num_prompt)
    is_whole = lora is None
    with_mlp = is_whole or lora.layers == "all"
    rank = 0 if lora is None else lora.rank
    num_up = 2 if config.family == "qwen" else 1
    per_token = (
        2 * hidden * 4  # inputs of both norms
        + (2 * hidden * 4 if is_whole else 0)  # and what their weights are multiplied with
        + hidden * width  # input of queries, keys and values
        + (heads + config.num_key_value_heads * head) * width  # input of the norm of queries and keys
        + (fused - config.num_key_value_heads * head) * width * (1 if is_whole else 0)
        + 2 * heads * width  # queries, and the result of attention
        + (hidden * width if with_mlp else 0)
        + (inner * width if with_mlp else 0)
        + (3 if num_up == 2 else 1) * inner * width  # gate, its SiLU and up
        + rank * width * (4 + (num_up + 1 if with_mlp else 0))
    )
    return tokens * per_token + 2 * seen * heads * width


def estimate(
    config: ModelConfig,
    shape: StepShape,
    how: Optimisation,
    lora: Lora | None,
    *,
    weight_bytes: int,
    num_trained: int,
    device: torch.device,
    saves_adapter: bool = True,
) -> MemoryEstimate:
    """What a step takes at most.

    Args:
        weight_bytes: of the model, what learns included.
        num_trained: parameters that learn, in float32.
        saves_adapter: and not a checkpoint, which needs all weights at a save.
    """
    on_gpu = device.type == "cuda"
    width = 2 if on_gpu else 4
    block = kept_by_block(config, shape, lora, width)
    tokens = shape.sequences * shape.num_tokens
    layers = config.num_hidden_layers
    kept = layers * tokens * config.hidden_size * 4 + block if how.recomputes else layers * block
    keys = 2 * layers * shape.sequences * shape.num_prompt * config.num_key_value_heads * config.head_dim * width
    # Gradients on their way back through the widest layer.
    passing = tokens * (2 * config.intermediate_size * 2 + 2 * config.hidden_size) * width
    # Gradients and both moments, the average of the weights, and gradients as they are exchanged.
    optimiser = 4 * num_trained * (3 + (how.ema is not None) + (how.num_gpus > 1))
    # The logits in float32, their gradient, and what the cross-entropy keeps.
    logits = 3 * 4 * shape.num_words * config.vocab_size
    activations = kept + keys + passing + logits
    weight_bytes += shape.frozen_bytes
    total = weight_bytes + optimiser + activations + (CONTEXT if on_gpu else 0)
    available = torch.cuda.mem_get_info(device)[1] if on_gpu else None
    advice = ""
    if available is not None and total > available:
        advice = _advice(how, lora, saves_adapter=saves_adapter)
    return MemoryEstimate(
        weights=weight_bytes,
        optimiser=optimiser,
        activations=activations,
        total=total,
        available=available,
        advice=advice,
    )


def _advice(how: Optimisation, lora: Lora | None, *, saves_adapter: bool) -> str:
    if not how.recomputes:
        return "Turn on activation checkpointing."
    if lora is None:
        return "Train a LoRA adapter in place of all weights."
    if saves_adapter and not how.offloads_weights:
        return "Offload the weights to the host."
    return (
        "Lower the batch size, the number of frames or the resolution."
        if how.batch_size > 1
        else ("Lower the number of frames or the resolution.")
    )
