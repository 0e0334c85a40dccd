"""The vision encoder over a batch of pictures or clips of one size: transformers' modules, without its loop."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import linear, scaled_dot_product_attention
from transformers import Qwen3VLVisionModel
from transformers.models.qwen3_vl.modeling_qwen3_vl import (
    Qwen3VLVisionAttention,
    Qwen3VLVisionBlock,
    apply_rotary_pos_emb_vision,
)

PATCH, MERGE, FRAMES_PER_PATCH = 16, 2, 2

THETA = 10_000.0
"""Of the encoder's rotary positions."""


def cut(frames: Tensor) -> Tensor:
    """Frames uint8 [B, T, height, width, 3], T even → patches float32 [B, t * h * w, values], as the engine's."""
    normal = frames.float() / 127.5 - 1
    cells = normal.unflatten(1, (-1, FRAMES_PER_PATCH))  # b t f H W c
    cells = cells.unflatten(3, (-1, MERGE, PATCH))  # b t f h m p W c
    cells = cells.unflatten(6, (-1, MERGE, PATCH))  # b t f h m p w n q c
    return cells.permute(0, 1, 3, 6, 4, 7, 9, 2, 5, 8).flatten(1, 5).flatten(2)


def look(sight: Qwen3VLVisionModel, patches: Tensor, grid: tuple[int, int, int]) -> tuple[Tensor, tuple[Tensor, ...]]:
    """What the reasoner is given of a batch.

    Args:
        patches: [B, t * h * w, values].
        grid: (t, h, w) in patches, of each.

    Returns:
        Features [B, t * h * w / 4, H], and those for DeepStack.
    """
    batch = len(patches)
    rows, columns = _cells(grid, patches.device)
    # The convolution of whole patches as the product that it is: of cuDNN's in three dimensions a step would wait.
    kernel = sight.patch_embed.proj
    x = linear(patches, kernel.weight.flatten(1), kernel.bias).view(batch * grid[0], -1, sight.config.hidden_size)
    x = x + _places(sight, rows, columns, grid)
    cos, sin = _angles(sight, rows, columns)
    deep: list[Tensor] = []
    for index, block in enumerate(sight.blocks):
        assert isinstance(block, Qwen3VLVisionBlock)
        x = x + _attend(block.attn, block.norm1(x), cos, sin)
        x = x + block.mlp(block.norm2(x))
        if index in sight.deepstack_visual_indexes:
            merger = sight.deepstack_merger_list[sight.deepstack_visual_indexes.index(index)]
            deep.append(merger(x.flatten(0, 1)).view(batch, -1, sight.config.out_hidden_size))
    features = sight.merger(x.flatten(0, 1)).view(batch, -1, sight.config.out_hidden_size)
    return features, tuple(deep)


def _attend(attention: Qwen3VLVisionAttention, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """x [frames, patches, width]: frames do not see one another."""
    q, k, v = attention.qkv(x).unflatten(-1, (3, attention.num_heads, -1)).unbind(2)
    q, k = apply_rotary_pos_emb_vision(q, k, cos, sin)
    out = scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
    return attention.proj(out.transpose(1, 2).flatten(2))


def _cells(grid: tuple[int, int, int], device: torch.device) -> tuple[Tensor, Tensor]:
    """Row and column of each patch of a frame, those that are merged next to one another."""
    _, height, width = grid
    order = torch.arange(height * width, device=device).view(height // MERGE, MERGE, width // MERGE, MERGE)
    order = order.transpose(1, 2).flatten()
    return order // width, order % width


def _places(sight: Qwen3VLVisionModel, rows: Tensor, columns: Tensor, grid: tuple[int, int, int]) -> Tensor:
    """Embeddings of places [h * w, width], between those of the square that was learnt, corners on corners."""
    side = sight.num_grid_per_side
    table = sight.pos_embed.weight.view(side, side, -1)
    down, across = (
        cells.float() * (side - 1) / max(1, size - 1) for cells, size in zip((rows, columns), grid[1:], strict=True)
    )
    top, left = down.long(), across.long()
    below, right = (top + 1).clamp_max(side - 1), (left + 1).clamp_max(side - 1)
    v, u = (down - top)[:, None], (across - left)[:, None]
    upper = table[top, left] * (1 - u) + table[top, right] * u
    lower = table[below, left] * (1 - u) + table[below, right] * u
    return upper * (1 - v) + lower * v


def _angles(sight: Qwen3VLVisionModel, rows: Tensor, columns: Tensor) -> tuple[Tensor, Tensor]:
    """Rotary tables [h * w, head width]: half of the pairs count rows, half columns."""
    quarter = sight.config.hidden_size // sight.config.num_heads // 4
    frequencies = THETA ** (-torch.arange(quarter, dtype=torch.float32, device=rows.device) / quarter)
    angles = torch.cat([rows[:, None] * frequencies, columns[:, None] * frequencies], -1)
    angles = torch.cat([angles, angles], -1)
    return angles.cos(), angles.sin()
