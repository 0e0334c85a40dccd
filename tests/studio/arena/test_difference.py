"""What two requests differ in, and in which domain they are counted."""

from typing import Any

import pytest

from studio.arena import domain_of, fields_of, is_compared, shown_value
from studio.requests import Adapter, GenerateImage


def fields(**changes: Any) -> dict[str, str]:
    request = GenerateImage.model_validate({"prompt": "a cube", **changes}).model_dump(mode="json")
    return fields_of(request, changes.pop("checkpoint", "speck"), changes.pop("seed", 0))


def differing(one: dict[str, str], other: dict[str, str]) -> set[str]:
    return {name for name in {*one, *other} if one.get(name) != other.get(name)}


def test_one_field_is_one_difference():
    assert differing(fields(), fields(sampling={"guidance_scale": 7})) == {"sampling.guidance_scale"}
    assert differing(fields(), fields(checkpoint="nano")) == {"checkpoint"}
    assert differing(fields(), fields(count=4)) == set()


def test_an_adapter_and_its_scale_are_one_difference():
    worn = fields(adapter=Adapter(name="snow", scale=0.5))

    assert differing(fields(), worn) == {"adapter"}
    assert shown_value(worn["adapter"]) == "snow × 0.5"


def test_an_upsampled_prompt_is_the_same_prompt_upsampled():
    upsampled = fields(
        prompt='{"caption": 1}', written_from="a cube", use_resolution_template=False, use_duration_template=False
    )
    plain = fields(upsample=False)

    assert differing(upsampled, plain) - {"use_resolution_template", "use_duration_template"} == {"upsample"}


@pytest.mark.parametrize("field", ["sampling.seed", "prompt", "kind", "start_image", "controls.0.video", "actions"])
def test_other_work_is_no_choice(field: str):
    assert not is_compared(field)
    assert is_compared("controls.0.weight")


def test_values_are_shown_as_people_write_them():
    shown = [shown_value(value) for value in ('"nano"', "4", "4.5", "true", "false", "null", '""', None, "[0.1,1]")]

    assert shown == ["nano", "4", "4.5", "on", "off", "none", "none", "none", "[0.1, 1]"]


@pytest.mark.parametrize(
    ("words", "domain"),
    [
        ("A robot arm grasps a cup", "robot"),
        ("A car waits at an intersection", "driving"),
        ("A forklift in a warehouse", "industry"),
        ("Water pours into a glass", "physics"),
        ("Hills at dusk", "general"),
        ("", "general"),
    ],
)
def test_a_prompt_has_a_domain(words: str, domain: str):
    assert domain_of(words) == domain


def test_tags_and_embodiments_decide_before_words():
    assert domain_of("A robot arm", tags=["driving"]) == "driving"
    assert domain_of("hills", embodiment="av") == "driving"
