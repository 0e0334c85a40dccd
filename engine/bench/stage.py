"""The engine and diffusers on one set of random weights, so that both can be timed and compared in one process."""

from __future__ import annotations

import copy
import gc
import tempfile
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from diffusers.models.transformers.transformer_cosmos3 import Cosmos3OmniTransformer
from diffusers.pipelines.cosmos.pipeline_cosmos3_omni import Cosmos3OmniPipeline
from diffusers.schedulers.scheduling_unipc_multistep import UniPCMultistepScheduler
from torch import Tensor, nn
from transformers import PreTrainedTokenizerFast

from engine.bench.cases import PROMPT_TOKENS, Row, gpu_rows, small_rows
from engine.device import Threads
from engine.engine import Engine
from engine.memory import Peers, shard_weights
from engine.planning import Media, Setting, plan, read_setting
from engine.reasoner import Chat
from engine.speck import build_speck
from engine.towers import OmniModel, Precision
from engine.towers.rms_norm import RmsNorm
from engine.vae import PictureDecoder, fit_sketch
from engine.vae.kernels import use_gpu_kernels
from engine.weights import ModelConfig, open_folder
from engine.weights.key_map import key_map
from studio.requests import GenerateImage

NANO = ModelConfig(
    hidden_size=4096,
    intermediate_size=12288,
    num_hidden_layers=36,
    num_attention_heads=32,
    num_key_value_heads=8,
    head_dim=128,
    vocab_size=151_936,
    action_gen=True,
    action_dim=64,
    sound_gen=True,
    sound_dim=64,
)
"""As `transformer/config.json` of Cosmos3-Nano has it."""

SUPER = NANO.model_copy(
    update={"hidden_size": 5120, "intermediate_size": 25600, "num_hidden_layers": 64, "num_attention_heads": 64}
)
"""As that of Cosmos3-Super has it."""

SHAPES = {"nano": NANO, "super": SUPER}

WAN_VAE: dict[str, Any] = {
    "base_dim": 160,
    "decoder_base_dim": 256,
    "z_dim": 48,
    "dim_mult": [1, 2, 4, 4],
    "num_res_blocks": 2,
    "attn_scales": [],
    "temperal_downsample": [False, True, True],
    "in_channels": 12,
    "out_channels": 12,
    "patch_size": 2,
    "is_residual": True,
    "scale_factor_temporal": 4,
    "scale_factor_spatial": 16,
    "latents_mean": [0.0] * 48,
    "latents_std": [1.0] * 48,
}
"""As `vae/config.json` has it, its statistics apart."""


def build_random(
    config: ModelConfig, device: torch.device, dtype: torch.dtype, seed: int = 0, peers: Peers | None = None
) -> OmniModel:
    """A model of a shape, straight on the device: matrices normal with a deviation of 1/sqrt(inputs), norms 1.

    Args:
        peers: divide the blocks' weights among them. The same seed is the same model, divided or not.
    """
    with torch.device("meta"):
        model = OmniModel(config).to(dtype)
        model.generator.timesteps.float()
    norms = {id(module.weight) for module in model.modules() if isinstance(module, RmsNorm)}
    places = {name: place for place, (name, _) in enumerate(model.named_parameters())}
    dice = torch.Generator(device)

    @torch.no_grad()
    def fill(name: str, module: nn.Module) -> None:
        prefix = f"{name}." if name else ""
        for inner, parameter in list(module.named_parameters()):
            if not parameter.is_meta:
                continue
            filled = torch.empty_like(parameter, device=device)
            if id(parameter) in norms:
                filled.fill_(1)
            else:
                dice.manual_seed(seed + places[prefix + inner])
                filled.normal_(std=parameter.shape[-1] ** -0.5, generator=dice)
            owner, _, leaf = inner.rpartition(".")
            module.get_submodule(owner).register_parameter(leaf, nn.Parameter(filled, requires_grad=False))

    if peers is not None:
        shard_weights(model, device, peers, fill)
    fill("", model)
    return model.eval().requires_grad_(False)


@dataclass
class Stage:
    """What the cases run on.

    Attributes:
        pipeline: diffusers' own, until it is let go of.
    """

    engine: Engine
    pipeline: Cosmos3OmniPipeline | None
    shipped: UniPCMultistepScheduler
    rows: list[Row]

    @classmethod
    def build(
        cls,
        device: torch.device,
        *,
        with_library: bool = True,
        config: ModelConfig = NANO,
        peers: Peers | None = None,
    ) -> Stage:
        """A shape on a GPU, a tiny checkpoint on a processor.

        Args:
            peers: divide the blocks' weights among them.
        """
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "speck"
            build_speck(folder)
            if device.type == "cpu":
                return _tiny(folder, with_library, peers)
            return _random(folder, config, device, with_library, peers)

    def quantise(self, precision: Precision) -> None:
        """Go over to FP8, for good: diffusers is let go of, whose weights these were."""
        self.pipeline = None
        gc.collect()
        self.engine.model.generator.forget()
        self.engine.model.prepare(precision, compiled=False)
        gc.collect()
        if self.engine.model.device.type == "cuda":
            torch.cuda.empty_cache()


