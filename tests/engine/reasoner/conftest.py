"""The reasoner in the engine, and in transformers with its own processors, on the same folders."""

from __future__ import annotations

import ast
import json
import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor
from transformers import (
    AutoTokenizer,
    Cosmos3EdgeConfig,
    Cosmos3EdgeForConditionalGeneration,
    Cosmos3OmniForConditionalGeneration,
    PreTrainedModel,
)
from transformers.models.cosmos3_edge.image_processing_pil_cosmos3_edge import Cosmos3EdgeImageProcessorPil
from transformers.models.cosmos3_edge.modeling_cosmos3_edge import Cosmos3EdgePatchMerger, Cosmos3EdgeVisionModel
from transformers.models.cosmos3_edge.processing_cosmos3_edge import Cosmos3EdgeProcessor
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
from transformers.models.qwen3_vl.processing_qwen3_vl import Qwen3VLProcessor

from engine import Engine
from engine.reasoner import Conversation, Footage
from engine.speck import shape
from engine.speck.layout import root_index
from studio.requests.reason import Reason, TextSampling

PICTURE, TALL, CLIP, OTHER_CLIP = (f"u{number:016x}" for number in range(4))

EDGE_VISION = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "patch_size": 16,
    "num_patches": 64,
    "spatial_merge_size": 2,
}


@pytest.fixture(scope="session")
def seeing_edge(edge: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Edge-shaped checkpoint with an Edge-shaped vision encoder, as transformers' Edge class reads it."""
    folder = tmp_path_factory.mktemp("checkpoints") / "seeing-edge"
    shutil.copytree(edge, folder, ignore=shutil.ignore_patterns("vision_encoder", "config.json"))
    shutil.copytree(edge / "transformer", folder / "transformer", dirs_exist_ok=True)
    for part in ("vae", "text_tokenizer"):
        shutil.copytree(edge / part, folder / part, dirs_exist_ok=True)
    own = json.loads((edge / "config.json").read_text())
    kept = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
    config = Cosmos3EdgeConfig(
        **{name: own[name] for name in kept},
        projector_hidden_size=96,
        vision_config=EDGE_VISION,
        text_config={
            "vocab_size": shape.VOCABULARY,
            **{name: shape.TEXT[name] for name in shape.TEXT if name != "rms_norm_eps"},
            "rms_norm_eps": 1e-5,
            "hidden_act": "relu2",
            "eos_token_id": 2,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e8, "mrope_section": [6, 5, 5]},
        },
    )
    written = config.to_dict() | {"architectures": ["Cosmos3EdgeForConditionalGeneration"]}
    written["allow_patterns_overrides"] = ["*/*.safetensors"]
    (folder / "config.json").write_text(json.dumps(written))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        parts = {
            "model.visual.": Cosmos3EdgeVisionModel(config.vision_config),
            "model.projector.": Cosmos3EdgePatchMerger(config),
        }
    weights = {prefix + name: tensor for prefix, part in parts.items() for name, tensor in part.state_dict().items()}
    (folder / "vision_encoder").mkdir()
    save_file(weights, folder / "vision_encoder" / "model.safetensors", metadata={"format": "pt"})
    for kind in ("preprocessor_config", "video_preprocessor_config"):
        path = folder / f"{kind}.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"temporal_patch_size": 1}))
    (folder / "model.safetensors.index.json").write_text(json.dumps(root_index(folder)))
    return folder


