from __future__ import annotations

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from studio.errors import BadInput, UnknownKind
from studio.requests import MAX_SEED, MAX_TEXT_BYTES, GenerateImage, Sampling, explain, parse_request, shown
from studio.requests.generate_video import GenerateVideo

WHOLE_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text.strip())
SAMPLINGS = st.fixed_dictionaries(
    {},
    optional={
        "num_inference_steps": st.integers(1, 200),
        "guidance_scale": st.floats(0, 20),
        "seed": st.integers(0, MAX_SEED - 9),
        "flow_shift": st.floats(0.1, 20),
        "schedule": st.sampled_from(["native", "checkpoint"]),
    },
)


def _parse(**fields: object) -> GenerateImage:
    return parse_request({"kind": "generate_image", "prompt": "a cube", **fields})


@given(prompt=WHOLE_TEXT, sampling=SAMPLINGS, count=st.integers(1, 10))
def test_every_legal_request_comes_back_from_json(prompt, sampling, count):
    request = _parse(prompt=prompt, sampling=sampling, count=count)
    assert GenerateImage.model_validate_json(request.model_dump_json()) == request
    assert parse_request(request.model_dump(mode="json")) == request


@given(
    payload=st.dictionaries(st.sampled_from([*GenerateImage.model_fields, "x"]), st.none() | st.integers() | st.text())
)
def test_whatever_comes_is_a_request_or_bad_input(payload):
    with suppress(BadInput):
        assert parse_request({"kind": "generate_image", **payload}).model_dump_json()


def test_a_request_never_changes():
    request = _parse()
    with pytest.raises(ValidationError, match="frozen"):
        request.prompt = "another"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="frozen"):
        request.sampling.seed = 3  # type: ignore[misc]


def test_a_seed_is_drawn_once_and_is_short():
    seeds = {_parse().sampling.seed for _ in range(20)}
    assert len(seeds) > 1
    assert all(0 <= seed < 2**32 for seed in seeds)


@pytest.mark.parametrize(
    ("field", "low", "high"),
    [
        ("num_inference_steps", 1, 200),
        ("guidance_scale", 0, 20),
        ("seed", 0, MAX_SEED),
        ("flow_shift", 0.1, 20),
    ],
)
def test_bounds_are_included_and_what_lies_outside_is_told_both(field, low, high):
    for value in (low, high):
        assert getattr(_parse(sampling={field: value}).sampling, field) == value
    for value in (low - 1, high + 1):
        with pytest.raises(
            BadInput, match=rf"sampling\.{field} is -?[\d.]+; (expected at least|the maximum is)"
        ) as caught:
            _parse(sampling={field: value})
        assert caught.value.param == f"sampling.{field}"
        assert caught.value.hint == f"Use a number from {low} to {high}."


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["guidance_scale", "flow_shift"])
def test_a_number_that_is_none_is_refused(field, value):
    with pytest.raises(BadInput, match=f"sampling.{field} is (nan|inf|-inf); expected a finite number"):
        _parse(sampling={field: value})


@pytest.mark.parametrize("prompt", ["", " ", "\n\t\u3000"])
def test_a_prompt_without_a_word_is_refused(prompt):
    with pytest.raises(BadInput, match="prompt: the prompt is empty; write at least one word") as caught:
        _parse(prompt=prompt)
    assert caught.value.param == "prompt"


