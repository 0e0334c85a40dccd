from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import BadInput
from studio.specs.action_files import KEYS, read_actions, read_numbers

ROWS = [[0.5, -1.0], [2.0, 3.25]]


@pytest.mark.parametrize("wrap", [lambda rows: rows, *(lambda rows, key=key: {"fps": 10, key: rows} for key in KEYS)])
def test_json_holds_rows_or_an_object_with_them(tmp_path, wrap):
    (tmp_path / "a.json").write_text(json.dumps(wrap(ROWS)))
    assert read_actions(tmp_path / "a.json") == ROWS


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
def test_numpy_holds_an_array(tmp_path, dtype):
    np.save(tmp_path / "a.npy", np.array([[1, 2], [3, 4]], dtype))
    assert read_actions(tmp_path / "a.npy") == [[1.0, 2.0], [3.0, 4.0]]


def test_a_table_may_name_its_columns(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n0.5,-1\n2,3.25\n\n")
    assert read_actions(tmp_path / "a.csv") == ROWS


@given(st.lists(st.lists(st.floats(-9, 9, width=32), min_size=3, max_size=3), min_size=1, max_size=5))
def test_what_is_written_is_read(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("actions")
    (folder / "a.json").write_text(json.dumps({"actions": rows}))
    np.save(folder / "a.npy", np.array(rows, np.float32))
    (folder / "a.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    assert read_actions(folder / "a.json") == read_actions(folder / "a.npy") == read_actions(folder / "a.csv") == rows


def test_numbers_are_typed_or_read(tmp_path):
    np.save(tmp_path / "state.npy", np.arange(3.0))
    assert read_numbers("0.5,-1", "state") == [0.5, -1.0]
    assert read_numbers(str(tmp_path / "state.npy"), "state") == [0.0, 1.0, 2.0]
    with pytest.raises(BadInput, match="state is 'a,b'"):
        read_numbers("a,b", "state")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.json", b"{}", "has no rows of numbers"),
        ("a.json", b'[["a"]]', "has no rows of numbers"),
        ("a.json", b"[[true]]", "has no rows of numbers"),
        ("a.json", b"[", "is not JSON"),
        ("a.npy", b"text", "is not a NumPy file"),
        ("a.csv", b"x,y\n1,z", "line 2: a cell is not a number"),
        ("a.csv", b"\xff\xff", "is not a CSV table"),
        ("a.txt", b"1", "is not an action file"),
        ("gone.json", None, "cannot be read"),
    ],
)
def test_a_file_without_actions_is_refused(tmp_path, name, content, says):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput) as refusal:
        read_actions(tmp_path / name)
    assert says in str(refusal.value)


def test_a_pickle_is_never_opened(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(BadInput, match="is not a NumPy file"):
        read_actions(tmp_path / "a.npy")


def test_a_header_that_claims_more_than_there_is_is_no_memory_error(tmp_path):
    with (tmp_path / "a.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    with pytest.raises(BadInput, match="is not a NumPy file"):
        read_actions(tmp_path / "a.npy")
