"""Which tensors each part of a checkpoint ought to hold, worked out from its configuration files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from diffusers.models.autoencoders.autoencoder_cosmos3_audio import Cosmos3AVAEAudioTokenizer
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from torch import nn
from transformers import Qwen3VLVisionModel
from transformers.models.cosmos3_edge.configuration_cosmos3_edge import Cosmos3EdgeConfig, Cosmos3EdgeVisionConfig
from transformers.models.cosmos3_edge.modeling_cosmos3_edge import Cosmos3EdgePatchMerger, Cosmos3EdgeVisionModel
from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLVisionConfig

from engine.weights.checkpoint import DTYPES
from engine.weights.config import read_config
from engine.weights.key_map import key_map
from engine.weights.quantization import (
    FP8,
    check_told,
    fp8_names,
    names_beside,
    read_precise_steps,
    scale_name,
    scale_shapes,
)
from studio.checkpoints import read_json
from studio.errors import BrokenCheckpoint

DROPPED = "dropped"
"""Known, and left on disk: no mode reads it."""


@dataclass(frozen=True)
class Expected:
    """One tensor that ought to be there.

    Attributes:
        use: what reads it, or `DROPPED`.
        dtypes: what it may be stored in.
        required: its absence is a fault; what is dropped may be missing.
    """

    shape: tuple[int, ...]
    use: str
    dtypes: tuple[str, ...] = tuple(DTYPES)

    @property
    def required(self) -> bool:
        """Whether a checkpoint without it is broken."""
        return self.use != DROPPED


Expectation = dict[str, Expected]


def transformer(folder: Path) -> Expectation:
    """Both towers and the heads of every modality."""
    return {
        source.name: Expected(source.shape, entry.target.split(".")[0] or DROPPED)
        for entry in key_map(read_config(folder / "transformer" / "config.json"))
        for source in entry.sources
    }


def transformer_in_fp8(folder: Path, expected: Expectation, headers: Mapping[str, Mapping[str, Any]]) -> Expectation:
    """What is different of a transformer that is stored in FP8, and nothing of any other.

    Args:
        expected: of `transformer`.
        headers: of its tensors, by name.

    Raises:
        NotACheckpoint, BrokenCheckpoint: see `read_precise_steps` and `check_told`.
    """
    if read_precise_steps(folder / "transformer" / "config.json") is None:
        return {}
    check_told(headers, folder / "transformer", is_told=True)
    beside = {
        name: Expected(tuple(raw.get("shape", ())), DROPPED, (str(raw.get("dtype", "")),))
        for name, raw in ((name, headers[name]) for name in names_beside(headers))
    }
    own: Expectation = {}
    for name in fp8_names(headers) & expected.keys():
        known, scale = expected[name], scale_name(name)
        if len(known.shape) != 2:
            continue
        own[name] = replace(known, dtypes=(*DTYPES, FP8))
        found = beside.get(scale)
        shapes = scale_shapes(known.shape[0])
        own[scale] = Expected(found.shape if found and found.shape in shapes else shapes[-1], known.use)
    return beside | own


def vae(folder: Path) -> Expectation:
    """Encoder and decoder of pictures and clips."""
    config = read_json(folder / "vae" / "config.json")
    return {name: Expected(shape, "vae") for name, shape in _shapes(lambda: _made(AutoencoderKLWan, config)).items()}


def sound_tokenizer(folder: Path) -> Expectation:
    """The decoder of sound; what encodes it is dropped."""
    config = read_json(folder / "sound_tokenizer" / "config.json")
    shapes = _shapes(lambda: _made(Cosmos3AVAEAudioTokenizer, config))
    return {
        name: Expected(shape, "sound" if name.startswith("decoder.") else DROPPED) for name, shape in shapes.items()
    }


def vision_encoder(folder: Path) -> Expectation:
    """The vision encoder, by the names in `vision_encoder/`: flat in Nano and Super, below `model.` in Edge.

    Source: transformers 5.23, `conversion_mapping.py` ("cosmos3_omni" and "cosmos3_edge").
    """
    root = read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
    if root.get("model_type") == "cosmos3_edge":
        config = Cosmos3EdgeConfig.from_dict(root)
        seeing = config.vision_config
        assert isinstance(seeing, Cosmos3EdgeVisionConfig)
        vision = _shapes(lambda: Cosmos3EdgeVisionModel(seeing))
        merger = _shapes(lambda: Cosmos3EdgePatchMerger(config))
        named = {f"model.visual.{name}": shape for name, shape in vision.items()}
        named |= {f"model.projector.{name}": shape for name, shape in merger.items()}
    else:
        raw = root.get("vision_config") or read_json(folder / "vision_encoder" / "config.json")
        named = _shapes(lambda: Qwen3VLVisionModel(Qwen3VLVisionConfig.from_dict(raw)))
    return {name: Expected(shape, "vision encoder") for name, shape in named.items()}


PARTS: dict[str, Callable[[Path], Expectation]] = {
    "transformer": transformer,
    "vision_encoder": vision_encoder,
    "vae": vae,
    "sound_tokenizer": sound_tokenizer,
}
"""By the folder that the part lies in."""


def _made(kind: Any, config: dict[str, Any]) -> nn.Module:
    made = kind.from_config(config)
    assert isinstance(made, nn.Module)
    return made


def _shapes(make: Callable[[], nn.Module]) -> dict[str, tuple[int, ...]]:
    """Names and shapes of a module's weights; none of them is allocated.

    Raises:
        BrokenCheckpoint: its configuration describes no such module.
    """
    try:
        with warnings.catch_warnings(), torch.device("meta"):
            # diffusers 0.42 builds its sound codec with a function that PyTorch 2.13 deprecates.
            warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
            module = make()
    except (TypeError, ValueError, RuntimeError, AttributeError, KeyError, ZeroDivisionError) as error:
        reason = " ".join(str(error).split())
        raise BrokenCheckpoint(f"the configuration has no such module: {reason}.", param="checkpoint") from None
    return {name: tuple(weight.shape) for name, weight in module.state_dict().items()}
