"""Depth Anything V2 and SAM 2 with a handful of random weights, in the layout in which they are pulled."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import (
    DepthAnythingConfig,
    DepthAnythingForDepthEstimation,
    Dinov2Config,
    Sam2HieraDetConfig,
    Sam2VideoConfig,
    Sam2VideoModel,
    Sam2VisionConfig,
)

from studio.perception import perceiving
from studio.requests.transfer_video import PerceivedHint

SIDE = 64
"""Pixels of the square that the tiny SAM 2 sees."""

HIDDEN = 128
"""Of the tiny SAM 2: a multiple of its memory's channels, which transformers fixes at 64, and more than they are."""


def write_depth_model(folder: Path) -> Path:
    """A Depth Anything V2 that sees multiples of 14 pixels."""
    torch.manual_seed(0)
    backbone = Dinov2Config(
        hidden_size=16,
        num_hidden_layers=4,
        num_attention_heads=2,
        image_size=56,
        patch_size=14,
        out_indices=[1, 2, 3, 4],
        reshape_hidden_states=False,
    )
    config = DepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=16,
        neck_hidden_sizes=[4, 8, 8, 8],
        fusion_hidden_size=8,
        head_hidden_size=4,
    )
    DepthAnythingForDepthEstimation(config).save_pretrained(folder)
    return folder


def write_object_model(folder: Path) -> Path:
    """A SAM 2 for squares of 64 pixels."""
    torch.manual_seed(0)
    backbone = Sam2HieraDetConfig(
        hidden_size=8,
        image_size=[SIDE, SIDE],
        blocks_per_stage=[1, 1, 2, 1],
        embed_dim_per_stage=[8, 16, 32, 64],
        num_attention_heads_per_stage=[1, 1, 1, 1],
        window_size_per_stage=[4, 4, 4, 4],
        global_attention_blocks=[3],
        window_positional_embedding_background_size=[4, 4],
    )
    vision = Sam2VisionConfig(
        backbone_config=backbone,
        backbone_channel_list=[64, 32, 16, 8],
        backbone_feature_sizes=[[16, 16], [8, 8], [4, 4]],
        fpn_hidden_size=HIDDEN,
    )
    config = Sam2VideoConfig(
        vision_config=vision,
        prompt_encoder_config={"hidden_size": HIDDEN, "image_size": SIDE, "patch_size": 16},
        mask_decoder_config={"hidden_size": HIDDEN, "mlp_dim": 32, "num_attention_heads": 2, "iou_head_hidden_dim": 16},
        image_size=SIDE,
        memory_attention_hidden_size=HIDDEN,
        memory_attention_num_layers=1,
        memory_attention_num_attention_heads=1,
        memory_attention_feed_forward_hidden_size=32,
        memory_attention_rope_feat_sizes=[4, 4],
        memory_encoder_hidden_size=HIDDEN,
        memory_encoder_output_channels=64,
        mask_downsampler_embed_dim=HIDDEN,
        memory_fuser_embed_dim=HIDDEN,
        memory_fuser_intermediate_dim=32,
        memory_fuser_num_layers=1,
    )
    Sam2VideoModel(config).save_pretrained(folder)
    return folder


WRITERS = {"depth": write_depth_model, "seg": write_object_model}


def write_pulled(cache: Path, hint: PerceivedHint) -> Path:
    """The model of a control in a cache of the hub, as if it had been pulled there."""
    repository = cache / f"models--{perceiving(hint).repository.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("0" * 40)
    return WRITERS[hint](repository / "snapshots" / ("0" * 40))
