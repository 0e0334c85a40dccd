"""What a word is: the same for what is stored and for what is asked, in every script."""

import pytest

from backend.database.search_words import MAX_ASKED_WORDS, search_expression, search_words


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("Cube, red", '"cube"* AND "red"*'),
        ('"red" OR NEAR(cube*)', '"red"* AND "or"* AND "near"* AND "cube"*'),
        ("prompt:secret -x ^y {a b}", '"prompt"* AND "secret"* AND "x"* AND "y"* AND "a"* AND "b"*'),
        ("café İstanbul Straße", '"cafe"* AND "istanbul"* AND "strasse"*'),
        ("红色 cube", '"红 色"* AND "cube"*'),
        ("ロボットarm", '"ロ ホ ゙ ッ ト"* AND "arm"*'),
        ("हिन्दी", '"हिन्दी"*'),
        ("🤖❤️ﬁne", '"🤖"* AND "❤"* AND "fine"*'),
        ("４K №5", '"4k"* AND "no5"*'),
        ("", ""),
        ('"*-()', ""),
        ("a\0b\u202e\u200dc", '"a"* AND "b"* AND "c"*'),
    ],
)
def test_what_is_typed_becomes_words_and_never_syntax(text: str, expression: str):
    if "ロ" in text:  # voiced kana are composed again
        expression = '"ロ ボ ッ ト"* AND "arm"*'
    assert search_expression(text) == expression


def test_what_is_stored_has_the_words_that_are_asked_for():
    assert search_words("Red—cube!", "", "CAFÉ 红色") == "red cube cafe 红 色"


def test_a_long_question_is_cut():
    assert search_expression("word " * 1000).count("AND") == MAX_ASKED_WORDS - 1


def test_half_a_character_is_no_word():
    assert search_words("a\ud800b") == "a b"
