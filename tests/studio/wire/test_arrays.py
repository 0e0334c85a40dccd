from __future__ import annotations

from contextlib import suppress

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from studio.errors import BadInput
from studio.wire.arrays import pack_message, unpack_message

DTYPES = st.one_of(
    npst.boolean_dtypes(),
    npst.integer_dtypes(),
    npst.unsigned_integer_dtypes(),
    npst.floating_dtypes(sizes=(16, 32, 64)),
    npst.byte_string_dtypes(min_len=1),
    npst.unicode_string_dtypes(min_len=1),
)
ARRAYS = DTYPES.flatmap(lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, max_dims=4, min_side=0)))
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(),
)
MESSAGES = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text("abc/_"), inner), max_leaves=12)


@given(ARRAYS)
def test_an_array_comes_back_with_its_dtype_shape_and_bits(array):
    back = unpack_message(pack_message({"observation/image": array}))["observation/image"]
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


@given(MESSAGES)
def test_a_plain_message_comes_back(message):
    assert unpack_message(pack_message(message)) == message


@pytest.mark.parametrize("value", [np.float32(1.5), np.int8(-3), np.bool_(True), np.uint64(2**64 - 1), np.float16(2)])
def test_a_numpy_scalar_comes_back_with_its_type(value):
    back = unpack_message(pack_message(value))
    assert back == value
    assert back.dtype == value.dtype


@pytest.mark.parametrize("key", [str, str.encode], ids=["text", "bytes"])
def test_markers_are_read_under_keys_of_either_kind(key):
    array = {key("__ndarray__"): True, key("data"): b"\1\0\2\0", key("dtype"): "<i2", key("shape"): (2,)}
    scalar = {key("__npgeneric__"): True, key("data"): 3, key("dtype"): "|i1"}

    back = unpack_message(msgpack.packb({"array": array, "scalar": scalar}))

    assert back["array"].tolist() == [1, 2]
    assert back["scalar"] == np.int8(3)


def test_the_bytes_are_the_dialect_of_openpi():
    array = np.array([[1, 2]], "<i2")
    raw = msgpack.packb({b"__ndarray__": True, b"data": b"\1\0\2\0", b"dtype": "<i2", b"shape": (1, 2)})
    assert pack_message(array) == raw
    np.testing.assert_array_equal(unpack_message(raw), array)


def test_a_strided_view_is_sent_as_what_it_shows():
    array = np.arange(12).reshape(3, 4)[::-1, ::2].T
    np.testing.assert_array_equal(unpack_message(pack_message(array)), array)


@pytest.mark.parametrize(
    "small",
    [
        {"__ndarray__": True, "data": b"", "dtype": "<f4", "shape": [10**7, 0]},
        {"__ndarray__": True, "data": b"", "dtype": "<f4", "shape": [1000, 1000, 0]},
        {"__ndarray__": True, "data": b"", "dtype": "|S0", "shape": [10**12]},
        {"__npgeneric__": True, "data": "a", "dtype": "<U999999"},
    ],
)
def test_a_few_bytes_do_not_become_millions(small):
    with pytest.raises(BadInput, match="expected"):
        unpack_message(msgpack.packb({"state": small}))


@pytest.mark.parametrize(
    "value",
    [
        np.array([object()]),
        np.zeros(2, complex),
        np.complex64(1),
        np.zeros(2, [("a", "i4")]),
        np.zeros(2, "M8[s]"),
        1j,
        {1, 2},
        object(),
        2**70,
        "\ud800",
    ],
)
def test_what_has_no_place_on_the_wire_is_refused(value):
    with pytest.raises(BadInput, match="cannot be packed"):
        pack_message({"x": value})


def _array(data: object = b"1234", dtype: object = "<f4", shape: object = (1,)) -> bytes:
    return msgpack.packb({b"__ndarray__": True, b"data": data, b"dtype": dtype, b"shape": shape})


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xc1",
        b"\x81",
        b"\x01\x02",
        b"\xa1\xff",
        b"\x91" * 3000 + b"\x01",
        b"\x81\x90\x01",
        msgpack.packb({1: 2}),
        msgpack.packb(msgpack.ExtType(5, b"x")),
        msgpack.packb({b"__ndarray__": True}),
        _array(data=b"123"),
        _array(data=b"12345"),
        _array(data="1234"),
        _array(data=None),
        _array(dtype="|O8"),
        _array(dtype="O"),
        _array(dtype="<c8"),
        _array(dtype="<f4,<f4"),
        _array(dtype="(2,)<f2"),
        _array(dtype="<f3"),
        _array(dtype=4),
        _array(dtype="float32"),
        _array(shape=(-1,)),
        _array(shape=(1.0,)),
        _array(shape=(True,)),
        _array(shape=1),
        _array(shape=[1] * 33),
        _array(shape=[2**62, 2**62]),
        _array(data=b"", shape=[2**62, 2**62, 0]),
        msgpack.packb({b"__npgeneric__": True, b"data": 300, b"dtype": "|u1"}),
        msgpack.packb({b"__npgeneric__": True, b"data": "x", b"dtype": "<f4"}),
        msgpack.packb({b"__npgeneric__": True, b"data": [1, 2], b"dtype": "<f4"}),
    ],
)
def test_bytes_that_lie_are_bad_input(raw):
    with pytest.raises(BadInput):
        unpack_message(raw)


@given(st.binary(max_size=64))
def test_no_bytes_raise_anything_else(raw):
    with suppress(BadInput):
        unpack_message(raw)


@given(ARRAYS, st.data())
def test_a_message_that_is_cut_is_bad_input(array, data):
    raw = pack_message({"a": array})
    with pytest.raises(BadInput):
        unpack_message(raw[: data.draw(st.integers(0, len(raw) - 1))])
