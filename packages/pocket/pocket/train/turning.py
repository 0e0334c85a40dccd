"""`python -m pocket.train.turning`: a VAE on other axes of its latents, fewer and white, that draws what it drew.

Latents come out of one convolution and go into one: other axes are folded into these two and the cell's own between
them, without any training. What lies across the kept axes is lost. A generator is then taught on the new latents.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from torch import Tensor

from pocket.train.codecs import save_vae
from pocket.train.loop import Options
from pocket.train.video_vae import LEAST, Frames, cells


@dataclass(frozen=True)
class LatentTurn:
    """From C old latents, normalised as the VAE's configuration says, to K new ones and back.

    Attributes:
        mean: float64 [C], taken off first.
        inward: float64 [K, C], to the new ones.
        outward: float64 [C, K], back; `inward @ outward` is 1.
    """

    mean: Tensor
    inward: Tensor
    outward: Tensor

    @property
    def num_kept(self) -> int:
        """K."""
        return len(self.inward)


def white_turn(latents: Tensor, num_kept: int) -> LatentTurn:
    """The loudest axes of latents [C, n] float64, each scaled to deviation 1."""
    variances, axes = torch.linalg.eigh(torch.cov(latents))
    variances, axes = variances.flip(0)[:num_kept], axes.flip(1)[:, :num_kept]
    deviations = variances.clamp_min(LEAST * float(variances[0])).sqrt()
    return LatentTurn(latents.mean(1), (axes / deviations).T.contiguous(), (axes * deviations).contiguous())


@torch.no_grad()
def turn_vae(vae: AutoencoderKLWan, turn: LatentTurn) -> AutoencoderKLWan:
    """The VAE on the new latents, whose statistics are then 0 and 1; the one given stays what it is."""
    mean, std = (torch.tensor(vae.config[name], dtype=torch.float64) for name in ("latents_mean", "latents_std"))
    count, kept = len(mean), turn.num_kept
    config = {name: value for name, value in vae.config.items() if not name.startswith("_")}
    turned = AutoencoderKLWan.from_config(
        config | {"z_dim": kept, "latents_mean": [0.0] * kept, "latents_std": [1.0] * kept}
    )
    assert isinstance(turned, AutoencoderKLWan)
    state = {name: value.clone() for name, value in vae.state_dict().items()}

    # What the encoder's last convolution and the cell's own one say of means, in one; of spreads nothing is asked.
    inward = turn.inward / std
    cell_weight, cell_bias = _cell(state, "quant_conv")
    into_weight, into_bias = state["encoder.conv_out.weight"].double(), state["encoder.conv_out.bias"].double()
    means = inward @ cell_weight[:count]
    weight = torch.zeros(2 * kept, *into_weight.shape[1:], dtype=torch.float64)
    bias = torch.zeros(2 * kept, dtype=torch.float64)
    weight[:kept] = torch.einsum("kc,cixyz->kixyz", means, into_weight)
    bias[:kept] = means @ into_bias + inward @ (cell_bias[:count] - mean - std * turn.mean)
    state |= {"encoder.conv_out.weight": weight, "encoder.conv_out.bias": bias}
    state |= {"quant_conv.weight": _identity(2 * kept), "quant_conv.bias": torch.zeros(2 * kept)}

    # The decoder pads its cells with zeros, so a constant that the cells had stays in the cell's convolution, as far as
    # the kept axes reach; the rest of it goes into the decoder's own.
    cell_weight, cell_bias = _cell(state, "post_quant_conv")
    outward = cell_weight @ (std[:, None] * turn.outward)
    constant = cell_weight @ (mean + std * turn.mean) + cell_bias
    reached = torch.linalg.lstsq(outward, constant[:, None]).solution[:, 0]
    out_weight = state["decoder.conv_in.weight"].double()
    state["decoder.conv_in.weight"] = torch.einsum("oixyz,ik->okxyz", out_weight, outward)
    state["decoder.conv_in.bias"] = state["decoder.conv_in.bias"].double() + torch.einsum(
        "oixyz,i->o", out_weight, constant - outward @ reached
    )
    state |= {"post_quant_conv.weight": _identity(kept), "post_quant_conv.bias": reached}
    turned.load_state_dict({name: value.float() for name, value in state.items()})
    return turned.eval().requires_grad_(False)


def _cell(state: dict[str, Tensor], name: str) -> tuple[Tensor, Tensor]:
    """Weight [out, in] and bias of a convolution of one cell, float64."""
    return state[f"{name}.weight"][..., 0, 0, 0].double(), state[f"{name}.bias"].double()


def _identity(count: int) -> Tensor:
    return torch.eye(count)[..., None, None, None].clone()


def main() -> None:
    """Turn a VAE's folder. The axes are kept in a file, and taken from it where it is there."""
    parser = argparse.ArgumentParser(prog="python -m pocket.train.turning", description=__doc__)
    parser.add_argument("--vae", type=Path, required=True, help="the folder vae/ of a checkpoint")
    parser.add_argument("--axes", type=Path, required=True, help="file of the mean and the axes inward and outward")
    parser.add_argument("--data", type=Path, help="shards of episodes, from which axes are measured")
    parser.add_argument("--keep", type=int, default=32, help="how many axes are kept of those that are measured")
    parser.add_argument("--out", type=Path, required=True, help="folder of the turned one")
    given = parser.parse_args()
    vae = AutoencoderKLWan.from_pretrained(given.vae, local_files_only=True)
    assert isinstance(vae, AutoencoderKLWan)
    if not given.axes.is_file():
        options = Options(out=given.out, data=given.data, time_limit_s=0)
        frames = Frames(options)
        while frames.take():
            pass
        mean, std = (torch.tensor(vae.config[name], dtype=torch.float64) for name in ("latents_mean", "latents_std"))
        latents = (cells(vae, frames, options).double() - mean[:, None]) / std[:, None]
        torch.save(vars(white_turn(latents, given.keep)), given.axes)
    save_vae(turn_vae(vae, LatentTurn(**torch.load(given.axes, weights_only=True))), given.out)


if __name__ == "__main__":
    main()
