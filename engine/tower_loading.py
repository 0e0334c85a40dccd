"""The towers of a checkpoint on a device, as every rank loads them."""

from __future__ import annotations

import torch
from torch import nn

from engine.memory import Peers, keep_on_host, shard_weights
from engine.towers import OmniModel, Precision, assign, build_model, empty_model, quantise
from engine.towers.attention_kernels import can_attend_in_fp8
from engine.weights import Folder, read_weights
from studio.errors import BadInput

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
        BadInput: the device cannot attend in FP8.
        BrokenCheckpoint: a shard cannot be read.
        EngineLost: a rank of those that share the weights did not answer.
    """
    if precision == "fp8-attention":
        check_fp8_attention(place)
    if place.index is not None:
        torch.cuda.set_device(place)  # a kernel of Triton's is started on the current one, wherever its tensors are
    if peers is None:
        first = torch.device("cpu") if offload else place
        model = build_model(opened.config, read_weights(opened, first, dtype, keep_fp8=precision != "exact"))
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


def check_fp8_attention(place: torch.device) -> None:
    """Raises BadInput where the device cannot attend in FP8."""
    if not can_attend_in_fp8(place):
        raise BadInput(
            f"Attention in FP8 needs a Hopper GPU (H100, H200) and the package fa3-fwd; {place} does not have both.",
            param="precision",
            hint="Use the precision fp8, or on a Hopper GPU pip install fa3-fwd.",
        )


def _read_sharded(
    opened: Folder, place: torch.device, dtype: torch.dtype, precision: Precision, peers: Peers
) -> OmniModel:
    """Block by block: no rank ever holds all weights, on its device or on the host."""
    model = empty_model(opened.config).eval().requires_grad_(False)
    keep_fp8 = precision != "exact"
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
