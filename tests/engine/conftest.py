"""speck and an Edge-shaped sibling, each built once a session, in the engine and in diffusers' own pipeline."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from diffusers import Cosmos3OmniPipeline, Cosmos3OmniTransformer, UniPCMultistepScheduler
from peft import LoraConfig
from peft.tuners.lora import LoraLayer
from torch import Tensor, nn

from engine import Engine, Trajectory
from engine.planning import Media
from engine.planning.video import video_plan
from engine.speck import build_speck, shape
from studio.requests import GenerateImage, Sampling
from studio.requests.generate_video import GenerateVideo
from studio.rules import canvas


@pytest.fixture(scope="session", autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def speck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints") / "speck"
    build_speck(folder)
    return folder


@pytest.fixture(scope="session")
def edge(speck: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """speck with an Edge-shaped transformer: squared ReLU, Nemotron norms, no norms on the reasoner's heads."""
    folder = tmp_path_factory.mktemp("checkpoints") / "edge"
    shutil.copytree(speck, folder, ignore=shutil.ignore_patterns("transformer", "model.safetensors.index.json"))
    edge_shape = {
        "rms_norm_eps": 1e-5,
        "rope_theta": 1e8,
        "hidden_act": "relu2",
        "qk_norm_for_text": False,
        "use_und_k_norm_for_gen": True,
        "sound_gen": False,
    }
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(7)
        transformer = Cosmos3OmniTransformer(**shape.TEXT | shape.GENERATOR | edge_shape)
        for name, parameter in transformer.named_parameters():
            if parameter.ndim == 1 and "norm" in name:
                parameter.add_(0.1 * torch.randn_like(parameter))
            elif parameter.ndim == 2:
                parameter.mul_(2.0)
    transformer.save_pretrained(folder / "transformer")
    return folder


@pytest.fixture(scope="session")
def engine(speck: Path) -> Engine:
    return Engine.load(speck, device="cpu")


@pytest.fixture(scope="session")
def edge_engine(edge: Path) -> Engine:
    return Engine.load(edge, device="cpu")


@dataclass(frozen=True)
class Reference:
    """diffusers' own pipeline on the same folder."""

    pipeline: Cosmos3OmniPipeline
    shipped: UniPCMultistepScheduler

    def draw(self, request: GenerateImage, guided_steps: int | None = None) -> tuple[Tensor, Tensor]:
        """Final latents [1, C, 1, rows, columns] and pixels [3, height, width] in 0..1.

        The pipeline knows no guidance interval; after `guided_steps` its guidance is turned off from outside.
        """
        sampling = request.sampling
        native = sampling.schedule == "native"
        self.pipeline.register_to_config(use_native_flow_schedule=native)
        self.pipeline.scheduler = (
            UniPCMultistepScheduler.from_config(
                self.shipped.config, use_karras_sigmas=False, flow_shift=sampling.flow_shift
            )
            if native
            else UniPCMultistepScheduler.from_config(self.shipped.config)
        )
        latents: list[Tensor] = []
        width, height = canvas(request.resolution, request.aspect_ratio)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)  # diffusers on NumPy 2
            out = self._call(request, width, height, latents, guided_steps)
        return latents[-1], out.video[0]

    def _call(
        self, request: GenerateImage, width: int, height: int, latents: list[Tensor], guided_steps: int | None
    ) -> Any:
        sampling = request.sampling

        def keep(pipeline: Any, step: int, _: Tensor, given: dict[str, Tensor]) -> dict[str, Tensor]:
            latents.append(given["latents"])
            if step + 1 == guided_steps:
                pipeline._guidance_scale = 1.0
            return given

        return self.pipeline(
            prompt=request.prompt,
            negative_prompt=request.negative_prompt,
            num_frames=1,
            height=height,
            width=width,
            num_inference_steps=sampling.num_inference_steps,
            guidance_scale=sampling.guidance_scale,
            use_system_prompt=request.use_system_prompt,
            add_resolution_template=request.use_resolution_template,
            generator=torch.Generator().manual_seed(sampling.seed),
            output_type="pt",
            callback_on_step_end=keep,
        )


def load_reference(folder: Path) -> Reference:
    pipeline = Cosmos3OmniPipeline.from_pretrained(
        folder, dtype=torch.float32, sound_tokenizer=None, enable_safety_checker=False
    )
    pipeline.set_progress_bar_config(disable=True)
    return Reference(pipeline, pipeline.scheduler)


@pytest.fixture(scope="session")
def reference(speck: Path) -> Reference:
    return load_reference(speck)


