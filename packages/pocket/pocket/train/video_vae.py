"""Stages `vae` and `decoder`: pictures and clips to latents and back, in the layout of Wan 2.2's VAE."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import Any

import numpy as np
import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, max_pool2d

from pocket.train.codecs import fresh_vae, hasten_on_processor
from pocket.train.loop import Options, State, needed_state, read_state, train, write_state
from pocket.train.shape import SHAPES
from pocket.train.shards import Feed, Make, Source, make_episodes, read_shard, rendering
from pocket.train.waiting import fill
from pocket.world.episode import View
from tuning.ahead import Ahead
from tuning.passes import onto
from tuning.recorded import Recorded

LEAST = 1e-4
"""Of the loudest component's variance: what is below it is not made as loud as the rest."""


@torch.no_grad()
def whiten(vae: AutoencoderKLWan, latents: Tensor) -> None:
    """Turn and scale its latents in place, in the two convolutions of one cell that stand around them.

    What comes out of the decoder stays what it is. Afterwards every component is as loud as any other, and none the
    shadow of another: a flow finds a component where the noise is about as loud as it is, and a sampler's few steps end
    long before what has a hundredth of the variance. Left as they come, of a VAE's 48 channels the first component has
    27 % of the variance, and what the shape of a thing hangs on lies in some with a hundredth of that.

    Args:
        latents: [C, n], means of many cells; theirs are white afterwards, with mean 0 and deviation 1.
    """
    values = latents.double().cpu()
    middle = values.mean(1)
    variances, axes = torch.linalg.eigh(torch.cov(values))
    deviations = variances.clamp_min(LEAST * float(variances[-1])).sqrt()
    inward, outward = (axes / deviations).T, axes * deviations
    before, behind = vae.quant_conv, vae.post_quant_conv
    assert before.bias is not None
    assert behind.bias is not None
    count = len(middle)
    into, out_of = before.weight[:count].double().cpu(), behind.weight.double().cpu()
    behind.bias += (out_of[..., 0, 0, 0] @ middle).to(behind.bias)
    behind.weight.copy_(torch.einsum("ijabc,jk->ikabc", out_of, outward))
    before.weight[:count] = torch.einsum("ij,jkabc->ikabc", inward, into).to(before.weight)
    before.bias[:count] = (inward @ (before.bias[:count].double().cpu() - middle)).to(before.bias)


VAE, DECODER = "vae", "decoder"

CLIP_FRAMES = 9
"""Frames of a training clip: the first latent frame, one behind it, and one that remembers only such."""

STILL_SHARE = 0.5
"""Of the steps, on single frames; they are cheap and teach most of what there is."""

SHARES: dict[View, float] = {"still": 0.4, "clip": 0.25, "policy": 0.35}
"""Of steps, where a view has clips of the length. Of what a policy sees nothing may be lost: its things are small."""

LATENT_NOISE = 0.05
"""What is added to latents, against their deviation: neighbouring latents then mean neighbouring pictures.

Not against 1: the latents of a fresh encoder are small, and noise that is louder teaches the decoder to ignore them."""

LATENT_WEIGHT, OUTLINE_WEIGHT = 1e-4, 1.0
"""On the square of the latents, and on the differences between neighbouring pixels at three scales."""

COLOUR_WEIGHT = 16.0
"""On pixels, by how far the strongest and the weakest colour near them are apart: 0 of grey, 1 of pure red.

Things are a fiftieth of a picture and the rest of it is nearly grey: without this a small VAE draws eight pictures at
22 dB with every thing in black.
"""

NEAR_PIXELS = 2
"""How far round it a colour counts: both sides of an outline say what a thing is."""

MAX_FRAMES_KEPT = 60_000
"""Of 256 x 256: 12 GB."""


