"""LoRA adapters of a model: a low-rank addition beside its linear layers, put there and taken away again."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from engine.adapters.adapter_file import LowRank, config_file, read_adapter, weights_file
from engine.towers import Fp8Linear, OmniModel
from engine.weights.key_map import key_map
from studio.errors import BadInput

MAX_KEPT = 2
"""Adapters that stay in memory: requests with two of them may take turns, step by step."""


@dataclass(frozen=True)
class Patch:
    """An adapter's part for some of a layer's outputs: to_k's, of a layer that makes queries, keys and values.

    Attributes:
        first: the output that it starts at.
    """

    first: int
    matrices: LowRank


class LoraLinear(nn.Module):
    """`base(x) + scale * up(down(x))`. The base layer is the one that was there before, and stays untouched."""

    def __init__(self, base: nn.Linear | Fp8Linear, patches: Sequence[Patch], scale: float) -> None:
        super().__init__()
        self.base = base
        like = {"device": base.weight.device, "dtype": base.dtype if isinstance(base, Fp8Linear) else base.weight.dtype}
        self.rows = [(patch.first, patch.first + len(patch.matrices.up)) for patch in patches]
        # One product for all patches; plain tensors, so that a model counts and saves its own weights alone.
        self.down = torch.cat([patch.matrices.down for patch in patches]).to(**like)
        self.ups = [(scale * patch.matrices.up).to(**like) for patch in patches]

    @property
    def weight(self) -> Tensor:
        """The base layer's, for whoever asks where and in what it computes."""
        return self.base.weight

    def forward(self, x: Tensor) -> Tensor:
        """x [..., inputs] → [..., outputs]."""
        out = self.base(x)
        parts = (x @ self.down.T).split([up.shape[1] for up in self.ups], -1)
        for (start, stop), part, up in zip(self.rows, parts, self.ups, strict=True):
            out[..., start:stop] += part @ up.T
        return out


Version = tuple[tuple[str, int, int], ...]
"""Name, time and size of an adapter's files: it changes when they do."""


@dataclass(frozen=True)
class ActiveAdapter:
    """An adapter in use."""

    version: Version
    scale: float


@dataclass(frozen=True)
class _Place:
    """Where a module of the checkpoint ended up: rows of a linear layer here."""

    layer: str
    first: int


class LoraAdapters:
    """Adapters of one model. One thread's own.

    Attributes:
        active: the one in use; none is the checkpoint alone.
    """

    def __init__(self, model: OmniModel) -> None:
        self.active: ActiveAdapter | None = None
        self._model = model
        self._places: dict[str, _Place] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self._base: dict[str, nn.Linear | Fp8Linear] = {}
        self._kept: OrderedDict[Version, dict[str, LowRank]] = OrderedDict()
        self._find_places()

    def use(self, path: Path | None, scale: float) -> None:
        """Use an adapter in place of the active one, or with none the checkpoint alone.

        When this fails the active one stays. A scale of 0 is the checkpoint alone.

        Raises:
            BadInput: there is no such adapter, it is no LoRA of linear layers, or it fits another checkpoint.
            BrokenCheckpoint: its file is cut short.
        """
        assert math.isfinite(scale)
        wanted: ActiveAdapter | None = None
        adapter: dict[str, LowRank] = {}
        if path is not None:
            version = _version(path)
            chosen = self._adapter(path, version)
            if scale != 0:
                wanted, adapter = ActiveAdapter(version, scale), chosen
        if wanted == self.active:
            return
        layers = self._layers(adapter, scale)
        for name, layer in self._base.items():
            self._model.set_submodule(name, layer)
        self._base = {name: layer.base for name, layer in layers.items()}
        for name, layer in layers.items():
            self._model.set_submodule(name, layer)
        self.active = wanted

    def _find_places(self) -> None:
        for entry in key_map(self._model.config):
            layer, _, kind = entry.target.rpartition(".")
            if kind != "weight" or not isinstance(self._model.get_submodule(layer), nn.Linear | Fp8Linear):
                continue
            first = 0
            for source in entry.sources:
                outputs, inputs = source.shape
                module = source.name.removesuffix(".weight")
                self._places[module] = _Place(layer, first)
                self._sizes[module] = (outputs, inputs)
                first += outputs

    def _adapter(self, path: Path, version: Version) -> dict[str, LowRank]:
        if version not in self._kept:
            self._kept[version] = read_adapter(path, self._sizes)
        self._kept.move_to_end(version)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return self._kept[version]

    def _layers(self, adapter: dict[str, LowRank], scale: float) -> dict[str, LoraLinear]:
        """The adapter's layers by name, around the base ones."""
        patches: dict[str, list[Patch]] = {}
        for module, matrices in adapter.items():
            place = self._places[module]
            patches.setdefault(place.layer, []).append(Patch(place.first, matrices))
        layers: dict[str, LoraLinear] = {}
        for name, parts in patches.items():
            base = self._base.get(name) or self._model.get_submodule(name)
            assert isinstance(base, nn.Linear | Fp8Linear)
            layers[name] = LoraLinear(base, parts, scale)
        return layers


def _version(path: Path) -> Version:
    weights = weights_file(path)
    try:
        stats = [(file, file.stat()) for file in (weights, config_file(weights)) if file is not None]
        return tuple((str(file), stat.st_mtime_ns, stat.st_size) for file, stat in stats)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.", param="adapter.name") from None
