"""The learning rate over the steps."""

import pytest

from studio.tuning import Optimisation
from studio.tuning.presets import RECIPE, load_recipes
from tuning.schedules import rate_factor


@pytest.mark.parametrize(
    ("fields", "table"),
    [
        ({"schedule": "linear"}, {0: 0.02, 24: 0.5, 49: 1.0, 50: 1.0, 275: 0.5, 499: 1 / 450}),
        ({"schedule": "linear", "final_rate": 0.5}, {49: 1.0, 50: 1.0, 275: 0.75, 500: 0.5}),
        ({"schedule": "cosine"}, {0: 0.02, 49: 1.0, 50: 1.0, 275: 0.5, 500: 0.0}),
        ({"schedule": "cosine", "final_rate": 0.1}, {50: 1.0, 275: 0.55, 500: 0.1}),
        ({"schedule": "constant", "final_rate": 0.1}, {0: 0.02, 50: 1.0, 499: 1.0}),
        ({"schedule": "linear", "warmup_steps": 0}, {0: 1.0, 250: 0.5}),
        ({"schedule": "linear", "warmup_steps": 1000}, {0: 0.001, 499: 0.5}),
    ],
)
def test_the_rate_rises_to_its_highest_and_falls_from_there(fields: dict, table: dict[int, float]):
    factor = rate_factor(Optimisation.model_validate({"steps": 500, "warmup_steps": 50, **fields}))
    assert {step: factor(step, step / 500) for step in table} == pytest.approx(table)


@pytest.mark.parametrize("name", ["vision_sft_nano", "vision_sft_super"])
def test_the_frameworks_recipe_ends_at_half_of_its_rate(name: str):
    own = {"task": "generator", "name": "grasp", "checkpoint": "cosmos3-nano", "data": "cups"}
    how = RECIPE.validate_python({**load_recipes()[name].recipe, **own}).optimisation
    assert (how.steps, how.warmup_steps, how.epsilon) == (500, 50, 1e-6)
    assert rate_factor(how)(500, 1.0) == (1000 - 500) / 1000  # linear over a cycle of 1,000
