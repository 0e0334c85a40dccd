"""Every making page: its parts hold fields of its request, and what they hold comes out as a request."""

import pytest

from frontend.app import PANELS
from frontend.draft import defaults_of, taken
from frontend.fields import fields_of, flatten, nest
from frontend.panel import KEPT, Panel, gathered, spread
from frontend.panels import IMAGE_PANEL, TRANSFER_PANEL, VIDEO_PANEL
from frontend.places import FORMS
from frontend.starters import SAMPLE, STARTERS
from studio.requests import parse_request

EVERY = (IMAGE_PANEL, *PANELS)


def test_every_place_with_a_form_has_a_panel():
    assert {panel.place for panel in EVERY} == set(FORMS)


@pytest.mark.parametrize("panel", EVERY, ids=lambda panel: panel.place.name)
def test_a_panel_speaks_of_fields_that_its_request_has(panel: Panel):
    fields = set(panel.model.model_fields)
    assert {path.partition(".")[0] for path in panel.held} <= fields
    assert {*panel.early, *panel.rare, *panel.first} <= fields
    drawn = {spec.path for spec in fields_of(panel.model)} - panel.held
    assert {part.below for part in panel.parts} <= drawn


def test_what_parts_hold_takes_their_place_and_what_is_empty_is_left_out():
    values = {"prompt": "x", "@start": {"start_image": "u0", "source_video": None}}
    assert spread(values) == {"prompt": "x", "start_image": "u0"}


def test_a_part_that_nothing_is_said_of_is_left():
    assert gathered(VIDEO_PANEL, {"prompt": "x"}) == {"prompt": "x"}
    assert gathered(VIDEO_PANEL, {"start_image": "u0"}) == {"@start": {"start_image": "u0"}}


def test_a_whole_request_survives_the_form():
    request = parse_request(
        {
            "kind": "transfer_video",
            "prompt": "x",
            "source_video": "u0123456789abcdef",
            "controls": [{"hint": "edge", "strength": "low"}, {"hint": "blur", "weight": 0.5}],
        }
    )
    said = request.model_dump(mode="json")
    again = nest(spread(gathered(TRANSFER_PANEL, flatten(said))))
    assert parse_request(again) == request


HIDDEN = {
    "checkpoint": "speck",
    "adapter": {"name": "clay.safetensors", "scale": 0.5},
    "sampling": {"seed": 3, "guidance_interval": [0.1, 0.9]},
}
GIVEN = {
    "generate_image": {"use_duration_template": False, "written_from": "words"},
    "generate_video": {"source_video": "u0123456789abcdef", "condition_frames": [1, 2], "condition_end": "last"},
    "transfer_video": {"source_video": "u0123456789abcdef", "controls": [{"hint": "edge"}], "num_source_frames": 5},
    "predict_video": {
        "start_image": "u0123456789abcdef",
        "embodiment": "pusht",
        "actions": [[0.5, 0.5]] * 4,
    },
    "predict_actions": {"source_video": "u0123456789abcdef", "embodiment": "pusht"},
    "run_policy": {"start_image": "u0123456789abcdef", "embodiment": "pusht"},
}


@pytest.mark.parametrize("panel", EVERY, ids=lambda panel: panel.place.name)
def test_a_recipe_restored_is_the_same_request_whatever_no_form_draws(panel: Panel):
    request = parse_request({"kind": panel.place.kind, "prompt": "x", **HIDDEN, **GIVEN[panel.place.kind]})
    said = {name: value for name, value in request.model_dump(mode="json").items() if name != "kind"}

    values = gathered(panel, taken(panel, flatten(said, whole=panel.held)))

    shown = {spec.path for spec in fields_of(panel.model)} - panel.held
    assert set(values) <= shown | {part.name for part in panel.every_part}
    assert parse_request({"kind": panel.place.kind, **nest(spread(values))}) == request


@pytest.mark.parametrize("panel", EVERY, ids=lambda panel: panel.place.name)
def test_a_form_begins_with_nothing_kept(panel: Panel):
    assert KEPT not in gathered(panel, defaults_of(panel, None))


@pytest.mark.parametrize("page", STARTERS)
def test_an_example_with_a_sample_is_a_request_once_it_is_uploaded(page: str):
    panel = next(panel for panel in EVERY if panel.place.name == page)
    for starter in STARTERS[page]:
        values = dict(starter["values"])
        sample = values.pop(SAMPLE, None)
        uploaded = {sample: "u0123456789abcdef"} if sample else {}
        assert parse_request({"kind": panel.place.kind, **values, **uploaded}).prompt
