"""The generator tower: diffusion tokens in, velocities out."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Literal

import torch
from torch import Tensor, nn

from engine.towers.attention import attend
from engine.towers.block import Block, write_heads
from engine.towers.fp8_linear import quantise, set_precise
from engine.towers.kv_buffers import KvBuffers, KvBufferStore
from engine.towers.modalities import ActionHead, SoundHead, TimestepEmbedder, patchify, unpatchify
from engine.towers.packing import Pack
from engine.towers.pieces import CompiledPieces, Pieces
from engine.towers.recording import Recording, RecordingPool
from engine.towers.rms_norm import RmsNorm
from engine.weights.config import ModelConfig
from engine.weights.quantization import PreciseSteps

TOKENS_PER_PASS = 16384
"""Above about this sequences gain nothing by going together, and their activations take memory."""

RECORDED_TOKENS = 8192
"""Up to this a pass is recorded: its kernels are over sooner than a processor starts them one by one."""

RECORDED_AT = 2
"""The pass of a shape that is recorded; the ones before it compile what it needs."""


Precision = Literal["exact", "fp8", "fp8-attention"]
"""In the checkpoint's dtype; with the matrices of the generator's blocks in FP8; or with attention in FP8 as well."""


class Generator(nn.Module):
    """Full attention over `[prefix | diffusion tokens]`, for many sequences at once.

    Attributes:
        kv_buffers: keys and values of the shapes that were passed last.
        pieces: how a block is computed, see `Pieces`.
        precision: as `prepare` was told.
        precise_steps: which steps of a run round no inputs, where it is quantised.
        streams: its weights come and go while it computes, so that nothing can be recorded.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.patch = config.latent_patch_size
        self.timesteps = TimestepEmbedder(config.hidden_size, config.timestep_scale)
        self.patch_in = nn.Linear(config.patch_values, config.hidden_size)
        self.blocks = nn.ModuleList(Block(config, normed_heads=True) for _ in range(config.num_hidden_layers))
        self.norm = RmsNorm.of(config, config.hidden_size)
        self.patch_out = nn.Linear(config.hidden_size, config.patch_values)
        self.sound = SoundHead(config) if config.sound_gen else None
        self.action = ActionHead(config) if config.action_gen else None
        self.kv_buffers = KvBufferStore()
        self.pieces = Pieces()
        self.precision: Precision = "exact"
        self.precise_steps = PreciseSteps()
        self.streams = False
        self._is_precise = False
        self._pool: RecordingPool | None = None

    def prepare(self, precision: Precision, *, compiled: bool, precise_steps: PreciseSteps | None = None) -> None:
        """Settle how blocks are computed; before the first pass, once their weights are there.

        Args:
            precise_steps: of matrices that came in FP8, which are taken as they are; none has all of them rounded here.
        """
        if compiled:
            self.pieces = CompiledPieces()
        self.precision = precision
        if precision != "exact":
            if precise_steps is None:
                quantise(self.blocks)
            self.precise_steps = precise_steps or PreciseSteps()

    @property
    def is_quantised(self) -> bool:
        """Its matrices are in FP8."""
        return self.precision != "exact"

    def embed_vision(self, latents: Tensor) -> Tensor:
        """latents [C, T, rows, columns] → tokens [S, H], without their timestep."""
        return self.patch_in(patchify(latents.to(self.patch_in.weight.dtype), self.patch))

    def read_vision(self, tokens: Tensor, shape: tuple[int, int, int, int]) -> Tensor:
        """Output tokens [S, H] of a vision segment → its velocity, of `shape`, float32."""
        return unpatchify(self.patch_out(tokens), shape, self.patch).float()

    def forward(self, x: Tensor, pack: Pack) -> Tensor:
        """x [S, H], the embedded tokens of a pack → [S, H]; in several passes where one would be too long."""
        groups = self.passes(pack)
        if len(groups) == 1:
            return self._pass(x, pack)
        parts = x.split([sum(pack.lengths[start:stop]) for start, stop in groups])
        return torch.cat([self._pass(own, pack.part(*group)) for own, group in zip(parts, groups, strict=True)])

    def passes(self, pack: Pack) -> list[tuple[int, int]]:
        """The sequences of each pass that a pack takes: (first, behind the last)."""
        if pack.exchange is not None:
            return [(0, len(pack.lengths))]
        cuts = [0, *(i for i in range(1, len(pack.lengths)) if self._is_cut(pack, i)), len(pack.lengths)]
        groups: list[tuple[int, int]] = []
        for start, stop in pairwise(cuts):
            groups += _within_budget(pack.lengths, start, stop)
        return groups

    def forget(self) -> None:
        """Give up what is kept between passes."""
        self.kv_buffers.clear()
        self._pool = None

    def _is_cut(self, pack: Pack, index: int) -> bool:
        """Whether a sequence is computed in another precision than the one before it."""
        return self.is_quantised and bool(pack.precise) and pack.precise[index] != pack.precise[index - 1]

    def _pass(self, x: Tensor, pack: Pack) -> Tensor:
        is_precise = not pack.precise or pack.precise[0]
        if self.is_quantised and is_precise != self._is_precise:
            set_precise(self, is_precise)
            self._is_precise = is_precise
        buffers = self.kv_buffers.of(pack)
        if pack.exchange is not None or self.streams or not buffers.is_recordable(x, RECORDED_TOKENS):
            return self._compute(x, buffers, pack)
        kind = is_precise and self.is_quantised
        buffers.num_passes[kind] += 1
        if kind not in buffers.recordings:
            if buffers.num_passes[kind] < RECORDED_AT:
                return self._compute(x, buffers, pack)
            self._pool = self._pool or RecordingPool(x.device)
            compute = partial(self._compute, buffers=buffers, pack=pack)
            buffers.recordings[kind] = Recording(compute, x, self, self._pool)
        return buffers.recordings[kind].run(x)

    def _compute(self, x: Tensor, buffers: KvBuffers, pack: Pack) -> Tensor:
        x = x.clone()  # the blocks add to it in place
        in_fp8 = self.precision == "fp8-attention" and not self._is_precise
        for layer, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            heads = self.pieces.heads(block, x)
            if pack.exchange is not None:
                heads = pack.exchange.heads(heads)
            keys, values = buffers.layer(layer)
            q = write_heads(block, heads, buffers.rope, buffers.slots, keys, values)
            attended = attend(q, keys, values, buffers, in_fp8=in_fp8)
            x = self.pieces.merge(block, x, attended if pack.exchange is None else pack.exchange.tokens(attended))
        return self.norm(x)


def _within_budget(lengths: tuple[int, ...], start: int, stop: int) -> list[tuple[int, int]]:
    """Runs of the sequences from `start` up to `stop`, each of at most `TOKENS_PER_PASS` tokens or one sequence."""
    groups: list[tuple[int, int]] = []
    first, tokens = start, 0
    for index in range(start, stop):
        if index > first and tokens + lengths[index] > TOKENS_PER_PASS:
            groups.append((first, index))
            first, tokens = index, 0
        tokens += lengths[index]
    return [*groups, (first, stop)]
