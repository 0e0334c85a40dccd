"""Recipe presets: `presets/tuning/*.toml`, and a person's own in `presets/tuning` of the data folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from studio.errors import BadInput
from studio.presets import laid_over
from studio.requests import nearest
from studio.toml_files import read_toml, shipped_and_own
from studio.tuning.recipes import GeneratorRecipe, PolicyRecipe, ReasonerRecipe, Recipe
from studio.tuning.tunings import RecipeChoices, RecipePreset

RECIPES: dict[str, type[GeneratorRecipe] | type[ReasonerRecipe] | type[PolicyRecipe]] = {
    "generator": GeneratorRecipe,
    "reasoner": ReasonerRecipe,
    "policy": PolicyRecipe,
}
RECIPE: TypeAdapter[Recipe] = TypeAdapter(Recipe)


def load_recipes(own: Path | None = None) -> dict[str, RecipePreset]:
    """Every recipe preset by id. Raises BadInput: a file cannot be used."""
    found: dict[str, RecipePreset] = {}
    for file in shipped_and_own("tuning", own):
        preset = read_toml(RecipePreset, file, f"The recipe {file.name}")
        if preset.all_weights:  # TOML has no word for nothing
            preset = preset.model_copy(update={"recipe": {**preset.recipe, "lora": None}})
        found[preset.id] = preset
    return found


def choices(own: Path | None = None) -> RecipeChoices:
    """What a form of a recipe is drawn from. Raises BadInput: a preset cannot be read."""
    schemas = {task: recipe.model_json_schema() for task, recipe in RECIPES.items()}
    return RecipeChoices(schemas=schemas, presets=tuple(load_recipes(own).values()))


def under_preset(preset: str, task: str, said: Mapping[str, Any], own: Path | None = None) -> dict[str, Any]:
    """What a person says laid over a preset, field by field.

    Raises:
        BadInput: there is no such preset, or it is for another task.
    """
    presets = load_recipes(own)
    found = presets.get(preset)
    if found is None:
        raise BadInput(f"There is no recipe {preset}.", param="preset", hint=nearest(preset, presets))
    if found.task != task:
        raise BadInput(f"The recipe {preset} is for the {found.task}; expected one for the {task}.", param="preset")
    return laid_over(found.recipe, said)
