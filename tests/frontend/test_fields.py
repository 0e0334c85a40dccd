"""A request's fields, flat."""

from typing import Annotated

import pytest
from pydantic import Field

from frontend.fields import fields_of, flatten, nest
from studio.requests import FormHint, Frozen, GenerateImage


def specs():
    return {spec.path: spec for spec in fields_of(GenerateImage)}


def test_nested_groups_are_flattened_in_their_place():
    paths = [spec.path for spec in fields_of(GenerateImage)]
    assert paths[0] == "prompt"
    assert paths.index("resolution") < paths.index("sampling.num_inference_steps") < paths.index("count")


def test_hidden_fields_are_left_out():
    assert not {"kind", "checkpoint", "sampling.guidance_interval", "use_duration_template"} & set(specs())


def test_bounds_defaults_and_words_come_from_the_request():
    steps = specs()["sampling.num_inference_steps"]
    assert (steps.title, steps.low, steps.high, steps.default, steps.type) == ("Denoising steps", 1, 200, 50, int)
    assert specs()["prompt"].default is None
    assert specs()["resolution"].options == ("256", "480", "720", "768")
    assert specs()["use_system_prompt"].options == (True, False)


def test_a_step_cache_is_an_optional_number_behind_the_fold():
    spec = specs()["sampling.step_cache"]
    assert (spec.title, spec.type, spec.optional, spec.default) == ("Step cache", float, True, None)
    assert (spec.low, spec.high, spec.hint.fold) == (0, 1, True)


def test_a_field_that_no_form_can_draw_has_to_be_hidden():
    class Odd(Frozen):
        pair: Annotated[tuple[int, int], Field(title="Pair")] = (1, 2)

    class Hidden(Frozen):
        pair: Annotated[tuple[int, int], FormHint(hidden=True)] = (1, 2)

    with pytest.raises(AssertionError, match="no form can draw"):
        fields_of(Odd)
    assert fields_of(Hidden) == []


def test_nest_undoes_flatten():
    nested = GenerateImage(prompt="x").model_dump(mode="json")
    assert nest(flatten(nested)) == nested
    assert flatten({"sampling": {"seed": 7}}) == {"sampling.seed": 7}


def test_a_hidden_group_is_hidden_whole():
    assert not [spec.path for spec in fields_of(GenerateImage) if spec.path.startswith("adapter")]