def _tiny(folder: Path, with_library: bool, peers: Peers | None) -> Stage:
    engine = Engine.load(folder, device="cpu", peers=peers)
    scheduler, pipeline = UniPCMultistepScheduler.from_config(dict(engine.setting.scheduler)), None
    assert isinstance(scheduler, UniPCMultistepScheduler)
    if with_library:
        with warnings.catch_warnings():
            # diffusers 0.42 builds its sound codec with a function that PyTorch 2.13 deprecates.
            warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
            pipeline = Cosmos3OmniPipeline.from_pretrained(
                folder, dtype=torch.float32, enable_safety_checker=False, use_native_flow_schedule=True
            )
        pipeline.set_progress_bar_config(disable=True)
    return Stage(engine, pipeline, scheduler, small_rows("a red cube", "blurred"))


@torch.inference_mode()
def _random(folder: Path, config: ModelConfig, device: torch.device, with_library: bool, peers: Peers | None) -> Stage:
    setting = read_setting(open_folder(folder))
    setting = replace(setting, config=config, sound_clock=None)
    tokenizer = setting.prompts.tokenizer
    assert isinstance(tokenizer, PreTrainedTokenizerFast)
    model = build_random(config, device, torch.bfloat16, peers=peers)
    torch.manual_seed(0)
    with torch.device(device):
        library_vae = AutoencoderKLWan(**WAN_VAE).bfloat16().eval().requires_grad_(False)
    vae = copy.deepcopy(library_vae)
    use_gpu_kernels(vae)
    decoder = PictureDecoder(vae)
    model.prepare("exact", compiled=True)
    engine = Engine(
        model, setting, decoder, None, fit_sketch(decoder), Threads(0, 0), Chat.load(folder, model, tokenizer)
    )
    scheduler = UniPCMultistepScheduler.from_config(dict(setting.scheduler))
    assert isinstance(scheduler, UniPCMultistepScheduler)
    pipeline = None
    if with_library:
        pipeline = Cosmos3OmniPipeline(
            transformer=library_transformer(model, config),
            text_tokenizer=tokenizer,  # type: ignore[arg-type]
            vae=library_vae,
            scheduler=scheduler,
            enable_safety_checker=False,
            use_native_flow_schedule=True,
        )
        pipeline.set_progress_bar_config(disable=True)
    words = _words(setting)
    return Stage(engine, pipeline, scheduler, gpu_rows(words, words.replace("x", "y")))


def library_transformer(model: OmniModel, config: ModelConfig) -> Cosmos3OmniTransformer:
    """diffusers' model around the engine's own tensors: what is fused there are rows of one tensor here."""
    with torch.device("meta"):
        transformer = Cosmos3OmniTransformer(
            hidden_size=config.hidden_size,
            intermediate_size=config.intermediate_size,
            num_hidden_layers=config.num_hidden_layers,
            num_attention_heads=config.num_attention_heads,
            num_key_value_heads=config.num_key_value_heads,
            head_dim=config.head_dim,
            vocab_size=config.vocab_size,
            rope_theta=config.rope_theta,
            rope_scaling={"mrope_section": list(config.rope_axes_dim)},
            action_gen=config.action_gen,
            action_dim=config.action_dim,
            sound_gen=config.sound_gen,
            sound_dim=config.sound_dim,
        )
    ours = dict(model.named_parameters())
    theirs: dict[str, Tensor] = {}
    for entry in key_map(config):
        first = 0
        for source in entry.sources:
            rows = source.heads or source.shape[0]
            own = ours[entry.target][first : first + rows]
            theirs[source.name] = own[0] if source.heads else own
            first += rows
    transformer.load_state_dict(theirs, strict=True, assign=True)
    steps = torch.arange(0, config.head_dim, 2, dtype=torch.float32, device=model.device)
    transformer.rotary_emb.inv_freq = 1.0 / config.rope_theta ** (steps / config.head_dim)
    return transformer.eval().requires_grad_(False)


def _words(setting: Setting) -> str:
    """Words that come to `PROMPT_TOKENS` tokens of a picture's prompt with everything that is put around them."""
    count = PROMPT_TOKENS // 2
    while len(plan(GenerateImage(prompt="x " * count), setting, Media({}, _no_encoder)).branches[0].tokens) < (
        PROMPT_TOKENS
    ):
        count += 1
    return "x " * count


def _no_encoder(frames: object, fit: object = None) -> Tensor:
    raise AssertionError("an image is generated from text only")
