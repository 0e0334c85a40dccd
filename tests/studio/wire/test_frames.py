from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import BadInput
from studio.wire import pack_frame, unpack_frame

TOPICS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


def test_a_frame_is_length_topic_payload():
    assert pack_frame("a", b"xy") == b"\x00\x01axy"


@given(TOPICS, st.binary())
def test_a_frame_comes_back(topic, payload):
    assert unpack_frame(pack_frame(topic, payload)) == (topic, payload)


@given(st.binary(max_size=20))
def test_any_bytes_are_a_frame_or_bad_input(raw):
    try:
        topic, payload = unpack_frame(raw)
    except BadInput:
        return
    assert pack_frame(topic, payload) == raw


@pytest.mark.parametrize("raw", [b"", b"\x00", b"\x00\x05abc", b"\x00\x01\xff"])
def test_a_frame_that_lies_is_bad_input(raw):
    with pytest.raises(BadInput):
        unpack_frame(raw)
