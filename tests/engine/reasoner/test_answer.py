from __future__ import annotations

import pytest

from engine.reasoner.conversation import Answer


def test_a_character_is_shown_when_its_last_byte_has_come():
    answer = Answer()
    shown = []
    for byte in "a€🎉".encode():
        answer.write(bytes([byte]))
        shown.append(answer.take())
    assert shown == ["a", "", "", "€", "", "", "", "🎉"]


def test_half_a_character_at_the_end_is_one_mark():
    answer = Answer()
    answer.write("ok€".encode()[:-1])
    assert answer.text == "ok"
    answer.close()
    assert answer.text == "ok\ufffd"


def test_what_may_be_a_stop_string_waits_until_it_is_none():
    answer = Answer(["END", "stop"])
    shown = []
    for piece in (b"the E", b"N", b"T st", b"ep"):
        answer.write(piece)
        shown.append(answer.take())
    assert shown == ["the ", "", "ENT ", "step"]


def test_nothing_of_a_stop_string_or_behind_it_is_shown():
    answer = Answer(["END", "E E"])
    for piece in (b"an E", b" EN", b"D and more"):
        answer.write(piece)
    answer.close()
    assert answer.stopped
    assert answer.text == "an "


@pytest.mark.parametrize("stop", [(), ("xyz",)])
def test_closing_shows_what_was_held_back(stop):
    answer = Answer(stop)
    answer.write(b"abxy")
    answer.close()
    assert answer.text == "abxy"
    assert answer.take() == "abxy"
    assert answer.take() == ""


def test_a_stop_string_may_be_longer_than_a_character_has_bytes():
    answer = Answer(["é🎉"])
    for byte in "caé🎉x".encode():
        answer.write(bytes([byte]))
    assert answer.text == "ca"
