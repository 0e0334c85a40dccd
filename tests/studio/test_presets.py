from __future__ import annotations

from pathlib import Path

import pytest

from studio.errors import BadInput
from studio.presets import complete, load_presets
from studio.requests import parse_request
from studio.rules import Capabilities, refusals

SHIPPED = load_presets()


MEDIA = "u0123456789abcdef"
STATIC = Path(__file__).parents[2] / "frontend" / "static"
ONLY_A_PERSON_SAYS = {
    "generate_image": {},
    "generate_video": {},
    "transfer_video": {"controls": [{"hint": "depth", "video": MEDIA}]},
    "predict_video": {"start_image": MEDIA, "embodiment": "droid_joint_position", "actions": [[0.0] * 8] * 16},
    "predict_actions": {"source_video": MEDIA, "embodiment": "droid_joint_position"},
    "run_policy": {"start_image": MEDIA, "embodiment": "droid_joint_position", "state": [0.0] * 8},
}
SERVED = [
    (name, kind)
    for name, preset in SHIPPED.items()
    for kind in preset.capabilities.kinds or Capabilities(checkpoint=name).kinds
    if kind in ONLY_A_PERSON_SAYS
]


@pytest.mark.parametrize(("name", "kind"), SERVED)
def test_a_shipped_preset_completes_a_bare_request_to_one_that_runs(name, kind):
    preset = SHIPPED[name]
    assert kind in preset.defaults
    overlay = preset.capabilities.model_dump(exclude_none=True)
    payload = complete(preset, {"kind": kind, "prompt": "a cube", **ONLY_A_PERSON_SAYS[kind]})
    assert refusals(parse_request(payload), Capabilities.model_validate({"checkpoint": name, **overlay})) == []


RELEASED = {
    "nvidia/Cosmos3-Nano",
    "nvidia/Cosmos3-Super",
    "nvidia/Cosmos3-Edge",
    "nvidia/Cosmos3-Super-Text2Image",
    "nvidia/Cosmos3-Super-Image2Video",
    "nvidia/Cosmos3-Super-Text2Image-4Step",
    "nvidia/Cosmos3-Super-Image2Video-4Step",
    "nvidia/Cosmos3-Nano-Policy-DROID",
    "nvidia/Cosmos3-Edge-Policy-DROID",
}


def test_every_released_checkpoint_has_a_preset_named_like_its_repository():
    repositories = {
        preset.repository: preset.id for preset in SHIPPED.values() if preset.repository and not preset.variant_of
    }
    assert repositories == {name: name.removeprefix("nvidia/").lower() for name in RELEASED}


@pytest.mark.parametrize("name", SHIPPED)
def test_the_examples_of_a_shipped_preset_are_requests(name):
    preset = SHIPPED[name]
    can = Capabilities.model_validate({"checkpoint": name, **preset.capabilities.model_dump(exclude_none=True)})
    for kind, examples in preset.examples.items():
        for example in examples:
            values = {**example.values}
            sample, file = values.pop("sample", None), values.pop("sample_name", "sample")
            if sample:
                ends = "png" if sample in ("image", "start_image") else "mp4"
                assert (STATIC / f"{file}.{ends}").is_file()
            if kind == "reason":
                assert values.keys() == {"prompt"}
                continue
            uploaded = {sample: MEDIA} if sample else {}
            request = parse_request(complete(preset, {"kind": kind, **values, **uploaded}))
            assert refusals(request, can) == []


def test_the_pocket_has_an_example_for_every_kind_that_it_serves_and_for_questions():
    examples = SHIPPED["pocket"].examples
    assert examples.keys() == {*Capabilities(checkpoint="pocket").kinds, "reason"}
    assert {bool(example.values.get("sound")) for example in examples["generate_video"]} == {True, False}


def test_the_pocket_says_that_its_world_is_simulated():
    assert [name for name, preset in SHIPPED.items() if preset.simulated] == ["pocket"]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_preset_can_be_found_somewhere(name):
    preset = SHIPPED[name]
    assert [preset.built_here, preset.ships, bool(preset.repository)].count(True) == 1


def test_what_a_person_said_wins_field_by_field():
    said = {"kind": "generate_image", "prompt": "x", "sampling": {"seed": 7}, "resolution": "480"}
    payload = complete(SHIPPED["speck"], said)
    assert payload["sampling"] == {"num_inference_steps": 20, "guidance_scale": 4.0, "flow_shift": 3.0, "seed": 7}
    assert payload["resolution"] == "480"
    assert "sampling" in SHIPPED["speck"].defaults["generate_image"]
    assert SHIPPED["speck"].defaults["generate_image"]["sampling"].get("seed") is None


@pytest.mark.parametrize(
    "payload", [{}, {"kind": None}, {"kind": ["x"]}, {"kind": {}}, {"kind": "generate_image", "sampling": 3}]
)
def test_completing_nonsense_leaves_it_for_the_parser(payload):
    assert payload.items() <= complete(SHIPPED["speck"], payload).items()


def test_a_users_preset_wins_and_others_are_added(tmp_path):
    (tmp_path / "mine.toml").write_text('id = "mine"\ntitle = "Mine"\nsummary = "s"\n')
    (tmp_path / "speck.toml").write_text('id = "speck"\ntitle = "My speck"\nsummary = "s"\nbuilt_here = true\n')
    (tmp_path / "notes.txt").write_text("not a preset")
    found = load_presets(tmp_path)
    assert found["speck"].title == "My speck"
    assert set(found) == {*SHIPPED, "mine"}
    assert load_presets(tmp_path / "missing").keys() == SHIPPED.keys()


def test_a_preset_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "mine.toml").mkdir()
    with pytest.raises(BadInput, match=r"The preset mine\.toml cannot be read: Is a directory"):
        load_presets(tmp_path)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"id = " + b"[" * 100_000, "mine.toml is not TOML"),
        (b"id = ", "mine.toml is not TOML"),
        (b"\xff\xfe", "mine.toml is not TOML"),
        (b'id = "x"', "mine.toml.*title is missing"),
        (
            b'id = "x"\ntitle = "t"\nsummary = "s"\ntitel = "u"',
            "mine.toml.*titel is not a known field.*Did you mean title",
        ),
        (b'id = "x"\ntitle = "t"\nsummary = "s"\n[defaults.paint]', "mine.toml.*'paint', which is not a request kind"),
        (
            b'id = "x"\ntitle = "t"\nsummary = "s"\n[defaults.generate_image.sampling]\nnum_inference_steps = 0',
            "mine.toml, generate_image: sampling.num_inference_steps is 0",
        ),
    ],
)
def test_a_broken_preset_is_named_with_what_is_wrong(tmp_path, raw, says):
    (tmp_path / "mine.toml").write_bytes(raw)
    with pytest.raises(BadInput, match=says):
        load_presets(tmp_path)
