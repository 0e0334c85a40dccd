"""What a step of LoRA on a checkpoint of Nano's size takes on one GPU: `python tests/tuning_nano.py build|run|beside`.

`build FOLDER` writes a checkpoint of the released layout with random weights, of Nano's shape on a GPU and speck's
elsewhere. `run FOLDER CASE …` trains it by `python -m tuning`, the product's own process, and compares the memory that
was predicted with what was taken. `beside FOLDER CASE` does steps of the same data in this process, the trainer's and
then those of diffusers with PEFT. Each prints a line of JSON a case, and puts it behind those of --out.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from diffusers import Cosmos3OmniTransformer
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from peft import LoraConfig
from PIL import Image
from safetensors.torch import save_file
from transformers import PreTrainedTokenizerFast, Qwen3VLVisionModel
from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLVisionConfig

from backend.media import write_clip
from engine.bench.stage import NANO, WAN_VAE
from engine.planning import read_setting
from engine.speck import build_speck
from engine.speck.layout import root_config, root_index, write_json, write_processors
from engine.weights import ModelConfig, open_folder
from engine.weights.key_map import key_map
from studio.tuning import (
    Checked,
    GeneratorRecipe,
    Lora,
    Optimisation,
    ReasonerRecipe,
    Recipe,
    Saved,
    Stepped,
    TuningEvent,
    TuningWork,
)
from studio.tuning.recipes import Blend
from tuning.commands import Commands
from tuning.flow.batch import Batch
from tuning.generator.data import read_clip_data
from tuning.generator.sequences import Draw
from tuning.latents import LatentCache
from tuning.memory import CONTEXT
from tuning.task import Place
from tuning.training import run
from tuning_data import Silence, line_of, moving_square, write_lines
from tuning_oracle import ATTENTION, loss_of
from tuning_process import train

NANO_VISION: dict[str, Any] = {
    "depth": 27,
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_heads": 16,
    "patch_size": 16,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2,
    "out_hidden_size": 4096,
    "num_position_embeddings": 2304,
    "deepstack_visual_indexes": [8, 16, 24],
}
"""Qwen3-VL-8B's encoder, which Nano has."""

NANO_ROPE = {"mrope_interleaved": True, "mrope_section": [24, 20, 20], "rope_type": "default"}
SHARD_BYTES = 4_000_000_000
STEPS, WARM = 8, 3
"""Steps of a case, and how many at its beginning are not timed: they compile."""

CAPTION = "A square moves to the right across a plain ground while the camera stands still. " * 20
ANSWER = "The square moves to the right. " * 40

GENERATOR: dict[str, dict[str, Any]] = {
    "video480": {"resolution": "480", "num_frames": 93, "modes": {"t2v": 1}, "checkpoints_activations": True},
    "video480-mlp": {
        "resolution": "480",
        "num_frames": 93,
        "modes": {"t2v": 1},
        "checkpoints_activations": True,
        "layers": "all",
    },
    "video480-offloaded": {"resolution": "480", "num_frames": 93, "modes": {"t2v": 1}, "offloads_weights": True},
    "video480-two": {
        "resolution": "480",
        "num_frames": 93,
        "modes": {"t2v": 1},
        "checkpoints_activations": True,
        "num_gpus": 2,
    },
    "video480-two-offloaded": {
        "resolution": "480",
        "num_frames": 93,
        "modes": {"t2v": 1},
        "offloads_weights": True,
        "num_gpus": 2,
    },
    "video256": {"resolution": "256", "num_frames": 93, "modes": {"t2v": 1}, "checkpoints_activations": True},
    "video256-kept": {"resolution": "256", "num_frames": 93, "modes": {"t2v": 1}},
    "image480": {"resolution": "480", "num_frames": 1, "modes": {"t2i": 1}, "checkpoints_activations": True},
    "image480-kept": {"resolution": "480", "num_frames": 1, "modes": {"t2i": 1}, "batch_size": 4},
}
"""Recipes that differ from the preset `vision_sft_super` in what is said; one sequence a step unless said otherwise."""

