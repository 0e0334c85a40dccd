"""Parts never carry a person's text into a template."""

import json
import re
from collections.abc import Callable
from typing import Any

import gradio as gr

from frontend import parts


def test_an_attribute_survives_handlebars_and_a_javascript_literal():
    written = parts.attribute({"label": 'a `b` ${c} {{d}} \\ "e" <f>'})
    assert not set('{}$`\\"<>') & set(written)


def test_an_attribute_reads_back_as_it_was():
    import html

    data = {"label": 'a `b` ${c} {{d}} \\ "e" <f>', "options": [["on", True]]}
    assert json.loads(html.unescape(parts.attribute(data))) == data


def test_no_template_holds_a_value(in_a_loop: Callable[..., Any]):
    def draw() -> list[gr.HTML]:
        with gr.Blocks(analytics_enabled=False):
            return [
                parts.part("o-stage", elem_id="a"),
                parts.relay("o-use"),
                parts.chips([("on", True)], path="p", label="l", value=True, info="", elem_id="c"),
                parts.seed_tools(elem_id="d"),
            ]

    for part in in_a_loop(draw):
        assert not re.search(r"\$\{|\{\{", part.html_template)
