"""The form that is drawn from a request."""

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

from frontend import element_ids
from frontend.fields import fields_of
from frontend.form import draw_form
from studio.requests import GenerateImage


@pytest.fixture
def drawn(in_a_loop: Callable[..., Any]):
    def draw() -> dict[str, gr.components.Component]:
        with gr.Blocks(analytics_enabled=False):
            return draw_form(GenerateImage, "image")

    return in_a_loop(draw)


def test_every_field_is_drawn_once_under_its_id(drawn: dict[str, gr.components.Component]):
    assert set(drawn) == {spec.path for spec in fields_of(GenerateImage)}
    for path, component in drawn.items():
        assert component.elem_id == element_ids.field("image", path)


def test_bounded_numbers_are_sliders_within_the_requests_bounds(drawn: dict[str, gr.components.Component]):
    steps = drawn["sampling.num_inference_steps"]
    assert isinstance(steps, gr.Slider)
    assert (steps.minimum, steps.maximum, steps.step) == (1, 200, 1)
    guidance = drawn["sampling.guidance_scale"]
    assert isinstance(guidance, gr.Slider)
    assert guidance.step == 0.5


def test_a_seed_is_a_number_box_that_leaves_its_bounds_to_the_request(drawn: dict[str, gr.components.Component]):
    seed = drawn["sampling.seed"]
    assert isinstance(seed, gr.Number)
    assert (seed.minimum, seed.maximum, seed.precision) == (None, None, 0)


def test_rare_fields_stand_behind_the_fold(drawn: dict[str, gr.components.Component]):
    def is_folded(component: gr.blocks.Block) -> bool:
        parents: list[object] = []
        block = component.parent
        while block is not None:
            parents.append(block)
            block = block.parent
        return any(isinstance(parent, gr.Accordion) for parent in parents)

    folded = {spec.path for spec in fields_of(GenerateImage) if spec.hint.fold}
    assert {path for path, component in drawn.items() if is_folded(component)} == folded


def test_fields_of_one_row_share_it(drawn: dict[str, gr.components.Component]):
    def row_of(path: str) -> object:
        block = drawn[path].parent
        while not isinstance(block, gr.Row):
            assert block is not None
            block = block.parent
        return block

    assert row_of("sampling.num_inference_steps") is row_of("sampling.guidance_scale")