REASONER: dict[str, dict[str, Any]] = {
    "reasoner": {"checkpoints_activations": True},
    "reasoner-offloaded": {"offloads_weights": True},
    "reasoner-kept": {},
}


def build(folder: Path, config: ModelConfig | None) -> None:
    """A checkpoint of random weights: speck's files, and of Nano's shape where `config` is given."""
    build_speck(folder)
    if config is None:
        return
    tokenizer = read_setting(open_folder(folder)).prompts.tokenizer
    assert isinstance(tokenizer, PreTrainedTokenizerFast)
    for part in ("transformer", "vae", "vision_encoder"):
        for path in (folder / part).glob("*.safetensors*"):
            path.unlink()
    _write_towers(folder / "transformer", config)
    torch.manual_seed(0)
    with torch.device("cuda"):
        AutoencoderKLWan(**WAN_VAE).bfloat16().save_pretrained(folder / "vae")
        encoder = Qwen3VLVisionModel(Qwen3VLVisionConfig(**NANO_VISION)).bfloat16()
    weights = {name: value.cpu() for name, value in encoder.state_dict().items()}
    save_file(weights, folder / "vision_encoder" / "model.safetensors", metadata={"format": "pt"})
    write_json(folder / "vision_encoder" / "config.json", encoder.config.to_dict())
    text = {
        name: getattr(config, name)
        for name in (
            "hidden_size",
            "intermediate_size",
            "num_hidden_layers",
            "num_attention_heads",
            "num_key_value_heads",
            "head_dim",
            "rms_norm_eps",
        )
    }
    root = root_config(
        tokenizer, encoder.config, text, vocabulary=config.vocab_size, rope_scaling=NANO_ROPE, context_tokens=262_144
    )
    write_json(folder / "config.json", root)
    write_processors(folder, (65_536, 16_777_216), (4096, 25_165_824))
    write_json(folder / "model.safetensors.index.json", root_index(folder))


def _write_towers(folder: Path, config: ModelConfig) -> None:
    said = json.loads((folder / "config.json").read_text())
    said |= {name: value for name, value in config.model_dump().items() if name in said}
    said |= {"rope_scaling": NANO_ROPE, "rope_axes_dim": NANO_ROPE["mrope_section"]}
    write_json(folder / "config.json", said)
    shard: dict[str, torch.Tensor] = {}
    weight_map: dict[str, str] = {}
    size, number, total = 0, 1, 0
    sources = [source for entry in key_map(config) for source in entry.sources]
    for place, source in enumerate(sources):
        shape = source.shape
        value = torch.empty(shape, dtype=torch.bfloat16, device="cuda")
        if len(shape) > 1:
            value.normal_(std=shape[-1] ** -0.5)
        else:
            value.fill_(0 if source.name.endswith("bias") else 1)
        shard[source.name] = value.cpu()
        size, total = size + value.nbytes, total + value.nbytes
        if size > SHARD_BYTES or place == len(sources) - 1:
            name = f"diffusion_pytorch_model-{number:05d}.safetensors"
            save_file(shard, folder / name, metadata={"format": "pt"})
            weight_map |= dict.fromkeys(shard, name)
            shard, size, number = {}, 0, number + 1
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    write_json(folder / "diffusion_pytorch_model.safetensors.index.json", index)


def write_data(folder: Path, *, is_small: bool) -> None:
    """Two videos of 93 frames, two pictures, and conversations about 14 frames of one of them."""
    size = (96, 64) if is_small else (832, 480)
    count = 93
    folder.mkdir()
    lines: list[dict[str, Any]] = []
    for number in range(2):
        write_clip(folder / f"{number}.mp4", moving_square(count, number, size), fps=24)
        lines.append(line_of(f"{number}.mp4", count, caption_json=None, caption=CAPTION))
    for number in range(4):
        Image.fromarray(np.ascontiguousarray(moving_square(1, number, size)[0])).save(folder / f"{number}.png")
        lines.append(line_of(f"{number}.png", 1, end_frame=0, caption_json=None, caption=CAPTION))
    write_lines(folder, lines)
    shown = [{"type": "video", "video": "0.mp4"}, {"type": "text", "text": CAPTION}]
    turns = [{"role": "user", "content": shown}, {"role": "assistant", "content": ANSWER}]
    asked = folder / "asked"
    asked.mkdir()
    (asked / "0.mp4").write_bytes((folder / "0.mp4").read_bytes())
    (asked / "train.jsonl").write_text(json.dumps({"messages": turns}) + "\n")


