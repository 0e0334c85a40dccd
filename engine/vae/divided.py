"""A clip's decoder whose frames are divided among ranks, to what one rank makes of them whole.

The first convolution and the middle block, whose attention is over whole frames, are every rank's: they work at the
latents' resolution and are 1 % of Wan 2.2's sums. Behind them frames are cut along their longer side, and before each
convolution that looks at neighbouring cells a rank is given the line of cells on either side of its strip. To do
without, a strip would need 13 cells more on either side, where a clip at 480p is 52 across.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol, cast

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import WanCausalConv3d
from torch import Tensor, nn
from torch.nn.functional import pad

from engine.vae.clip import ClipCoder, Memory, empty_memory, in_range


class Ranks(Protocol):
    """Those that decode together: an `engine.parallel` ring."""

    @property
    def size(self) -> int:
        """How many, P."""
        ...

    @property
    def place(self) -> int:
        """This one's number among them."""
        ...

    def collect(self, own: Tensor) -> Tensor:
        """own [n, ...] → [P, n, ...], every rank's."""
        ...


class DividedDecoder:
    """The decoder of one VAE, for any number of clips by turns."""

    def __init__(self, coder: ClipCoder) -> None:
        self._coder = coder
        self._cut = _Cut()
        self._decoder = _divided(coder.vae.decoder, self._cut)

    def memory(self) -> Memory:
        """Of a clip that begins."""
        return empty_memory(self._decoder)

    def decode(self, latents: Tensor, memory: Memory, ranks: Ranks) -> Tensor:
        """The next latents [C, n, rows, columns] of a clip → [3, frames, height, width] float32 in -1..1.

        Called on every rank with the same latents, it gives every one whole frames. The longer side has a cell for each
        rank at least.

        Args:
            memory: what this rank remembers of the clip so far; changed.

        Raises:
            EngineLost: a rank did not answer.
        """
        self._cut.lay(latents, ranks)
        return in_range(self._cut.joined(self._coder.pixels(self._decoder, latents, memory)))


class _Cut:
    """Where frames are cut, along which axis, counted from the last; laid anew for each piece."""

    _ranks: Ranks

    def lay(self, latents: Tensor, ranks: Ranks) -> None:
        """Strips of nearly the same width: 30 cells on four ranks are cut at 7, 15 and 22."""
        self._ranks = ranks
        self._axis = -2 if latents.shape[-2] > latents.shape[-1] else -1
        length = latents.shape[self._axis]
        assert length >= ranks.size
        self._bounds = [length * place // ranks.size for place in range(ranks.size + 1)]

    def strip(self, cells: Tensor) -> Tensor:
        """This rank's of whole frames at the latents' resolution."""
        first, last = self._bounds[self._ranks.place : self._ranks.place + 2]
        return cells.narrow(self._axis, first, last - first)

    def widened(self, parts: Sequence[Tensor]) -> list[Tensor]:
        """Strips of frames behind one another [1, C, T, rows, columns], each with the neighbours' next line of cells.

        A single part may also be [T, C, rows, columns].
        """
        last = parts[0].shape[self._axis] - 1
        edges = [torch.cat([part.narrow(self._axis, at, 1) for part in parts], 2) for at in (0, last)]
        collected = self._ranks.collect(torch.stack(edges))  # [P, 2, ...]
        place, lengths = self._ranks.place, [part.shape[2] for part in parts]
        beside = [[part] for part in parts]
        if self._has_before:
            for row, edge in zip(beside, _apart(collected[place - 1, 1], lengths), strict=True):
                row.insert(0, edge)
        if self._has_behind:
            for row, edge in zip(beside, _apart(collected[place + 1, 0], lengths), strict=True):
                row.append(edge)
        return [_joined(row, self._axis) for row in beside]

    def narrowed(self, made: Tensor) -> Tensor:
        """What was made of a widened strip, without those lines again: beyond them a convolution saw zeros."""
        first = int(self._has_before)
        return made.narrow(self._axis, first, made.shape[self._axis] - first - self._has_behind)

    def joined(self, own: Tensor) -> Tensor:
        """Pixels [3, T, height, width] of this rank's strip → of all of them.

        As the VAE computes them: in bf16 they are 5 MB of four frames at 480p for each of two ranks, and what is seen
        and what a next chunk is begun with are cut from the same values.
        """
        widths = [last - first for first, last in pairwise(self._bounds)]
        side = own.shape[self._axis] // widths[self._ranks.place]
        missing = (max(widths) - widths[self._ranks.place]) * side
        collected = self._ranks.collect(pad(own, (0, missing) if self._axis == -1 else (0, 0, 0, missing)))
        strips = [strip.narrow(self._axis, 0, width * side) for strip, width in zip(collected, widths, strict=True)]
        return torch.cat(strips, self._axis)

    @property
    def _has_before(self) -> bool:
        return self._ranks.place > 0

    @property
    def _has_behind(self) -> bool:
        return self._ranks.place < self._ranks.size - 1


class _CutBehind(nn.Module):
    """The middle block, of whose whole frames this rank's strip is left."""

    def __init__(self, block: nn.Module, cut: _Cut) -> None:
        super().__init__()
        self.block = block
        self._cut = cut

    def forward(self, x: Tensor, feat_cache: Memory, feat_idx: list[int]) -> Tensor:
        """x [1, C, T, rows, columns] → the same rank."""
        return self._cut.strip(self.block(x, feat_cache=feat_cache, feat_idx=feat_idx))


class _SeamConvolution(nn.Module):
    """A convolution over a strip that sees one cell beyond it."""

    def __init__(self, convolution: nn.Module, cut: _Cut) -> None:
        super().__init__()
        self.convolution = convolution
        self._cut = cut

    def forward(self, x: Tensor, cache_x: Tensor | None = None) -> Tensor:
        """x [1, C, T, rows, columns] behind frames that are remembered of earlier ones, or [T, C, rows, columns]."""
        if cache_x is None:
            return self._cut.narrowed(self.convolution(*self._cut.widened([x])))
        earlier, now = self._cut.widened([cache_x, x])
        return self._cut.narrowed(self.convolution(now, earlier))


def _divided(decoder: nn.Module, cut: _Cut) -> nn.Module:
    """A decoder that shares all parameters with this one."""
    shared = {id(parameter): parameter for parameter in decoder.parameters()}
    divided = copy.deepcopy(decoder, shared)
    for name, module in list(divided.named_modules()):
        if name == "mid_block":
            divided.set_submodule(name, _CutBehind(module, cut))
        elif name.startswith(("up_blocks.", "conv_out")) and isinstance(module, WanCausalConv3d | nn.Conv2d):
            across = cast(tuple[int, ...], module.kernel_size)[-2:]
            if across != (1, 1):
                assert across == (3, 3)
                divided.set_submodule(name, _SeamConvolution(module, cut))
    return divided


def _apart(edge: Tensor, lengths: Sequence[int]) -> Sequence[Tensor]:
    """A line of cells of all parts, part by part."""
    return [edge] if len(lengths) == 1 else edge.split(list(lengths), 2)


def _joined(strips: Sequence[Tensor], axis: int) -> Tensor:
    """Side by side, channels staying last in memory where they are so."""
    if not any(strip.stride(1) == 1 for strip in strips):
        return torch.cat(list(strips), axis)
    return torch.cat([strip.movedim(1, -1) for strip in strips], axis - 1).movedim(-1, 1)
