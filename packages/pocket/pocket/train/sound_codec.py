"""Stage `sound`: waveforms to 25 latents a second and back, in the layout of the released codec."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from diffusers.models.autoencoders.autoencoder_cosmos3_audio import Cosmos3AVAEAudioTokenizer
from torch import Tensor, nn
from torch.nn.utils.weight_norm import WeightNorm

from pocket.train.codecs import fresh_sound
from pocket.train.loop import Options, State, needed_state, train
from pocket.train.shape import SHAPES
from pocket.train.shards import Feed, Make, make_episodes, read_shard, rendering
from pocket.train.waiting import fill
from tuning.recorded import Recorded

STAGE = "sound"

CUT_LATENTS = 12
"""Of a training cut: half a second."""

SAMPLES_PER_LATENT = 1920

WINDOWS = (256, 1024, 4096)
"""Samples of the spectra that are compared."""

SPECTRUM_WEIGHT, SIZE_WEIGHT = 1.0, 1e-3
"""Beside the error of the waveform: on spectra, and on the square of the latents, which keeps them about 1."""

SILENCE = 1.0
"""Added to the size of a spectrum that an error is measured against: half a second may be silent."""

MAX_CLIPS = 20_000


class Waves:
    """Sound in memory, float16 [2, S] of each clip."""

    def __init__(self, options: Options) -> None:
        self._feed = Feed(options.data, ("clip",))
        self.waves: list[np.ndarray] = []

    def take(self) -> bool:
        """Read one shard more; false where none waits."""
        if len(self.waves) > MAX_CLIPS or not (paths := self._feed.take(1)):
            return False
        self.waves += [episode.sound for episode in read_shard(paths[0]) if episode.sound is not None]
        return True

    def draw(self, count: int, device: str) -> Tensor:
        """Random cuts [count, 2, samples] float32; both sides are swapped in half of them."""
        length = CUT_LATENTS * SAMPLES_PER_LATENT
        cuts: list[np.ndarray] = []
        for index in torch.randint(len(self.waves), (count,)):
            wave = self.waves[int(index)]
            start = int(torch.randint(max(1, wave.shape[1] - length + 1), ()))
            cut = wave[:, start : start + length]
            cuts.append(np.pad(cut, ((0, 0), (0, length - cut.shape[1]))))
        waves = torch.from_numpy(np.stack(cuts)).float().to(device)
        swapped = torch.rand(count, device=device) < 0.5
        return torch.where(swapped[:, None, None], waves.flip(1), waves)


def run(options: Options, make: Make = make_episodes) -> State:
    """Train it."""
    torch.manual_seed(options.seed)
    codec = fresh_sound(SHAPES[options.shape]).train()
    nn.Module.to(codec, options.device)
    waves = Waves(options)
    with rendering(
        options.data, {"clip": 1.0}, options.workers, options.shard_size, make, stage=STAGE, seed=options.seed
    ):
        fill(waves.take, options)

        # Nobody else draws: there is nothing to wait for.
        recorded, measure = Recorded(codec, lambda: None), partial(sound_loss, codec)

        def loss(step: int) -> tuple[Tensor, dict[str, float | Tensor]]:
            waves.take()
            drawn = waves.draw(options.batch, options.device)
            value, error, spectra, size = recorded(drawn.shape, measure, drawn)
            return value, {"wave": error, "spectra": spectra, "latents": size}

        return train(STAGE, codec, loss, options)


def sound_loss(codec: Cosmos3AVAEAudioTokenizer, waves: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """waves [B, 2, S] in -1..1 → the loss, and its parts: the waves' error, the spectra's and the latents' square."""
    assert isinstance(codec.encoder, nn.Module)
    with torch.autocast(waves.device.type, enabled=False):
        latents = codec.encode(waves, return_dict=False)[0].mode()
        made = codec.decoder(latents + 0.05 * torch.randn_like(latents)).float()
        error = (made - waves).abs().mean()
        spectra = sum((_spectrum_error(made, waves, window) for window in WINDOWS), made.new_zeros(())) / len(WINDOWS)
        size = latents.square().mean()
    loss = error + SPECTRUM_WEIGHT * spectra + SIZE_WEIGHT * (size - 1).square()
    _let_go(codec)
    return loss, error.detach(), spectra.detach(), size.detach()


def _let_go(codec: nn.Module) -> None:
    """Of the weights that the codec has computed from lengths and directions, and keeps with all that led to them."""
    for module in codec.modules():
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm):
                setattr(module, hook.name, getattr(module, hook.name).detach())


def _spectrum_error(made: Tensor, wanted: Tensor, window: int) -> Tensor:
    """Mean error of the logarithms of magnitudes, and of magnitudes against the loudest."""
    shape = torch.hann_window(window, device=made.device)
    one, other = (
        torch.stft(sound.flatten(0, 1), window, window // 4, window=shape, return_complex=True).abs()
        for sound in (made, wanted)
    )
    logs = ((one + 1e-3).log() - (other + 1e-3).log()).abs().mean()
    return logs + (one - other).norm() / (other.norm() + SILENCE)


def read_sound(options: Options) -> Cosmos3AVAEAudioTokenizer:
    """The trained one, on the device, frozen.

    Raises:
        BadInput: the stage has not run.
    """
    codec = fresh_sound(SHAPES[options.shape])
    codec.load_state_dict(needed_state(options.out, STAGE).average)
    nn.Module.to(codec, options.device)
    return codec.eval().requires_grad_(False)