def recipe_of(case: str, *, is_small: bool) -> Recipe:
    """The recipe of a case; small, with few frames."""
    own = {**(GENERATOR[case] if case in GENERATOR else REASONER[case])}
    how = Optimisation(
        steps=STEPS,
        batch_size=own.pop("batch_size", 1),
        save_every=STEPS,
        warmup_steps=1,
        checkpoints_activations=own.pop("checkpoints_activations", False),
        offloads_weights=own.pop("offloads_weights", False),
        num_gpus=own.pop("num_gpus", 1),
    )
    lora = Lora(rank=16, layers=own.pop("layers", "attention"))
    if case in REASONER:
        return ReasonerRecipe(
            name=case,
            checkpoint="nano",
            data=(Blend(data="asked"),),
            num_frames=4 if is_small else 14,
            max_pixels=None if is_small else 320 * 320,
            max_tokens=16_000,
            lora=lora,
            optimisation=how,
        )
    if is_small:
        own |= {"num_frames": min(9, own["num_frames"]), "resolution": "256"}
    fields = {"name": case, "checkpoint": "nano", "data": "shown", "min_window_frames": 1, **own}
    return GeneratorRecipe.model_validate({**fields, "lora": lora, "optimisation": how, "text_dropout": 0.0})


def work_of(folder: Path, scratch: Path, case: str, device: str) -> TuningWork:
    """What the trainer is asked for a case; the data are written where they are not there yet."""
    is_small = device == "cpu"
    data = scratch / "data"
    if not data.exists():
        write_data(data, is_small=is_small)
    recipe = recipe_of(case, is_small=is_small)
    others = range(1, recipe.optimisation.num_gpus)
    return TuningWork(
        recipe=recipe,
        checkpoint=folder,
        data={"shown": data, "asked": data / "asked"},
        out=scratch / case,
        cache=scratch / "latents",
        device=f"{device}:0" if others and not is_small else device,
        beside=tuple(device if is_small else f"{device}:{index}" for index in others),
    )


class Noted:
    """What a training tells that is measured here."""

    def __init__(self) -> None:
        self.line: dict[str, Any] = {}
        self._seconds: list[float] = []

    def __call__(self, event: TuningEvent) -> None:
        """Take an event in."""
        match event:
            case Checked():
                memory = event.report.memory
                self.line |= {name: getattr(memory, name) for name in ("weights", "optimiser", "activations", "total")}
                self.line["longest"] = max((one.num_tokens for one in event.report.samples), default=0)
            case Stepped():
                if event.step > WARM:
                    self._seconds.append(event.seconds_per_step)
                self.line |= {"loss": event.loss, "allocated": event.memory}
                if self._seconds:
                    self.line["seconds_a_step"] = float(np.median(self._seconds))
            case Saved():
                self.line["saved_bytes"] = event.size_bytes
            case _:
                pass


@contextmanager
def used_memory(on_gpu: bool) -> Iterator[list[int]]:
    """Bytes of the first GPU that were in use, looked at twice a second; nothing elsewhere."""
    seen: list[int] = []
    over = threading.Event()

    def look() -> None:
        asked = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "--id=0"]
        while on_gpu and not over.wait(0.5):
            seen.append(int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout) * 2**20)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def run_case(folder: Path, scratch: Path, case: str, device: str) -> dict[str, Any]:
    """A training by the product's process: what was predicted, and what it took."""
    on_gpu, noted, begun = device != "cpu", Noted(), time.monotonic()
    with used_memory(on_gpu) as used:
        train(work_of(folder, scratch, case, device), noted)
    line = {"case": case, "device": _name_of(device), **noted.line, "seconds": round(time.monotonic() - begun, 1)}
    if on_gpu:
        line["used"] = max(used)
        line["predicted_by_allocated"] = round(line["total"] / (line["allocated"] + CONTEXT), 3)
        line["predicted_by_used"] = round(line["total"] / line["used"], 3)
    return line


