from __future__ import annotations

import math

import pytest

from studio.errors import BadInput
from studio.requests import KINDS, parse_request
from studio.requests.embodiments import EMBODIMENTS, action_width

MEDIA = "u0123456789abcdef"
ROWS = [[0.0, 0.5]] * 8


def ask(kind, **fields):
    starts = {"source_video": MEDIA} if kind == "predict_actions" else {"start_image": MEDIA}
    return parse_request({"kind": kind, "prompt": "push", "embodiment": "pusht", **starts, **fields})


def test_rows_of_actions_make_as_many_transitions():
    assert ask("predict_video", actions=ROWS).num_actions == 8
    assert ask("predict_actions").num_actions == ask("run_policy").num_actions == 16


@pytest.mark.parametrize("name", [name for name, body in EMBODIMENTS.items() if body.width])
def test_every_embodiment_with_a_width_of_its_own_takes_rows_of_it(name):
    width = action_width(name, None)
    assert ask("predict_video", embodiment=name, actions=[[0.1] * width] * 4).num_actions == 4


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("predict_video", {"actions": ROWS[:6]}, "6 actions are not a multiple of four; use 4 or 8"),
        ("predict_video", {"actions": [[0.0, 0.5, 1.0]] * 4}, "action 0 has 3 values; expected 2"),
        ("predict_video", {"actions": [[0.0, math.nan]] * 4}, "finite"),
        ("predict_video", {"actions": []}, "actions"),
        ("run_policy", {"embodiment": "pushtt"}, "embodiment"),
        (
            "run_policy",
            {"embodiment": "libero"},
            "the action width of libero depends on its data set; send action_width",
        ),
        ("run_policy", {"action_width": 3}, "action_width is 3; an action of pusht has 2 values"),
        ("run_policy", {"num_actions": 15}, "15 actions are not a multiple of four; use 12 or 16"),
        ("run_policy", {"state": [0.0]}, "state has 1 values; pusht expects none"),
        ("run_policy", {"state": []}, "state has 0 values; pusht expects none"),
        (
            "run_policy",
            {"embodiment": "droid_joint_position", "state": [1e300] * 8},
            "state.0 is 1e+300; the maximum is 1e+06",
        ),
        ("predict_video", {"actions": [[0.0, 1e39]] * 4}, "actions.0.1 is 1e+39; the maximum is 1e+06"),
        ("run_policy", {"embodiment": "droid_joint_position"}, "state has none; droid_joint_position expects 8 values"),
        ("predict_actions", {"fps": 0}, "fps is 0"),
        ("predict_actions", {"num_actions": 400}, "the maximum is 396"),
        ("predict_actions", {"decode_video": True}, "decode_video is not a field of predict_actions"),
        ("predict_actions", {"adapter": {"name": "../up"}}, "adapter.name"),
        ("predict_actions", {"adapter": {"name": "mine", "scale": 9}}, "adapter.scale is 9; the maximum is 4"),
    ],
)
def test_actions_that_cannot_be_are_refused_by_name(kind, fields, said):
    with pytest.raises(BadInput) as refused:
        ask(kind, **({"actions": ROWS} if kind == "predict_video" else {}) | fields)
    assert said in str(refused.value)


def test_a_request_survives_its_own_json():
    for kind in ("predict_video", "predict_actions", "run_policy"):
        request = ask(kind, **({"actions": ROWS} if kind == "predict_video" else {}))
        assert KINDS[kind].model.model_validate_json(request.model_dump_json()) == request


def test_names_of_values_are_as_many_as_the_values():
    named = {name: body for name, body in EMBODIMENTS.items() if body.columns}
    assert {name: len(body.columns) for name, body in named.items()} == {
        name: body.width for name, body in named.items()
    }
    assert EMBODIMENTS["droid_joint_position"].columns[6:] == ("joint_7", "gripper")
