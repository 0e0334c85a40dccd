"""Actions in the store: as JSON that says how they were made, and as an array; both or neither."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.media import MediaStore, read_recipe
from backend.media.file_names import mime_of
from studio.errors import BadInput, EngineError, MediaNotFound
from studio.requests import RunPolicy

JOB = "0123456789ab"
ROWS = np.random.default_rng(0).normal(size=(8, 8)).astype(np.float32)


def policy(**fields: Any) -> RunPolicy:
    return RunPolicy.model_validate(
        {
            "prompt": "lift the cube",
            "embodiment": "droid_joint_position",
            "start_image": "u0123456789abcdef",
            "state": [0.0] * 8,
            "num_actions": 8,
            "sampling": {"seed": 5},
            **fields,
        }
    )


@pytest.fixture
def store(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path)


def test_actions_come_back_bit_for_bit_in_both_forms(store: MediaStore):
    text, array = store.put_actions(JOB, 2, ROWS, policy(), "speck")

    said = json.loads(store.file(text.id).read_text())
    assert np.array_equal(np.array(said["actions"], np.float32), ROWS)
    assert np.array_equal(np.load(store.file(array.id)), ROWS)
    assert np.load(store.file(array.id)).dtype == np.float32
    assert (said["embodiment"], said["fps"], said["columns"][-1]) == ("droid_joint_position", 15.0, "gripper")
    assert said["units"] == "rad; gripper 0 open to 1 closed"


def test_references_say_what_the_files_are(store: MediaStore):
    text, array = store.put_actions(JOB, 2, ROWS, policy(), "speck")

    assert (text.id, text.type, text.mime) == (f"{JOB}-2-actions", "actions", "application/json")
    assert (array.id, array.type, array.mime) == (f"{JOB}-2-array", "actions", "application/x-npy")
    for reference in (text, array):
        assert (reference.num_actions, reference.action_width, reference.fps, reference.seed) == (8, 8, 15.0, 5)
        assert (reference.width, reference.thumbnail_url) == (None, None)
        assert mime_of(store.file(reference.id)) == reference.mime
        with pytest.raises(MediaNotFound):
            store.thumbnail(reference.id)


def test_the_recipe_of_actions_is_read_back(store: MediaStore):
    text, _ = store.put_actions(JOB, 0, ROWS, policy(prompt='"{☃}\0'), "speck")

    assert read_recipe(store.file(text.id)).request == policy(prompt='"{☃}\0', checkpoint="speck")


@pytest.mark.parametrize("content", [b"{}", b'{"recipe": 3}', b'{"recipe": {"kind": "x"}}', b"{" * 100_000, b'{"a": '])
def test_json_without_a_recipe_is_refused(content: bytes, tmp_path: Path):
    (tmp_path / "a.json").write_bytes(content)

    with pytest.raises(BadInput):
        read_recipe(tmp_path / "a.json")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_actions_that_are_no_numbers_are_an_error_and_leave_nothing(store: MediaStore, tmp_path: Path, value: float):
    broken = ROWS.copy()
    broken[3, 3] = value

    with pytest.raises(EngineError):
        store.put_actions(JOB, 0, broken, policy(), "speck")

    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
