"""The table of kinds: what is read off a request's fields, and what of it holds for one request."""

import pytest
from pydantic import TypeAdapter

from studio.requests import KINDS, Request, made_by, media_of, parse_request, suffixes_of

A, B, C = (f"u{digit * 16}" for digit in "abc")
ROWS = [[0.0, 0.0]] * 4
POLICY = {"kind": "run_policy", "prompt": "x", "embodiment": "pusht", "start_image": A}


def test_a_kind_takes_what_the_marks_on_its_fields_say():
    taken = {
        name: {path: (each.type, each.required) for path, each in kind.takes.items()} for name, kind in KINDS.items()
    }
    assert taken == {
        "generate_image": {},
        "generate_video": {"start_image": ("image", False), "source_video": ("video", False)},
        "transfer_video": {"controls.video": ("video", True), "source_video": ("video", False)},
        "predict_video": {"start_image": ("image", True), "actions": ("actions", True)},
        "predict_actions": {"source_video": ("video", True)},
        "run_policy": {"start_image": ("image", True)},
    }


def test_every_row_names_its_class_once_and_has_an_example():
    for name, kind in KINDS.items():
        (example,) = kind.model.model_json_schema()["examples"]
        assert isinstance(parse_request({"kind": name, **example}), kind.model)


@pytest.mark.parametrize(
    ("said", "made", "suffixes"),
    [
        ({"kind": "generate_image", "prompt": "x"}, {"image"}, (".png",)),
        ({"kind": "generate_video", "prompt": "x", "sound": True}, {"video", "sound"}, (".mp4",)),
        (
            {"kind": "generate_video", "prompt": "x", "save_latents": True},
            {"video", "latents"},
            (".mp4", ".safetensors"),
        ),
        (POLICY, {"actions", "video"}, (".json", ".npy", ".mp4")),
        ({**POLICY, "decode_video": False}, {"actions"}, (".json", ".npy")),
    ],
)
def test_a_request_makes_what_it_asks_for(said, made, suffixes):
    request = parse_request(said)
    assert set(made_by(request)) == made
    assert suffixes_of(request) == suffixes


def test_the_media_of_a_request_are_named_by_the_fields_that_they_are_in():
    controls = [{"hint": "edge"}, {"hint": "depth", "video": B}, {"hint": "seg", "video": C}]
    transfer = parse_request({"kind": "transfer_video", "prompt": "x", "controls": controls, "source_video": A})
    assert list(media_of(transfer)) == [
        ("controls.1.video", "video", B),
        ("controls.2.video", "video", C),
        ("source_video", "video", A),
    ]
    acted = {"kind": "predict_video", "prompt": "x", "embodiment": "pusht", "start_image": A, "actions": ROWS}
    assert list(media_of(parse_request(acted))) == [("start_image", "image", A)]


def test_a_step_of_more_passes_or_more_frames_computes_more():
    plain = parse_request({"kind": "generate_video", "prompt": "x", "num_frames": 17})
    assert (plain.step_frames, plain.sampling.num_passes) == (5, 2)
    edges = [{"hint": "edge", "video": A}]
    transfer = parse_request({"kind": "transfer_video", "prompt": "x", "controls": edges, "num_frames": 17})
    assert (transfer.step_frames, transfer.sampling.num_passes) == (10, 3)
    assert (parse_request(POLICY).step_frames, parse_request(POLICY).sampling.num_passes) == (5, 1)


def test_a_kind_of_the_union_is_a_row_of_the_table():
    schema = TypeAdapter(Request).json_schema()
    assert schema["discriminator"]["mapping"].keys() == KINDS.keys()