class Frames:
    """Clips in memory, uint8 [T, height, width, 3], as shards come in."""

    def __init__(self, options: Options) -> None:
        self._feed = Feed(options.data, tuple(SHARES))
        self.clips: dict[View, list[np.ndarray]] = {view: [] for view in SHARES}
        self._num_frames = 0

    def take(self) -> bool:
        """Read one shard more; false where none waits."""
        if self._num_frames > MAX_FRAMES_KEPT or not (paths := self._feed.take(1)):
            return False
        for episode in read_shard(paths[0]):
            self.clips[episode.view].append(episode.frames)
            self._num_frames += len(episode.frames)
        return True

    def has(self, length: int) -> bool:
        """Whether any clip has so many frames: renderers may come with stills first."""
        return any(len(clip) >= length for clips in self.clips.values() for clip in clips)

    def draw(self, count: int, length: int, side: int, device: str, dice: torch.Generator | None = None) -> Tensor:
        """Random cuts [count, 3, length, side, side] of one view in -1..1; smaller clips set the side."""
        long_of = {view: [clip for clip in clips if len(clip) >= length] for view, clips in self.clips.items()}
        shares = torch.tensor(
            [share * bool(clips) for share, clips in zip(SHARES.values(), long_of.values(), strict=True)]
        )
        long = list(long_of.values())[int(torch.multinomial(shares, 1, generator=dice))]
        picked = [long[index] for index in torch.randint(len(long), (count,), generator=dice).tolist()]
        side = min([side, *(min(clip.shape[1:3]) // 16 * 16 for clip in picked)])
        cuts: list[np.ndarray] = []
        for clip in picked:
            at, top, left = (
                int(torch.randint(size - wanted + 1, (), generator=dice))
                for size, wanted in zip(clip.shape[:3], (length, side, side), strict=True)
            )
            cuts.append(clip[at : at + length, top : top + side, left : left + side])
        pixels = onto(np.stack(cuts), torch.device(device))
        return pixels.permute(0, 4, 1, 2, 3).float().div_(127.5).sub_(1)


def run(options: Options, make: Make = make_episodes, *, stage: str = VAE) -> State:
    """Train it; half of the steps on frames of whole pictures, half on short clips of half their side.

    Args:
        stage: of `DECODER` the encoder stays as the other one has left it, so that latents stay what they are while a
            generator learns them, and the decoder goes on learning to draw them.
    """
    torch.manual_seed(options.seed)
    vae = fresh_vae(SHAPES[options.shape])
    if "cuda" not in options.device:
        hasten_on_processor(vae)
    notes: dict[str, Any] = {}
    if stage == DECODER:
        before = needed_state(options.out, VAE)
        vae.load_state_dict(before.average)
        notes = before.notes
        for part in (vae.encoder, vae.quant_conv):
            part.requires_grad_(False)
    nn.Module.to(vae, options.device)
    frames = Frames(options)
    sources: dict[Source, float] = {"still": 0.4, "clip": 0.4, "policy": 0.2}
    with rendering(options.data, sources, options.workers, options.shard_size, make, stage=VAE, seed=options.seed):
        fill(frames.take, options)
        if stage == VAE and read_state(options.out, VAE) is None:
            spread_latents(vae, frames.draw(8, 1, 256, options.device))

        def draw(dice: torch.Generator) -> Tensor:
            if float(torch.rand((), generator=dice)) < STILL_SHARE or not frames.has(CLIP_FRAMES):
                return frames.draw(options.batch, 1, 256, options.device, dice)
            return frames.draw(max(1, options.batch // 4), CLIP_FRAMES, 128, options.device, dice)

        with closing(Ahead(draw, options.seed, lambda step: frames.take())) as batches:
            recorded, measure = Recorded(vae, batches.settle), partial(vae_loss, vae)

            def loss(step: int) -> tuple[Tensor, dict[str, float | Tensor]]:
                pixels = batches.take(step)
                value, psnr, outlines = recorded(pixels.shape, measure, pixels)
                return value, {f"psnr_{'still' if pixels.shape[2] == 1 else 'clip'}": psnr, "outlines": outlines}

            state = train(stage, vae, loss, options, notes=notes)
        if stage == VAE:
            whiten(vae, cells(vae, frames, options))
            count = vae.config["z_dim"]
            state.notes |= {"mean": [0.0] * count, "std": [1.0] * count}
            # Who goes on with it begins with the average.
            state.average = {name: value.cpu().clone() for name, value in vae.state_dict().items()}
            state.weights = {name: value.clone() for name, value in state.average.items()}
    write_state(options.out, stage, state)
    return state


def vae_loss(vae: AutoencoderKLWan, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """pixels [B, 3, T, height, width] in -1..1 → the loss, the PSNR in dB and the outlines' error."""
    mean = encoded(vae, pixels)
    noise = LATENT_NOISE * mean.detach().float().std() * torch.randn_like(mean)
    made = vae.decode(mean + noise, return_dict=False)[0].float()
    # The square too: where a thing is small, the least absolute error is that of a picture without it.
    weight = _weight(pixels)
    error = (weight * (made - pixels).abs()).mean() + (weight * (made - pixels).square()).mean()
    outlines = _outline_error(made, pixels, weight)
    size = mean.float().square().mean()
    loss = error + OUTLINE_WEIGHT * outlines + LATENT_WEIGHT * size
    with torch.no_grad():
        psnr = -10 * torch.log10((made - pixels).square().mean() / 4)
    return loss, psnr, outlines.detach()


@torch.no_grad()
def spread_latents(vae: AutoencoderKLWan, pixels: Tensor) -> None:
    """Scale what a fresh encoder gives, so that each channel differs by about 1 from picture to picture.

    A fresh encoder gives nearly the same latents for all pictures (0.02 from one to the next at toy size), and a
    decoder learns within twenty steps to ignore so little: it stays at the mean picture. With this it leaves it.

    Args:
        pixels: [B, 3, T, height, width] in -1..1, several pictures.
    """
    latents = encoded(vae, pixels).float()
    scale = 1 / latents.std(0).mean((1, 2, 3)).clamp_min(1e-4)
    middle = latents.mean((0, 2, 3, 4))
    count = len(scale)
    vae.quant_conv.weight[:count] *= scale.view(-1, 1, 1, 1, 1)
    assert vae.quant_conv.bias is not None
    vae.quant_conv.bias[:count] = (vae.quant_conv.bias[:count] - middle) * scale


def encoded(vae: AutoencoderKLWan, pixels: Tensor) -> Tensor:
    """pixels [B, 3, T, height, width] in -1..1 → the means of their latents [B, C, T', rows, columns]."""
    return vae.encode(pixels, return_dict=False)[0].mode()


def _weight(pixels: Tensor) -> Tensor:
    """How much each pixel counts [B, 1, T, height, width], 1 on average: more near a colour than where all is grey."""
    colour = (pixels.amax(1) - pixels.amin(1)) / 2
    near = max_pool2d(colour, 2 * NEAR_PIXELS + 1, stride=1, padding=NEAR_PIXELS)
    weight = 1 + COLOUR_WEIGHT * near[:, None]
    return weight / weight.mean()


def _outline_error(made: Tensor, wanted: Tensor, weight: Tensor) -> Tensor:
    """Mean error of horizontal and vertical differences, at full, half and quarter size; each counts as its pixel."""
    one, other, counts = (pixels.transpose(1, 2).flatten(0, 1) for pixels in (made, wanted, weight))
    error = made.new_zeros(())
    for _ in range(3):
        for axis in (2, 3):
            size = counts.shape[axis] - 1
            error = error + (counts.narrow(axis, 1, size) * (one.diff(dim=axis) - other.diff(dim=axis)).abs()).mean()
        one, other, counts = (avg_pool2d(pixels, 2) for pixels in (one, other, counts))
    return error / 6


@torch.no_grad()
def cells(vae: AutoencoderKLWan, frames: Frames, options: Options, draws: int = 8) -> Tensor:
    """Latents of pictures and clips, [C, n]."""
    latents: list[Tensor] = []
    for index in range(draws):
        length = 1 if index % 2 else CLIP_FRAMES
        pixels = frames.draw(max(2, options.batch // 4), length if frames.has(length) else 1, 256, options.device)
        latents.append(encoded(vae, pixels).float().transpose(0, 1).flatten(1))
    return torch.cat(latents, 1)


def read_vae(options: Options, stage: str = VAE) -> AutoencoderKLWan:
    """The trained one, on the device, frozen, with its statistics.

    Args:
        stage: `DECODER` is the one to draw with, where that has run: its encoder is the same.

    Raises:
        BadInput: neither stage has run.
    """
    state = (read_state(options.out, DECODER) if stage == DECODER else None) or needed_state(options.out, VAE)
    vae = fresh_vae(SHAPES[options.shape], state.notes["mean"], state.notes["std"])
    vae.load_state_dict(state.average)
    if "cuda" not in options.device:
        hasten_on_processor(vae)
    nn.Module.to(vae, options.device)
    return vae.eval().requires_grad_(False)
