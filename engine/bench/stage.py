"""The engine and diffusers on one set of random weights, so that both can be timed and compared in one process."""

from __future__ import annotations

import copy
import gc
import tempfile
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from diffusers.models.transformers.transformer_cosmos3 import Cosmos3OmniTransformer
from diffusers.pipelines.cosmos.pipeline_cosmos3_omni import Cosmos3OmniPipeline
from diffusers.schedulers.scheduling_unipc_multistep import UniPCMultistepScheduler
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from engine.bench.nano import NANO, WAN_VAE, build_random
from engine.bench.rows import PROMPT_TOKENS, Row, gpu_rows, small_rows
from engine.device import Threads
from engine.engine import Engine
from engine.planning import Media, Setting, plan, read_setting
from engine.reasoner import Talk
from engine.speck import build_speck
from engine.towers import OmniModel
from engine.vae import PictureDecoder, fit_sketch
from engine.vae.gpu_kernels import use_gpu_kernels
from engine.weights import ModelConfig, open_folder
from engine.weights.key_map import key_map
from studio.requests import GenerateImage


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
    def build(cls, device: torch.device, *, with_library: bool = True) -> Stage:
        """Nano's shape on a GPU, a tiny checkpoint on a processor."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "speck"
            build_speck(folder)
            return _tiny(folder) if device.type == "cpu" else _nano(folder, device, with_library)

    def quantise(self) -> None:
        """Go over to FP8, for good: diffusers is let go of, whose weights these were."""
        self.pipeline = None
        gc.collect()
        self.engine.model.generator.forget()
        self.engine.model.generator.prepare("fp8", compiled=False)
        gc.collect()
        if self.engine.model.device.type == "cuda":
            torch.cuda.empty_cache()


def _tiny(folder: Path) -> Stage:
    engine = Engine.load(folder, device="cpu")
    with warnings.catch_warnings():
        # diffusers 0.42 builds its sound codec with a function that PyTorch 2.13 deprecates.
        warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
        pipeline = Cosmos3OmniPipeline.from_pretrained(
            folder, dtype=torch.float32, enable_safety_checker=False, use_native_flow_schedule=True
        )
    pipeline.set_progress_bar_config(disable=True)
    return Stage(engine, pipeline, pipeline.scheduler, small_rows("a red cube", "blurred"))


@torch.inference_mode()
def _nano(folder: Path, device: torch.device, with_library: bool) -> Stage:
    setting = read_setting(open_folder(folder))
    setting = replace(setting, config=NANO, sound_clock=None)
    tokenizer = setting.prompts.tokenizer
    assert isinstance(tokenizer, PreTrainedTokenizerFast)
    model = build_random(NANO, device, torch.bfloat16)
    torch.manual_seed(0)
    with torch.device(device):
        library_vae = AutoencoderKLWan(**WAN_VAE).bfloat16().eval().requires_grad_(False)
    vae = copy.deepcopy(library_vae)
    use_gpu_kernels(vae)
    decoder = PictureDecoder(vae)
    model.generator.prepare("exact", compiled=True)
    engine = Engine(
        model, setting, decoder, None, fit_sketch(decoder), Threads(0, 0), Talk.load(folder, model, tokenizer)
    )
    scheduler = UniPCMultistepScheduler.from_config(dict(setting.scheduler))
    assert isinstance(scheduler, UniPCMultistepScheduler)
    pipeline = None
    if with_library:
        pipeline = Cosmos3OmniPipeline(
            transformer=library_transformer(model, NANO),
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
    raise AssertionError("a picture is made of words alone")
