from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import NotAllowed
from studio.requests import KINDS, AspectRatio, GenerateImage, GenerateVideo, Resolution, RunPolicy, TransferVideo
from studio.requests.embodiments import EmbodimentName
from studio.requests.transfer_video import HINT_ORDER
from studio.rules import RULES, Capabilities, choices, legal_sizes, refusals, spans

MEDIA = "u0123456789abcdef"
SOME = st.builds(
    Capabilities,
    checkpoint=st.just("mine"),
    kinds=st.sets(st.sampled_from([*KINDS, "reason"])).map(tuple),
    resolutions=st.sets(st.sampled_from(get_args(Resolution))).map(tuple),
    video_resolutions=st.sets(st.sampled_from(get_args(Resolution))).map(tuple),
    aspect_ratios=st.sets(st.sampled_from(get_args(AspectRatio))).map(tuple),
    sound=st.booleans(),
    hints=st.sets(st.sampled_from(HINT_ORDER)).map(tuple),
    embodiments=st.sets(st.sampled_from(get_args(EmbodimentName))).map(tuple),
)
ONLY_A_PERSON_SAYS = {
    "transfer_video": {"controls": ({"hint": "depth", "video": MEDIA},)},
    "predict_video": {"start_image": MEDIA, "embodiment": "pusht", "actions": ((0.0, 0.0),) * 4},
    "predict_actions": {"source_video": MEDIA, "embodiment": "umi"},
    "run_policy": {"start_image": MEDIA, "embodiment": "droid_joint_position", "state": (0.0,) * 8},
}


@pytest.mark.parametrize("kind", KINDS)
@given(
    can=SOME,
    resolution=st.sampled_from(get_args(Resolution)),
    shape=st.sampled_from(get_args(AspectRatio)),
    sound=st.booleans(),
)
def test_a_form_offers_exactly_what_the_server_takes(kind, can, resolution, shape, sound):
    if kind.startswith(("predict", "run")) and resolution == "768":
        resolution = "704"  # frames with actions have tiers of their own
    ruled = {"resolution": resolution, "aspect_ratio": shape, "sound": sound}
    fields = {
        name: value for name, value in ruled.items() if name in {rule.field for rule in RULES if rule.rules(kind)}
    }
    request = KINDS[kind].model(prompt="x", **fields, **ONLY_A_PERSON_SAYS.get(kind, {}))
    refused = {refusal.field: refusal.reason for refusal in refusals(request, can)}
    drawn = choices(kind, can)
    assert set(drawn) == {rule.field for rule in RULES if rule.rules(kind)}
    for field, options in drawn.items():
        if field == "controls.hint":
            assert {option.value: not option.refused for option in options} == {
                hint: hint in can.hints for hint in HINT_ORDER
            }
            assert ("controls.0.hint" in refused) == ("depth" not in can.hints)
            continue
        value = getattr(request, field)
        chosen = next(option for option in options if option.value == value)
        assert chosen.refused == refused.get(field, "")


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"resolution": "720", "num_frames": 301}, "num_frames", "It supports 5 to 297."),
        ({"resolution": "256", "num_frames": 397}, "", ""),
        ({"resolution": "768"}, "resolution", "It supports 256, 480, 720."),
        ({"sound": True}, "sound", "It supports False."),
        ({"fps": 10}, "fps", "It supports 12 to 30."),
    ],
)
def test_a_clip_beyond_a_limit_is_told_the_limit(fields, field, said):
    can = Capabilities(checkpoint="mine", sound=False, fps=(12, 30))
    refused = refusals(GenerateVideo(prompt="x", **fields), can)
    assert [(refusal.field, refusal.hint) for refusal in refused] == ([(field, said)] if field else [])


@given(can=SOME)
def test_every_offered_size_runs_and_no_other(can):
    drawn = choices("generate_image", can)
    tiers = [option.value for option in drawn["resolution"] if not option.refused]
    shapes = [option.value for option in drawn["aspect_ratio"] if not option.refused]
    assert len(legal_sizes(can)) == len(tiers) * len(shapes)


def test_a_refusal_says_who_refuses_and_what_there_is():
    can = Capabilities(checkpoint="mine", resolutions=("256", "480"))
    (refusal,) = refusals(GenerateImage(prompt="x", resolution="720"), can)
    error = refusal.error()
    assert isinstance(error, NotAllowed)
    assert error.param == "resolution"
    assert str(error) == "mine does not support images at 720p. It supports 256, 480."


def test_a_checkpoint_without_limits_refuses_nothing():
    assert refusals(GenerateImage(prompt="x", resolution="768"), Capabilities(checkpoint="any")) == []


def test_a_distilled_checkpoint_takes_its_own_steps_and_no_guidance():
    can = Capabilities(checkpoint="quick", distilled_steps=4)
    refused = refusals(GenerateImage(prompt="x"), can)
    assert [(refusal.field, refusal.hint) for refusal in refused] == [
        ("sampling.num_inference_steps", "It supports 4."),
        ("sampling.guidance_scale", "It supports 1."),
    ]
    assert refusals(GenerateImage(prompt="x", sampling={"num_inference_steps": 4, "guidance_scale": 1}), can) == []


