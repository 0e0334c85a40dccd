"""What a form starts with."""

import pytest

from frontend.draft import defaults_of, is_locked, usable, with_preset
from frontend.panel import Panel
from frontend.panels import IMAGE_PANEL, POLICY_PANEL, SOUND_PANEL, TRANSFER_PANEL, VIDEO_PANEL, WORLD_PANEL
from studio.catalogue import CheckpointInfo
from studio.rules import Capabilities

KIND = "generate_image"


def checkpoint() -> CheckpointInfo:
    return CheckpointInfo(
        id="speck",
        title="speck",
        summary="",
        installed=True,
        state="loading",
        capabilities=Capabilities(checkpoint="speck"),
        defaults={KIND: {"resolution": "480", "sampling": {"num_inference_steps": 20}}},
    )


def test_the_checkpoints_defaults_lie_over_the_requests_own():
    start = defaults_of(IMAGE_PANEL, checkpoint())
    assert (start["resolution"], start["sampling.num_inference_steps"], start["sampling.flow_shift"]) == (
        "480",
        20,
        3.0,
    )
    assert "prompt" not in start


def test_without_a_checkpoint_the_requests_own_defaults_stand():
    assert defaults_of(IMAGE_PANEL, None)["sampling.num_inference_steps"] == 50


def test_a_draft_of_the_same_checkpoint_comes_back_whole():
    draft = {"checkpoint": "speck", "values": {"prompt": "half a", "sampling.num_inference_steps": 7}, "lock": True}
    assert usable(draft, IMAGE_PANEL, checkpoint()) == draft["values"]
    assert is_locked(draft)


def test_what_a_person_changed_outlives_a_change_of_checkpoint():
    best = {"resolution": "720", "sampling": {"guidance_scale": 7.0}}
    other = checkpoint().model_copy(update={"id": "other", "defaults": {KIND: best}})
    begun = {"sampling.num_inference_steps": 50, "sampling.guidance_scale": 7.0, "resolution": "720"}
    draft = {"checkpoint": "other", "values": {**begun, "prompt": "half a", "sampling.num_inference_steps": 7}}
    expected = {"prompt": "half a", "sampling.num_inference_steps": 7}
    assert usable(draft, IMAGE_PANEL, checkpoint(), [checkpoint(), other]) == expected


def test_a_locked_seed_outlives_a_change_of_checkpoint_and_an_unlocked_one_does_not():
    draft = {"checkpoint": "other", "values": {"sampling.seed": 11}, "lock": True}
    assert usable(draft, IMAGE_PANEL, checkpoint()) == {"sampling.seed": 11}
    assert usable({**draft, "lock": False}, IMAGE_PANEL, checkpoint()) == {}


def test_what_the_new_checkpoint_does_not_do_is_let_go():
    able = Capabilities(checkpoint="small", resolutions=("256",))
    served = checkpoint().model_copy(update={"capabilities": able})
    draft = {"checkpoint": "other", "values": {"resolution": "720", "aspect_ratio": "1:1"}}
    assert "resolution" not in usable(draft, IMAGE_PANEL, served)


def test_values_that_the_request_no_longer_takes_are_dropped():
    draft = {"checkpoint": "speck", "values": {"prompt": "", "count": 99, "gone": 1, "resolution": "256"}}
    assert usable(draft, IMAGE_PANEL, checkpoint()) == {"resolution": "256"}


@pytest.mark.parametrize("draft", [None, "nonsense", [], {}, {"values": 3}, {"values": {"sampling.seed": {"a": 1}}}])
def test_a_draft_that_is_none_leaves_the_defaults(draft: object):
    assert usable(draft, IMAGE_PANEL, checkpoint()) == {}
    assert not is_locked(draft)


@pytest.mark.parametrize(
    "panel", [VIDEO_PANEL, TRANSFER_PANEL, WORLD_PANEL, POLICY_PANEL], ids=lambda it: it.place.name
)
def test_what_only_a_person_can_say_has_no_default(panel: Panel):
    start = defaults_of(panel, None)
    required = {name for name, info in panel.model.model_fields.items() if info.is_required()}
    assert not (required - set(panel.first)) & set(start)
    assert "sampling.num_inference_steps" in start


def test_a_page_starts_with_what_it_is_for():
    assert defaults_of(SOUND_PANEL, None)["sound"] is True
    assert defaults_of(VIDEO_PANEL, None)["sound"] is False


def test_a_half_finished_form_comes_back_as_far_as_it_goes():
    draft = {
        "checkpoint": "speck",
        "values": {"prompt": "x", "@controls": {"source_video": "u0123456789abcdef", "controls": [], "gone": 1}},
    }
    assert usable(draft, TRANSFER_PANEL, checkpoint()) == {"prompt": "x", "source_video": "u0123456789abcdef"}


def test_a_field_that_is_wrong_somewhere_inside_is_dropped_whole():
    draft = {"values": {"@controls": {"controls": [{"hint": "smell"}]}}}
    assert usable(draft, TRANSFER_PANEL, None) == {}


def test_what_a_preset_does_not_say_is_the_checkpoints_own():
    values = with_preset({"aspect_ratio": "16:9", "sampling.flow_shift": 5.0}, IMAGE_PANEL, checkpoint())
    assert (values["aspect_ratio"], values["sampling.flow_shift"]) == ("16:9", 5.0)
    assert (values["resolution"], values["sampling.num_inference_steps"], values["count"]) == ("480", 20, 1)


def test_what_a_preset_says_wins_over_what_the_page_starts_with():
    assert with_preset({"resolution": "720"}, SOUND_PANEL, checkpoint())["sound"] is True
    assert with_preset({"sound": False}, SOUND_PANEL, checkpoint())["sound"] is False


def test_a_preset_leaves_words_the_seed_and_whole_parts_that_it_says_nothing_of():
    values = with_preset({"resolution": "256"}, TRANSFER_PANEL, None)
    assert not {"prompt", "negative_prompt", "sampling.seed", "source_video", "num_source_frames"} & values.keys()
    clip = {"source_video": "u0123456789abcdef"}
    assert with_preset(clip, TRANSFER_PANEL, None).items() >= {**clip, "num_source_frames": 0}.items()
    assert with_preset({"sampling.seed": 7}, TRANSFER_PANEL, None)["sampling.seed"] == 7


def test_of_a_preset_that_the_request_no_longer_takes_the_page_starts_with_its_own():
    assert with_preset({"resolution": "4000", "gone": 1}, IMAGE_PANEL, checkpoint())["resolution"] == "480"
