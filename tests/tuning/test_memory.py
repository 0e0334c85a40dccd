"""The memory estimate against what PyTorch keeps for gradients."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine.planning import read_setting
from engine.towers import OmniModel
from engine.weights import open_folder
from studio.tuning import GeneratorRecipe, Lora, Optimisation
from tuning.flow.error import FlowError, pose
from tuning.flow.levels import Levels
from tuning.generator.clips import Clip
from tuning.generator.records import Window
from tuning.generator.sequences import Draw, Sequences
from tuning.generator.task import let_learn
from tuning.memory import StepShape, estimate
from tuning.weights import read_model

CANVAS, NUM_FRAMES, BATCH = (320, 192), 9, 2


def kept_bytes(model: OmniModel, folder: Path, *, checkpointed: bool) -> tuple[int, StepShape]:
    """Bytes of all that a step keeps, each storage once, the model's own left out."""
    sequences = Sequences(read_setting(open_folder(folder)))
    window = Window("a", Path("a"), 0, None, 1, None, "A red square. " * 20, is_structured=False, is_image=False)
    clip = Clip(window, tuple(range(NUM_FRAMES)), 10.0, CANVAS)
    latents = [torch.randn(sequences.segment(clip).shape) for _ in range(BATCH)]
    ((_, batch),) = sequences.batches([Draw(clip, "t2v", dropped=False)] * BATCH, latents)
    own = {value.untyped_storage().data_ptr() for value in model.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    error = FlowError(model, batch, Levels(), checkpointed=checkpointed)
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss, *_ = error(*pose(batch, model))
    assert loss.requires_grad
    shape = StepShape(BATCH, sequences.segment(clip).num_tokens, len(sequences.prompt(clip)))
    return sum(kept.values()), shape


@pytest.mark.parametrize("lora", [None, Lora(layers="attention"), Lora(layers="all")], ids=["all", "attention", "mlp"])
def test_what_blocks_keep_is_what_is_estimated(pocket: Path, lora: Lora | None):
    model = read_model(pocket).requires_grad_(False)
    let_learn(model, GeneratorRecipe(name="a", checkpoint="pocket", data="a", lora=lora))
    found, shape = kept_bytes(model, pocket, checkpointed=False)
    how = Optimisation(batch_size=BATCH)
    own = estimate(model.config, shape, how, lora, weight_bytes=0, num_trained=0, device=torch.device("cpu"))
    assert own.activations == pytest.approx(found, rel=0.1)
