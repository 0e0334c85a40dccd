"""What a checkpoint's folder fixes for every request: what planners read beside the request itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.planning.prompt import PromptEncoder, read_tokenizer
from engine.planning.schedule import Schedule, checkpoint_schedule, native_schedule
from engine.weights import Folder, ModelConfig
from studio.checkpoints import read_json
from studio.errors import BrokenCheckpoint
from studio.requests import Sampling


@dataclass(frozen=True)
class Setting:
    """The checkpoint, as planners see it.

    Attributes:
        pixels_per_cell: pixels along the side of one latent cell.
        scheduler: the repository's scheduler file.
        native_flow: the repository's own pipeline samples natively too.
    """

    config: ModelConfig
    prompts: PromptEncoder
    pixels_per_cell: int
    scheduler: Mapping[str, Any]
    native_flow: bool

    def schedule(self, sampling: Sampling) -> Schedule:
        """The noise levels that a request asks for."""
        if sampling.schedule == "native":
            return native_schedule(sampling.num_inference_steps, sampling.flow_shift)
        return checkpoint_schedule(self.scheduler, sampling.num_inference_steps, native_flow=self.native_flow)


def read_setting(folder: Folder) -> Setting:
    """Read the small files of a checkpoint.

    Raises:
        BrokenCheckpoint: one of them cannot be read.
    """
    vae = read_json(folder.path / "vae" / "config.json")
    pixels_per_cell = vae.get("scale_factor_spatial", 16)
    if not isinstance(pixels_per_cell, int) or pixels_per_cell < 1:
        raise BrokenCheckpoint(f"{folder.path}/vae/config.json: scale_factor_spatial is {pixels_per_cell!r}.")
    return Setting(
        config=folder.config,
        prompts=read_tokenizer(folder.path / "text_tokenizer"),
        pixels_per_cell=pixels_per_cell,
        scheduler=read_json(folder.path / "scheduler" / "scheduler_config.json"),
        native_flow=bool(read_json(folder.path / "model_index.json").get("use_native_flow_schedule", False)),
    )
