"""The shape of a Cosmos 3 transformer, as `transformer/config.json` gives it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.checkpoints import read_json
from studio.errors import BrokenCheckpoint

MROPE_SECTION = (24, 20, 20)
"""Rotary pairs for time, height and width where a configuration names none (technical report, section 2.4)."""


class ModelConfig(BaseModel):
    """One field per field of the file that changes what is computed.

    Fields without a default must be in the file. The defaults of the others are those of diffusers'
    `Cosmos3OmniTransformer`, which writes only what differs from them in early releases.

    Attributes:
        hidden_act: "silu" is the gated MLP of Nano and Super, "relu2" Edge's squared ReLU; see `family`.
        qk_norm_for_text: the reasoner normalises its queries and keys.
        use_und_k_norm_for_gen: without that, the generator sees the reasoner's keys through a norm of their own.
        rope_axes_dim: rotary pairs for time, height and width.
        timestep_scale: what a timestep in 0..1000 is multiplied by before it is embedded.
        unified_3d_mrope_temporal_modality_margin: positions between the last text token and the first latent frame.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    hidden_size: int = Field(gt=0)
    intermediate_size: int = Field(gt=0)
    num_hidden_layers: int = Field(gt=0)
    num_attention_heads: int = Field(gt=0)
    num_key_value_heads: int = Field(gt=0)
    head_dim: int = Field(gt=0, multiple_of=2)
    vocab_size: int = Field(gt=0)
    rms_norm_eps: float = 1e-6
    attention_bias: Literal[False] = False
    hidden_act: Literal["silu", "relu2"] = "silu"
    qk_norm_for_text: bool = True
    use_und_k_norm_for_gen: bool = False
    rope_theta: float = 5_000_000.0
    rope_axes_dim: tuple[int, int, int] = MROPE_SECTION
    latent_channel: int = 48
    latent_patch_size: int = 2
    timestep_scale: float = 0.001
    base_fps: float = 24.0
    enable_fps_modulation: bool = True
    unified_3d_mrope_reset_spatial_ids: bool = True
    unified_3d_mrope_temporal_modality_margin: int = 15000
    action_gen: bool = False
    action_dim: int | None = None
    num_embodiment_domains: int = 32
    sound_gen: bool = False
    sound_dim: int | None = None
    sound_latent_fps: float = 25.0

    @property
    def family(self) -> Literal["qwen", "nemotron"]:
        """Whose layers these are: Qwen's in Nano and Super, Nemotron's in Edge. Only the activation tells."""
        return "qwen" if self.hidden_act == "silu" else "nemotron"

    @property
    def patch_values(self) -> int:
        """Latent values in one vision token: 2 x 2 cells of 48 channels are 192."""
        return self.latent_patch_size**2 * self.latent_channel

    @property
    def keys_for_generator_are_normed(self) -> bool:
        """Edge: the reasoner's raw keys pass through `k_norm_und_for_gen` before the generator sees them."""
        return self.use_und_k_norm_for_gen and not self.qk_norm_for_text


def read_config(path: Path) -> ModelConfig:
    """The configuration in a file.

    Raises:
        BrokenCheckpoint: it is no JSON, or a field is missing or means nothing that is known here.
    """
    raw = read_json(path)
    try:
        return ModelConfig.model_validate(_with_rope_axes(raw))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise BrokenCheckpoint(f"{path}: {field} is invalid: {first['msg']}.", param="checkpoint") from None


def _with_rope_axes(raw: dict[str, Any]) -> dict[str, Any]:
    """Early releases give the rotary sections under `rope_scaling.mrope_section` alone."""
    if raw.get("rope_axes_dim") is not None:
        return raw
    scaling = raw.get("rope_scaling")
    section = scaling.get("mrope_section", MROPE_SECTION) if isinstance(scaling, dict) else MROPE_SECTION
    return {**raw, "rope_axes_dim": section}
