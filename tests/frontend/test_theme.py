"""The Gradio theme."""

import inspect

from gradio.themes import Base

from frontend.theme import VALUES, build_theme


def test_every_value_has_a_name_that_gradio_knows():
    assert set(VALUES) <= set(inspect.signature(Base.set).parameters)


def test_no_font_is_fetched():
    assert build_theme()._stylesheets == []


def test_light_and_dark_share_the_tokens_that_switch():
    theme = build_theme()
    assert theme.body_background_fill == theme.body_background_fill_dark == "var(--o-bg)"
