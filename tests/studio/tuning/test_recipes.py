"""Recipes: those that ship, and those of NVIDIA's programs read as ours."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from studio.errors import BadInput
from studio.tuning import Optimisation
from studio.tuning.framework import read_foreign
from studio.tuning.presets import RECIPE, choices, load_recipes, under_preset

OWN = {"name": "grasp", "checkpoint": "pocket"}

FRAMEWORK = """
[job]
task = "vfm"
experiment = "vision_sft_super"

[model]
lora_enabled = true
lora_rank = 16
lora_alpha = 32
lora_target_modules = "q_proj_moe_gen,k_proj_moe_gen,v_proj_moe_gen,o_proj_moe_gen"

[model.ema]
rate = 0.1

[model.activation_checkpointing]
mode = "full"

[optimizer]
betas = [0.9, 0.95]
lr = 5.0e-4
weight_decay = 0

[scheduler]
warm_up_steps = [50]

[trainer]
max_iter = 500
grad_accum_iter = 2

[trainer.callbacks.grad_clip]
clip_norm = 0.1

[checkpoint]
save_iter = 100
"""
COSMOS_RL = """
[custom.dataset]
path = "data/mimicgen_dataset_hf"

[custom.vision]
nframes = 16

[train]
epoch = 120
train_batch_per_replica = 32
optm_lr = 2e-7
optm_decay_type = "cosine"

[train.ckpt]
save_freq = 20

[policy]
model_max_length = 4096
"""


@pytest.mark.parametrize("name", load_recipes())
def test_every_recipe_that_ships_is_whole(name: str):
    preset = load_recipes()[name]
    data = [{"data": "cups"}] if preset.task == "reasoner" else "cups"
    recipe = RECIPE.validate_python({**preset.recipe, **OWN, "task": preset.task, "data": data})
    assert recipe.optimisation.steps >= recipe.optimisation.save_every
    assert (recipe.lora is None) == preset.all_weights
    assert preset.source


def test_what_a_person_says_lies_over_a_preset():
    laid = under_preset("vision_sft_super", "generator", {"optimisation": {"steps": 7}})
    assert (laid["optimisation"]["steps"], laid["optimisation"]["learning_rate"]) == (7, 5e-4)
    with pytest.raises(BadInput, match="is for the generator"):
        under_preset("vision_sft_super", "policy", {})
    with pytest.raises(BadInput, match="no recipe vision_sft"):
        under_preset("vision_sft", "generator", {})


def test_recipes_of_the_framework_are_read_where_they_mean_the_same(tmp_path: Path):
    path = tmp_path / "a.toml"
    path.write_text(FRAMEWORK)
    found = read_foreign(path)
    recipe = RECIPE.validate_python({**found.fields, **OWN, "task": found.task, "data": "cups"})
    assert recipe.task == "generator"
    assert recipe.lora is not None
    assert (recipe.lora.rank, recipe.lora.alpha, recipe.lora.layers) == (16, 32, "attention")
    told = recipe.optimisation
    assert (told.steps, told.warmup_steps, told.max_gradient_norm, told.save_every) == (500, 50, 0.1, 100)
    assert told.checkpoints_activations
    assert any(path.startswith("trainer.grad_accum_iter (say the whole batch") for path in found.unmapped)


def test_recipes_of_cosmos_rl_train_the_reasoner(tmp_path: Path):
    path = tmp_path / "a.toml"
    path.write_text(COSMOS_RL)
    found = read_foreign(path)
    recipe = RECIPE.validate_python({**found.fields, **OWN, "task": found.task, "data": [{"data": "av"}]})
    assert recipe.task == "reasoner"
    assert (recipe.lora, recipe.num_frames, recipe.max_tokens) == (None, 16, 4096)
    assert (recipe.optimisation.batch_size, recipe.optimisation.schedule) == (32, "cosine")
    assert "train.epoch (steps are said here, not epochs)" in found.unmapped


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("[job]\n[model]\nlora_enabled = true", 16),
        ("[job]\n[model]\nlora_enabled = true\nlora_rank = 4", 4),
        ("[job]\n[model]\nlora_enabled = false\nlora_rank = 4", None),
        ("[job]", None),
        ("[train]\n[policy.lora]\nlora_dropout = 0.1", 16),
        ("[train]\n[policy]", None),
    ],
)
def test_a_recipe_with_lora_trains_an_adapter(tmp_path: Path, text: str, rank: int | None):
    path = tmp_path / "a.toml"
    path.write_text(text)
    found = read_foreign(path)
    data = [{"data": "av"}] if found.task == "reasoner" else "cups"
    lora = RECIPE.validate_python({**found.fields, **OWN, "task": found.task, "data": data}).lora
    assert (lora and lora.rank) == rank


@pytest.mark.parametrize("betas", [[0.9, 1.5], [0.9, 1.0], [-0.1, 0.9]])
def test_betas_that_adamw_does_not_take_are_refused(betas: list[float]):
    with pytest.raises(ValidationError):
        Optimisation.model_validate({"betas": betas})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "no recipe"),
        ("x =", "not TOML"),
        ("job = 1", r"expected the table \[job\]"),
        ("model = 1\n[job]", r"expected the table \[model\]"),
        ("train = 1\n[policy]", r"expected the table \[train\]"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: str, said: str):
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        read_foreign(path)


def test_a_form_is_drawn_from_schemas_with_titles():
    generator = choices().schemas["generator"]
    assert generator["properties"]["num_frames"]["title"] == "Frames"
    assert generator["$defs"]["Optimisation"]["properties"]["steps"]["title"] == "Steps"