@pytest.fixture(scope="session")
def edge_reference(edge: Path) -> Reference:
    return load_reference(edge)


Ask = Callable[..., GenerateImage]


@pytest.fixture(scope="session")
def ask() -> Ask:
    """A request for a small quick picture; keywords of the request or of its sampling change it."""

    def make(prompt: str = "a red cube on a table", **fields: object) -> GenerateImage:
        sampling = {"num_inference_steps": 3, "guidance_scale": 4.0, "seed": 0, "flow_shift": 3.0}
        sampling |= {name: fields.pop(name) for name in list(fields) if name in Sampling.model_fields}
        return GenerateImage.model_validate({"prompt": prompt, "sampling": sampling, **fields})

    return make


Run = Callable[[Engine, GenerateImage], Trajectory]


@pytest.fixture(scope="session")
def run() -> Run:
    """Begin a request and step it to its end, alone."""

    def to_the_end(engine: Engine, request: GenerateImage) -> Trajectory:
        trajectory = engine.begin(request)
        while not trajectory.done:
            engine.step([trajectory])
        return trajectory

    return to_the_end


Size = tuple[int, int]
Frames = Callable[..., np.ndarray]


@pytest.fixture(scope="session")
def frames() -> Frames:
    """Random frames, uint8 [T, height, width, 3]; one seed is one clip."""

    def make(num_frames: int, width: int = 96, height: int = 64, seed: int = 0) -> np.ndarray:
        return np.random.default_rng(seed).integers(0, 256, (num_frames, height, width, 3), dtype=np.uint8)

    return make


AskVideo = Callable[..., GenerateVideo]


@pytest.fixture(scope="session")
def ask_video() -> AskVideo:
    """A request for a quick clip of nine frames; keywords of the request or of its sampling change it."""

    def make(prompt: str = "a robot arm picks up the red cube.", **fields: object) -> GenerateVideo:
        sampling = {"num_inference_steps": 3, "guidance_scale": 3.0, "seed": 0, "flow_shift": 10.0}
        sampling |= {name: fields.pop(name) for name in list(fields) if name in Sampling.model_fields}
        wanted = {"prompt": prompt, "num_frames": 9, "negative_prompt": "blurry", "sampling": sampling}
        return GenerateVideo.model_validate(wanted | fields)

    return make


RunVideo = Callable[..., Trajectory]


@pytest.fixture(scope="session")
def begin_video() -> RunVideo:
    """Begin a request on a canvas of any size."""

    def begin(
        engine: Engine, request: GenerateVideo, size: Size = (96, 64), media: Mapping[str, np.ndarray] | None = None
    ) -> Trajectory:
        with torch.inference_mode():
            plan = video_plan(request, size, engine.setting, Media(media or {}, engine.coder.encode))
        return engine.start(plan)

    return begin


@pytest.fixture(scope="session")
def run_video(begin_video: RunVideo) -> RunVideo:
    """The same, stepped to its end, alone."""

    def run(engine: Engine, *args: Any, **fields: Any) -> Trajectory:
        trajectory = begin_video(engine, *args, **fields)
        while not trajectory.done:
            engine.step([trajectory])
        return trajectory

    return run


ADAPTED = [
    *("to_q", "to_k", "to_v", "to_out", "add_q_proj", "add_k_proj", "add_v_proj", "to_add_out"),
    *("gate_proj", "up_proj", "down_proj"),
    *("proj_in", "proj_out", "time_embedder.linear_1", "audio_proj_in"),
]

Train = Callable[..., Cosmos3OmniTransformer]


@pytest.fixture(scope="session")
def train(speck: Path) -> Train:
    """speck's transformer in diffusers, with an adapter of PEFT on it whose matrices are random."""

    def train(seed: int = 0, **fields: object) -> Cosmos3OmniTransformer:
        transformer = Cosmos3OmniTransformer.from_pretrained(speck / "transformer")
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(seed)
            transformer.add_adapter(LoraConfig(**{"r": 4, "target_modules": ADAPTED} | fields))
            for module in transformer.modules():
                if isinstance(module, LoraLayer):
                    for up in module.lora_B.values():
                        assert isinstance(up, nn.Linear)
                        up.weight.normal_(std=0.05)
        return transformer.eval().requires_grad_(False)

    return train


@pytest.fixture(scope="session")
def adapter(train: Train, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As diffusers saves one, of both towers, with alpha twice the rank."""
    folder = tmp_path_factory.mktemp("adapters") / "both-towers"
    train(lora_alpha=8).save_lora_adapter(folder)
    return folder
