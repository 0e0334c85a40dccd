"""Sound latents to a waveform: the decoder of diffusers' `Cosmos3AVAEAudioTokenizer`."""

from __future__ import annotations

import warnings
from pathlib import Path

import torch
from diffusers.models.autoencoders.autoencoder_cosmos3_audio import Cosmos3AVAEAudioTokenizer
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from studio.checkpoints import read_json
from studio.errors import BrokenCheckpoint


class SoundDecoder:
    """48 kHz stereo, 1,920 samples a latent."""

    def __init__(self, decoder: nn.Module) -> None:
        self.decoder = decoder

    def decode(self, latents: Tensor) -> Tensor:
        """latents [C, T] float32 → [2, samples] float32 in -1..1."""
        weight = next(self.decoder.parameters())
        return self.decoder(latents[None].to(weight.dtype))[0].float().clamp(-1, 1)


def read_sound(folder: Path, device: torch.device, dtype: torch.dtype) -> SoundDecoder:
    """The decoder of a checkpoint's `sound_tokenizer/`; its encoder stays on disk.

    Raises:
        BrokenCheckpoint: its weights cannot be read, or are not those that its configuration asks for.
    """
    config = read_json(folder / "config.json") | {"encoder_enabled": False}
    try:
        with warnings.catch_warnings(), torch.device("meta"):
            # diffusers 0.42 builds this codec with a function that PyTorch 2.13 deprecates.
            warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
            codec = Cosmos3AVAEAudioTokenizer.from_config(config)
        assert isinstance(codec, Cosmos3AVAEAudioTokenizer)
        weights: dict[str, Tensor] = {}
        for shard in sorted(folder.glob("*.safetensors")):
            weights |= load_file(shard, device=str(device))
        own = {
            name.removeprefix("decoder."): tensor.to(dtype)
            for name, tensor in weights.items()
            if name.startswith("decoder.")
        }
        codec.decoder.load_state_dict(own, strict=True, assign=True)
    except (SafetensorError, OSError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise BrokenCheckpoint(f"{folder} cannot be read: {reason}", param="checkpoint") from None
    return SoundDecoder(codec.decoder.eval().requires_grad_(False))
