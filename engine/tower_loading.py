"""The towers of a checkpoint on a device, as every rank loads them."""

from __future__ import annotations

import torch

from engine.memory import keep_on_host
from engine.towers import OmniModel, Precision, build_model
from engine.weights import Folder, read_weights


def load_towers(
    opened: Folder,
    place: torch.device,
    dtype: torch.dtype,
    *,
    precision: Precision = "exact",
    compiled: bool | None = None,
    offload: bool = False,
) -> OmniModel:
    """Read both towers; for the arguments see `Engine.load`.

    Raises:
        BrokenCheckpoint: a shard cannot be read.
    """
    first = torch.device("cpu") if offload else place
    model = build_model(opened.config, read_weights(opened, first, dtype, keep_fp8=precision == "fp8"))
    model.generator.prepare(
        precision,
        compiled=place.type == "cuda" if compiled is None else compiled,
        precise_steps=opened.precise_steps,
    )
    if offload:
        keep_on_host(model, place)
    return model
