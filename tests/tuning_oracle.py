"""The loss of sequences by hand, on diffusers' transformer: noise, a forward pass, the velocity's mean square."""

from __future__ import annotations

import math
from pathlib import Path

import torch
from diffusers import Cosmos3OmniTransformer
from peft import LoraConfig
from torch import Tensor

from engine.weights import ModelConfig
from tuning.flow.batch import Batch
from tuning.lora import LearningLora, adapter_parameters

ATTENTION = ["add_q_proj", "add_k_proj", "add_v_proj", "to_add_out"]
MLP = ["mlp_moe_gen.gate_proj", "mlp_moe_gen.up_proj", "mlp_moe_gen.down_proj"]


def read_transformer(folder: Path) -> Cosmos3OmniTransformer:
    return Cosmos3OmniTransformer.from_pretrained(folder / "transformer", torch_dtype=torch.float32)


def put_lora_on(transformer: Cosmos3OmniTransformer, layers: list[LearningLora], rank: int, modules: list[str]) -> None:
    """peft's adapter with the matrices of ours."""
    transformer.add_adapter(LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=modules))
    theirs = dict(transformer.named_parameters())
    with torch.no_grad():
        for name, own in adapter_parameters(layers):
            theirs[peft_name(name)].copy_(own)


def peft_name(name: str) -> str:
    return name.removeprefix("base_model.model.").replace(".weight", ".default.weight")


def sigma_of(mode: str, count: int, shift: float) -> Tensor:
    """Report, 4.2: logit-normal for images, mode sampling for videos, then the shift."""
    if mode == "t2i":
        level = 1 / (1 + torch.exp(-torch.randn(count)))
    else:
        u = torch.rand(count)
        level = 1 - u - 1.29 * (torch.cos(math.pi / 2 * u) ** 2 - 1 + u)
    return shift * level / (1 + (shift - 1) * level)


def loss_of(transformer: Cosmos3OmniTransformer, batch: Batch, config: ModelConfig, shift: float) -> Tensor:
    """The mean over a batch's sequences, one by one; draws as the trainer does from the same seed."""
    (run,) = batch.runs
    sigmas = sigma_of(batch.mode, len(batch.prompts), shift)
    noise = torch.randn_like(run.values)
    losses: list[Tensor] = []
    for index, prompt in enumerate(batch.prompts):
        clean, sigma = run.values[index], sigmas[index]
        noisy_frames = (~run.given).nonzero()[:, 0]
        latents = clean.clone()
        latents[:, noisy_frames] = sigma * noise[index][:, noisy_frames] + (1 - sigma) * clean[:, noisy_frames]
        num_prompt, num_tokens = len(prompt), run.segment.num_tokens
        frames, rows, columns = run.segment.grid  # type: ignore[union-attr]
        whole = torch.arange(num_prompt, num_prompt + num_tokens)
        noisy = whole.view(frames, rows * columns)[noisy_frames].flatten()
        text = torch.arange(num_prompt).float().expand(3, -1)
        (velocity,), _, _ = transformer(
            input_ids=torch.as_tensor(prompt),
            text_indexes=torch.arange(num_prompt),
            position_ids=torch.cat([text, run.segment.positions(config, num_prompt)], 1),
            und_len=num_prompt,
            sequence_length=num_prompt + num_tokens,
            vision_tokens=[latents[None]],
            vision_token_shapes=[(frames, rows, columns)],
            vision_sequence_indexes=whole,
            vision_mse_loss_indexes=noisy,
            vision_timesteps=(1000 * sigma).expand(len(noisy)),
            vision_noisy_frame_indexes=[noisy_frames],
            return_dict=False,
        )
        target = noise[index] - clean
        error = velocity.view_as(clean)[:, noisy_frames] - target[:, noisy_frames]
        losses.append(error.square().mean())
    return torch.stack(losses).mean()


def policy_loss_of(
    transformer: Cosmos3OmniTransformer, batch: Batch, config: ModelConfig, shift: float, action_weight: float
) -> Tensor:
    """The same of frames and actions behind each other, at one level of noise for both."""
    vision, action = batch.runs
    level = 1 / (1 + torch.exp(-torch.randn(len(batch.prompts))))
    sigmas = shift * level / (1 + (shift - 1) * level)
    noises = [torch.randn_like(run.values) for run in batch.runs]
    width = action.segment.width  # type: ignore[union-attr]
    noises[1][..., width:] = 0
    frames, rows, columns = vision.segment.grid  # type: ignore[union-attr]
    num_actions = action.segment.num_tokens
    noisy_frames, noisy_actions = ((~run.given).nonzero()[:, 0] for run in batch.runs)
    losses: list[Tensor] = []
    for index, prompt in enumerate(batch.prompts):
        sigma, num_prompt = sigmas[index], len(prompt)
        latents, values = (run.values[index].clone() for run in batch.runs)
        latents[:, noisy_frames] = (sigma * noises[0][index] + (1 - sigma) * latents)[:, noisy_frames]
        values[noisy_actions] = (sigma * noises[1][index] + (1 - sigma) * values)[noisy_actions]
        seen = torch.arange(num_prompt, num_prompt + vision.segment.num_tokens)
        done = torch.arange(num_actions) + num_prompt + len(seen)
        text = torch.arange(num_prompt).float().expand(3, -1)
        places = [segment.positions(config, num_prompt) for segment in (vision.segment, action.segment)]
        noisy_seen = seen.view(frames, rows * columns)[noisy_frames].flatten()
        (velocity,), _, (acting,) = transformer(
            input_ids=torch.as_tensor(prompt),
            text_indexes=torch.arange(num_prompt),
            position_ids=torch.cat([text, *places], 1),
            und_len=num_prompt,
            sequence_length=num_prompt + len(seen) + len(done),
            vision_tokens=[latents[None]],
            vision_token_shapes=[(frames, rows, columns)],
            vision_sequence_indexes=seen,
            vision_mse_loss_indexes=noisy_seen,
            vision_timesteps=(1000 * sigma).expand(len(noisy_seen)),
            vision_noisy_frame_indexes=[noisy_frames],
            action_tokens=[values],
            action_token_shapes=[(num_actions, 1, 1)],
            action_sequence_indexes=done,
            action_mse_loss_indexes=done[noisy_actions],
            action_timesteps=(1000 * sigma).expand(len(noisy_actions)),
            action_noisy_frame_indexes=[noisy_actions],
            action_domain_ids=[torch.tensor(action.segment.domain)],  # type: ignore[union-attr]
            return_dict=False,
        )
        targets = [noise[index] - run.values[index] for noise, run in zip(noises, batch.runs, strict=True)]
        of_frames = (velocity.view_as(targets[0]) - targets[0])[:, noisy_frames].square().mean()
        of_actions = (acting - targets[1])[noisy_actions, :width].square().mean()
        losses.append(of_frames + action_weight * of_actions)
    return torch.stack(losses).mean()