@pytest.mark.parametrize("field", ["prompt", "negative_prompt"])
def test_text_is_measured_in_bytes(field):
    assert getattr(_parse(**{field: "x" * MAX_TEXT_BYTES}), field)
    with pytest.raises(BadInput, match=rf"{field}: the text has 65,538 bytes; at most 65,536") as caught:
        _parse(**{field: "é" * (MAX_TEXT_BYTES // 2 + 1)})
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("field", ["prompt", "negative_prompt", "checkpoint"])
def test_half_a_surrogate_pair_is_no_text(field):
    with pytest.raises(BadInput, match="an unpaired surrogate at character 1"):
        _parse(**{field: "a\ud800"})


@pytest.mark.parametrize("prompt", ["a\0b", "\x1b[31mred", "日本語", "🤖" * 50, "a\u202eb", "e\u0301"])
def test_any_whole_text_is_a_prompt(prompt):
    request = _parse(prompt=prompt)
    assert GenerateImage.model_validate_json(request.model_dump_json()).prompt == prompt


@pytest.mark.parametrize(
    ("fields", "param", "hint"),
    [
        ({"promt": "x"}, "promt", "Did you mean prompt?"),
        ({"sampling": {"num_inference_step": 4}}, "sampling.num_inference_step", "Did you mean num_inference_steps?"),
        ({"sampling": {"zzz": 4}}, "sampling.zzz", "Known values: flow_shift, "),
    ],
)
def test_an_unknown_field_names_the_nearest(fields, param, hint):
    with pytest.raises(BadInput, match="is not a known field") as caught:
        _parse(**fields)
    assert caught.value.param == param
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize("interval", [(900, 100), (-1, 5), (0, 1002)])
def test_a_guidance_interval_must_rise_within_the_timesteps(interval):
    with pytest.raises(BadInput, match=r"expected .low, high. with 0 <= low <= high <= 1001"):
        _parse(sampling={"guidance_interval": interval})
    assert _parse(sampling={"guidance_interval": [0, 1001]}).sampling.guidance_interval == (0, 1001)


@pytest.mark.parametrize("threshold", [-0.01, 1.01, "often", float("nan")])
def test_a_step_cache_is_a_part_of_the_velocity_or_none(threshold):
    with pytest.raises(BadInput, match="step_cache"):
        _parse(sampling={"step_cache": threshold})
    assert _parse().sampling.step_cache is None
    assert [_parse(sampling={"step_cache": part}).sampling.step_cache for part in (None, 0, 0.05, 1)] == [
        None,
        0,
        0.05,
        1,
    ]


@pytest.mark.parametrize("kind", [None, 3, "", "generate_imge", ["generate_image"], "\ud800"])
def test_an_unknown_kind_names_the_nearest(kind):
    with pytest.raises(UnknownKind, match="expected one of generate_image") as caught:
        parse_request({"kind": kind, "prompt": "x"})
    assert caught.value.param == "kind"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"aspect_ratio": "2:1"}, "aspect_ratio is '2:1'.*'16:9', '4:3', '1:1', '3:4' or '9:16'"),
        ({"resolution": 256}, "resolution is 256"),
        ({"count": 0}, "count is 0; expected at least 1"),
        ({"count": 11}, "count is 11; the maximum is 10"),
        ({"count": None}, "count is None"),
        ({"sampling": None}, "sampling is None"),
        ({"sampling": {"seed": 1.5}}, "seed is 1.5"),
        ({"sampling": {"seed": 10**400}}, r"seed is 10+….*from 0 to 9007199254740991"),
        ({"prompt": "x" * 70_000, "count": "many"}, "70,000 bytes"),
        ({"prompt": ["x" * 500]}, "prompt is .'xxx"),
        ({"checkpoint": ""}, "checkpoint is ''"),
        ({"\ud800": 1}, "."),
    ],
)
def test_a_refusal_says_what_came_and_what_was_expected(fields, says):
    with pytest.raises(BadInput, match=says) as caught:
        _parse(**fields)
    assert len(str(caught.value)) < 300


def test_a_name_of_megabytes_is_cut():
    for fields in ({"x" * 3_000_000: 1}, {"sampling": {"y" * 3_000_000: 1}}):
        with pytest.raises(BadInput, match="is not a known field") as caught:
            _parse(**fields)
        assert len(str(caught.value)) < 600
        assert caught.value.param is not None
        assert len(caught.value.param) <= 80


def test_a_value_that_is_nested_too_deeply_can_still_be_spoken_of():
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert shown(value) == "a value that is nested too deeply"


@pytest.mark.parametrize("name", ["\ud800", "prompt\udfff"])
def test_an_error_can_always_be_sent(name):
    with pytest.raises(BadInput) as caught:
        _parse(**{name: 1})
    assert f"{caught.value} {caught.value.param}".encode()


@pytest.mark.parametrize("model", [GenerateImage, GenerateVideo])
def test_every_result_has_a_seed_of_its_own_that_exists(model):
    def made(seed: int, count: int):
        return model.model_validate({"prompt": "x", "count": count, "sampling": {"seed": seed}})

    assert made(MAX_SEED - 2, 3).count == 3
    assert made(MAX_SEED, 1).count == 1
    with pytest.raises(ValidationError) as caught:
        made(MAX_SEED - 1, 3)
    error = explain(caught.value, model)
    assert error.param == "count"
    assert f"3 results from seed {MAX_SEED - 1} need seeds above {MAX_SEED}" in error.message


def test_a_missing_prompt_is_named():
    with pytest.raises(BadInput, match="prompt is missing") as caught:
        parse_request({"kind": "generate_image"})
    assert caught.value.param == "prompt"


@pytest.mark.parametrize("model", [GenerateImage, Sampling])
def test_every_field_has_a_title_and_a_description(model):
    for name, field in model.model_fields.items():
        if name not in ("kind", "sampling"):
            assert field.title, name
            assert field.description, name
