"""The towers of a checkpoint on a device, as every rank loads them."""

from __future__ import annotations

import torch
from torch import nn

from engine.memory import Peers, keep_on_host, shard_weights
from engine.towers import OmniModel, Precision, assign, build_model, empty_model, quantise
from engine.weights import Folder, read_weights

BLOCKS = ("reasoner.blocks.", "generator.blocks.")


def load_towers(
    opened: Folder,
    place: torch.device,
    dtype: torch.dtype,
    *,
    precision: Precision = "exact",
    compiled: bool | None = None,
    offload: bool = False,
    peers: Peers | None = None,
) -> OmniModel:
    """Read both towers; for the arguments see `Engine.load`.

    Raises:
        BrokenCheckpoint: a shard cannot be read.
        EngineLost: a rank of those that share the weights did not answer.
    """
    if place.index is not None:
        torch.cuda.set_device(place)  # a kernel of Triton's is started on the current one, wherever its tensors are
    if peers is None:
        first = torch.device("cpu") if offload else place
        model = build_model(opened.config, read_weights(opened, first, dtype, keep_fp8=precision == "fp8"))
    else:
        model = _read_sharded(opened, place, dtype, precision, peers)
    model.prepare(
        precision,
        compiled=place.type == "cuda" if compiled is None else compiled,
        precise_steps=opened.precise_steps,
    )
    if offload:
        keep_on_host(model, place)
    return model


def _read_sharded(
    opened: Folder, place: torch.device, dtype: torch.dtype, precision: Precision, peers: Peers
) -> OmniModel:
    """Block by block: no rank ever holds all weights, on its device or on the host."""
    model = empty_model(opened.config).eval().requires_grad_(False)
    keep_fp8 = precision == "fp8"
    assign(
        model, read_weights(opened, place, dtype, wanted=lambda name: not name.startswith(BLOCKS)), dtype, strict=False
    )

    def fill(name: str, block: nn.Module) -> None:
        prefix = f"{name}."
        weights = read_weights(opened, place, dtype, keep_fp8=keep_fp8, wanted=lambda target: target.startswith(prefix))
        assign(block, {target.removeprefix(prefix): weight for target, weight in weights.items()}, dtype)
        if keep_fp8 and name.startswith("generator.") and opened.precise_steps is None:
            quantise(block)

    shard_weights(model, place, peers, fill)
    return model