def test_a_step_cache_is_refused_where_each_of_few_steps_is_computed():
    cached = {"num_inference_steps": 4, "guidance_scale": 1, "step_cache": 0.1}
    (refusal,) = refusals(
        GenerateImage(prompt="x", sampling=cached), Capabilities(checkpoint="quick", distilled_steps=4)
    )
    assert str(refusal.error()) == (
        "quick is distilled to a few steps and does not support a step cache of 0.1. It supports 0."
    )
    can = Capabilities(checkpoint="arm")
    asked = {"prompt": "x", "start_image": MEDIA, "embodiment": "umi"}
    (refusal,) = refusals(RunPolicy(sampling=cached, **asked), can)
    assert (refusal.field, refusal.reason) == (
        "sampling.step_cache",
        "a policy runs few steps and does not support a step cache of 0.1",
    )
    assert refusals(RunPolicy(sampling=cached | {"step_cache": None}, **asked), can) == []
    assert refusals(GenerateImage(prompt="x", sampling=cached), can) == []


def test_a_control_that_the_checkpoint_was_not_trained_on_is_named_with_those_that_it_takes():
    can = Capabilities(checkpoint="small", hints=("edge", "blur", "depth", "seg"))
    controls = [{"hint": hint, "video": MEDIA} for hint in ("depth", "wsm")]
    (refusal,) = refusals(TransferVideo(prompt="x", controls=controls), can)
    error = refusal.error()
    assert isinstance(error, NotAllowed)
    assert error.param == "controls.1.hint"
    assert str(error) == "small does not support wsm controls. It supports edge, blur, depth, seg."
    assert refusals(TransferVideo(prompt="x", controls=controls), Capabilities(checkpoint="nano")) == []


def test_a_chunk_is_bounded_as_a_clip_is():
    control = {"hint": "depth", "video": MEDIA}
    can = Capabilities(checkpoint="small", num_frames=(5, 149), fps=(12, 30))
    (refusal,) = refusals(TransferVideo(prompt="x", controls=[control], num_chunk_frames=153), can)
    assert (refusal.field, refusal.hint) == ("num_chunk_frames", "It supports 5 to 149.")


def test_a_horizon_is_bounded_by_what_the_checkpoint_acts_for():
    can = Capabilities(checkpoint="arm", num_actions=(16, 32), embodiments=("umi",))
    asked = {"prompt": "x", "start_image": MEDIA}
    (refusal,) = refusals(RunPolicy(embodiment="umi", num_actions=36, **asked), can)
    assert (refusal.field, refusal.hint) == ("num_actions", "It supports 16 to 32.")
    (refusal,) = refusals(RunPolicy(embodiment="pusht", **asked), can)
    assert str(refusal.error()) == "arm does not support the embodiment pusht. It supports umi."


def test_a_limit_names_numbers_that_are_legal():
    can = Capabilities(checkpoint="edge", num_frames=(50, 150))
    (refusal,) = refusals(GenerateVideo(prompt="x", num_frames=153), can)
    assert refusal.hint == "It supports 53 to 149."


def test_actions_have_their_own_tiers_and_a_width_at_most():
    can = Capabilities(checkpoint="edge", action_resolutions=("256", "480"), max_action_width=64)
    asked = {"prompt": "x", "start_image": MEDIA, "embodiment": "libero"}
    (refusal,) = refusals(RunPolicy(action_width=7, resolution="720", **asked), can)
    assert (refusal.field, refusal.hint) == ("resolution", "It supports 256, 480.")
    (refusal,) = refusals(RunPolicy(action_width=65, **asked), can)
    assert (refusal.field, refusal.hint) == ("action_width", "It supports 1 to 64.")


def test_a_forms_bounds_are_those_that_requests_are_held_to():
    found = spans("generate_video", Capabilities(checkpoint="mine"))
    assert (found["num_frames"]["480"].high, found["num_frames"]["720"].high) == (397, 297)
    assert "768" not in found["num_frames"], "no clip is made there, whatever its length"
    assert found["fps"] == {"": found["fps"][""]}
    assert found["num_frames"]["720"].reason == "mine supports 5 to 297"
    most = GenerateVideo(prompt="x", resolution="720", num_frames=297)
    assert refusals(most, Capabilities(checkpoint="mine")) == []
    assert refusals(most.model_copy(update={"num_frames": 301}), Capabilities(checkpoint="mine"))


def test_a_distilled_checkpoints_only_number_is_told_and_no_infinite_one_is():
    assert "sampling.num_inference_steps" not in spans("generate_image", Capabilities(checkpoint="mine"))
    distilled = spans("generate_image", Capabilities(checkpoint="mine", distilled_steps=4))
    assert distilled["sampling.num_inference_steps"][""].reason == "mine supports 4"