@dataclass(frozen=True)
class Theirs:
    """transformers' model and processors on a folder."""

    model: PreTrainedModel
    folder: Path
    is_edge: bool

    @property
    def source(self) -> SimpleNamespace:
        """Functions of the video processor's module, which cannot be imported without torchvision."""
        family = "cosmos3_edge" if self.is_edge else "qwen3_vl"
        path = Path(transformers.__file__).parent / "models" / family / f"video_processing_{family}.py"
        return functions_of(path, {"smart_resize", "patchify", "sample_frames"})

    def inputs(self, request: Reason, media: Mapping[str, Footage]) -> dict[str, Tensor]:
        """What `generate` is given."""
        tokenizer = AutoTokenizer.from_pretrained(self.folder)
        images = [media[name] for name in self._shown(request) if not media[name].times_s]
        clips = [media[name] for name in self._shown(request) if media[name].times_s]
        out: dict[str, Tensor] = {}
        if images:
            kind = Cosmos3EdgeImageProcessorPil if self.is_edge else Qwen2VLImageProcessorPil
            pictures = [Image.fromarray(image.frames[0]) for image in images]
            out |= dict(kind.from_pretrained(self.folder)(pictures, return_tensors="pt"))
        if clips:
            values, grids = zip(*(self._clip(clip) for clip in clips), strict=True)
            out |= {"pixel_values_videos": torch.cat(values), "video_grid_thw": torch.tensor(grids)}
        chat = [message.model_dump(mode="json") for message in request.messages]
        text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        processor = self._processor(tokenizer)
        metadata = [SimpleNamespace(fps=1.0, frames_indices=list(clip.times_s)) for clip in clips]
        (text,), _ = processor.get_text_with_replacements(
            [text],
            [processor.replace_image_token(out, index) for index in range(len(images))],
            [processor.replace_video_token(out | {"video_metadata": metadata}, index) for index in range(len(clips))],
        )
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        kinds = torch.zeros_like(ids)
        kinds[ids == processor.image_token_id] = 1
        kinds[ids == processor.video_token_id] = 2
        return {"input_ids": ids, "mm_token_type_ids": kinds, **out}

    def _shown(self, request: Reason) -> list[str]:
        return [name for message in request.messages for name in message.media_ids]

    def _processor(self, tokenizer: Any) -> Any:
        kind = Cosmos3EdgeProcessor if self.is_edge else Qwen3VLProcessor
        processor = kind.__new__(kind)
        spread = 1 if self.is_edge else 2
        processor.image_processor = SimpleNamespace(merge_size=2)
        processor.video_processor = SimpleNamespace(merge_size=2, temporal_patch_size=spread)
        for name in ("image_token", "video_token", "vision_start_token", "vision_end_token"):
            token = {"image": "<|image_pad|>", "video": "<|video_pad|>"}.get(name.split("_")[0])
            token = token or f"<|{name.removesuffix('_token')}|>"
            setattr(processor, name, token)
            setattr(processor, f"{name}_id", tokenizer.convert_tokens_to_ids(token))
        return processor

    def _clip(self, clip: Footage) -> tuple[Tensor, list[int]]:
        spread = 1 if self.is_edge else 2
        size = json.loads((self.folder / "video_preprocessor_config.json").read_text())["size"]
        num_frames, height, width, _ = clip.frames.shape
        rows, columns = self.source.smart_resize(
            num_frames, height, width, spread, 32, size["shortest_edge"], size["longest_edge"]
        )
        # torchvision's resizing of bytes is PIL's.
        frames = [Image.fromarray(frame).resize((columns, rows), Image.Resampling.BICUBIC) for frame in clip.frames]
        pixels = torch.from_numpy(np.stack([np.asarray(frame) for frame in frames])).permute(0, 3, 1, 2)
        values, *grid = self.source.patchify(None, (pixels.float() - 127.5)[None] / 127.5, 16, 2, spread)
        return values[0], grid


def functions_of(path: Path, names: set[str]) -> SimpleNamespace:
    """Functions of a file by their names, those of its classes too, without importing what it imports."""
    found: dict[str, ast.stmt] = {}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            node.returns, node.decorator_list = None, []
            for argument in node.args.args:
                argument.annotation = None
            found[node.name] = node
    space: dict[str, Any] = {"math": math, "np": np, "torch": torch}
    exec(compile(ast.fix_missing_locations(ast.Module(list(found.values()), [])), str(path), "exec"), space)
    return SimpleNamespace(**{name: space[name] for name in names})


def load_theirs(folder: Path, kind: type[PreTrainedModel]) -> Theirs:
    model, info = kind.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
    return Theirs(model.eval(), folder, kind is Cosmos3EdgeForConditionalGeneration)


@pytest.fixture(scope="session")
def theirs(speck: Path) -> Theirs:
    return load_theirs(speck, Cosmos3OmniForConditionalGeneration)


@pytest.fixture(scope="session")
def edge_theirs(seeing_edge: Path) -> Theirs:
    return load_theirs(seeing_edge, Cosmos3EdgeForConditionalGeneration)


@pytest.fixture(scope="session")
def seeing_edge_engine(seeing_edge: Path) -> Engine:
    return Engine.load(seeing_edge, device="cpu")


@pytest.fixture(scope="session")
def media(frames: Callable[..., np.ndarray]) -> dict[str, Footage]:
    """A picture, a tall one, a clip of eight frames and one of five, at times a quarter of a second apart."""
    return {
        PICTURE: Footage(frames(1, 128, 96)),
        TALL: Footage(frames(1, 150, 330, seed=1)),
        CLIP: Footage(frames(8, 128, 96, seed=2), tuple(index / 4 for index in range(8))),
        OTHER_CLIP: Footage(frames(5, 70, 64, seed=3), tuple(index / 4 for index in range(5))),
    }


Ask = Callable[..., Reason]


@pytest.fixture(scope="session")
def say() -> Ask:
    """A request of one turn, greedy and without penalties; media ids come before the words. Keywords of the request or
    of its sampling change it.
    """

    def make(text: str = "what is in the bowl?", shown: Sequence[str] = (), **fields: object) -> Reason:
        sampling = {"max_tokens": 12, "temperature": 0, "presence_penalty": 0, "seed": 0}
        sampling |= {name: fields.pop(name) for name in list(fields) if name in TextSampling.model_fields}
        parts: list[dict[str, str]] = []
        for name in shown:
            kind = "image" if name in (PICTURE, TALL) else "video"
            parts.append({"type": kind, kind: name})
        content = [*parts, {"type": "text", "text": text}] if parts else text
        turns = [{"role": "user", "content": content}]
        return Reason.model_validate({"messages": turns, "sampling": sampling} | fields)

    return make


Answers = Callable[..., list[Conversation]]


@pytest.fixture(scope="session")
def answers() -> Answers:
    """Conversations, decoded together to their ends."""

    def decode(engine: Engine, requests: Sequence[Reason], media: Mapping[str, Footage] | None = None):
        conversations = [engine.converse(request, media) for request in requests]
        while waiting := [entry for entry in conversations if not entry.done]:
            engine.decode(waiting)
        return conversations

    return decode