def beside(folder: Path, scratch: Path, case: str, device: str) -> dict[str, Any]:
    """Steps in this process: the trainer's, then diffusers' with PEFT, of the same data with the same settings."""
    work, noted = work_of(folder, scratch, case, device), Noted()
    run(work, noted, Commands(Silence()))
    ours = {name: noted.line[name] for name in ("seconds_a_step", "allocated")}
    gc.collect()
    if device != "cpu":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    return {
        "case": case,
        "device": _name_of(device),
        "ours": ours,
        "theirs": _their_steps(folder, work.recipe, _batch_of(work), device),
    }


def _batch_of(work: TuningWork) -> Batch:
    """A batch of the first clip, whose latents are in the cache."""
    recipe, place = work.recipe, Place.of(work)
    assert isinstance(recipe, GeneratorRecipe)
    data = read_clip_data(place, recipe, lambda *done: None)
    cache = LatentCache(work.cache, work.checkpoint / "vae", place.device, place.dtype, data.sources)
    (mode,), clip = recipe.modes, data.clips[0]
    count = recipe.optimisation.batch_size
    ((_, batch),) = data.sequences.batches([Draw(clip, mode, dropped=False)] * count, [cache.read(clip)] * count)
    return batch


def _their_steps(folder: Path, recipe: Recipe, batch: Batch, device: str) -> dict[str, Any]:
    on_gpu = device != "cpu"
    kind = torch.bfloat16 if on_gpu else torch.float32
    transformer = Cosmos3OmniTransformer.from_pretrained(folder / "transformer", torch_dtype=kind).to(device)
    transformer.requires_grad_(False).train()
    transformer.add_adapter(LoraConfig(r=16, lora_alpha=32, target_modules=ATTENTION))
    learning = [value for value in transformer.parameters() if value.requires_grad]
    for value in learning:
        value.data = value.data.float()
    if recipe.optimisation.recomputes:
        transformer.enable_gradient_checkpointing()
    optimiser = torch.optim.AdamW(learning, 1e-4, fused=on_gpu)
    config = open_folder(folder).config
    runs = tuple(replace(one, values=one.values.to(device), given=one.given.to(device)) for one in batch.runs)
    moved = replace(batch, runs=runs)
    seconds: list[float] = []
    for _ in range(STEPS):
        begun = time.monotonic()
        with torch.device(device), torch.autocast(device, torch.bfloat16, enabled=on_gpu):
            loss = loss_of(transformer, moved, config, 5.0)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimiser.step()
        optimiser.zero_grad()
        float(loss.detach())
        seconds.append(time.monotonic() - begun)
    taken = torch.cuda.max_memory_allocated() if on_gpu else None
    return {"seconds_a_step": float(np.median(seconds[WARM:])), "allocated": taken}


def _name_of(device: str) -> str:
    return "cpu" if device == "cpu" else torch.cuda.get_device_name()


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("does", choices=["build", "run", "beside"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*", choices=[[], *GENERATOR, *REASONER])
    parser.add_argument("--out", type=Path, default=Path("tuning_nano.jsonl"))
    said = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if said.does == "build":
        build(said.folder, NANO if device == "cuda" else None)
        return
    does = run_case if said.does == "run" else beside
    with tempfile.TemporaryDirectory() as scratch:
        for case in said.cases:
            line = json.dumps({"does": said.does, **does(said.folder, Path(scratch), case, device)})
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
            with said.out.open("a") as file:
                file.write(line + "\n")


if __name__ == "__main__":
    main()
