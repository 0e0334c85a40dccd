"""The keys and values that one pass through the generator attends to, and where they lie.

Each sequence has a part of them: its own tokens first, then those of its prefix, then what is spare. The prefix is put
there once, and every step writes its own keys and values in place before it. Order is no matter to attention: positions
are in the rotation.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Hashable
from itertools import accumulate

import torch
from torch import Tensor

from engine.towers.attention_kernels import Kernel, Ragged, pick_kernel
from engine.towers.packing import Average, Pack
from engine.towers.recording import Recording
from engine.towers.rope import Rope

PREFIX_STEP = 256
"""Room for a prefix is a multiple of this where the kernel takes any filling: one recorded pass serves most prompts."""

MAX_RESIDENT_BYTES = 2**31
"""Up to this every layer has buffers of its own; above it one layer's serve all, and prefixes are copied again."""

MAX_KEPT = 8

MAX_KEPT_BYTES = 3 * 2**30
"""Of the buffers of all shapes that are kept."""


class KvBuffers:
    """Keys and values of packs of one shape.

    Attributes:
        kernel: what reads them.
        lengths: tokens of each sequence's own.
        capacities: rows of each sequence's part.
        starts: the first row of each.
        seen: rows of each that are filled.
        averages: of each sequence.
        slots: int64 [S], the row of each token.
        ragged: all of that on the device.
        rope: of all tokens; it stays where it is.
        recordings: of the pass, by whether it is a precise one.
        num_passes: that were made in them and might have been recorded, by the same.
    """

    def __init__(self, pack: Pack, kernel: Kernel, capacities: tuple[int, ...]) -> None:
        keys, cos = pack.prefixes[0].keys, pack.ropes[0].cos
        device = keys.device
        self.kernel: Kernel = kernel
        self.lengths, self.capacities = pack.lengths, capacities
        self.averages: tuple[Average | None, ...] = pack.averages or (None,) * len(pack.lengths)
        self.starts = tuple(accumulate(capacities[:-1], initial=0))
        self.seen = self.lengths
        own = [start + torch.arange(length) for start, length in zip(self.starts, self.lengths, strict=True)]
        self.slots = torch.cat(own).to(device)
        used = torch.zeros(len(capacities), dtype=torch.int32, device=device)
        ends = (_ends(self.lengths, device), _ends(capacities, device))
        self.ragged = Ragged(*ends, used, max(self.lengths), max(capacities))
        num_tokens = sum(len(rope.cos) for rope in pack.ropes)
        self.rope = Rope(cos.new_empty(num_tokens, *cos.shape[1:]), cos.new_empty(num_tokens, *cos.shape[1:]))
        row = (sum(capacities), *keys.shape[2:])
        num_layers = len(keys) if _num_bytes(len(keys), capacities, keys) <= MAX_RESIDENT_BYTES else 1
        # Spare rows are never read as such, but a kernel may load them: no NaN may come of that.
        self._keys = [keys.new_zeros(row) for _ in range(num_layers)]
        self._values = [keys.new_zeros(row) for _ in range(num_layers)]
        self._pack: Pack | None = None
        self.recordings: dict[bool, Recording] = {}
        self.num_passes = Counter[bool]()

    @property
    def is_even(self) -> bool:
        """All sequences have one length, one filling and no averages: they are a batch."""
        return len(set(self.lengths)) == len(set(self.seen)) == len(set(self.capacities)) == 1 and not any(
            self.averages
        )

    @property
    def size_bytes(self) -> int:
        """Of keys and values."""
        return sum(tensor.nbytes for tensor in (*self._keys, *self._values))

    def is_recordable(self, x: Tensor, max_tokens: int) -> bool:
        """Whether a pass of x [S, H] over these buffers can be recorded and is short enough to gain by it."""
        return x.is_cuda and len(x) <= max_tokens and len(self._keys) > 1 and self.kernel != "plain"

    def fill(self, pack: Pack) -> None:
        """Put a pack's prefixes and angles in, unless they are there already."""
        if self._pack is not None and _is_same(self._pack, pack):
            return
        self._pack = pack
        seen = tuple(own + prefix.num_tokens for own, prefix in zip(pack.lengths, pack.prefixes, strict=True))
        if seen != self.seen:
            self.seen = seen
            self.ragged.used.copy_(torch.tensor(seen, dtype=torch.int32))
        torch.cat([rope.cos for rope in pack.ropes], out=self.rope.cos)
        torch.cat([rope.sin for rope in pack.ropes], out=self.rope.sin)
        if len(self._keys) > 1:
            for layer in range(len(self._keys)):
                self._write_prefixes(layer, layer)

    def layer(self, index: int) -> tuple[Tensor, Tensor]:
        """Keys and values [T, K, D] of a layer with every prefix in its place."""
        if len(self._keys) > 1:
            return self._keys[index], self._values[index]
        self._write_prefixes(0, index)
        return self._keys[0], self._values[0]

    def _write_prefixes(self, buffer: int, layer: int) -> None:
        assert self._pack is not None
        for start, own, prefix in zip(self.starts, self.lengths, self._pack.prefixes, strict=True):
            rows = slice(start + own, start + own + prefix.num_tokens)
            self._keys[buffer][rows] = prefix.keys[layer]
            self._values[buffer][rows] = prefix.values[layer]


class KvBufferStore:
    """Buffers by the shape of their packs, the least recently used given up first. One thread's own.

    Attributes:
        adapter: the active one; what was recorded with another is not used.
    """

    def __init__(self) -> None:
        self.adapter: Hashable = None
        self._kept: OrderedDict[Hashable, KvBuffers] = OrderedDict()

    def of(self, pack: Pack) -> KvBuffers:
        """KvBuffers with this pack's prefixes in them."""
        keys = pack.prefixes[0].keys
        averaged = any(pack.averages)
        kernel = "plain" if averaged else pick_kernel(keys.device, keys.dtype, pack.lengths, keys.shape[-1])
        step = PREFIX_STEP if kernel == "flash" else 1
        capacities = tuple(
            length + -(-prefix.num_tokens // step) * step
            for length, prefix in zip(pack.lengths, pack.prefixes, strict=True)
        )
        key = (kernel, pack.lengths, capacities, keys.shape[2], pack.averages, self.adapter)
        found = self._kept.get(key)
        if found is None:
            self._make_way(_num_bytes(len(keys), capacities, keys))
            found = self._kept[key] = KvBuffers(pack, kernel, capacities)
        self._kept.move_to_end(key)
        found.fill(pack)
        return found

    def clear(self) -> None:
        """Give all of them up."""
        self._kept.clear()

    def _make_way(self, num_bytes: int) -> None:
        while self._kept and (
            len(self._kept) >= MAX_KEPT
            or num_bytes + sum(kept.size_bytes for kept in self._kept.values()) > MAX_KEPT_BYTES
        ):
            self._kept.popitem(last=False)


def _num_bytes(num_layers: int, capacities: tuple[int, ...], keys: Tensor) -> int:
    return 2 * num_layers * sum(capacities) * keys[0, 0].nbytes


def _ends(sizes: tuple[int, ...], device: torch.device) -> Tensor:
    return torch.tensor([0, *accumulate(sizes)], dtype=torch.int32).to(device)


def _is_same(one: Pack, other: Pack) -> bool:
    pairs = [*zip(one.prefixes, other.prefixes, strict=True), *zip(one.ropes, other.ropes, strict=True)]
    return all(left is right for left, right in pairs)
