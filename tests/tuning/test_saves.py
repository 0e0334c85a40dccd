"""What is trained is served alike by the engine, by diffusers and by peft."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file
from torch import Tensor, nn

from engine.adapters import LoraAdapters
from engine.planning import read_setting
from engine.towers import OmniModel
from engine.weights import open_folder
from studio.tuning import Lora
from tuning.flow.batch import Batch
from tuning.flow.error import FlowError, pose
from tuning.flow.levels import Levels
from tuning.generator.clips import Clip
from tuning.generator.records import Window
from tuning.generator.sequences import Draw, Sequences
from tuning.lora import adapter_parameters, put_on
from tuning.saves import write_adapter, write_checkpoint
from tuning.weights import read_model, released_tensors
from tuning_oracle import loss_of, read_transformer

CLOSE = 1e-5


def frozen(speck: Path) -> OmniModel:
    return read_model(speck).requires_grad_(False).eval()


@pytest.fixture(scope="module")
def batch(speck: Path) -> Batch:
    sequences = Sequences(read_setting(open_folder(speck)))
    window = Window("a", Path("a"), 0, None, 1, None, "A red square moves.", is_structured=False, is_image=False)
    clip = Clip(window, tuple(range(9)), 10.0, (64, 96))
    latents = torch.randn(sequences.segment(clip).shape, generator=torch.Generator().manual_seed(3))
    ((_, made),) = sequences.batches([Draw(clip, "i2v", dropped=False)], [latents])
    return made


@torch.no_grad()
def our_loss(model: OmniModel, batch: Batch) -> Tensor:
    torch.manual_seed(7)
    return FlowError(model, batch, Levels())(*pose(batch, model))[0]


@torch.no_grad()
def their_loss(transformer, batch: Batch, model: OmniModel) -> Tensor:
    torch.manual_seed(7)
    return loss_of(transformer, batch, model.config, Levels().shift)


@pytest.mark.parametrize("layers", ["attention", "all"])
@pytest.mark.parametrize("alpha", [None, 3.0])
def test_an_adapter_is_the_same_to_engine_diffusers_and_peft(speck, batch, tmp_path, layers, alpha):
    model, lora = frozen(speck), Lora(rank=4, alpha=alpha, layers=layers)
    bare = our_loss(model, batch)
    own = put_on(model, "generator", lora, seed=0)
    for layer in own:
        for up in layer.ups:
            nn.init.normal_(up, std=0.2)
    trained = our_loss(model, batch)
    assert (trained - bare).abs() > 100 * CLOSE
    folder = tmp_path / "adapter"
    write_adapter(folder, dict(adapter_parameters(own)), lora, "speck")

    served = frozen(speck)
    LoraAdapters(served).use(folder, 1.0)
    torch.testing.assert_close(our_loss(served, batch), trained, rtol=CLOSE, atol=CLOSE)

    by_peft = PeftModel.from_pretrained(read_transformer(speck), folder)
    torch.testing.assert_close(their_loss(by_peft, batch, model), trained, rtol=CLOSE, atol=CLOSE)

    by_diffusers = read_transformer(speck)
    tensors = load_file(folder / "adapter_model.safetensors")
    by_diffusers.load_lora_adapter(tensors, prefix="base_model.model", network_alphas=None)
    by_diffusers.set_adapters(["default_0"], [lora.scale])
    torch.testing.assert_close(their_loss(by_diffusers, batch, model), trained, rtol=CLOSE, atol=CLOSE)


def test_a_checkpoint_has_what_was_trained_and_is_otherwise_the_one_before(speck, batch, tmp_path):
    model = frozen(speck)
    changed = {name: value for name, value in model.named_parameters() if name.startswith("generator.blocks.1.")}
    for value in changed.values():
        value.mul_(1.5)
    trained = our_loss(model, batch)
    folder = tmp_path / "trained"
    write_checkpoint(folder, open_folder(speck), released_tensors(model, dict(changed)))

    torch.testing.assert_close(our_loss(frozen(folder), batch), trained, rtol=CLOSE, atol=CLOSE)
    torch.testing.assert_close(their_loss(read_transformer(folder), batch, model), trained, rtol=CLOSE, atol=CLOSE)
    for path in (speck / "vae").iterdir():
        assert (folder / "vae" / path.name).read_bytes() == path.read_bytes()
    before, after = open_folder(speck), open_folder(folder)
    assert before.shards.keys() == after.shards.keys()
    old, new = ({name: load_file(file)[name] for name, file in opened.shards.items()} for opened in (before, after))
    assert {name for name in old if not torch.equal(old[name], new[name])} == set(
        released_tensors(model, dict(changed))
    )


def test_a_checkpoint_has_no_lineage_of_the_one_before(speck, tmp_path):
    parent = Path(shutil.copytree(speck, tmp_path / "parent"))
    (parent / "lineage.json").write_text("of the parent")
    write_checkpoint(tmp_path / "trained", open_folder(parent), {})
    assert not (tmp_path / "trained" / "lineage.json").exists()
