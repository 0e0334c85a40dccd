"""The ids that the page and its tests share."""

from frontend import element_ids
from frontend.fields import fields_of
from studio.requests import GenerateImage


def test_a_field_is_named_by_its_page_and_path():
    assert element_ids.field("image", "sampling.num_inference_steps") == "image-sampling-num-inference-steps"


def test_a_part_is_named_without_its_mark():
    assert element_ids.field("video", "@start") == "video-start"


def test_no_two_things_of_a_page_share_an_id():
    makers = (
        element_ids.generate,
        element_ids.fold,
        element_ids.seed_tools,
        element_ids.examples,
        element_ids.notice,
        element_ids.estimate,
        element_ids.outcome,
        element_ids.order,
        element_ids.prompt_tools,
        element_ids.tabs,
        element_ids.stage,
        element_ids.progress,
        element_ids.strip,
    )
    ids = [make("image") for make in makers]
    ids += [element_ids.field("image", spec.path) for spec in fields_of(GenerateImage)]
    assert len(ids) == len(set(ids))
