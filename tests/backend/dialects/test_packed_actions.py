"""SGLang's actions in msgpack: what its clients pack is read as its JSON is, and the answer is packed likewise."""

import base64
import io
import json
from datetime import UTC, datetime
from typing import Any

import msgpack
import numpy as np
import pytest
from PIL import Image

from backend.dialects.openai_actions import ActionsCall, to_answer, to_call, to_raw
from backend.dialects.openai_video_answers import to_action
from backend.dialects.packed_actions import MAX_NUMBERS, is_packed, pack_answer, read_packed
from backend.dialects.video_fields import VideoFields
from studio.errors import BadInput, NotAllowed
from studio.jobs import Job, JobState, Progress
from studio.requests import RunPolicy
from studio.wire.arrays import pack_message, unpack_message

PIXELS = np.arange(6 * 8 * 3, dtype=np.uint8).reshape(6, 8, 3)
ROWS = [[0.25, -1.0], [0.5, 3.0]]


def message(**observation: Any) -> dict[str, Any]:
    parameters = {"action_mode": "policy", "domain_name": "pusht", "action_horizon": np.int64(4)}
    return {"input": {"task": "Push it.", "observation": observation}, "parameters": parameters}


def seen(value: object) -> np.ndarray:
    assert isinstance(value, str)
    return np.array(Image.open(io.BytesIO(base64.b64decode(value.removeprefix("data:image/png;base64,")))))


@pytest.mark.parametrize("name", ["image", "input_reference"])
@pytest.mark.parametrize("shown", [PIXELS, PIXELS[None], [PIXELS]], ids=["alone", "a batch of one", "a list of one"])
def test_a_picture_is_an_array_of_bytes(name: str, shown: Any):
    call = to_call(read_packed(pack_message(message(**{name: shown}, state=np.float32([0.5, 1])))), packed=True)

    assert np.array_equal(seen(call.fields.input_reference), PIXELS)
    assert (call.fields.prompt, call.fields.action_chunk_size) == ("Push it.", 4)
    assert call.fields.observation == {"state": [0.5, 1.0]}


def test_a_camera_by_its_name_is_a_picture_too():
    call = to_call(read_packed(pack_message(message(images={"top": PIXELS[:, :, :1]}))), packed=True)

    assert np.array_equal(seen(call.fields.input_reference), PIXELS[:, :, 0])


def test_without_arrays_a_packed_call_is_the_json_one():
    plain = message(image="media:u0123456789abcdef", state=[0.0, 1.0])
    plain["parameters"]["action_horizon"] = 4

    assert read_packed(msgpack.packb(plain)) == json.loads(json.dumps(plain))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not msgpack"),
        (b"\xc1", "not msgpack"),
        (b"{}", "not msgpack"),
        (pack_message(message())[:-3], "not msgpack"),
        (pack_message([1]), "not a msgpack map"),
        (b"\x91" * 5000, "not msgpack"),
        (pack_message({"input": [[[[]]]], b"input": {}}), "not a field name"),
        (pack_message(message(image=b"\xff\xd8\xff")), "image is bytes"),
        (pack_message(message(state=np.array([b"x"]))), "state is bytes"),
        (pack_message(message(image=PIXELS.astype(np.float32))), "float32"),
        (pack_message(message(image=PIXELS[:, :, :2])), "[6, 8, 2]"),
        (pack_message(message(image=PIXELS[:0])), "[0, 8, 3]"),
        (pack_message(message(state=np.zeros(MAX_NUMBERS + 1, np.int8))), "the maximum is"),
        (msgpack.packb({b"__ndarray__": True, b"data": b"", b"dtype": "|O", b"shape": [1]}), "dtype"),
    ],
)
def test_what_means_nothing_is_refused_in_words(body: bytes, said: str):
    with pytest.raises(BadInput) as refused:
        read_packed(body)
    assert said in refused.value.message


def test_deep_nesting_is_refused():
    with pytest.raises(BadInput):
        read_packed(b"\x81\xa1a" * 900 + b"\x80")


def test_several_pictures_are_refused_as_in_json():
    for several in (np.stack([PIXELS] * 2), [PIXELS] * 2):
        with pytest.raises(NotAllowed, match="has 2 images"):
            to_call(read_packed(pack_message(message(image=several))), packed=True)


def test_arrays_are_the_rule_in_msgpack_and_lists_in_json():
    said = message(image="media:u0123456789abcdef")

    assert to_call(said, packed=True).as_arrays
    assert not to_call(said).as_arrays
    assert not to_call({**said, "runtime": {"output_format": "list"}}, packed=True).as_arrays
    with pytest.raises(NotAllowed, match="numpy with msgpack"):
        to_call({**said, "runtime": {"output_format": "numpy"}})


def test_the_answer_holds_float32_arrays_or_lists():
    asked = RunPolicy(prompt="Push it.", embodiment="pusht", start_image="u0123456789abcdef", num_actions=4)
    now = datetime.now(UTC)
    job = Job(
        id="5b3090214d6b",
        kind=asked.kind,
        state=JobState.SUCCEEDED,
        checkpoint="speck",
        request=asked,
        progress=Progress(steps=1),
        created_at=now,
        started_at=now,
        finished_at=now,
    )
    action = to_action(asked, json.dumps({"actions": ROWS}))
    answer = to_answer(ActionsCall("step-1", VideoFields(), raw=False), job, [action])

    whole, raw = (unpack_message(pack_answer(form, as_arrays=True)) for form in (answer, to_raw(answer)))
    values = whole["data"][0]["action"]["values"]

    assert (values.dtype, values.tolist()) == (np.float32, ROWS)
    assert (raw["actions"].dtype, raw["actions"].tolist()) == (np.float32, ROWS)
    assert whole["id"] == raw["request_id"] == "step-1"
    assert unpack_message(pack_answer(answer, as_arrays=False)) == answer.model_dump(mode="json")


def test_it_is_known_by_its_name_as_sglang_looks_for_it():
    assert is_packed("application/x-msgpack")
    assert is_packed("Application/MsgPack; charset=binary")
    assert not is_packed("application/json")
    assert not is_packed(None)
